/** Texts from outside that stand within sentences. */

/** Characters that turn the direction of everything behind them, also of what the console says. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

/** A sentence without characters that turn the direction of what follows. */
export const plain = (text: string): string => text.replace(directions, "")

/** JSON in which these characters are escapes: it means the same, and each line reads from left to right. */
export const plainJson = (json: string): string =>
  json.replace(directions, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
