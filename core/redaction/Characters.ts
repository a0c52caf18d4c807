/** The characters of a part of a text as numbers, for faster access. */

import { backslash } from "./Escapes.ts"
import { filteredSymbols } from "./SortedWords.ts"

/** The number of characters after the part that are also loaded. */
const ahead = 4_096

/** Added to a character that may begin an escape, so that it differs from all characters. */
export const mark = 0x10000

/** The character code after the end of a text. */
export const nothing = -1

/** The character code after the loaded characters, where the text continues. */
const unread = -2

const isSpecial = (unit: number): boolean => unit === 0x25 || unit === 0x26 || unit === 0x2b || unit === 0x5c

const marked = (unit: number): number => (isSpecial(unit) ? unit + mark : unit)

export class Characters {
  text = ""
  /** The characters from `from`, followed by some padding. */
  units = new Int32Array(0)
  from = 0
  #to = 0
  /** The number of backslashes in a row that starts at each of the characters. */
  #runs = new Int32Array(0)

  /** Loads the part of a text in which words begin. */
  readonly read = (text: string, from: number, to: number): void => {
    this.text = text
    this.from = from
    this.#to = Math.min(to + ahead, text.length)
    const count = this.#to - from
    if (this.units.length < count + filteredSymbols) this.units = new Int32Array(count + filteredSymbols)
    if (this.#runs.length < count) this.#runs = new Int32Array(count)
    for (let at = count - 1, run = 0; at >= 0; at--) {
      const unit = marked(text.charCodeAt(from + at))
      run = unit === mark + backslash ? run + 1 : 0
      this.units[at] = unit
      this.#runs[at] = run
    }
    this.units.fill(this.#to < text.length ? unread : nothing, count, count + filteredSymbols)
  }

  /** The number of backslashes in a row from a position of the text, up to a limit. */
  readonly backslashesFrom = (at: number, most: number): number => {
    let run = at < this.#to ? (this.#runs[at - this.from] ?? 0) : 0
    // The run may continue after the loaded characters.
    if (at + run < this.#to) return Math.min(run, most)
    while (run < most && this.at(at + run) === mark + backslash) run++
    return Math.min(run, most)
  }

  /** The character at a position of the text, at or after the start of the part. */
  readonly at = (place: number): number => {
    if (place < this.#to) return this.units[place - this.from] ?? nothing
    return place < this.text.length ? marked(this.text.charCodeAt(place)) : nothing
  }
}
