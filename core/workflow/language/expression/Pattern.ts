/** Parses regular expressions as JSON Schema uses them: those of ECMAScript with the flag `u`. */
import { Result } from "effect"

/** Code points as sorted, disjoint, inclusive ranges. */
export type CharSet = ReadonlyArray<readonly [from: number, to: number]>

export type Pattern =
  /** The empty text, and every assertion about a position between two characters. */
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Start" }
  | { readonly _tag: "End" }
  | { readonly _tag: "Chars"; readonly set: CharSet }
  | { readonly _tag: "Sequence"; readonly parts: ReadonlyArray<Pattern> }
  | { readonly _tag: "Choice"; readonly options: ReadonlyArray<Pattern> }
  | { readonly _tag: "Repeat"; readonly body: Pattern; readonly min: number; readonly max: number }
  /** A look ahead or behind, which takes no characters. */
  | { readonly _tag: "Lookaround"; readonly body: Pattern }

const last = 0x10ffff
const any: CharSet = [[0, last]]
const digits: CharSet = [[0x30, 0x39]]
const word: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a]
]
const space: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff]
]

/** Sorts ranges and joins those that touch. */
const joined = (ranges: CharSet): CharSet => {
  const found: Array<[number, number]> = []
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = found.at(-1)
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to)
    else found.push([from, to])
  }
  return found
}

const complement = (set: CharSet): CharSet => {
  const found: Array<readonly [number, number]> = []
  let next = 0
  for (const [from, to] of joined(set)) {
    if (from > next) found.push([next, from - 1])
    next = to + 1
  }
  return next > last ? found : [...found, [next, last]]
}

/** Returns whether two sets have a character in common. */
export const overlap = (a: CharSet, b: CharSet): boolean =>
  a.some(([from, to]) => b.some(([start, end]) => from <= end && start <= to))

/** The characters of any of these sets. */
export const union = (sets: ReadonlyArray<CharSet>): CharSet => joined(sets.flat())

/** Raised within this file for a pattern that cannot be parsed. */
class Unreadable extends Error {}

/** Parses a pattern. Fails with the reason for an invalid pattern and for back references. */
export const parse = (source: string): Result.Result<Pattern, string> => {
  try {
    new RegExp(source, "u")
    return Result.succeed(new Reader(source).whole())
  } catch (error) {
    return Result.fail(error instanceof Error ? error.message : String(error))
  }
}

class Reader {
  readonly chars: ReadonlyArray<string>
  at = 0

  constructor(source: string) {
    this.chars = [...source]
  }

  whole(): Pattern {
    const pattern = this.choice()
    if (this.at < this.chars.length) throw new Unreadable(`Unexpected ${this.chars[this.at]}`)
    return pattern
  }

  private takes(text: string): boolean {
    const found = this.chars.slice(this.at, this.at + text.length).join("") === text
    if (found) this.at += text.length
    return found
  }

  private next(): string {
    const char = this.chars[this.at++]
    if (char === undefined) throw new Unreadable("Unexpected end")
    return char
  }

  private choice(): Pattern {
    const options = [this.sequence()]
    while (this.takes("|")) options.push(this.sequence())
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { _tag: "Choice", options }
  }

  private sequence(): Pattern {
    const parts: Array<Pattern> = []
    while (this.at < this.chars.length && this.chars[this.at] !== "|" && this.chars[this.at] !== ")") {
      parts.push(this.repeated(this.atom()))
    }
    return { _tag: "Sequence", parts }
  }

  private repeated(body: Pattern): Pattern {
    const [min, max] = this.takes("*")
      ? [0, Infinity]
      : this.takes("+")
        ? [1, Infinity]
        : this.takes("?")
          ? [0, 1]
          : this.takes("{")
            ? this.counts()
            : [1, 1]
    if (min === 1 && max === 1) return body
    this.takes("?")
    return { _tag: "Repeat", body, min, max }
  }

  private counts(): readonly [number, number] {
    const end = this.chars.indexOf("}", this.at)
    const [min = "", max = min] = this.chars.slice(this.at, end).join("").split(",")
    this.at = end + 1
    return [Number(min), max === "" ? Infinity : Number(max)]
  }

  private atom(): Pattern {
    if (this.takes("(?=") || this.takes("(?!") || this.takes("(?<=") || this.takes("(?<!")) {
      return { _tag: "Lookaround", body: this.group() }
    }
    if (this.takes("(?:")) return this.group()
    if (this.takes("(?<")) {
      while (this.next() !== ">");
      return this.group()
    }
    if (this.takes("(?")) throw new Unreadable("Flags within a pattern are not supported")
    if (this.takes("(")) return this.group()
    if (this.takes("[")) return { _tag: "Chars", set: this.charClass() }
    if (this.takes("^")) return { _tag: "Start" }
    if (this.takes("$")) return { _tag: "End" }
    if (this.takes(".")) return { _tag: "Chars", set: any }
    if (this.takes("\\b") || this.takes("\\B")) return { _tag: "Empty" }
    return { _tag: "Chars", set: this.takes("\\") ? this.escape() : single(this.next()) }
  }

  private group(): Pattern {
    const body = this.choice()
    if (!this.takes(")")) throw new Unreadable("Expected )")
    return body
  }

  private charClass(): CharSet {
    const negated = this.takes("^")
    const ranges: Array<readonly [number, number]> = []
    while (!this.takes("]")) {
      const from = this.member()
      const isRange = this.chars[this.at] === "-" && this.chars[this.at + 1] !== "]"
      if (!isRange || !isSingle(from)) {
        ranges.push(...from)
        continue
      }
      this.takes("-")
      const to = this.member()
      ranges.push([from[0]?.[0] ?? 0, to[0]?.[0] ?? 0])
    }
    // The complement of a property such as \p{L} is not known, so nothing is assumed to be excluded.
    const set = negated ? complement(ranges) : joined(ranges)
    return set.length === 0 && negated ? any : set
  }

  private member(): CharSet {
    if (this.takes("\\b")) return [[8, 8]]
    return this.takes("\\") ? this.escape() : single(this.next())
  }

  private escape(): CharSet {
    const char = this.next()
    const known = classes[char]
    if (known !== undefined) return known
    if (char === "p" || char === "P") {
      while (this.next() !== "}");
      return any
    }
    if (char === "k" || /[1-9]/.test(char)) throw new Unreadable("Back references are not supported")
    if (char === "c") return single(String.fromCodePoint((this.next().codePointAt(0) ?? 0) % 32))
    if (char === "x") return [this.hex(2)]
    if (char === "u") return [this.takes("{") ? this.braced() : this.hex(4)]
    return single(controls[char] ?? char)
  }

  private hex(length: number): readonly [number, number] {
    const code = Number.parseInt(Array.from({ length }, () => this.next()).join(""), 16)
    return [code, code]
  }

  private braced(): readonly [number, number] {
    const end = this.chars.indexOf("}", this.at)
    const code = Number.parseInt(this.chars.slice(this.at, end).join(""), 16)
    this.at = end + 1
    return [code, code]
  }
}

const single = (char: string): CharSet => {
  const code = char.codePointAt(0) ?? 0
  return [[code, code]]
}

const isSingle = (set: CharSet): boolean => set.length === 1 && set[0]?.[0] === set[0]?.[1]

const classes: Readonly<Record<string, CharSet>> = {
  d: digits,
  D: complement(digits),
  w: word,
  W: complement(word),
  s: space,
  S: complement(space)
}

const controls: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", v: "\v", f: "\f", "0": "\0" }
