/** What the prompt of a step names: by words, figures, quoted texts, and expressions with their values. */

/** A prompt with its expressions evaluated, and these expressions. */
export interface EvaluatedPrompt {
  readonly text: string
  /** Its words without the expressions. */
  readonly written: string
  readonly expressions: ReadonlyArray<{ readonly source: string; readonly value: string }>
}

/** The words of a text, in lower case. Names such as `orderTotal` or `order_total` are several. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether a prompt has all words of a name next to each other, in their order. */
export const names = (prompt: string, name: string): boolean => {
  const words = wordsOf(name)
  return words.length > 0 && ` ${wordsOf(prompt).join(" ")} `.includes(` ${words.join(" ")} `)
}

/** Whether two texts share a word of at least three letters, or the first four of one. */
export const shareWord = (one: string, other: string): boolean => {
  const others = wordsOf(other)
  const isAlike = (word: string, known: string) =>
    word === known || (word.length >= 4 && known.length >= 4 && word.slice(0, 4) === known.slice(0, 4))
  return wordsOf(one).some((word) => word.length >= 3 && others.some((known) => isAlike(word, known)))
}

/** The figures and quoted texts of a text: what a plain form has to have, and no others. */
export const literalsIn = (text: string): ReadonlySet<string> => {
  const quoted = [...text.matchAll(/"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|(?<![\p{L}])'([^']+)'(?![\p{L}])/gu)]
  const rest = quoted.reduce((left, [whole]) => left.replace(whole, " "), text)
  return new Set([
    ...quoted.map(([, ...parts]) => (parts.find((part) => part !== undefined) ?? "").trim().toLowerCase()),
    ...(rest.match(/(?<![\p{L}\d_.])\d+(?:\.\d+)?(?![\p{L}\d_])/gu) ?? [])
  ])
}
