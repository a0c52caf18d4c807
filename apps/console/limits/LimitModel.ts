/** What is typed of a named limit, what of it is sent, and the words for one. */
import { mostRunning, mostStartsPerMinute } from "../../../core/gate/Pace.ts"
import type { UsedLimitRecord } from "../../api/limit/LimitsApi.ts"
import { shortId } from "../data/Workflows.ts"
import { limitFrom } from "../forms/TypedLimit.ts"

export type Limit = typeof UsedLimitRecord.Type

type Numbers = Pick<Limit, "max_running" | "max_starts_per_minute">

/** The typed numbers; empty for any number. */
export interface TypedNumbers {
  readonly running: string
  readonly starts: string
}

export interface Given extends TypedNumbers {
  readonly name: string
  readonly workflows: ReadonlyArray<string>
  readonly credentials: ReadonlyArray<string>
  /** One a line. */
  readonly tags: string
}

export type Problems = Readonly<Record<string, string>>

const textOf = (limit: number | null | undefined): string => (limit == null ? "" : String(limit))

export const typedOf = (numbers: Numbers | null): TypedNumbers => ({
  running: textOf(numbers?.max_running),
  starts: textOf(numbers?.max_starts_per_minute)
})

export const blank = (before: Limit | null): Given => ({
  name: before?.name ?? "",
  ...typedOf(before),
  workflows: before?.workflow_ids ?? [],
  credentials: before?.credential_ids ?? [],
  tags: (before?.tags ?? []).join("\n")
})

/** The numbers to send, or what is wrong with them by the field of the request. */
export const numbersFrom = ({
  running,
  starts
}: TypedNumbers): { readonly numbers: Numbers } | { readonly problems: Problems } => {
  const max_running = limitFrom(running, mostRunning)
  const max_starts_per_minute = limitFrom(starts, mostStartsPerMinute)
  if (typeof max_running !== "string" && typeof max_starts_per_minute !== "string") {
    return max_running === null && max_starts_per_minute === null
      ? { problems: { max_running: "Type a number here, or one of starts a minute" } }
      : { numbers: { max_running, max_starts_per_minute } }
  }
  return {
    problems: {
      ...(typeof max_running === "string" ? { max_running } : {}),
      ...(typeof max_starts_per_minute === "string" ? { max_starts_per_minute } : {})
    }
  }
}

/** The limit to send, or what is wrong with it by the field of the request. */
export const limitOf = (given: Given) => {
  const read = numbersFrom(given)
  const name = given.name.trim()
  const problems: Problems = {
    ...(name === "" ? { name: "Type a name" } : {}),
    ...("problems" in read ? read.problems : {})
  }
  if ("problems" in read || name === "") return { problems }
  const tags = given.tags.split("\n").map((tag) => tag.trim())
  return {
    limit: {
      name,
      ...read.numbers,
      workflow_ids: given.workflows,
      credential_ids: given.credentials,
      tags: [...new Set(tags)].filter((tag) => tag !== "")
    }
  }
}

type Sent = Pick<Limit, "credential_ids" | "max_running" | "max_starts_per_minute" | "name" | "tags" | "workflow_ids">

/** The fields of a change: what another person changed meanwhile stays. */
export const changeOf = (before: Limit, after: Sent): Partial<Sent> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Sent])
    )
  )

/** The instant of a field for a date and a time, in the zone of the reader; `null` where it has none. */
export const instantFrom = (typed: string): string | null => {
  const at = Date.parse(typed)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

/** The field of a path: a problem of one entry of a list is shown at the list. */
export const fieldOf = (path: string): string => path.split("[")[0] ?? ""

/** Such as `3 at once, 20 starts a minute`. */
export const numberWords = ({ max_running, max_starts_per_minute }: Numbers): string =>
  [
    ...(max_running === null ? [] : [`${max_running.toLocaleString("en")} at once`]),
    ...(max_starts_per_minute === null
      ? []
      : [`${max_starts_per_minute.toLocaleString("en")} ${max_starts_per_minute === 1 ? "start" : "starts"} a minute`])
  ].join(", ")

/** The override that is in force at an instant; `null` for none. One that has ended is kept until the next change. */
export const overrideAt = ({ override }: Limit, at: number): Limit["override"] =>
  override !== null && at < Date.parse(override.until) ? override : null

/** How many runs that draw on it are in progress, of how many. */
export const runningWords = (limit: Limit, at: number): string => {
  const { max_running } = overrideAt(limit, at) ?? limit
  const running = limit.running.toLocaleString("en")
  const most = max_running === null ? "" : ` of ${max_running.toLocaleString("en")}`
  return `${running}${most} ${limit.running === 1 && max_running === null ? "runs" : "run"} now`
}

/** Names by ids; `null` while they are read. */
export type Names = ReadonlyMap<string, string> | null

/** What an id is called, also where it is of something deleted. */
export const nameOf = (id: string, names: Names, what: string): string =>
  names === null ? "…" : (names.get(id) ?? `a deleted ${what} ${shortId(id)}`)

/** The most names of a kind that a line of the list has. */
const mostNames = 10

/** What draws on a limit, by kind; empty where nothing does. */
export const drawers = (limit: Limit, workflows: Names, credentials: Names): ReadonlyArray<string> =>
  [
    { one: "workflow", all: limit.workflow_ids.map((id) => nameOf(id, workflows, "workflow")) },
    { one: "credential", all: limit.credential_ids.map((id) => nameOf(id, credentials, "credential")) },
    { one: "tag", all: limit.tags }
  ].flatMap(({ all, one }) => {
    if (all.length === 0) return []
    const more = all.length - mostNames
    const shown = all.slice(0, mostNames).join(", ")
    return [`${one}${all.length === 1 ? "" : "s"} ${shown}${more > 0 ? ` and ${more} more` : ""}`]
  })
