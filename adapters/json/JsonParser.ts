/**
 * Parses JSON text in pieces, so that the whole text is never in memory and other fibers can run between the pieces.
 */
import { Effect, type Schema } from "effect"

export interface Parser {
  /**
   * Takes the next piece of the text, in time linear in its length, or in the length of a string or number that ends in
   * it. Throws a `SyntaxError` if the text is not JSON.
   */
  readonly add: (piece: string) => void
  /** The value of the whole text. Throws a `SyntaxError` if the text is not JSON or is incomplete. */
  readonly end: () => Schema.Json
}

type Container = Array<Schema.Json> | Record<string, Schema.Json>

/** The tokens that may come next, besides white space. */
type Expected = "value" | "value or ]" | "name" | "name or }" | ":" | ", or end" | "end"

/** Reads a number or a word. Throws a `SyntaxError` for any other text. */
export type ReadBare = (text: string) => Schema.Json

const readBare: ReadBare = (text) => JSON.parse(text)

/**
 * A new parser. For any division into pieces, its result is that of `JSON.parse` for the whole text, except for what
 * another `bare` makes of its numbers and words.
 */
export const make = (bare: ReadBare = readBare): Parser => new PieceParser(bare)

class PieceParser implements Parser {
  /** The containers that are open around the innermost one. */
  readonly #outer: Array<Container> = []
  #inner: Container | null = null
  /** The name of the next value of an object. */
  #name = ""
  #expected: Expected = "value"
  #result: Schema.Json = null

  /** The parts of a string, a number or a word that began in an earlier piece; `null` outside of it. */
  #string: Array<string> | null = null
  #bare: Array<string> | null = null
  /** The beginning of an escape that is cut off at the end of a piece. */
  #rest = ""
  readonly #read: ReadBare

  constructor(read: ReadBare) {
    this.#read = read
  }

