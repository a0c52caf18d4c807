/** The runs that the body of a verb selects: by their ids, or by a filter, a page at a time. */
import { Clock, Effect } from "effect"
import type { Filter } from "../../../core/run/RunStore.ts"
import type { RunVerbs } from "../../../core/run/verb/RunVerbs.ts"
import type { Problem } from "../../../core/workflow/Workflow.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { cursorOf } from "../http/body/Cursor.ts"
import * as Errors from "../http/Errors.ts"
import * as RunFilter from "../run/RunFilter.ts"
import { mostNamed } from "./VerbsApi.ts"

/** A selection as it was sent. */
export interface Sent {
  readonly session_ids?: ReadonlyArray<string> | null
  readonly filter?: unknown
  readonly limit?: number | null
  readonly cursor?: string | null
  readonly dry_run?: boolean | null
}

/** The runs of one call, and the cursor of the call that continues after them. */
export interface Selected {
  readonly asked: { readonly sessionIds: ReadonlyArray<string>; readonly dryRun: boolean }
  readonly nextCursor: string | null
}

/**
 * Selects the runs of a call, unless it has `problems`: they are listed with those of the selection. A filter without a condition
 * is refused: it would be every run of the workspace.
 */
export const selecting = (verbs: RunVerbs["Service"]) =>
  Effect.fnUntraced(function* (caller: Caller, sent: Sent, problems: ReadonlyArray<Problem>) {
    const dryRun = sent.dry_run === true
    const { filter = null, session_ids: sessionIds = null } = sent
    const hasWrongIds = problems.some(({ path }) => path.startsWith("session_ids"))
    const isEither = hasWrongIds || (filter === null) !== (sessionIds === null)
    const read = filter === null ? null : readFilter(filter, sent, yield* Clock.currentTimeMillis)
    const all = [
      ...problems,
      ...(isEither ? [] : [{ path: "session_ids", message: "Expected either session_ids or filter" }]),
      ...(read !== null && "problems" in read ? read.problems : [])
    ]
    if (all.length > 0 || (read !== null && "problems" in read)) return yield* Effect.fail(Errors.invalid(all))
    if (read === null) {
      return { asked: { sessionIds: sessionIds ?? [], dryRun }, nextCursor: null } satisfies Selected
    }
    const { ids, next } = yield* verbs.select(caller, read)
    return {
      asked: { sessionIds: ids, dryRun },
      nextCursor: next === null ? null : cursorOf(next)
    } satisfies Selected
  })

const readFilter = (
  filter: unknown,
  { cursor, limit }: Sent,
  now: number
): Filter | { readonly problems: ReadonlyArray<Problem> } => {
  const wrong = (path: string, message: string) => ({ problems: [{ path, message }] })
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) {
    return wrong("filter", "Expected an object with parameters of GET /runs")
  }
  const entries = Object.entries(filter)
  if (entries.length === 0)
    return wrong("filter", `Expected at least one condition: ${Object.keys(RunFilter.names).join(", ")}`)
  const problems = entries.flatMap(([name, value]): ReadonlyArray<Problem> => {
    if (!Object.hasOwn(RunFilter.names, name)) return [{ path: `filter.${name.slice(0, 100)}`, message: unknownName }]
    const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return values.every((one) => typeof one === "string")
      ? []
      : [{ path: `filter.${name}`, message: "Expected a text, or a list of texts" }]
  })
  if (problems.length > 0) return { problems }
  // Its values are texts and lists of texts under known names.
  const query = {
    ...filter,
    limit: String(limit ?? mostNamed),
    ...(cursor == null ? {} : { cursor })
  } as RunFilter.Query
  const read = RunFilter.read(query, now)
  if (!("problems" in read)) return read
  return {
    problems: read.problems.map(({ message, path }) => ({
      path: path === "limit" || path === "cursor" ? path : `filter.${path}`,
      message
    }))
  }
}

const unknownName = `No parameter has this name: expected one of ${Object.keys(RunFilter.names).join(", ")}`
