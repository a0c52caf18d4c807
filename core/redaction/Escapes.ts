/**
 * Decodes escaped characters of addresses, HTML and JSON. An escape may itself be escaped, up to a bound, so that a
 * text that consists of escapes is searched in linear time.
 */

/** The maximum nesting of escapes. */
const maxNesting = 4

/** Each JSON within JSON doubles the backslashes, and adds one. */
export const maxBackslashes = 2 ** maxNesting - 1

/** Receives a code point that a text may encode, and the end of its encoding. */
type Take = (point: number, end: number) => void

const percent = 0x25
const ampersand = 0x26
export const backslash = 0x5c

/** Digits of hexadecimal numbers, by their character; -1 for others. */
const digits = Int8Array.from({ length: 128 }, (_, unit) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(unit).toLowerCase())
  return value
})

const digitAt = (text: string, at: number): number => (at < text.length ? (digits[text.charCodeAt(at)] ?? -1) : -1)

/** The byte of two digits; -1 where there are none. */
const byteAt = (text: string, at: number): number => {
  const high = digitAt(text, at)
  const low = high < 0 ? -1 : digitAt(text, at + 1)
  return low < 0 ? -1 : high * 16 + low
}

/** The character of four digits; -1 where there are none. */
export const unitAt = (text: string, at: number): number => {
  const high = byteAt(text, at)
  const low = high < 0 ? -1 : byteAt(text, at + 2)
  return low < 0 ? -1 : high * 256 + low
}

/** Reads a percent escape: a byte, or several of one character. A percent sign that is escaped again becomes `%25`. */
export const readPercent = (text: string, at: number, take: Take): void => {
  for (let nesting = 0, from = at + 1; nesting <= maxNesting; nesting++, from += 2) {
    const byte = byteAt(text, from)
    if (byte < 0) return
    if (byte >= 0x80) readBytes(text, byte, from + 2, take)
    else take(byte, from + 2)
    if (byte === 0x2b) take(0x20, from + 2)
    if (byte !== percent) return
  }
}

/** The rest of a character of several bytes. */
const readBytes = (text: string, lead: number, from: number, take: Take): void => {
  const count = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1
  if (lead < 0xc2 || lead > 0xf4) return
  let point = lead & (0x3f >> count)
  let at = from
  for (let index = 0; index < count; index++) {
    if (text.charCodeAt(at) !== percent) return
    let byte = byteAt(text, at + 1)
    for (let nesting = 0; nesting < maxNesting && byte === percent; nesting++) {
      at += 2
      byte = byteAt(text, at + 1)
    }
    if (byte < 0x80 || byte > 0xbf) return
    point = point * 64 + (byte & 0x3f)
    at += 3
  }
  const isShortest = point >= (count === 3 ? 0x10000 : count === 2 ? 0x800 : 0x80)
  if (isShortest && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) take(point, at)
}

/** The entities with names, as encoders write them. */
const names: ReadonlyArray<readonly [string, number]> = [
  ["amp;", 0x26],
  ["lt;", 0x3c],
  ["gt;", 0x3e],
  ["quot;", 0x22],
  ["apos;", 0x27],
  ["nbsp;", 0xa0]
]

/** Reads a character by its name or number. An ampersand that is escaped again becomes `&amp;`. */
export const readEntity = (text: string, at: number, take: Take): void => {
  for (let nesting = 0, from = at + 1; nesting <= maxNesting; nesting++, from += 4) {
    if (text.charCodeAt(from) === 0x23) readNumber(text, from + 1, take)
    const named = names.find(([name]) => text.startsWith(name, from))
    if (named === undefined) return
    take(named[1], from + named[0].length)
    if (named[1] !== ampersand) return
  }
}

const mostZeros = 6

/** The number of a character, decimal or hexadecimal, up to the semicolon. */
const readNumber = (text: string, from: number, take: Take): void => {
  const isHexadecimal = (text.charCodeAt(from) | 0x20) === 0x78
  const base = isHexadecimal ? 16 : 10
  const first = isHexadecimal ? from + 1 : from
  let at = first
  while (at - first <= mostZeros && text.charCodeAt(at) === 0x30) at++
  const zeros = at - first
  let point = 0
  for (let digit = digitAt(text, at); digit >= 0 && digit < base && point <= 0x10ffff; digit = digitAt(text, at)) {
    point = point * base + digit
    at++
  }
  const hasDigits = at - first > zeros
  const isNumber = hasDigits ? zeros <= mostZeros && point > 0 : zeros > 0
  if (isNumber && point <= 0x10ffff && text.charCodeAt(at) === 0x3b) take(point, at + 1)
}

/** The character that a letter after backslashes stands for; -1 for other letters. */
export const shortEscape = (unit: number): number => {
  switch (unit) {
    case 0x6e:
      return 0x0a
    case 0x72:
      return 0x0d
    case 0x74:
      return 0x09
    case 0x62:
      return 0x08
    case 0x66:
      return 0x0c
    default:
      return -1
  }
}