  add(piece: string): void {
    const text = this.#rest === "" ? piece : this.#rest + piece
    this.#rest = ""
    let at = 0
    if (this.#string !== null) at = this.#takeString(text, at)
    else if (this.#bare !== null) at = this.#takeBare(text, at)
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (isSpace(code)) at++
      else if (code === quote) {
        if (!mayBeString(this.#expected)) throw unexpected(text, at)
        at = this.#takeString(text, at + 1)
      } else if (code === comma) {
        if (this.#expected !== ", or end") throw unexpected(text, at)
        this.#expected = Array.isArray(this.#inner) ? "value" : "name"
        at++
      } else if (code === colon) {
        if (this.#expected !== ":") throw unexpected(text, at)
        this.#expected = "value"
        at++
      } else if (code === closeArray || code === closeObject) {
        if (!this.#mayClose(code)) throw unexpected(text, at)
        this.#inner = this.#outer.pop() ?? null
        this.#expected = this.#inner === null ? "end" : ", or end"
        at++
      } else if (this.#expected !== "value" && this.#expected !== "value or ]") {
        throw unexpected(text, at)
      } else if (code === openArray || code === openObject) {
        this.#open(code === openArray ? [] : {})
        at++
      } else at = this.#takeBare(text, at)
    }
  }

  end(): Schema.Json {
    if (this.#bare !== null) this.#finish(this.#read(this.#bare.join("")))
    this.#bare = null
    if (this.#expected !== "end" || this.#string !== null) throw new SyntaxError("Unexpected end of JSON input")
    return this.#result
  }

  #put(value: Schema.Json): void {
    const inner = this.#inner
    if (inner === null) this.#result = value
    else if (Array.isArray(inner)) inner.push(value)
    else if (this.#name !== "__proto__") inner[this.#name] = value
    else {
      // An assignment would set the prototype.
      Object.defineProperty(inner, this.#name, { value, configurable: true, enumerable: true, writable: true })
    }
  }

  #open(container: Container): void {
    this.#put(container)
    if (this.#inner !== null) this.#outer.push(this.#inner)
    this.#inner = container
    this.#expected = Array.isArray(container) ? "value or ]" : "name or }"
  }

  #mayClose(code: number): boolean {
    if (this.#expected === ", or end") return Array.isArray(this.#inner) === (code === closeArray)
    return this.#expected === (code === closeArray ? "value or ]" : "name or }")
  }

  /** Takes a whole string, number or word. */
  #finish(value: Schema.Json): void {
    if (this.#expected === "name" || this.#expected === "name or }") {
      // Only a string is accepted where a name is expected.
      this.#name = value as string
      this.#expected = ":"
      return
    }
    this.#put(value)
    this.#expected = this.#inner === null ? "end" : ", or end"
  }

  /** Reads the rest of a string, from after its quote or from the start of a piece. Returns where to continue. */
  #takeString(text: string, from: number): number {
    const end = endOfString(text, from)
    if (end < 0) {
      const cut = beforeOpenEscape(text, from)
      this.#string ??= []
      this.#string.push(parseString(text.slice(from, cut)))
      this.#rest = text.slice(cut)
      return text.length
    }
    const last = parseString(text.slice(from, end))
    const parts = this.#string
    this.#string = null
    parts?.push(last)
    this.#finish(parts === null ? last : parts.join(""))
    return end + 1
  }

  /** Takes the rest of a number or a word. Returns where to continue. */
  #takeBare(text: string, from: number): number {
    let end = from
    while (end < text.length && !endsBare(text.charCodeAt(end))) end++
    const part = text.slice(from, end)
    if (end === text.length) {
      this.#bare ??= []
      this.#bare.push(part)
      return end
    }
    const parts = this.#bare
    this.#bare = null
    parts?.push(part)
    this.#finish(this.#read(parts === null ? part : parts.join("")))
    return end
  }
}

/** Parses a text that was cut into pieces. With several pieces, other work runs between two of them. */
export const parse = Effect.fnUntraced(function* (pieces: ReadonlyArray<string>, bare?: ReadBare) {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1 && bare === undefined)
    return yield* attempt(() => JSON.parse(first) as Schema.Json)
  const parser = make(bare)
  for (const piece of pieces) {
    yield* attempt(() => parser.add(piece))
    yield* Effect.yieldNow
  }
  return yield* attempt(() => parser.end())
})

// The parser, like `JSON.parse`, throws nothing else.
const attempt = <A>(step: () => A): Effect.Effect<A, SyntaxError> =>
  Effect.try({ try: step, catch: (cause) => cause as SyntaxError })

const [quote, comma, colon, openArray, closeArray, openObject, closeObject, backslash] = [
  0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d, 0x5c
]

const mayBeString = (expected: Expected): boolean => expected !== ":" && expected !== ", or end" && expected !== "end"

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const endsBare = (code: number): boolean =>
  isSpace(code) ||
  code === comma ||
  code === closeArray ||
  code === closeObject ||
  code === colon ||
  code === quote ||
  code === openArray ||
  code === openObject

const unexpected = (text: string, at: number): SyntaxError =>
  new SyntaxError(`Unexpected token ${JSON.stringify(text.slice(at, at + 1))} in JSON`)

/** The text of a string or of a part of it that holds whole escapes. */
const parseString = (written: string): string => JSON.parse(`"${written}"`)

/** The position of the quote that ends a string; -1 if the string continues after the text. */
const endOfString = (text: string, from: number): number => {
  let looked = from
  for (;;) {
    const at = text.indexOf('"', looked)
    if (at < 0) return -1
    if (backslashesBefore(text, at, looked) % 2 === 0) return at
    looked = at + 1
  }
}

/** The number of backslashes directly before a position, counted from `from`, where no escape is open. */
const backslashesBefore = (text: string, at: number, from: number): number => {
  let first = at
  while (first > from && text.charCodeAt(first - 1) === backslash) first--
  return at - first
}

/** The length of the text without an incomplete escape at its end, which has up to five characters. */
const beforeOpenEscape = (text: string, from: number): number => {
  const last = text.lastIndexOf("\\")
  if (last < from || last < text.length - 5) return text.length
  if (backslashesBefore(text, last + 1, from) % 2 === 0) return text.length
  const isWhole = last + 1 < text.length && text[last + 1] !== "u"
  return isWhole ? text.length : last
}
