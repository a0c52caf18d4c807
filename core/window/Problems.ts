/**
 * The problems of a request, as answers list them.
 */

/** A problem, and its path. */
interface Problem {
  readonly path: string
  readonly message: string
}

/** How many problems of one body are listed, and how many characters of each: an answer must not be larger than its request. */
const mostProblems = 1_000
const longestPath = 500
const longestMessage = 2_000

/** The first problems, cut where they are long. The last entry is the number of further ones. */
export const listed = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  const isLong = ({ message, path }: Problem) => path.length > longestPath || message.length > longestMessage
  const first = problems
    .slice(0, mostProblems)
    .map((problem) =>
      isLong(problem)
        ? { ...problem, path: cut(problem.path, longestPath), message: cut(problem.message, longestMessage) }
        : problem
    )
  const more = problems.length - first.length
  return more === 0 ? first : [...first, { path: "", message: `${more} more problems are not listed` }]
}

/** The path of what is under a key of the value at a path, such as `rows[3].name`. */
export const within = (path: string, key: PropertyKey): string =>
  typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length)}…`)

/** Problems in one sentence. */
export const inOneSentence = (problems: ReadonlyArray<Problem>): string =>
  listed(problems)
    .map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))
    .join("; ")
