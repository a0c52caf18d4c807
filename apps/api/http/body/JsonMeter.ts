/**
 * Measures the structure of a JSON text while its bytes arrive, so that a text that is too deep or has too many parts
 * is refused before it is parsed.
 *
 * It does not validate: the parser decides whether the text is JSON.
 */

/** How much structure a text may have. Names count as often as they stand there; every value counts, objects included. */
export interface Limits {
  readonly depth: number
  readonly names: number
  /** Bytes of all names together, as they are written. */
  readonly nameBytes: number
  readonly values: number
  /** Bytes of one number or word. A number takes long to parse by its length, and digits beyond its precision are lost. */
  readonly numberBytes: number
}

/** The limit that a text exceeds. */
export type Excess = keyof Limits

export interface Meter {
  /** Takes the next bytes, and returns the exceeded limit; `null` within all limits. */
  readonly add: (bytes: Uint8Array) => Excess | null
  /** How many bytes were taken. After an excess, its last byte is the last one that was taken. */
  readonly position: () => number
}

/** A meter at the beginning of a text. Its answers do not depend on how the text is cut into pieces. */
export const make = (limits: Limits): Meter => {
  const isArray = new Uint8Array(limits.depth + 1)
  let depth = 0
  let names = 0
  // The text itself is a value.
  let values = 1
  let inString = false
  let escaped = false
  let stringBytes = 0
  let nameBytes = 0
  // An array was just opened: the next token, if it is not the end, is its first value.
  let opened = false
  let numberBytes = 0
  let position = 0

  const exceeds = (excess: Excess, at: number): Excess => {
    position += at
    return excess
  }

  const add = (bytes: Uint8Array): Excess | null => {
    const end = bytes.length
    let at = 0
    while (at < end) {
      if (inString) {
        const from = at
        while (at < end) {
          const byte = bytes[at++]
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) {
            inString = false
            break
          }
        }
        stringBytes += at - from
        continue
      }
      // The position is within the bytes, and each byte has a kind.
      const kind = kinds[bytes[at++] as number] as number
      if (kind !== other) numberBytes = 0
      else if (++numberBytes > limits.numberBytes) return exceeds("numberBytes", at)
      if (kind === space) continue
      if (opened) {
        opened = false
        if (kind !== close && ++values > limits.values) return exceeds("values", at)
      }
      if (kind === text) {
        inString = true
        stringBytes = 0
      } else if (kind === colon) {
        nameBytes += stringBytes
        if (++names > limits.names) return exceeds("names", at)
        if (nameBytes > limits.nameBytes) return exceeds("nameBytes", at)
        if (++values > limits.values) return exceeds("values", at)
      } else if (kind === comma) {
        if (isArray[depth] === 1 && ++values > limits.values) return exceeds("values", at)
      } else if (kind === openArray || kind === openObject) {
        if (++depth > limits.depth) return exceeds("depth", at)
        opened = kind === openArray
        isArray[depth] = opened ? 1 : 0
      } else if (kind === close && depth > 0) depth--
    }
    position += end
    return null
  }
  return { add, position: () => position }
}

const quote = 0x22
const backslash = 0x5c

const [other, space, text, colon, comma, openArray, openObject, close] = [0, 1, 2, 3, 4, 5, 6, 7]

/** The structural kind of each byte outside of a string. */
const kinds = new Uint8Array(256).fill(other)
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) kinds[byte] = space
kinds[quote] = text
kinds[0x3a] = colon
kinds[0x2c] = comma
kinds[0x5b] = openArray
kinds[0x7b] = openObject
kinds[0x5d] = close
kinds[0x7d] = close
