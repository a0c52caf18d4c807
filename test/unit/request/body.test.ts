import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as JsonMeter from "../../../apps/api/http/body/JsonMeter.ts"
import * as Utf8 from "../../../apps/api/http/body/Utf8.ts"

const encoder = new TextEncoder()

/** Cuts bytes into pieces of the given sizes, over and over. */
const cut = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    pieces.push(bytes.slice(from, from + size))
    from += size
  }
  return pieces
}

const measured = (pieces: ReadonlyArray<Uint8Array>, limits: JsonMeter.Limits): JsonMeter.Excess | null => {
  const meter = JsonMeter.make(limits)
  for (const piece of pieces) {
    const excess = meter.add(piece)
    if (excess !== null) return excess
  }
  return null
}

interface Size {
  readonly depth: number
  readonly names: number
  readonly values: number
  readonly nameBytes: number
  readonly numberBytes: number
}

/** The size of a parsed value, counted the slow way. */
const sizeOf = (value: Schema.Json): Size => {
  if (typeof value !== "object" || value === null) {
    const numberBytes = typeof value === "string" ? 0 : JSON.stringify(value).length
    return { depth: 0, names: 0, values: 1, nameBytes: 0, numberBytes }
  }
  const names = Array.isArray(value) ? [] : Object.keys(value)
  const parts = Object.values(value as Record<string, Schema.Json>).map(sizeOf)
  const sum = (field: "names" | "values" | "nameBytes") => parts.reduce((all, part) => all + part[field], 0)
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    names: names.length + sum("names"),
    values: 1 + sum("values"),
    nameBytes: names.reduce((all, name) => all + encoder.encode(JSON.stringify(name)).length - 1, 0) + sum("nameBytes"),
    numberBytes: Math.max(0, ...parts.map(({ numberBytes }) => numberBytes))
  }
}

const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))).check(Schema.isMinLength(1))

describe("the meter of JSON", () => {
  it.prop(
    "finds exactly the size that the parsed value has, however the text is cut and spaced",
    [Arbitrary.schema(Schema.Json), Arbitrary.schema(sizes), Arbitrary.schema(Schema.Boolean)],
    ([generated, pieces, spaced]) => {
      const value = [generated]
      const bytes = cut(encoder.encode(JSON.stringify(value, null, spaced ? "\n \t" : "")), pieces)
      const size = sizeOf(JSON.parse(JSON.stringify(value)) as Schema.Json)
      assert.isNull(measured(bytes, size))
      for (const field of ["depth", "names", "values", "nameBytes", "numberBytes"] as const) {
        if (size[field] > 0) assert.isNotNull(measured(bytes, { ...size, [field]: size[field] - 1 }), field)
      }
    },
    { arbitrary: { runs: 300, size: 40 } }
  )

  it.each([
    ["brackets in strings", '{"a[[{":"]]}\\"[,:"}', { depth: 1, names: 1, values: 2, nameBytes: 5, numberBytes: 0 }],
    ["a name that stands twice", '{"a":1,"a":2}', { depth: 1, names: 2, values: 3, nameBytes: 4, numberBytes: 1 }],
    ["ends without beginnings", "]]}}1", { depth: 0, names: 0, values: 1, nameBytes: 0, numberBytes: 1 }],
    ["nothing", "", { depth: 0, names: 0, values: 1, nameBytes: 0, numberBytes: 0 }]
  ] as const)("counts %s as they stand there", (_, text, size) => {
    assert.isNull(measured([encoder.encode(text)], size))
  })

  it("finds where a number becomes too long, however the text is cut", () => {
    const limits = { depth: 9, names: 9, values: 9, nameBytes: 99, numberBytes: 5 }
    const position = (text: string, size: number) => {
      const meter = JsonMeter.make(limits)
      const excess = cut(encoder.encode(text), [size])
        .map(meter.add)
        .find((found) => found !== null)
      return excess === undefined ? null : [excess, meter.position()]
    }
    for (const size of [1, 2, 3, 100]) {
      assert.isNull(position('{"a":12345,"b":[67890],"c":"1234567"}', size))
      assert.deepStrictEqual(position('{"a":[12345,-12345', size), ["numberBytes", 18])
    }
  })
})

describe("the decoder of UTF-8", () => {
  const decoded = (pieces: ReadonlyArray<Uint8Array>): string | null => {
    const decoder = Utf8.make()
    let text = ""
    for (const piece of pieces) {
      const next = decoder.add(piece)
      if (next === null) return null
      text += next
    }
    return decoder.isComplete() ? text : null
  }
  const strict = (bytes: Uint8Array): string | null => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    } catch {
      return null
    }
  }

  it.prop(
    "decodes text however it is cut",
    [Arbitrary.schema(Schema.String), Arbitrary.schema(sizes)],
    ([text, pieces]) => {
      const bytes = encoder.encode(`ä€😀${text}\ufeff`)
      assert.strictEqual(decoded(cut(bytes, pieces)), strict(bytes))
    },
    { arbitrary: { runs: 300 } }
  )

  const bytes = Schema.Array(Schema.Literals([0x00, 0x41, 0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0xed, 0xa0, 0xf0, 0x9f, 0xf5]))

  it.prop(
    "accepts what a strict decoder accepts, and nothing else",
    [Arbitrary.schema(bytes), Arbitrary.schema(sizes)],
    ([written, pieces]) => {
      const all = Uint8Array.from(written)
      assert.strictEqual(decoded(cut(all, pieces)), strict(all))
    },
    { arbitrary: { runs: 1_000 } }
  )

  it("skips a byte order mark, and only at the beginning", () => {
    assert.strictEqual(decoded([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf, 0x31)]), "1")
  })
})
