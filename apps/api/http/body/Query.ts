/**
 * Finds parameters of a query that its endpoint does not have, so that a misspelt filter is not ignored.
 */
import type { Problem } from "../../../../core/workflow/Workflow.ts"

/** How many problems are reported of one request. */
const most = 20

/** Every parameter that is not among `known`, with the known name that is most like it. */
export const unknownNames = (query: string, known: ReadonlySet<string>): ReadonlyArray<Problem> => {
  if (query === "") return []
  const names = new Set(new URLSearchParams(query).keys())
  return [...names]
    .filter((name) => name !== "" && !known.has(name))
    .slice(0, most)
    .map((name) => ({ path: name.slice(0, 80), message: `Unknown parameter: ${expected(name.slice(0, 80), known)}` }))
}

const expected = (name: string, known: ReadonlySet<string>): string => {
  const [first] = [...known].sort((one, other) => distance(name, one) - distance(name, other))
  if (first === undefined) return "this endpoint has none"
  if (distance(name, first) <= Math.max(2, first.length / 3)) return `did you mean ${first}?`
  return `expected one of ${[...known].join(", ")}`
}

/** How many characters have to be added, removed or replaced to make one text of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
