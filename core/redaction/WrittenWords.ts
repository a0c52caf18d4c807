/**
 * Finds words in a text, with any of their characters escaped.
 *
 * A position of a text may have several readings: `%25` is a percent sign in an address, and three characters
 * otherwise. All readings are followed together through the sorted words, and equal ones are followed once.
 */
import { type Characters, mark, nothing } from "./Characters.ts"
import * as Escapes from "./Escapes.ts"
import { hashOf, type Meter, type SortedWords } from "./SortedWords.ts"

/** Takes a word that is in the text: its number, and where it begins and ends. */
export type Report = (word: number, start: number, end: number) => void

/**
 * Maximum number of leading backslashes of a word that are searched for. A search begins at each backslash of a text,
 * and must not read a long run each time.
 */
export const mostLeading = 16

/** The maximum number of characters of a word. */
const longestWord = 1_024

/** The maximum number of backslashes in a text that stand for one. */
const backslashesPerOne = 4

/** The number of backslashes in a row that are read: no word needs more. */
const longestRun = backslashesPerOne * longestWord + Escapes.maxBackslashes + 1

/** The cost of reading backslashes that escape a sign. */
const costOfEscape = 24

/** The cost of reading a position that may begin an escape. */
const costOfReading = 24

/** Characters that none of these encodings escapes. */
const isPlain = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)

/** The progress of one reading: the words from `low` to `high` agree with the text before `at` for `depth` symbols. */
interface Reading {
  readonly low: number
  readonly high: number
  readonly depth: number
  readonly at: number
  /** A run of backslashes of the words ends here. */
  readonly endsRun: boolean
}

export class WrittenWords {
  readonly #words: SortedWords
  readonly #meter: Meter
  readonly #characters: Characters
  readonly #pending: Array<Reading> = []
  #start = 0
  /** The reading from which others begin. */
  #from: Reading = { low: 0, high: 0, depth: 0, at: 0, endsRun: false }
  #report: Report = () => {}

  constructor(words: SortedWords, characters: Characters, meter: Meter) {
    this.#words = words
    this.#characters = characters
    this.#meter = meter
  }

  /**
   * Reports the words that begin between two positions of a text. Returns where the search ended: before `to` if it
   * reached the cost limit.
   */
  readonly find = (from: number, to: number, limit: number, report: Report): number => {
    const words = this.#words
    if (words.count === 0) return to
    this.#report = report
    const { from: base, units } = this.#characters
    for (let start = from; start < to; start++) {
      const at = start - base
      const a = units[at] ?? nothing
      const b = units[at + 1] ?? nothing
      const c = units[at + 2] ?? nothing
      const d = units[at + 3] ?? nothing
      if (d < 0 || c < 0 || b < 0) break
      if ((a | b | c | d) < mark && !words.mayBegin(hashOf(a, b, c, d))) continue
      this.#findAt(start, limit)
      if (this.#meter.spent > limit) return start
    }
    return to
  }

  readonly #findAt = (start: number, limit: number): void => {
    this.#start = start
    this.#follow({ low: 0, high: this.#words.count, depth: 0, at: start, endsRun: false })
    while (this.#pending.length > 0) {
      const next = this.#next()
      if (next !== undefined && this.#meter.spent <= limit) this.#follow(next)
    }
  }

  /**
   * The reading with the smallest position, so that two readings that reach the same position are merged before either
   * continues.
   */
  readonly #next = (): Reading | undefined => {
    const pending = this.#pending
    if (pending.length === 1) return pending.pop()
    this.#meter.spent += pending.length
    let least = 0
    for (let index = 1; index < pending.length; index++) {
      if ((pending[index]?.at ?? 0) < (pending[least]?.at ?? 0)) least = index
    }
    const next = pending[least]
    const last = pending.pop()
    if (last !== undefined && least < pending.length) pending[least] = last
    return next
  }

