/**
 * The filters of the list of runs as they are sent.
 *
 * A filter of several values may be repeated, be written with `[]`, or hold them separated by commas; the ids of
 * credentials, which may hold commas, only where the name is in the plural. A cursor is the `created_at` of the last run
 * of the page before, which leaves out runs of that same millisecond that the page had no room for; or that and the
 * run's id with `_` between them, as `x-next-cursor` gives it, which leaves out none.
 */
import { Schema } from "effect"
import { Status } from "../../../core/run/Run.ts"
import type { Filter, Listed } from "../../../core/run/RunStore.ts"
import type { Problem } from "../../../core/workflow/Workflow.ts"
import { RunId, WorkflowId } from "../../../core/workspace/Ids.ts"
import { parseInstant } from "../gate/GatesHttp.ts"
import type { RunFilter } from "./RunsApi.ts"

type Name = keyof typeof RunFilter

export type Query = { readonly [K in Name]?: string | ReadonlyArray<string> }

const dayMillis = 86_400_000
const defaultLimit = 1_000

/** How far the clock of a client may be ahead of ours when it asks for runs until now, in milliseconds. */
const aheadMillis = 5_000

/** Reads the filters; everything that is wrong is reported at the parameter as it was written. */
export const read = (query: Query, now: number): Filter | { readonly problems: ReadonlyArray<Problem> } => {
  const problems: Array<Problem> = []
  const wrong = (path: Name, expected: string, got: string): undefined => {
    problems.push({ path, message: `Expected ${expected}, got "${got.slice(0, 100)}"` })
  }
  const one = (name: Name): string | undefined => {
    const [first, second] = [query[name] ?? []].flat()
    return second === undefined ? first : wrong(name, "one value", `${first}, ${second}`)
  }
  const many = <A extends string>(
    names: ReadonlyArray<Name>,
    is: (text: string) => text is A,
    expected: string
  ): ReadonlyArray<A> | undefined => {
    const values = names.flatMap((name) =>
      [query[name] ?? []]
        .flat()
        .flatMap((text) => (name === "credential_id" ? [text] : text.split(",").map((part) => part.trim())))
        .flatMap((text) => (is(text) ? [text] : (wrong(name, expected, text) ?? [])))
    )
    return names.every((name) => query[name] === undefined) ? undefined : [...new Set(values)]
  }
  const instant = (name: Name): number | undefined => {
    const text = one(name)
    return text === undefined ? undefined : (parseInstant(text) ?? wrong(name, example, text))
  }

  const workflowIds = many(["workflow_id", "workflow_ids", "workflow_ids[]"], Schema.is(WorkflowId), "a UUID")
  const statuses = many(["status", "statuses", "statuses[]"], Schema.is(Status), `one of ${Status.literals.join(", ")}`)
  const credentials = many(
    ["credential_id", "credential_ids", "credential_ids[]"],
    (text): text is string => text !== "",
    "a permissioned_user_id"
  )
  const written = one("limit") ?? String(defaultLimit)
  const limit = Number(written)
  if (!/^\d{1,5}$/.test(written) || limit < 1 || limit > 10_000) wrong("limit", "a number from 1 to 10000", written)

  const from = instant("start_time") ?? now - dayMillis
  const to = instant("end_time")
  if (from < now - 366 * dayMillis) wrong("start_time", "an instant within the last year", String(one("start_time")))
  if (to !== undefined && to > now + aheadMillis) {
    wrong("end_time", "an instant that is not in the future", String(one("end_time")))
  } else if (to !== undefined && to < from) {
    wrong("end_time", "an instant that is not before start_time", String(one("end_time")))
  }
  const cursor = one("cursor")
  const before = cursor === undefined ? undefined : (readCursor(cursor) ?? wrong("cursor", cursorExample, cursor))

  if (problems.length > 0) return { problems }
  return {
    from,
    limit,
    ...(workflowIds === undefined ? {} : { workflowIds }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(to === undefined ? {} : { to }),
    ...(before === undefined ? {} : { before })
  }
}

const example = "an instant such as 2026-01-31T08:00:00Z"
const cursorExample = `${example}, alone or followed by _ and the id of a run`

const readCursor = (text: string): Filter["before"] | null => {
  const [, alone = text, id] = /^(.*)_([0-9A-Fa-f-]{36})$/.exec(text) ?? []
  const at = parseInstant(alone)
  if (at === null || (id !== undefined && !Schema.is(RunId)(id))) return null
  return id === undefined ? { at } : { at, id: RunId.make(id) }
}

/** The cursor of the page after this one; `null` when there is none. */
export const nextCursor = (listed: ReadonlyArray<Listed>, { limit }: Filter): string | null => {
  const last = listed.at(-1)
  return last === undefined || listed.length < limit ? null : `${new Date(last.createdAt).toISOString()}_${last.id}`
}
