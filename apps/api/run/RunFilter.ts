/**
 * The filters of runs as they are sent: as parameters of a query, or as members of the object `filter` of a body.
 *
 * A filter of several values may be repeated or be an array, be written with `[]`, or hold them separated by commas;
 * ids of credentials, tags and error codes, which may hold commas, only where the name is in the plural, and references
 * never. A cursor is the `created_at` of the last run of the page before, which leaves out runs of that same millisecond
 * that the page had no room for; or that and the run's id with `_` between them, as `x-next-cursor` gives it, which leaves
 * out none.
 */
import { Schema } from "effect"
import { categories } from "../../../core/agent/recovery/Classification.ts"
import { all as subTypes } from "../../../core/agent/recovery/ErrorSubType.ts"
import { HoldReason, type RunFilter } from "../../../core/run/list/RunFilter.ts"
import { Status, Trigger } from "../../../core/run/Run.ts"
import type { Filter } from "../../../core/run/RunStore.ts"
import type { Problem } from "../../../core/workflow/Workflow.ts"
import { RunId, WorkflowId } from "../../../core/workspace/Ids.ts"
import * as Json from "../../../core/workspace/Json.ts"
import { present } from "../http/body/Fields.ts"
import { instantExample, parseInstant, problemAt } from "../http/body/Query.ts"

const several = "May be repeated, be written with [], or hold several values separated by commas"
const plural = "As the name in the singular, and may hold several values separated by commas"
const instant = "An instant in ISO 8601"

/** The parameters of a filter with their descriptions. `start_timestamp` and `end_timestamp` are older names. */
export const names = {
  workflow_id: several,
  workflow_ids: several,
  "workflow_ids[]": several,
  credential_id: "The permissioned_user_id of a credential that the run refers to",
  credential_ids: plural,
  "credential_ids[]": plural,
  status: several,
  statuses: several,
  "statuses[]": several,
  hold: `Why a waiting run has not started: ${HoldReason.literals.join(", ")}. ${several}`,
  "hold[]": several,
  error_code: "The code of a failure of one of the run's attempts; UNKNOWN for a failure without one",
  error_codes: plural,
  "error_codes[]": plural,
  error_category: `The category of a failure of one of the run's attempts, such as XPATH_INCORRECT. ${several}`,
  "error_category[]": several,
  error_sub_type: `The sub-type of a failure of one of the run's attempts, such as SELECTOR_NO_MATCH. ${several}`,
  "error_sub_type[]": several,
  tag: "A tag of the run",
  tags: plural,
  "tags[]": plural,
  reference: "The reference of the run. May be repeated",
  trigger: `What submitted the run: ${Trigger.literals.join(", ")}. ${several}`,
  "trigger[]": several,
  has_warnings: "true for runs with warnings of their steps, false for runs without any",
  text: "Text in the first 16384 characters of the JSON of the input or of the output, or in the code or the message of a failure, in upper or lower case. A page examines at most 2000 runs for it, newest first: it may have few runs or none although there is an x-next-cursor",
  start_time: `${instant}, at most one year back; without it, only runs of the last 24 hours, and waiting runs of any age; with reference, runs of any age`,
  end_time: `${instant}, not before start_time and not in the future`,
  start_timestamp: "The same as start_time",
  end_timestamp: "The same as end_time"
} as const

type Name = keyof typeof names

const value = Schema.Union([Schema.String, Schema.Array(Schema.String)])

/**
 * The object `filter` of a body: the parameters of `GET /runs` that select runs. Bodies take it as `sent(RunFilterJson)`,
 * and `readFilterOfBody` reads it, which refuses other members.
 */
export const RunFilterJson = Schema.Struct(
  Object.fromEntries(
    Object.entries(names).flatMap(([name, description]) =>
      name.endsWith("[]") ? [] : [[name, Schema.optionalKey(value.annotate({ description }))]]
    )
  ) as { readonly [K in Exclude<Name, `${string}[]`>]: Schema.optionalKey<typeof value> }
).annotate({ identifier: "RunFilter" })

