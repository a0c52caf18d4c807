/**
 * Finds the known name that a misspelt name most likely means.
 */

/** Longer names are cut: comparing the rest costs time and adds nothing. */
const maxLength = 80

/** The known name that is most like a name, by its letters or else by its words; `null` when none is like it. */
export const nearest = (name: string, known: Iterable<string>): string | null => {
  const names = [...known]
  return misspelt(name, names) ?? withSameWords(name.slice(0, maxLength), names)
}

/** The known name of which a name is a misspelling; `null` when it is not a misspelling of any. */
export const misspelt = (name: string, known: Iterable<string>): string | null => {
  const wanted = plain(name.slice(0, maxLength))
  const compared = [...known].map((one) => ({ one, far: distance(wanted, plain(one)) }))
  const first = compared.reduce<(typeof compared)[number] | null>(
    (best, next) => (best === null || next.far < best.far ? next : best),
    null
  )
  if (first === null) return null
  const length = Math.min(wanted.length, first.one.length)
  return first.far <= Math.max(first.one.length < 4 ? 1 : 2, Math.floor(length / 3)) ? first.one : null
}

/** What a message says of an unknown name: the known one that was probably meant, or else all of them. */
export const suggestion = (name: string, known: Iterable<string>, none = "there are none"): string => {
  const names = [...known]
  const meant = nearest(name, names)
  if (meant !== null) return `did you mean ${meant}?`
  return names.length === 0 ? none : `expected one of ${names.join(", ")}`
}

/** Names that differ only in their style, such as `minTime` and `min_time`, are the same. */
const plain = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll("-", "_")

const wordsOf = (name: string): ReadonlyArray<string> =>
  plain(name)
    .split(/[_. ]+/)
    .map((word) => word.replace(/s$/, ""))
    .filter((word) => word.length > 3)

/** The shortest known name that has every longer word of a name: `run_input_variables` for `inputs`. */
const withSameWords = (name: string, known: Iterable<string>): string | null => {
  const words = wordsOf(name)
  if (words.length === 0) return null
  const found = [...known].filter((one) => words.every((word) => wordsOf(one).includes(word)))
  return found.reduce<string | null>((best, next) => (best === null || next.length < best.length ? next : best), null)
}

/** How many characters have to be added, removed, replaced or swapped with the next to make one text of the other. */
const distance = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)
      const isSwap = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      const swapped = isSwap ? (before[to - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
