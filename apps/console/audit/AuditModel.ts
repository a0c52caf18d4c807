/** Entries of the audit trail in words, and the fields that each changed. */
import type { AuditKind } from "../../../core/workspace/audit/AuditAction.ts"
import type { AuditEntry } from "../../api/audit/AuditApi.ts"
import { plainJson } from "../data/PlainText.ts"
import { shortId } from "../data/Workflows.ts"

export type Entry = typeof AuditEntry.Type

/** The entries that are shown, newest first, and where earlier ones begin. */
export interface Listing {
  readonly entries: ReadonlyArray<Entry>
  readonly cursor: string | null
}

/**
 * A listing with the new entries of its newest page in front. Without a known entry on that page, entries between them may be
 * missing: then the page replaces the listing.
 */
export const withNewest = (known: Listing, newest: Listing): Listing => {
  const ids = new Set(known.entries.map(({ id }) => id))
  const more = newest.entries.filter(({ id }) => !ids.has(id))
  if (more.length === 0) return known
  if (more.length === newest.entries.length) return newest
  return { entries: [...more, ...known.entries], cursor: known.cursor }
}

/** The kinds of resources, by their names in the filter. */
export const kinds: Readonly<Record<AuditKind, string>> = {
  run_window: "Run windows",
  lift: "Lifted run windows",
  pause: "Pauses",
  pace: "Pace",
  workflow: "Workflows",
  component: "Components",
  patch: "Patches",
  model_spending: "Spending on models",
  canary: "Canaries",
  schedule: "Schedules",
  run: "Runs",
  subscription: "Subscriptions",
  credential: "Credentials",
  key: "Keys",
  settings: "Settings",
  error_code: "Error codes",
  webhook: "Webhooks",
  limit: "Limits",
  file_destination: "File destinations",
  alert_receiver: "Receivers of alerts",
  secret_provider: "Secret providers",
  encryption_key: "Encryption keys",
  workspace: "Workspaces",
  invitation: "Invitations",
  live_view: "Live views",
  evidence: "Evidence",
  sign_in_link: "Sign-in links",
  console_session: "Console sessions",
  sign_in: "Failed sign-ins",
  test_clock: "Clock for tests"
}

/** What an entry is about, where that is not the name of its kind. */
const subjects: Readonly<Record<string, string>> = {
  lift: "Run window",
  run: "Runs",
  sign_in: "Sign-in",
  sign_in_link: "Sign-in link",
  test_clock: "Clock for tests"
}

/** What was done, by the verb or the whole action, where that is not the verb with "ed" behind it. */
const done: Readonly<Record<string, string>> = {
  "lift.start": "lifted",
  set: "set",
  tag: "tagged",
  apply: "applied",
  retry: "retried",
  run_now: "submitted a run",
  clear_session: "signed out",
  read_code: "code read",
  open_in_builder: "opened in the builder",
  take_control: "control taken",
  return_control: "control returned",
  finish_rotation: "rotation finished"
}

/** An action such as `run_window.set` in words: Run window set. */
export const actionWords = (action: string): string => {
  const [kind = "", verb = ""] = action.split(".")
  const subject = subjects[kind] ?? `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("_", " ")}`
  return `${subject} ${done[action] ?? done[verb] ?? (verb.endsWith("e") ? `${verb}d` : `${verb}ed`)}`
}

/** A number with its noun, such as `3 runs`. */
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/**
 * What an entry is about, by the name that it had then, or else by what the entry says of it: a name of now, the short id of
 * a run, a number. Empty for what is one of its kind in the workspace.
 */
export const subjectOf = (
  {
    action,
    after,
    before,
    resource_id,
    resource_name
  }: Pick<Entry, "action" | "after" | "before" | "resource_id" | "resource_name">,
  names: ReadonlyMap<string, string>
): string => {
  if (resource_name !== null && resource_name !== "") return resource_name
  const [kind] = action.split(".")
  const state = isObject(after) ? after : isObject(before) ? before : {}
  const workflow = typeof state.workflow_id === "string" ? (names.get(state.workflow_id) ?? "a deleted workflow") : null
  if (resource_id !== null && (kind === "run" || kind === "evidence" || kind === "live_view"))
    return `Run ${shortId(resource_id)}${workflow === null ? "" : ` of ${workflow}`}`
  if (typeof state.runs === "number") {
    const ids = Array.isArray(state.session_ids) ? state.session_ids.map(String).slice(0, 3).map(shortId) : []
    return `${counted(state.runs, "run")}${ids.length === 0 ? "" : `: ${ids.join(", ")}${state.runs > ids.length ? ", …" : ""}`}`
  }
  if (kind === "subscription") return `${String(state.channel ?? "")} for ${workflow ?? "every workflow"}`.trim()
  if (kind === "encryption_key" && state.version !== undefined) return `Version ${state.version}`
  if (kind === "sign_in" && typeof state.address === "string")
    return `${counted(Number(state.attempts ?? 1), "attempt")} from ${state.address}`
  return names.get(resource_id ?? "") ?? workflow ?? ""
}

export interface Difference {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | null =>
  value === undefined ? null : plainJson(JSON.stringify(value, null, 2))

/** The fields that differ; an entry without fields is one difference. */
export const differencesOf = ({ after, before }: Pick<Entry, "after" | "before">): ReadonlyArray<Difference> => {
  if (!isObject(before) && !isObject(after)) {
    return textOf(before) === textOf(after) ? [] : [{ field: "", before: textOf(before), after: textOf(after) }]
  }
  const [from, to] = [isObject(before) ? before : {}, isObject(after) ? after : {}]
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((field) => ({ field, before: textOf(from[field]), after: textOf(to[field]) }))
    .filter(({ after, before }) => before !== after)
}
