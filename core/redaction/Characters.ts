/** The characters of a part of a text as numbers, which are read faster than the text. */

import { backslash } from "./Escapes.ts"
import { filteredSymbols } from "./SortedWords.ts"

/** So many characters behind the part are at hand as well. */
const ahead = 4_096

/** Added to a character that may begin an escape, so that it differs from all characters. */
export const mark = 0x10000

/** What stands behind the end of a text. */
export const nothing = -1

/** What stands behind the characters that are at hand, where the text goes on. */
const unread = -2

const isSpecial = (unit: number): boolean => unit === 0x25 || unit === 0x26 || unit === 0x2b || unit === 0x5c

const marked = (unit: number): number => (isSpecial(unit) ? unit + mark : unit)

export class Characters {
  text = ""
  /** The characters from `from` on, and behind them some that are none. */
  units = new Int32Array(0)
  from = 0
  #to = 0
  /** How many backslashes stand in a row from each of the characters on. */
  #runs = new Int32Array(0)

  /** Reads the part of a text in which words begin. */
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

  /** How many backslashes the text has from a place on, up to a limit. */
  readonly backslashesFrom = (at: number, most: number): number => {
    let run = at < this.#to ? (this.#runs[at - this.from] ?? 0) : 0
    // The run may go on behind the characters that are at hand.
    if (at + run < this.#to) return Math.min(run, most)
    while (run < most && this.at(at + run) === mark + backslash) run++
    return Math.min(run, most)
  }

  /** The character at a place of the text, behind the beginning of the part. */
  readonly at = (place: number): number => {
    if (place < this.#to) return this.units[place - this.from] ?? nothing
    return place < this.text.length ? marked(this.text.charCodeAt(place)) : nothing
  }
}
