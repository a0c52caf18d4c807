/** Texts from sites and users, without what would change the direction of the console around them. */

/** Characters that change the direction of all text after them, also of the console's own. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

/** A sentence without characters that change the direction of text. */
export const plain = (text: string): string => text.replace(directions, "")

/** JSON with these characters as escapes: the value is the same, and each line reads from left to right. */
export const plainJson = (json: string): string =>
  json.replace(directions, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
