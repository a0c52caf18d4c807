/**
 * Which of many values may be in a text, found in one pass over the text, however many they are.
 *
 * A value is known by texts that are in each text with the value in it, and these by the hashes of their first and last
 * characters: as many as the greatest power of two that they have. Few values pass that are not there; one that is there
 * always passes.
 */

/** The most characters that are hashed together. */
const longest = 64

/** The numbers of the values that are known by a hash. */
type Bucket = Array<number>

export class Grams {
  /** By the length of what is hashed. */
  readonly #levels = new Map<number, Map<number, Bucket>>()
  /** By the number of a value, how many hashes a text must have for it. */
  readonly #needed = new Map<number, number>()
  /** The numbers of the values that are known by nothing, and may be in every text. */
  readonly #everywhere: Array<number> = []

  /** Adds a value to look for, under a number that no other value has. */
  readonly add = (texts: ReadonlyArray<string>, number: number): void => {
    const known = texts.filter((text) => text.length > 0)
    if (known.length === 0) this.#everywhere.push(number)
    this.#needed.set(number, 2 * known.length)
    for (const text of known) {
      const length = Math.min(2 ** Math.floor(Math.log2(text.length)), longest)
      const level = this.#levels.get(length) ?? new Map<number, Bucket>()
      this.#levels.set(length, level)
      put(level, hashOf(text, 0, length), number)
      put(level, hashOf(text, text.length - length, length), number)
    }
  }

  /** A search of one text, which is read in pieces, from its beginning on. */
  readonly search = () => {
    const seen = new Set<Bucket>()
    const met = new Map<number, number>()
    const found: Array<number> = [...this.#everywhere]
    const most = Math.max(0, ...this.#levels.keys())
    const meet = (bucket: Bucket): void => {
      seen.add(bucket)
      for (const number of bucket) {
        const count = (met.get(number) ?? 0) + 1
        met.set(number, count)
        if (count === this.#needed.get(number)) found.push(number)
      }
    }
    return {
      /** Reads what begins in a part of the text. */
      read: (text: string, from: number, to: number): void => {
        const end = Math.min(to + most, text.length)
        let hashes = new Int32Array(Math.max(end - from, 0))
        for (let at = from; at < end; at++) hashes[at - from] = text.charCodeAt(at)
        for (let length = 1, power = base; length <= most; length *= 2, power = Math.imul(power, power)) {
          const level = this.#levels.get(length)
          const starts = Math.min(to - from, hashes.length)
          for (let at = 0; level !== undefined && at < starts; at++) {
            const bucket = level.get((hashes[at] ?? 0) & mask)
            if (bucket !== undefined && !seen.has(bucket)) meet(bucket)
          }
          const next = new Int32Array(Math.max(hashes.length - length, 0))
          for (let at = 0; at < next.length; at++) {
            next[at] = Math.imul(hashes[at] ?? 0, power) + (hashes[at + length] ?? 0)
          }
          hashes = next
        }
      },
      /** The numbers of the values that may be in what was read, in ascending order. */
      found: (): ReadonlyArray<number> => found.toSorted((a, b) => a - b)
    }
  }
}

const put = (level: Map<number, Bucket>, hash: number, one: number): void => {
  const bucket = level.get(hash)
  if (bucket === undefined) level.set(hash, [one])
  else bucket.push(one)
}

const base = 0x01000193

/** Numbers of so many bits are kept without allocating an object. */
const mask = 0x3fffffff

const hashOf = (text: string, from: number, length: number): number => {
  let hash = 0
  for (let at = from; at < from + length; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
  return hash & mask
}
