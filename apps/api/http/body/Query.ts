/**
 * Reads the parameters of a query. A parameter that its endpoint does not have is a problem, so that a misspelt filter
 * is not ignored.
 */
import * as InstantText from "../../../../core/window/calendar/InstantText.ts"
import { suggestion } from "../../../../core/window/NearestName.ts"
import type { Problem } from "../../../../core/workflow/Workflow.ts"
import { isUuid } from "../../../../core/workspace/Ids.ts"

/** How many problems are reported of one request. */
const most = 20

/** Every parameter that is not among `known`, with the known name that is most like it. */
export const unknownNames = (query: string, known: ReadonlySet<string>): ReadonlyArray<Problem> => {
  if (query === "") return []
  const names = new Set(new URLSearchParams(query).keys())
  return [...names]
    .filter((name) => name !== "" && !known.has(name))
    .slice(0, most)
    .map((name) => ({
      path: name.slice(0, 80),
      message: `Unknown parameter: ${suggestion(name.slice(0, 80), known, "this endpoint has none")}`
    }))
}

/** An instant in ISO 8601 with its offset, or a date, which begins in UTC; in epoch milliseconds, `null` for another text. */
export const parseInstant = (text: string): number | null => {
  return InstantText.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00Z` : text)
}

/** What is expected of an instant, as messages say it. */
export const instantExample = "an instant such as 2026-01-31T08:00:00Z"

/** What is wrong with a parameter: what was expected, and the beginning of what was sent. */
export const problemAt = (path: string, expected: string, got: string): Problem => ({
  path,
  message: `Expected ${expected}, got "${got.slice(0, 100)}"`
})

/** Reads parameters that have one value each, and collects what is wrong with them. A missing parameter is `undefined`. */
export const reader = <Name extends string>(query: { readonly [K in Name]?: string | undefined }) => {
  const problems: Array<Problem> = []
  const wrong = (name: Name, expected: string): undefined => {
    problems.push(problemAt(name, expected, query[name] ?? ""))
  }
  const instant = (name: Name): number | undefined => {
    const text = query[name]
    return text === undefined ? undefined : (parseInstant(text) ?? wrong(name, instantExample))
  }
  const uuid = (name: Name): string | undefined => {
    const text = query[name]
    return text === undefined ? undefined : isUuid(text) ? text.toLowerCase() : wrong(name, "a UUID")
  }
  return { problems, wrong, instant, uuid }
}
