/**
 * A sorted array of words. Words with a common prefix are adjacent, so a search follows thousands of them at once,
 * symbol by symbol, without a data structure for each.
 */
import type * as Turns from "./Turns.ts"

/** How a word is read as symbols: its characters, or parts of its bytes. */
export interface Alphabet {
  readonly lengthOf: (word: string) => number
  /** A number of at least 0, or -1 after the end of the word. */
  readonly symbolAt: (word: string, depth: number) => number
  /** A sort key with the order of the symbols of the word. */
  readonly keyOf: (word: string) => string
  /** The cost of reading a symbol. */
  readonly cost: number
}

/** The characters of a word. */
export const characters: Alphabet = {
  lengthOf: (word) => word.length,
  symbolAt: (word, depth) => (depth < word.length ? word.charCodeAt(depth) : -1),
  keyOf: (word) => word,
  cost: 2
}

/** The cost of a search, in steps of some nanoseconds. All searches of one text share it. */
export interface Meter {
  spent: number
}

/** The number of first symbols that the filter checks. No word has fewer. */
export const filteredSymbols = 4

const prime = 0x01000193

export const hashOf = (a: number, b: number, c: number, d: number): number =>
  Math.imul(Math.imul(Math.imul(Math.imul(a, prime) ^ b, prime) ^ c, prime) ^ d, 0x9e3779b1)

/** The number of places in a filter for each word. Their total is a power of two. */
const placesPerWord = 16
const fewestPlaces = 2 ** 10
const mostPlaces = 2 ** 19

/** The cost of a binary search. */
const costOfSearch = 16

/** The number of words that are sorted at once. */
const sortedAtOnce = 256

export class SortedWords {
  readonly #alphabet: Alphabet
  readonly #words: ReadonlyArray<string>
  readonly #meter: Meter
  /** The numbers of the words, sorted. */
  #order = new Int32Array(0)
  #filter = new Uint8Array(fewestPlaces)
  #shift = 32 - Math.log2(fewestPlaces)
  /** The result of `narrow`: the positions of the first word, and after the last one. */
  low = 0
  high = 0

  /** The owner appends words to `words`, each once; `index` sorts them. */
  constructor(alphabet: Alphabet, words: ReadonlyArray<string>, meter: Meter) {
    this.#alphabet = alphabet
    this.#words = words
    this.#meter = meter
  }

  get count(): number {
    return this.#order.length
  }

  /** The number of the word at a place of the order. */
  readonly wordAt = (place: number): number => this.#order[place] ?? 0

  /** The word at a place of the order. */
  readonly textAt = (place: number): string => this.#words[this.#order[place] ?? 0] ?? ""

  /** Whether the word at a place has `depth` symbols. Of words with the same beginning, the shortest is first. */
  readonly endsAt = (place: number, depth: number): boolean => this.#alphabet.lengthOf(this.textAt(place)) === depth

  /** Whether a word may begin with the symbols of this hash. */
  readonly mayBegin = (hash: number): boolean => this.#filter[hash >>> this.#shift] === 1

  /** Whether all words from `low` to `high`, which agree before `depth`, have this symbol there. */
  readonly agree = (low: number, high: number, depth: number, symbol: number): boolean => {
    this.#meter.spent += this.#alphabet.cost
    return this.#symbolAt(low, depth) === symbol && (high - low === 1 || this.#symbolAt(high - 1, depth) === symbol)
  }

  /** Finds, among the words from `low` to `high` that agree before `depth`, those with this symbol there. */
  readonly narrow = (low: number, high: number, depth: number, symbol: number): boolean => {
    this.#meter.spent += this.#alphabet.cost
    const first = this.#symbolAt(low, depth)
    const last = high - low === 1 ? first : this.#symbolAt(high - 1, depth)
    if (symbol < first || symbol > last) return false
    if (first !== last) this.#meter.spent += costOfSearch
    this.low = first === symbol ? low : this.#firstFrom(low, high, depth, symbol)
    this.high = last === symbol ? high : this.#firstFrom(this.low, high, depth, symbol + 1)
    return this.low < this.high
  }

  /** Whether one of the words from `low` to `high`, which agree before `depth`, has another symbol there. */
  readonly differFrom = (low: number, high: number, depth: number, symbol: number): boolean =>
    this.#symbolAt(low, depth) !== symbol || this.#symbolAt(high - 1, depth) !== symbol

