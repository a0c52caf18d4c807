/**
 * Finds words in a text that are encoded in base64, alone or within a longer value, or in hexadecimal. Words are given
 * by their bytes, each as a character.
 */
import { type Characters, mark } from "./Characters.ts"
import * as Escapes from "./Escapes.ts"
import { type Alphabet, hashOf, type Meter, SortedWords } from "./SortedWords.ts"
import type * as Turns from "./Turns.ts"
import type { Report } from "./WrittenWords.ts"

/** Each symbol is computed from its byte. */
const costOfSymbol = 6

const bitsOfByte = 8
const bitsOfSextet = 6

/** The signs of base64 for a number of bits from 0 on, in its two alphabets. */
const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const other = -1
/** The code of a character that may be the escape of a sign. */
const escaped = -2

const sextets = Int8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit)
  return sign === "-" ? 62 : sign === "_" ? 63 : signs.indexOf(sign)
})

/** The bits of a sign, which may be marked. */
const sextetOf = (unit: number): number => {
  if (unit === mark + 0x2b) return 62
  if (unit === mark + 0x25 || unit === mark + Escapes.backslash) return escaped
  return unit >= 0 && unit < 128 ? (sextets[unit] ?? other) : other
}

/** Whether the first of four signs that has no bits is an escaped one. */
const mayBeEscaped = (a: number, b: number, c: number, d: number): boolean => {
  const first = a < 0 ? a : b < 0 ? b : c < 0 ? c : d
  return first === escaped
}

/** The bits of a word, in parts of six, that do not depend on the text before the word. The first ones are left out. */
const sextetsFrom = (skipped: number): Alphabet => {
  const lengthOf = (word: string) => Math.floor((word.length * bitsOfByte - skipped) / bitsOfSextet)
  return {
    lengthOf,
    symbolAt: (word, depth) => {
      const bit = skipped + depth * bitsOfSextet
      if (bit + bitsOfSextet > word.length * bitsOfByte) return -1
      const at = bit >> 3
      const pair = (word.charCodeAt(at) << bitsOfByte) | (at + 1 < word.length ? word.charCodeAt(at + 1) : 0)
      return (pair >> (2 * bitsOfByte - bitsOfSextet - (bit & 7))) & 63
    },
    keyOf: (word) => {
      const unused = word.length * bitsOfByte - skipped - lengthOf(word) * bitsOfSextet
      if (skipped === 0 && unused === 0) return word
      const first = String.fromCharCode(word.charCodeAt(0) & (0xff >> skipped))
      const last = String.fromCharCode(word.charCodeAt(word.length - 1) & (0xff << unused) & 0xff)
      return `${first}${word.slice(1, -1)}${last}`
    },
    cost: costOfSymbol
  }
}

/** The halves of bytes. */
const nibbles: Alphabet = {
  lengthOf: (word) => 2 * word.length,
  symbolAt: (word, depth) =>
    depth < 2 * word.length ? (word.charCodeAt(depth >> 1) >> ((depth & 1) === 0 ? 4 : 0)) & 15 : -1,
  keyOf: (word) => word,
  cost: costOfSymbol
}

const lowerDigits = Int8Array.from({ length: 128 }, (_, unit) => "0123456789abcdef".indexOf(String.fromCharCode(unit)))
const upperDigits = Int8Array.from({ length: 128 }, (_, unit) => "0123456789ABCDEF".indexOf(String.fromCharCode(unit)))

/** The words at one of the three byte offsets within a base64 group. */
interface Base64Words {
  readonly bytesBefore: number
  readonly sorted: SortedWords
}

export class EncodedWords {
  readonly #meter: Meter
  readonly #words: ReadonlyArray<string>
  readonly #characters: Characters
  readonly #hexadecimal: SortedWords
  readonly #base64: ReadonlyArray<Base64Words>

