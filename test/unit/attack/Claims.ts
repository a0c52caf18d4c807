/** The claims of the page on security: the rows of its table, and the list items of the part that says what is defended. */

export interface Claim {
  readonly text: string
  /** The files that it names as its tests. */
  readonly tests: ReadonlyArray<string>
}

const begins = "## What is defended"
const tableBegins = "## Who can do what"

/** The rows of the table of attackers and promises, as claims. */
const rowsOf = (page: string): ReadonlyArray<Claim> => {
  const [, part = ""] = page.split(`${tableBegins}\n`)
  const [table = ""] = part.split(/\n## /)
  return table
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((text) => ({ text, tests: testsIn(text) }))
}

const testsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`\s]*\.test\.ts)`/g)].map(([, path = ""]) => path)

export const claimsOf = (page: string): ReadonlyArray<Claim> => {
  const [, part = ""] = page.split(`${begins}\n`)
  const [defended = ""] = part.split(/\n## /)
  const items: Array<string> = []
  for (const line of defended.split("\n")) {
    if (/^\s*[-*+] /.test(line)) items.push(line.trim().slice(2))
    else if (/^\s+\S/.test(line) && items.length > 0) items.push(`${items.pop() ?? ""} ${line.trim()}`)
  }
  return [...rowsOf(page), ...items.map((text) => ({ text, tests: testsIn(text) }))]
}

/** The problems of the claims of a page. `hasTests` is false for a file that does not exist, and one without tests. */
export const problemsOf = (page: string, hasTests: (path: string) => boolean): ReadonlyArray<string> => {
  const claims = claimsOf(page)
  if (claims.length === 0) return [`The page has no claims under "${begins}"`]
  return claims.flatMap(({ tests, text }) => {
    if (tests.length === 0) return [`"${text}" names no test`]
    const outside = tests.filter((path) => !path.startsWith("test/") || path.includes(".."))
    return [...outside, ...tests.filter((path) => !outside.includes(path) && !hasTests(path))].map(
      (path) => `"${text}" names ${path}, which does not exist or has no test`
    )
  })
}