/** A filter as it was sent. */
export type Sent = { readonly [K in Name]?: string | ReadonlyArray<string> | undefined }

type PageName = "limit" | "cursor"

/** A filter with the parameters of a page. */
export type Query = Sent & { readonly [K in PageName]?: string | ReadonlyArray<string> | undefined }

/** What is wrong with a filter, each at its parameter as it was written. */
interface Wrong {
  readonly problems: ReadonlyArray<Problem>
}

const dayMillis = 86_400_000
const defaultLimit = 1_000
const mostValues = 1_000
const mostCharacters = 1_000

/** How far the clock of a client may be ahead of ours when it asks for runs until now, in milliseconds. */
const aheadMillis = 5_000

/** Reads single values and lists of a query, and collects what is wrong with them. */
const reader = (query: Query) => {
  const problems: Array<Problem> = []
  const wrong = (path: string, expected: string, got: string): undefined => {
    problems.push(problemAt(path, expected, got))
  }
  const one = (name: Name | PageName): string | undefined => {
    const [first, second] = [query[name] ?? []].flat()
    return second === undefined ? first : wrong(name, "one value", `${first}, ${second}`)
  }
  /** The values of a filter under its names. Those of `whole` are not split at commas. */
  const many = <A extends string>(
    under: ReadonlyArray<Name>,
    is: (text: string) => text is A,
    expected: string,
    whole?: Name
  ): ReadonlyArray<A> | undefined => {
    const values = under.flatMap((name) =>
      [query[name] ?? []]
        .flat()
        .flatMap((text) => (name === whole ? [text] : text.split(",").map((part) => part.trim())))
        .flatMap((text) => (is(text) ? [text] : (wrong(name, expected, text) ?? [])))
    )
    if (under.every((name) => query[name] === undefined)) return undefined
    const different = [...new Set(values)]
    const first = under.find((name) => query[name] !== undefined) ?? under[0]
    if (different.length > mostValues) wrong(first ?? "", `at most ${mostValues} values`, String(different.length))
    return different
  }
  const instantOf = (...under: ReadonlyArray<Name>): { readonly name: Name; readonly at: number } | undefined => {
    const [name, other] = under.filter((one) => query[one] !== undefined)
    if (name === undefined) return undefined
    const text = one(name)
    if (other !== undefined) return wrong(other, `either ${name} or ${other}`, String(one(other)))
    if (text === undefined) return undefined
    const at = parseInstant(text)
    return at === null ? wrong(name, instantExample, text) : { name, at }
  }
  return { problems, wrong, one, many, instantOf }
}

const among =
  (known: ReadonlyArray<string>) =>
  (text: string): text is string =>
    known.includes(text)

const isText = (text: string): text is string => text !== "" && text.length <= mostCharacters

const truth = (text: string | undefined, wrong: ReturnType<typeof reader>["wrong"]): boolean | undefined => {
  if (text === undefined) return undefined
  return text === "true" || text === "false" ? text === "true" : wrong("has_warnings", "true or false", text)
}

