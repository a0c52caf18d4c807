/**
 * Finds parameters of a query that its endpoint does not have, so that a misspelt filter is not ignored.
 */
import { suggestion } from "../../../../core/window/NearestName.ts"
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
    .map((name) => ({
      path: name.slice(0, 80),
      message: `Unknown parameter: ${suggestion(name.slice(0, 80), known, "this endpoint has none")}`
    }))
}
