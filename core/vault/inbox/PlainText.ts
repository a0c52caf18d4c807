/**
 * Normalises text: characters that look alike become equal, and invisible ones are removed.
 */

/** Characters that take no room: soft hyphens, joiners, marks of direction and others that hide between letters. */
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is kept as it is.
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]/gu

const dashes = /[\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]/gu

const otherDigits =
  /[\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u17e0-\u17e9]/gu

/** The first digit of each script is a multiple of these, as their blocks are laid out. */
const digitOf = (character: string): string => {
  const code = character.charCodeAt(0)
  const low = code & 0xf
  // Blocks begin their digits at 0 or at 6 of a row of sixteen.
  return String(low >= 6 && startsAtSix(code) ? low - 6 : low)
}

const startsAtSix = (code: number): boolean => code >= 0x0966 && code <= 0x0d6f

/**
 * The text with full-width and foreign digits as ASCII ones, every dash as `-`, every run of blanks as one space, and
 * without what takes no room. It takes linear time.
 */
export const plain = (text: string): string =>
  text
    .replace(invisible, "")
    // Wide punctuation parts what its narrow form would join, such as a number and the next.
    .replace(/[，。、；]/gu, "$& ")
    .normalize("NFKC")
    .replace(invisible, "")
    .replace(dashes, "-")
    .replace(otherDigits, digitOf)
    .replace(/[\s\p{Cc}]+/gu, (blanks) => (blanks.includes("\t") ? "\t" : " "))
    .trim()