const filterOf = ({ instantOf, many, one, wrong }: ReturnType<typeof reader>, now: number): RunFilter => {
  const text = one("text")
  if (text !== undefined && !isText(text)) wrong("text", `1 to ${mostCharacters} characters`, text)
  const start = instantOf("start_time", "start_timestamp")
  const references = many(["reference"], isText, "a reference", "reference")
  // Who knows the reference of a run need not know its age.
  const from = start?.at ?? (references === undefined ? now - dayMillis : undefined)
  const end = instantOf("end_time", "end_timestamp")
  if (start !== undefined && start.at < now - 366 * dayMillis) {
    wrong(start.name, "an instant within the last year", new Date(start.at).toISOString())
  }
  if (end !== undefined && end.at > now + aheadMillis) {
    wrong(end.name, "an instant that is not in the future", new Date(end.at).toISOString())
  } else if (end !== undefined && start !== undefined && end.at < start.at) {
    wrong(end.name, `an instant that is not before ${start.name}`, new Date(end.at).toISOString())
  } else if (end !== undefined && from !== undefined && end.at < from) {
    wrong(end.name, "an instant within the last 24 hours, or start_time beside it", new Date(end.at).toISOString())
  }
  return present({
    workflowIds: many(["workflow_id", "workflow_ids", "workflow_ids[]"], Schema.is(WorkflowId), "a UUID"),
    statuses: many(["status", "statuses", "statuses[]"], Schema.is(Status), `one of ${Status.literals.join(", ")}`),
    holds: many(["hold", "hold[]"], Schema.is(HoldReason), `one of ${HoldReason.literals.join(", ")}`),
    errorCodes: many(["error_code", "error_codes", "error_codes[]"], isText, "an error code", "error_code"),
    errorCategories: many(["error_category", "error_category[]"], among(categories), `one of ${categories.join(", ")}`),
    errorSubTypes: many(["error_sub_type", "error_sub_type[]"], among(subTypes), `one of ${subTypes.join(", ")}`),
    credentials: many(
      ["credential_id", "credential_ids", "credential_ids[]"],
      isText,
      "a permissioned_user_id",
      "credential_id"
    ),
    tags: many(["tag", "tags", "tags[]"], isText, "a tag", "tag"),
    references,
    triggers: many(["trigger", "trigger[]"], Schema.is(Trigger), `one of ${Trigger.literals.join(", ")}`),
    hasWarnings: truth(one("has_warnings"), wrong),
    text,
    from,
    waitingOfAnyAge: start === undefined && from !== undefined ? true : undefined,
    to: end?.at
  })
}

/** Reads the filters of a query without a page. */
export const readFilter = (query: Sent, now: number): RunFilter | Wrong => {
  const read = reader(query)
  const filter = filterOf(read, now)
  return read.problems.length > 0 ? { problems: read.problems } : filter
}

/** Reads the filter of a body, which may be any JSON. Problems are reported at their paths below `filter`. */
export const readFilterOfBody = (sent: unknown, now: number): RunFilter | Wrong => {
  const below = ({ problems }: Wrong): Wrong => ({
    problems: problems.map(({ message, path }) => ({ path: `filter.${path}`, message }))
  })
  if (!Json.isObject(sent))
    return { problems: [{ path: "filter", message: "Expected an object with filters of GET /runs" }] }
  const known = Object.keys(names).filter((name) => !name.endsWith("[]"))
  const problems = Object.entries(sent).flatMap(([path, value]): ReadonlyArray<Problem> => {
    if (!known.includes(path)) return [{ path: path.slice(0, 80), message: `Expected one of ${known.join(", ")}` }]
    return isValue(value) ? [] : [{ path, message: "Expected a text or a list of texts" }]
  })
  if (problems.length > 0) return below({ problems: problems.slice(0, mostProblems) })
  // Its values were checked above.
  const filter = readFilter(sent as Sent, now)
  return "problems" in filter ? below(filter) : filter
}

const mostProblems = 20
const isValue = Schema.is(value)

/** Reads the filters and the page of a query. */
export const read = (query: Query, now: number): Filter | Wrong => {
  const reading = reader(query)
  const { one, problems, wrong } = reading
  const filter = filterOf(reading, now)
  const written = one("limit") ?? String(defaultLimit)
  const limit = Number(written)
  if (!/^\d{1,5}$/.test(written) || limit < 1 || limit > 10_000) wrong("limit", "a number from 1 to 10000", written)
  const cursor = one("cursor")
  const before = cursor === undefined ? undefined : (readCursor(cursor) ?? wrong("cursor", cursorExample, cursor))
  if (problems.length > 0) return { problems }
  return { ...filter, limit, ...(before === undefined ? {} : { before }) }
}

const cursorExample = `${instantExample}, alone or followed by _ and the id of a run`

const readCursor = (text: string): Filter["before"] | null => {
  const [, alone = text, id] = /^(.*)_([0-9A-Fa-f-]{36})$/.exec(text) ?? []
  const at = parseInstant(alone)
  if (at === null || (id !== undefined && !Schema.is(RunId)(id))) return null
  return id === undefined ? { at } : { at, id: RunId.make(id) }
}
