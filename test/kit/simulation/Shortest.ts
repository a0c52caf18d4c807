/**
 * Finds a short list that still fails: pieces are left out, ever smaller ones, for as long as what is left fails.
 */

/** A list that fails, and does not any more when one of its elements is left out, of a list that fails. */
export const shortest = <A>(list: ReadonlyArray<A>, fails: (some: ReadonlyArray<A>) => boolean): ReadonlyArray<A> => {
  let left = list
  for (let size = Math.ceil(left.length / 2); size >= 1; ) {
    const shorter = without(left, size, fails)
    const isShorter = shorter.length < left.length
    left = shorter
    if (size === 1 && !isShorter) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return left
}

/** Leaves out each piece of a size in turn, if what is left still fails. */
const without = <A>(list: ReadonlyArray<A>, size: number, fails: (some: ReadonlyArray<A>) => boolean) => {
  let left = list
  for (let from = 0; from < left.length; ) {
    const some = [...left.slice(0, from), ...left.slice(from + size)]
    if (fails(some)) left = some
    else from += size
  }
  return left
}
