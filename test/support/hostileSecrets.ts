/** Secrets that have much in common, and texts that nearly are one of them at each place. */

/** Single secrets that are costly to find in one way each. */
export const single = [
  "@pass1",
  "!!!!",
  "!@#$",
  "\\@#$x",
  " @ @",
  "éééé",
  "😀😀",
  "\n\n\n\n",
  "a b c",
  "ÿûï¾",
  `${"@".repeat(511)}b`,
  `${"\\".repeat(500)}b`,
  `${"@#".repeat(250)}b`,
  "=".repeat(511),
  `${`${"=".repeat(32)}a`.repeat(15)}!`,
  `${`${"=".repeat(99)}a`.repeat(5)}!`,
  `${"a ".repeat(250)}b`
]

/** What texts for a single secret repeat. */
export const pieces = [
  "\\",
  "@",
  "%25",
  "&amp;",
  "&#0",
  "0",
  "+",
  " ",
  "\\u00",
  "\\\\@",
  "@#",
  "a ",
  "/",
  "_",
  "-",
  "%2525",
  "&amp;amp;",
  "\n",
  "é",
  "=",
  `${"\\".repeat(15)}=`,
  `${"=".repeat(32)}a`,
  `${"=".repeat(99)}a`
]

/** A number as signs of an alphabet, each number differently. */
export const written = (signs: ReadonlyArray<string>, index: number): string => {
  let text = ""
  for (let rest = index + 1; rest > 0; rest = Math.floor(rest / signs.length)) text += signs[rest % signs.length]
  return text
}

const alphabet = (first: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(first + at))

export const signs = [..."-_!$.~*'()@#^{}[]:;,?"]
export const han = alphabet(0x4e00, 500)
const cyrillic = alphabet(0x430, 32)
const emoji = alphabet(0x1f600, 64)

/** Thousands of secrets, by their number: the values of cookies, and what has few Latin letters and digits or none. */
export const many = {
  "numbers in hexadecimal": (index) => `${index.toString(16)}${"0123456789abcdef".repeat(4)}`,
  "the same letters around a number": (index) => `session=abcdef${index.toString(36)}&${"x".repeat(100)}`,
  "many words": (index) => `${"ab+cd/".repeat(40)}${index}`,
  "signs around a number": (index) => `${"@#".repeat(200)}${index}%`,
  signs: (index) => `${written(signs, index)}-_!$..`,
  "signs around one letter": (index) => `${written(signs, index)}a${"!".repeat(20)}`,
  Cyrillic: (index) => `${written(cyrillic, index)}пароль`,
  Chinese: (index) => `${written(han, index)}密码密码`,
  emoji: (index) => `😀😀${written(emoji, index)}😀`,
  "a mix": (index) => `${written([...signs, ...cyrillic, ...han, ...emoji], index)}\\%&+ ${index % 7}`,
  "a long common beginning": (index) => `${"-_!$.".repeat(80)}${written(signs, index)}`,
  "spaces only": (index) => written([" ", "\t", "\u00a0", "\u2003"], 4 ** 6 + index)
} satisfies Readonly<Record<string, (index: number) => string>>

/** What texts for thousands of secrets repeat. */
export const manyPieces = [
  "hello world, session of an abcdef page ",
  "1234 5678 ",
  "@#",
  "\\",
  `session=abcdef ${"x".repeat(100)}& ab+cd/ab+cd/ 0123456789abcdef`,
  "-_!$.. ",
  "a!!!! ",
  "привет, пароль ",
  "你好密码",
  "😀😀😃",
  "%20%40&#33;\\u0040 "
]

/** The secrets of a run whose pages and sites are made to be searched at length. */
export const known = ["hunter2#pass", "@pass1!", "\\@#$x1", `${"=".repeat(32)}a`.repeat(15), "=".repeat(500)]

/** What such pages repeat. */
export const hostile = {
  "near-matches": "hunter2#pas @pass1 ",
  escapes: "\\u0040\\u0070&amp;%25",
  backslashes: "\\",
  "repeated signs": "=",
  "repeated words": `${"=".repeat(32)}a`
} satisfies Readonly<Record<string, string>>

/** A text of so many characters that repeats a piece, with what the known secrets are known by among it. */
export const filled = (piece: string, characters: number): string =>
  `${piece.repeat(Math.ceil(4_000 / piece.length))}hunter2pass pass1 x1 a =`
    .repeat(Math.ceil(characters / 4_000))
    .slice(0, characters)
