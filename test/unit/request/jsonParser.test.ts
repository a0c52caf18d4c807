/** JSON that is parsed in pieces has the value that it has when it is parsed at once, or is refused as it is then. */
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import * as JsonParser from "../../../adapters/json/JsonParser.ts"
import { type Draw, draws, pick } from "../../support/JsonSchema.ts"

type Parsed = { readonly value: Schema.Json } | { readonly error: string }

const outcomeOf = (parse: () => Schema.Json): Parsed => {
  try {
    return { value: parse() }
  } catch (error) {
    return { error: error instanceof Error ? error.name : "not an error" }
  }
}

const inPieces = (pieces: ReadonlyArray<string>): Parsed =>
  outcomeOf(() => {
    const parser = JsonParser.make()
    for (const piece of pieces) parser.add(piece)
    return parser.end()
  })

/** Equal in every value, in the order of the names and in the sign of zero. */
const isSame = (one: Parsed, other: Parsed): boolean =>
  isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other)

const assertSame = (text: string, pieces: ReadonlyArray<string>): void => {
  if (
    isSame(
      inPieces(pieces),
      outcomeOf(() => JSON.parse(text))
    )
  )
    return
  assert.fail(`Differs from JSON.parse: ${JSON.stringify(pieces)}`)
}

const spaces = ["", "", "", " ", "\n", "\t\r\n ", "\u00a0", "\ufeff"]
const strings = [
  '""',
  '"a"',
  '"\\""',
  '"\\u0041\\u00e9"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"😀"',
  '"\\u12"',
  '"\\x41"',
  '"\\b\\f\\n\\r\\t\\/"',
  '"a\nb"',
  '"\u2028"',
  '"__proto__"',
  '"constructor"',
  '"1"',
  '"b'
]
const bare = [
  "0",
  "-0",
  "-",
  "01",
  "1.",
  "1.5",
  ".5",
  "1e5",
  "1E+400",
  "-1e-400",
  "1e",
  "9007199254740993",
  "5e-324",
  "1.7976931348623157e308",
  "1".repeat(400),
  "true",
  "false",
  "null",
  "nul",
  "True",
  "NaN",
  "Infinity",
  "undefined"
]
const marks = ["{", "}", "[", "]", ",", ":", '"', "\\", "'", "/", "\u0000"]

/** A value, mostly valid, with white space around its tokens. */
const valueOf = (draw: Draw, depth: number): string => {
  const space = () => pick(draw() < 0.02 ? spaces : spaces.slice(0, 6), draw)
  const kind = draw()
  const many = Math.floor(draw() * 4)
  if (depth > 0 && kind < 0.35) {
    return `[${Array.from({ length: many }, () => valueOf(draw, depth - 1)).join(",") || space()}]`
  }
  if (depth > 0 && kind < 0.7) {
    const fields = Array.from({ length: many }, () => {
      const name = pick(strings.slice(0, -1), draw)
      return `${space()}${name}${space()}:${valueOf(draw, depth - 1)}`
    })
    return `{${fields.join(",") || space()}}`
  }
  return `${space()}${pick(kind < 0.85 ? strings : bare, draw)}${space()}`
}

/** The text with a token or a character more, less or changed. */
const mutated = (text: string, draw: Draw): string => {
  const at = Math.floor(draw() * (text.length + 1))
  const added = pick([...marks, ...bare, ...strings, ""], draw)
  return text.slice(0, at) + added + text.slice(at + Math.floor(draw() * 3))
}

const cut = (text: string, draw: Draw): ReadonlyArray<string> => {
  const most = pick([1, 3, 9, 40], draw)
  const pieces: Array<string> = []
  for (let from = 0; from < text.length; ) {
    const length = Math.floor(draw() * (most + 1))
    pieces.push(text.slice(from, from + length))
    from += length
  }
  return pieces
}

describe("JSON that is parsed in pieces", () => {
  it("equals the result of JSON.parse for the whole text, also when that is changed at random", () => {
    const draw = draws(1)
    let refused = 0
    const rounds = 6_000
    for (let round = 0; round < rounds; round++) {
      let text = valueOf(draw, 4)
      for (let change = Math.floor(draw() * 3); change > 0; change--) text = mutated(text, draw)
      // The engine itself mistakes a name such as "\\n" for "\\\\" where it has seen that name at the same place before.
      if (text.includes("\\\\")) continue
      assertSame(text, cut(text, draw))
      if ("error" in inPieces([text])) refused++
    }
    assert.isAbove(refused, rounds / 10)
    assert.isBelow(refused, (rounds * 9) / 10)
  })

  it.each([
    ["a name that stands twice keeps its first place and its last value", '{"a":1,"b":2,"a":{"c":3}}'],
    ["a name that is a number goes first", '{"b":1,"2":2,"1":3}'],
    ["__proto__ is a name as others are", '{"__proto__":{"x":1},"a":{"__proto__":null}}'],
    ["zero keeps its sign", "[0,-0,-0.0,1e-999,-1e-999]"],
    ["a number is rounded once", "[0.1,123456789012345678901234567890,9007199254740993,5e-324,1e400]"],
    ["escaped backslashes end no string before its end", '["\\\\","\\\\\\"","\\\\\\\\","\\\\n","\\\\u0041"]'],
    ["no text is no value", ""],
    ["white space is no value", " \n"],
    ["a second value is refused", "1 2"],
    ["a comma at the end is refused", "[1,]"],
    ["a comma before a brace is refused", '{"a":1,}'],
    ["brackets of two kinds are refused", "[1}"],
    ["a name without a value is refused", '{"a"}'],
    ["a name that is no string is refused", "{1:2}"],
    ["a line feed in a string is refused", '"a\nb"'],
    ["an escape that is none is refused", '"\\u00zz"'],
    ["half an escape is refused", '"\\u00'],
    ["a string that is not ended is refused", '["a']
  ])("for every cut of it: %s", (_, text) => {
    assertSame(text, [text])
    assertSame(text, [...text].map(String))
    for (let at = 0; at <= text.length; at++) assertSame(text, [text.slice(0, at), "", text.slice(at)])
  })

  it("does not grow the stack with the depth, and takes long tokens", () => {
    const depth = 200_000
    const deep = inPieces(["[".repeat(depth), "]".repeat(depth)])
    assert.isTrue("value" in deep && Array.isArray(deep.value))
    const long = `["${'\\"\\u00e9\\\\'.repeat(20_000)}",${"7".repeat(200_000)}e-199990]`
    const pieces = Array.from({ length: 20 }, (_, at) => long.slice(at * 21_000, (at + 1) * 21_000))
    assertSame(pieces.join(""), pieces)
    assert.strictEqual(pieces.join(""), long)
  })

  it.effect("lets other work run between two pieces", () =>
    Effect.gen(function* () {
      let done = 0
      const other = Effect.forever(
        Effect.andThen(
          Effect.sync(() => done++),
          Effect.yieldNow
        )
      )
      const value = yield* Effect.raceFirst(JsonParser.parse(["[1", ",2", ",3]"]), other)
      assert.deepStrictEqual(value, [1, 2, 3])
      assert.isAtLeast(done, 2)
    })
  )
})