  constructor(words: ReadonlyArray<string>, characters: Characters, meter: Meter) {
    this.#characters = characters
    this.#words = words
    this.#meter = meter
    this.#hexadecimal = new SortedWords(nibbles, words, meter)
    this.#base64 = [0, 1, 2].map((bytesBefore) => {
      const skipped = (bitsOfSextet - ((bytesBefore * bitsOfByte) % bitsOfSextet)) % bitsOfSextet
      return { sorted: new SortedWords(sextetsFrom(skipped), words, meter), bytesBefore }
    })
  }

  readonly index = function* (this: EncodedWords): Turns.Work<void> {
    yield* this.#hexadecimal.index()
    for (const { sorted } of this.#base64) yield* sorted.index()
  }

  /**
   * Reports the words that begin between two positions of a text. Returns where the search ended: before `to` if it
   * reached the cost limit.
   */
  readonly find = (from: number, to: number, limit: number, report: Report): number => {
    if (this.#words.length === 0) return to
    for (const digits of [lowerDigits, upperDigits]) {
      const reached = this.#findHexadecimal(from, to, digits, limit, report)
      if (reached < to) return reached
    }
    return this.#findBase64(from, to, limit, report)
  }

  readonly #findHexadecimal = (from: number, to: number, digits: Int8Array, limit: number, report: Report): number => {
    const characters = this.#characters
    const sorted = this.#hexadecimal
    const digitAt = (at: number): number => {
      const unit = characters.at(at)
      return unit >= 0 && unit < 128 ? (digits[unit] ?? other) : other
    }
    let a = other
    let b = digitAt(from)
    let c = digitAt(from + 1)
    let d = digitAt(from + 2)
    for (let start = from; start < to; start++) {
      a = b
      b = c
      c = d
      d = digitAt(start + 3)
      if ((a | b | c | d) < 0 || !sorted.mayBegin(hashOf(a, b, c, d))) continue
      for (let low = 0, high = sorted.count, depth = 0, at = start; ; depth++, at++) {
        if (depth > 0 && sorted.endsAt(low, depth)) report(sorted.wordAt(low), start, at)
        const digit = digitAt(at)
        if (digit < 0) break
        if (sorted.agree(low, high, depth, digit)) continue
        if (!sorted.narrow(low, high, depth, digit)) break
        low = sorted.low
        high = sorted.high
      }
      if (this.#meter.spent > limit) return start
    }
    return to
  }

  readonly #findBase64 = (from: number, to: number, limit: number, report: Report): number => {
    const within: Report = (word, start, end) => {
      if (start >= from && start < to) report(word, start, end)
    }
    let a = other
    let b = this.#sextetAt(from)
    let c = this.#sextetAt(from + 1)
    let d = this.#sextetAt(from + 2)
    // A word starts one sign before its own signs, so the sign after the last start may belong to a word.
    for (let start = from; start <= to; start++) {
      a = b
      b = c
      c = d
      d = this.#sextetAt(start + 3)
      if ((a | b | c | d) >= 0) {
        const hash = hashOf(a, b, c, d)
        for (const form of this.#base64) if (form.sorted.mayBegin(hash)) this.#followBase64(start, form, within)
      } else if (mayBeEscaped(a, b, c, d) && this.#readSextet(start) >= 0) {
        for (const form of this.#base64) this.#followBase64(start, form, within)
      }
      if (this.#meter.spent > limit) return Math.min(start, to - 1)
    }
    return to
  }

  readonly #followBase64 = (start: number, { bytesBefore, sorted }: Base64Words, report: Report): void => {
    for (let low = 0, high = sorted.count, depth = 0, at = start; ; depth++) {
      // Words that differ only in the omitted bits are equal here.
      for (let place = low; depth > 0 && place < high && sorted.endsAt(place, depth); place++) {
        const word = sorted.wordAt(place)
        const length = this.#words[word]?.length ?? 0
        const first = bytesBefore > 0 && this.#isEdge(start - 1) ? start - 1 : start
        report(word, first, this.#endOf(at, ((bytesBefore + length) * bitsOfByte) % bitsOfSextet !== 0))
        this.#meter.spent++
      }
      const sextet = this.#readSextet(at)
      if (sextet < 0) return
      at += sextet >> bitsOfSextet
      if (sorted.agree(low, high, depth, sextet & 63)) continue
      if (!sorted.narrow(low, high, depth, sextet & 63)) return
      low = sorted.low
      high = sorted.high
    }
  }

  /** The bits of the sign at a position; for an escaped sign only the marker for it. */
  readonly #sextetAt = (at: number): number => sextetOf(this.#characters.at(at))

  /** Whether a character may be the sign before or after the part of a word that never changes. */
  readonly #isEdge = (at: number): boolean => {
    const { text } = this.#characters
    if (at < 0 || at >= text.length) return false
    const unit = text.charCodeAt(at)
    return unit === 0x2b || sextetOf(unit) >= 0
  }

  /** The sign at a place, also escaped, in the lowest six bits, and how many characters it takes, above them; -1 for none. */
  readonly #readSextet = (at: number): number => {
    const plain = this.#sextetAt(at)
    if (plain >= 0) return (1 << bitsOfSextet) | plain
    if (plain === other) return -1
    const { text } = this.#characters
    let sign = -1
    let end = at
    if (text.charCodeAt(at) === Escapes.backslash) {
      const run = this.#characters.backslashesFrom(at, Escapes.maxBackslashes + 1)
      if (run <= Escapes.maxBackslashes && text.charCodeAt(at + run) === 0x2f) sign = 63
      end = at + run + 1
    } else {
      Escapes.readPercent(text, at, (point, behind) => {
        if (point === 0x2b) sign = 62
        if (point === 0x2f) sign = 63
        end = behind
      })
    }
    this.#meter.spent++
    return sign < 0 ? -1 : ((end - at) << bitsOfSextet) | sign
  }

  /** The end of a word, after the sign that it shares with the following bytes, and after padding. */
  readonly #endOf = (at: number, isShared: boolean): number => {
    const { text } = this.#characters
    let end = isShared && this.#isEdge(at) ? at + 1 : at
    for (let count = 0; count < 2; count++) {
      const before = end
      if (text.charCodeAt(before) === 0x3d) end++
      else if (text.charCodeAt(before) === 0x25) {
        Escapes.readPercent(text, before, (point, behind) => {
          if (point === 0x3d) end = behind
        })
      }
    }
    return end
  }
}