  /** Sorts the words that were added since the last call. */
  readonly index = function* (this: SortedWords): Turns.Work<void> {
    const count = this.#words.length
    const old = this.#order
    if (old.length === count) return
    const added = yield* this.#sorted(old.length, count)
    const order = new Int32Array(count)
    let taken = 0
    let filled = 0
    for (const word of added) {
      const place = this.#placeFor(word, old, taken)
      order.set(old.subarray(taken, place), filled)
      filled += place - taken
      taken = place
      order[filled++] = word
      yield costOfSearch
    }
    order.set(old.subarray(taken), filled)
    const [filter, shift] = yield* this.#filterFor(old.length, count)
    // Another search may have sorted in more words in the meantime. The order and its filter change together.
    if (this.#order.length >= count) return
    ;[this.#order, this.#filter, this.#shift] = [order, filter, shift]
  }

  readonly #symbolAt = (place: number, depth: number): number => this.#alphabet.symbolAt(this.textAt(place), depth)

  readonly #firstFrom = (low: number, high: number, depth: number, symbol: number): number => {
    let [from, to] = [low, high]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#symbolAt(middle, depth) < symbol) from = middle + 1
      else to = middle
    }
    return from
  }

  readonly #keyOf = (word: number): string => this.#alphabet.keyOf(this.#words[word] ?? "")

  /** The first position from `from` whose word does not sort before a given word. */
  readonly #placeFor = (word: number, order: Int32Array, from: number): number => {
    const key = this.#keyOf(word)
    let to = order.length
    let place = from
    while (place < to) {
      const middle = (place + to) >> 1
      if (this.#keyOf(order[middle] ?? 0) < key) place = middle + 1
      else to = middle
    }
    return place
  }

  /** The sorted numbers of a range of words, by merge sort. */
  readonly #sorted = function* (this: SortedWords, from: number, to: number): Turns.Work<Int32Array> {
    const keys: Array<string> = []
    for (let word = from; word < to; word++) {
      const key = this.#keyOf(word)
      keys.push(key)
      yield costOfSearch + key.length
    }
    const keyAt = (word: number): string => keys[word - from] ?? ""
    const compared = (a: number, b: number): number => (keyAt(a) < keyAt(b) ? -1 : 1)
    let sorted: Int32Array = Int32Array.from(keys, (_, index) => from + index)
    for (let at = 0; at < sorted.length; at += sortedAtOnce) {
      const part = sorted.subarray(at, at + sortedAtOnce)
      part.sort(compared)
      yield part.length * costOfSearch
    }
    for (let length = sortedAtOnce; length < sorted.length; length *= 2) {
      const merged = new Int32Array(sorted.length)
      let [left, right, leftEnd, rightEnd] = [0, 0, 0, 0]
      for (let at = 0; at < merged.length; at++) {
        if (left === leftEnd && right === rightEnd) {
          left = at
          right = leftEnd = Math.min(left + length, merged.length)
          rightEnd = Math.min(right + length, merged.length)
        }
        const takesLeft = right === rightEnd || (left < leftEnd && compared(sorted[left] ?? 0, sorted[right] ?? 0) < 0)
        merged[at] = (takesLeft ? sorted[left++] : sorted[right++]) ?? 0
        yield 1
      }
      sorted = merged
    }
    return sorted
  }

  /** A filter for the words before `to`. The current filter contains those before `from`. */
  readonly #filterFor = function* (
    this: SortedWords,
    from: number,
    to: number
  ): Turns.Work<[filter: Uint8Array<ArrayBuffer>, shift: number]> {
    const needed = Math.min(to * placesPerWord, mostPlaces)
    const isLarge = this.#filter.length >= needed
    const bits = isLarge ? 32 - this.#shift : Math.ceil(Math.log2(needed))
    const filter = isLarge ? this.#filter : new Uint8Array(2 ** bits)
    const { symbolAt } = this.#alphabet
    for (let number = isLarge ? from : 0; number < to; number++) {
      const word = this.#words[number] ?? ""
      const hash = hashOf(symbolAt(word, 0), symbolAt(word, 1), symbolAt(word, 2), symbolAt(word, 3))
      filter[hash >>> (32 - bits)] = 1
      yield 1
    }
    return [filter, 32 - bits]
  }
}
