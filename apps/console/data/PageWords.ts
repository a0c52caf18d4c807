/** Messages of the service in the words of the console, where they name a field or a command that the console has not. */
const words: ReadonlyArray<readonly [theirs: RegExp, ours: string]> = [
  [/base_version_id names another version than this latest one/g, "it was saved after you began"],
  [/use replay to try it/g, "press Run all again to try it"],
  [/use replay for that/g, "press Run all again for that"]
]

export const inPageWords = (message: string): string =>
  words.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message)
