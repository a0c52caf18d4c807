/**
 * Finds values in file names, from which characters that file names cannot contain may have been removed or replaced.
 *
 * A value is split into words. In a name it is found in upper or lower case, with at most `maxSigns` other characters
 * between two words.
 */
import { characters, type Meter, SortedWords } from "./SortedWords.ts"
import * as Turns from "./Turns.ts"

/** Minimum length of the letters and digits of a value. A shorter value may equal a word by chance. */
const shortestInName = 6

/** Maximum length of a file name, and of the searched part of a value. */
export const longestInName = 1_024

/** The maximum number of signs between two words of a value. */
const maxSigns = 64

/** Between the words of a value. */
const separator = " "

/** A text in which characters that differ in their case alone are the same. */
const folded = (text: string): string => {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase()
  let all = ""
  for (const one of text) {
    const upper = one.toUpperCase()
    all += ([...upper].length === 1 ? upper : one).toLowerCase()
  }
  return all
}

/** Maximum cost of a search, in steps of some nanoseconds. The rest of a name that costs more is removed. */
const mostSteps = 2_000_000

const tooCostly = "[secret]"

interface Place {
  readonly end: number
  readonly label: string
}

export class ValuesInNames {
  readonly #meter: Meter = { spent: 0 }
  readonly #added: Array<readonly [value: string, label: string]> = []
  /** The number of added values that are among the words. */
  #taken = 0
  readonly #labels = new Map<string, string>()
  readonly #words: Array<string> = []
  readonly #sorted = new SortedWords(characters, this.#words, this.#meter)

  /** Hides a value in later names. A value of one word is skipped, because removed signs do not change it. */
  readonly add = (value: string, label: string): void => void this.#added.push([value, label])

  /** Prepares the search for the values that were added so far. */
  readonly index = function* (this: ValuesInNames): Turns.Work<void> {
    while (this.#taken < this.#added.length) {
      const [value = "", label = ""] = this.#added[this.#taken++] ?? []
      this.#takeWords(value.slice(0, longestInName), label)
      yield longestInName
    }
    yield* this.#sorted.index()
  }

  readonly #takeWords = (value: string, label: string): void => {
    const words = value.normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? []
    if (words.length <= 1 || words.join("").length < shortestInName) return
    const word = folded(words.join(separator))
    if (this.#labels.has(word)) return
    this.#labels.set(word, label)
    this.#words.push(word)
  }

  /** A name of at most `longestInName` characters with each value replaced by its label. */
  readonly hide = (name: string): string => {
    Turns.atOnce(this.index())
    if (this.#words.length === 0) return name
    this.#meter.spent = 0
    const all = [...name].map((own) => ({ folded: folded(own), isSign: /[^\p{L}\p{N}]/u.test(own), own }))
    const parts: Array<string> = []
    let end = 0
    for (const [start, { own }] of all.entries()) {
      const found = this.#findAt(all, start)
      if (this.#meter.spent > mostSteps) return [...parts, found?.label ?? tooCostly].join("")
      if (found !== undefined && start >= end) parts.push(found.label)
      end = Math.max(end, found?.end ?? 0)
      if (start >= end) parts.push(own)
    }
    return parts.join("")
  }

  /** The longest value that begins at a character. */
  readonly #findAt = (
    characters: ReadonlyArray<{ readonly folded: string; readonly isSign: boolean }>,
    start: number
  ): Place | undefined => {
    let found: Place | undefined
    const sorted = this.#sorted
    const pending = [{ low: 0, high: sorted.count, depth: 0, at: start }]
    for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
      if (this.#meter.spent > mostSteps) break
      const { at, depth } = from
      if (depth > 0 && sorted.endsAt(from.low, depth) && at > (found?.end ?? 0)) {
        const word = this.#words[sorted.wordAt(from.low)] ?? ""
        found = { end: at, label: this.#labels.get(word) ?? "" }
      }
      // The words continue with this character, or with the next one after some signs.
      const one = characters[at]
      if (one === undefined) continue
      if (!one.isSign) {
        const next = this.#narrowed(from.low, from.high, depth, one.folded)
        if (next !== undefined) pending.push({ ...next, at: at + 1 })
      }
      let behind = at
      while (characters[behind]?.isSign === true) behind++
      const next =
        depth > 0 && behind - at <= maxSigns ? this.#narrowed(from.low, from.high, depth, separator) : undefined
      if (next !== undefined) pending.push({ ...next, at: behind })
    }
    return found
  }

  readonly #narrowed = (low: number, high: number, depth: number, text: string) => {
    let [from, to] = [low, high]
    for (let at = 0; at < text.length; at++) {
      if (!this.#sorted.narrow(from, to, depth + at, text.charCodeAt(at))) return undefined
      ;[from, to] = [this.#sorted.low, this.#sorted.high]
    }
    return { low: from, high: to, depth: depth + text.length }
  }
}
