/** SHA-256 (FIPS 180-4), for digests that a decision computes: those of ports are asynchronous. */

const primes = (() => {
  const found: Array<number> = []
  for (let one = 2; found.length < 64; one++) if (found.every((prime) => one % prime !== 0)) found.push(one)
  return found
})()

/** The first 32 bits of the fraction of a root. */
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32) | 0

const starts = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const constants = primes.map((prime) => fraction(Math.cbrt(prime)))

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The lower-case hexadecimal digest of the UTF-8 bytes of a text. */
export const hex = (text: string): string => {
  const bytes = new TextEncoder().encode(text)
  const blocks = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64))
  new Uint8Array(blocks.buffer).set(bytes)
  blocks.setUint8(bytes.length, 0x80)
  blocks.setBigUint64(blocks.byteLength - 8, BigInt(bytes.length) * 8n)
  const sums = Int32Array.from(starts)
  const words = new Int32Array(64)
  for (let block = 0; block < blocks.byteLength; block += 64) {
    for (let at = 0; at < 64; at++) words[at] = at < 16 ? blocks.getInt32(block + at * 4) : extended(words, at)
    const state = compressed(sums, words)
    for (let at = 0; at < 8; at++) sums[at] = (sums[at] ?? 0) + (state[at] ?? 0)
  }
  return [...sums].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}

const extended = (words: Int32Array, at: number): number => {
  const early = words[at - 15] ?? 0
  const late = words[at - 2] ?? 0
  const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
  const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
  return ((words[at - 16] ?? 0) + first + (words[at - 7] ?? 0) + second) | 0
}

const compressed = (sums: Int32Array, words: Int32Array): ReadonlyArray<number> => {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = sums
  for (let at = 0; at < 64; at++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const one =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (constants[at] ?? 0) + (words[at] ?? 0)) | 0
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
  }
  return [a, b, c, d, e, f, g, h]
}
