/** The search of the palette. */

export interface Choice {
  readonly word: string
  readonly kind: string
  readonly address: string
}

/** The choices whose words contain all letters of a text in order, the closest first. */
export const ranked = (choices: ReadonlyArray<Choice>, text: string): ReadonlyArray<Choice> => {
  const wanted = text.trim().toLowerCase()
  if (wanted === "") return choices
  return choices
    .map((choice) => ({ choice, rank: rankOf(choice.word.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ choice }) => choice)
}

/**
 * The rank of a match, lower is closer: the beginning of the word, a part of it, its letters in order; `null` for none.
 */
const rankOf = (word: string, wanted: string): number | null => {
  const at = word.indexOf(wanted)
  if (at === 0) return 0
  if (at > 0) return word[at - 1] === " " ? 1 : 2
  let next = 0
  for (const letter of word) if (letter === wanted[next]) next++
  return next === wanted.length ? 3 : null
}
