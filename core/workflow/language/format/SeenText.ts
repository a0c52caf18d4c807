/** Texts as a person sees them: two that look the same are the same. */

/** The same text without signs that show nothing, with plain blanks for those that look like one, and composed letters. */
export const plain = (text: string): string =>
  /^[\n\r\t\x20-\x7e]*$/.test(text)
    ? text
    : text
        .replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g, "")
        .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, " ")
        .normalize("NFC")

/** The same text with one blank wherever there is white space. */
export const even = (text: string): string => plain(text).replace(/\s+/g, " ")

/** The same text on one line, without white space at its ends. */
export const seen = (text: string): string => even(text).trim()
