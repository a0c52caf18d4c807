/**
 * Searches for all values, in all their encodings, in one pass over a text.
 *
 * A search takes memory linear in the characters of the values, and time linear in the characters of the text. When a
 * text would take longer, the search stops and returns its position.
 */
import { Characters } from "./Characters.ts"
import { EncodedWords } from "./EncodedWords.ts"
import { characters, type Meter, SortedWords } from "./SortedWords.ts"
import type * as Turns from "./Turns.ts"
import { mostLeading, WrittenWords } from "./WrittenWords.ts"

/** The positions of a text at which values may begin: from the first up to, but not including, the second. */
export type Window = readonly [from: number, to: number]

/** The number of positions that are checked in one step. */
const windowLength = 8_192

export const windowsOf = function* (length: number): Generator<Window, void, void> {
  for (let from = 0; from < length; from += windowLength) yield [from, Math.min(from + windowLength, length)]
}

/** The cost limit of a search, in steps of some nanoseconds: a base, and an amount for each position. */
const leastLimit = 8_388_608
const limitPerPlace = 128

/** The maximum cost of the search of a number of positions. */
export const limitOf = (places: number): number => leastLimit + places * limitPerPlace

/** The cost of one position of a text without any value, in steps. */
const stepsPerPlace = 128

/** The spellings of a value: their numbers, in characters and in bytes. Values may share a spelling. */
export interface Spellings {
  readonly characters: ReadonlyArray<number>
  readonly bytes: number
}

/** Receives a value found at a position of a text. */
export interface Take {
  readonly characters: (spelling: number, start: number, end: number) => void
  readonly bytes: (spelling: number, start: number, end: number) => void
}

/** The end of a search. */
export interface Search {
  readonly spent: number
  readonly places: number
  readonly reached: number
}

/** If the beginning of a value repeats a period of at most this length, most repetitions are left out of the search. */
const maxPeriod = 32

/** The length of such a beginning that is searched for. */
const keptLength = 64

/**
 * A value without most of the repetitions at its beginning. Otherwise a text of the same repetitions would be read that
 * far from each of its positions. Only repetitions of the period can stay visible.
 */
const unrepeated = (value: string): string => {
  // Of each beginning of the value, the length of its longest border: the failure function of Knuth, Morris and Pratt.
  const borders = new Uint16Array(value.length)
  let repeated = 0
  for (let at = 1, border = 0; at < value.length; at++) {
    while (border > 0 && value[at] !== value[border]) border = borders[border - 1] ?? 0
    if (value[at] === value[border]) border++
    borders[at] = border
    if (at + 1 - border <= maxPeriod) repeated = at + 1
  }
  const start = Math.max(repeated - keptLength, 0)
  return value.slice(/^[\udc00-\udfff]/.test(value.slice(start, start + 1)) ? start - 1 : start)
}

/** A value without the leading backslashes that are not searched for. */
const withFewBackslashes = (value: string): string => {
  const leading = /^\\*/.exec(value)?.[0].length ?? 0
  return value.slice(Math.max(leading - mostLeading, 0))
}

/** The bytes of a value, each as a character. */
const bytesOf = (value: string): string => {
  if (!/[^\0-\x7f]/.test(value)) return value
  let bytes = ""
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte)
  return bytes
}

/** Texts by number. */
class Numbered {
  readonly all: Array<string> = []
  readonly #numbers = new Map<string, number>()

  readonly numberOf = (text: string): number => {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.all.length)
    return this.all.push(text) - 1
  }
}

/** A short number often occurs within longer numbers by chance. */
const isShortNumber = (text: string): boolean => text.length <= 8 && /^\d+$/.test(text)

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

/** Whether a number at a place of a text is a part of a longer one. */
const isWithinNumber = (text: string, start: number, end: number): boolean =>
  isDigit(text.charCodeAt(end)) ||
  (isDigit(text.charCodeAt(start - 1)) && !/%[0-9A-Fa-f]{2}$/.test(text.slice(Math.max(start - 3, 0), start)))

export class Values {
  readonly #meter: Meter = { spent: 0 }
  readonly #characters = new Numbered()
  readonly #bytes = new Numbered()
  readonly #text = new Characters()
  readonly #sorted = new SortedWords(characters, this.#characters.all, this.#meter)
  readonly #written = new WrittenWords(this.#sorted, this.#text, this.#meter)
  readonly #encoded = new EncodedWords(this.#bytes.all, this.#text, this.#meter)

  /** Adds a value to later searches. It has at least four characters, and at most 1,024. */
  readonly add = (value: string): Spellings => {
    const text = withFewBackslashes(unrepeated(value))
    const characters = [this.#characters.numberOf(text)]
    // UTF-8 cannot encode an unpaired surrogate; encoders write U+FFFD instead.
    const wellFormed = text.replace(/\p{Cs}/gu, "\ufffd")
    if (wellFormed !== text) characters.push(this.#characters.numberOf(wellFormed))
    return { characters, bytes: this.#bytes.numberOf(bytesOf(value)) }
  }

  /** Prepares the search for the values that were added so far. */
  readonly index = function* (this: Values): Turns.Work<void> {
    yield* this.#sorted.index()
    yield* this.#encoded.index()
  }

  /**
   * Finds the values that begin in a window of a text. Returns the cost, in steps and in positions of a usual text, and
   * where the search ended: before the end of the window if it reached the cost limit.
   */
  readonly find = (text: string, [from, to]: Window, take: Take, limit: number): Search => {
    const meter = this.#meter
    meter.spent = 0
    this.#text.read(text, from, to)
    const inCharacters = this.#written.find(from, to, limit, (word, start, end) => {
      const spelling = this.#characters.all[word] ?? ""
      if (!isShortNumber(spelling) || !isWithinNumber(text, start, end)) take.characters(word, start, end)
    })
    const inBytes = this.#encoded.find(from, to, limit, take.bytes)
    const { spent } = meter
    return { spent, places: to - from + spent / stepsPerPlace, reached: Math.min(inCharacters, inBytes) }
  }
}