  /** Follows a reading as long as the text can be read in one way only. */
  readonly #follow = (reading: Reading): void => {
    const characters = this.#characters
    const words = this.#words
    const { units, from: base } = characters
    let { at, depth, endsRun, high, low } = reading
    for (;;) {
      const first = words.textAt(low)
      const last = words.textAt(high - 1)
      // All words share the common prefix of the first and the last one.
      const begun = depth
      while (
        depth < first.length &&
        first.charCodeAt(depth) === units[at - base] &&
        last.charCodeAt(depth) === units[at - base]
      ) {
        at++
        depth++
      }
      this.#meter.spent += depth - begun
      if (depth > begun) endsRun = false
      if (depth === first.length && !endsRun) {
        this.#report(words.wordAt(low), this.#start, at)
        if (high - low === 1) return
      }
      const unit = characters.at(at)
      if (unit === nothing) return
      const behind = unit === mark + Escapes.backslash && depth > 0 && !endsRun ? this.#behindEscape(at) : -1
      if (behind >= 0 && !words.narrow(low, high, depth, Escapes.backslash)) {
        // The backslashes have one reading: they escape the sign after them.
        this.#meter.spent += costOfEscape
        if (!words.narrow(low, high, depth, characters.at(behind) % mark)) return
        low = words.low
        high = words.high
        depth++
        at = behind + 1
        continue
      }
      if (unit >= mark) {
        this.#branch({ low, high, depth, at, endsRun }, unit - mark)
        return
      }
      if (!words.narrow(low, high, depth, unit)) return
      low = words.low
      high = words.high
      depth++
      at++
      endsRun = false
    }
  }

  /** The position of the sign that backslashes escape, if they can escape only that sign; else -1. */
  readonly #behindEscape = (at: number): number => {
    const run = this.#characters.backslashesFrom(at, Escapes.maxBackslashes + 1)
    const unit = this.#characters.at(at + run)
    const isOnly = run <= Escapes.maxBackslashes && unit !== nothing && unit !== mark + 0x26 && !isPlain(unit)
    return isOnly ? at + run : -1
  }

  /** Begins a reading for each way to read the next character. */
  readonly #branch = (from: Reading, unit: number): void => {
    this.#meter.spent += costOfReading
    this.#from = from
    if (unit === Escapes.backslash) {
      this.#branchBackslash(from)
      return
    }
    this.#take(from, unit, from.at + 1)
    if (unit === 0x2b) this.#take(from, 0x20, from.at + 1)
    else if (unit === 0x25) Escapes.readPercent(this.#characters.text, from.at, this.#takeEscaped)
    else Escapes.readEntity(this.#characters.text, from.at, this.#takeEscaped)
  }

  readonly #branchBackslash = (from: Reading): void => {
    const { at, depth } = from
    const run = this.#characters.backslashesFrom(at, longestRun)
    if (run <= Escapes.maxBackslashes) {
      // A word begins with the first backslash that escapes its first character, and not with each of them.
      const begins =
        depth > 0 || this.#characters.text.charCodeAt(at - 1) !== Escapes.backslash || run === Escapes.maxBackslashes
      this.#branchEscaped(from, at + run, begins)
    }
    if (!from.endsRun) this.#takeRun(from, run)
  }

  /** Follows the ways in which backslashes before a position may escape. */
  readonly #branchEscaped = (from: Reading, at: number, begins: boolean): void => {
    const { text } = this.#characters
    if (at >= text.length) return
    const unit = text.charCodeAt(at)
    if (unit === 0x75) {
      const escaped = Escapes.unitAt(text, at + 1)
      if (escaped >= 0 && (begins || escaped === Escapes.backslash)) this.#takeEscaped(escaped, at + 5)
      return
    }
    if (!begins) return
    if (!isPlain(unit)) this.#take(from, unit, at + 1)
    const short = Escapes.shortEscape(unit)
    if (short >= 0) this.#take(from, short, at + 1)
    if (unit === 0x26) Escapes.readEntity(text, at, this.#takeEscaped)
  }

  /**
   * Reads a run of backslashes as one of a word: every escaping may double them, so each may stand for one of up to four, and
   * the last ones may escape what follows.
   */
  readonly #takeRun = ({ at, depth, ...from }: Reading, run: number): void => {
    const words = this.#words
    let { low, high } = from
    for (let count = 1; count <= run; count++) {
      if (!words.narrow(low, high, depth + count - 1, Escapes.backslash)) return
      ;({ high, low } = words)
      const most = backslashesPerOne * count
      const ends = words.endsAt(low, depth + count)
      if (ends) this.#report(words.wordAt(low), this.#start, at + Math.min(most, run))
      if (ends && high - low === 1) return
      if (!words.differFrom(ends ? low + 1 : low, high, depth + count, Escapes.backslash)) continue
      const behind = { low, high, depth: depth + count, at: at + run, endsRun: true }
      if (run <= most) this.#push(behind)
      if (run > count && run - Escapes.maxBackslashes <= most) {
        this.#from = behind
        this.#branchEscaped(behind, at + run, true)
      }
    }
  }

  /** Takes an escaped character that ends at a place. */
  readonly #takeEscaped = (point: number, end: number): void => {
    const from = this.#from
    if (isPlain(point)) return
    if (point <= 0xffff) {
      this.#take(from, point, end)
      return
    }
    const pair = String.fromCodePoint(point)
    if (!this.#words.narrow(from.low, from.high, from.depth, pair.charCodeAt(0))) return
    const { high, low } = this.#words
    this.#take({ ...from, low, high, depth: from.depth + 1 }, pair.charCodeAt(1), end)
  }

  readonly #take = ({ depth, endsRun, high, low }: Reading, unit: number, end: number): void => {
    if (endsRun && unit === Escapes.backslash) return
    if (!this.#words.narrow(low, high, depth, unit)) return
    this.#push({ low: this.#words.low, high: this.#words.high, depth: depth + 1, at: end, endsRun: false })
  }

  readonly #push = (reading: Reading): void => {
    const { at, depth, endsRun, low } = reading
    this.#meter.spent += this.#pending.length
    // Words that share this prefix are adjacent, so `low` and `depth` identify them.
    for (const reading of this.#pending) {
      if (reading.at === at && reading.depth === depth && reading.low === low && reading.endsRun === endsRun) return
    }
    this.#pending.push(reading)
  }
}
