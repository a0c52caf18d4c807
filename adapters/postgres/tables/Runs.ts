/** The table of runs. */
import { createHash } from "node:crypto"
import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { Mark } from "../../../core/event/OutcomeCertainty.ts"
import { RunFailure } from "../../../core/event/RunFailure.ts"
import { RunWarning } from "../../../core/event/RunWarning.ts"
import type { Gate } from "../../../core/gate/Gate.ts"
import type { Credential } from "../../../core/run/CredentialReferences.ts"
import { isWatched } from "../../../core/run/hold/HoldAnnouncement.ts"
import type { SpentLimit } from "../../../core/run/limit/NamedLimit.ts"
import * as RunFilter from "../../../core/run/list/RunFilter.ts"
import {
  fromStored,
  ModelCalls,
  Options,
  type Run,
  StoredStatus,
  statusAt as statusOf,
  Trigger
} from "../../../core/run/Run.ts"
import type { ListedRun } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import type { RunId, VersionId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

const texts = Schema.Array(Schema.String)

const StoredCredential: Schema.Codec<Credential, unknown> = Schema.Struct({
  alias: Schema.String,
  permissionedUserIds: texts,
  domain: Schema.String,
  chosen: Schema.optionalKey(Schema.String),
  tried: Schema.optionalKey(texts),
  slot: Schema.optionalKey(Schema.Struct({ entry: Schema.String, login: Schema.NullOr(Schema.String) }))
})

/** Names what decides whether a run can be given slots; empty for a run that needs none. */
export const queueOf = (all: ReadonlyArray<Credential>): string => {
  const queue = Slots.queue(all)
  return queue === null ? "" : createHash("sha256").update(queue).digest("hex")
}

/** The slots that a run holds; `null` for none, which keeps it out of the index of holders. */
const holds = (run: Run): ReadonlyArray<string> | null => {
  const names = Slots.names(run.credentials)
  return names.length === 0 ? null : names
}

/** The options without `dryRun.addToOutput`, which has a separate column so that its stored size is known. */
const withoutAdded = ({ dryRun, ...options }: Options): Options => {
  if (dryRun === undefined) return options
  const { addToOutput: _, ...rest } = dryRun
  return { ...options, dryRun: rest }
}

const withAdded = ({ added_output, options }: { added_output: Schema.Json | undefined; options: Options }): Options =>
  added_output === undefined || options.dryRun === undefined
    ? options
    : { ...options, dryRun: { ...options.dryRun, addToOutput: added_output } }

const column = Table.of<Run>()

/** The columns that stay as they were submitted. */
const submitted = {
  id: column(Table.uuid<RunId>(), (run) => run.id),
  workspace_id: column(Table.uuid<WorkspaceId>(), (run) => run.workspaceId),
  workflow_id: column(Table.uuid<WorkflowId>(), (run) => run.workflowId),
  version_id: column(Table.uuid<VersionId>(), (run) => run.versionId),
  options: column(Table.json(Options), (run) => withoutAdded(run.options)),
  added_output: column(Table.optional(Table.json(Table.anyJson)), (run) => run.options.dryRun?.addToOutput),
  client_id: column(Table.nullable(Table.uuid<string>()), (run) => run.options.clientId ?? null),
  /** For the trigger by which lists find it. */
  reference: column(Table.nullable(Table.text), (run) => run.options.reference ?? null),
  watched: column(Table.flag, (run) => isWatched(run.options)),
  created_at: column(Table.instant, (run) => run.createdAt),
  trigger: column(Table.textOf(Trigger), (run) => run.trigger),
  tags: column(Table.texts, (run) => run.tags),
  retry_of: column(Table.nullable(Table.uuid<RunId>()), (run) => run.retry?.of ?? null),
  retry_by: column(Table.nullable(Table.uuid<string>()), (run) => run.retry?.by ?? null),
  retry_reason: column(Table.nullable(Table.text), (run) => run.retry?.reason ?? null),
  max_retries: column(Table.integer, (run) => run.maxRetries),
  expires_at: column(Table.nullable(Table.instant), (run) => run.expiresAt),
  priority: column(Table.integer, (run) => run.priority),
  start_by: column(Table.nullable(Table.instant), (run) => run.startBy)
}

/** The columns that transitions change. */
const state = {
  status: column(Table.textOf(StoredStatus), (run) => run.status),
  credentials: column(Table.json(Schema.Array(StoredCredential)), (run) => run.credentials),
  queue: column(Table.text, (run) => queueOf(run.credentials)),
  holds: column(Table.nullable(Table.texts), holds),
  started_at: column(Table.nullable(Table.instant), (run) => run.startedAt),
  ended_at: column(Table.nullable(Table.instant), (run) => run.endedAt),
  attempts: column(Table.integer, (run) => run.attempts),
  retries: column(Table.integer, (run) => run.retries),
  not_before: column(Table.instant, (run) => run.notBefore),
  released_at: column(Table.nullable(Table.instant), (run) => run.release?.at ?? null),
  released_by: column(Table.nullable(Table.uuid<string>()), (run) => run.release?.by ?? null),
  released_pause: column(Table.nullable(Table.instant), (run) => run.release?.pause ?? null),
  lease_worker: column(Table.nullable(Table.text), (run) => run.lease?.worker ?? null),
  lease_fence: column(Table.nullable(Table.bigint), (run) => run.lease?.fence ?? null),
  lease_until: column(Table.nullable(Table.instant), (run) => run.lease?.until ?? null),
  acted: column(Table.flag, (run) => run.progress.acted),
  committed: column(Table.flag, (run) => run.progress.committed),
  mark: column(Table.nullable(Table.json(Mark)), (run) => run.progress.mark),
  data: column(Table.json(Table.anyJson), (run) => run.data),
  errors: column(Table.json(Schema.Array(RunFailure)), (run) => run.errors),
  warnings: column(Table.json(Schema.Array(RunWarning)), (run) => run.warnings),
  warning_count: column(Table.integer, (run) => run.warningCount),
  model_calls: column(Table.json(ModelCalls), (run) => run.modelCalls)
}

const input = { input: column(Table.json(Table.jsonObject), (run) => run.input) }

export const table = Table.make("runs", { ...submitted, ...input, ...state }, ["id"])

/** All columns but the input, whose text may be very long. */
export const withoutInput = Table.make("runs", { ...submitted, ...state }, ["id"])

/** The columns that keep each field that transitions change. */
const columnsOf = {
  status: ["status"],
  credentials: ["credentials", "queue", "holds"],
  startedAt: ["started_at"],
  endedAt: ["ended_at"],
  attempts: ["attempts"],
  retries: ["retries"],
  notBefore: ["not_before"],
  release: ["released_at", "released_by", "released_pause"],
  lease: ["lease_worker", "lease_fence", "lease_until"],
  progress: ["acted", "committed", "mark"],
  data: ["data"],
  errors: ["errors"],
  warnings: ["warnings"],
  warningCount: ["warning_count"],
  modelCalls: ["model_calls"]
} as const satisfies Readonly<Partial<Record<keyof Run, ReadonlyArray<keyof typeof state>>>>

type Field = keyof typeof columnsOf
// Every column of a state keeps one of the fields.
const fields: ReadonlyArray<keyof typeof state extends (typeof columnsOf)[Field][number] ? Field : never> = Object.keys(
  columnsOf
) as ReadonlyArray<Field>

/** A changed run, with the run that its row holds; without that, all of its columns are written. */
export interface Changed {
  readonly run: Run
  readonly before: Run | null
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && one.length + other.length === 0)

/** Whether the row of a changed run has to be written for this field. */
export const isChanged = (field: Field, { before, run }: Changed): boolean =>
  before === null || !isSame(before[field], run[field])

/** Some columns of a state, which nothing is read by. */
type States = Omit<Table.Table<typeof state & Pick<typeof submitted, "id">>, "decode">

const states = new Map<string, States>()

/** The columns in which one of these runs differs from its row. */
export const changed = (all: ReadonlyArray<Changed>): States => {
  // At least one column is written, so that every row gets a new version.
  const differing = fields.filter((field) => field === "status" || all.some((one) => isChanged(field, one)))
  const key = differing.join()
  const known = states.get(key)
  if (known !== undefined) return known
  const columns = differing.flatMap((field) => columnsOf[field].map((column) => [column, state[column]] as const))
  // The others are not written, and the type has them only because which ones these are differs.
  const some = Object.fromEntries(columns) as typeof state
  const made: States = Table.make("runs", { id: submitted.id, ...some }, ["id"])
  states.set(key, made)
  return made
}

export type Row = Table.Row<typeof table.columns>

const releaseOf = (stored: {
  readonly released_at: number | null
  readonly released_by: string | null
  readonly released_pause: number | null
}): Run["release"] =>
  stored.released_at === null
    ? null
    : { at: stored.released_at, by: stored.released_by ?? "", pause: stored.released_pause }

export const toRun = (row: Row): Run => {
  const stored = table.decode(row)
  const { lease_fence: fence, lease_until: until, lease_worker: worker } = stored
  return fromStored({
    id: stored.id,
    workspaceId: stored.workspace_id,
    workflowId: stored.workflow_id,
    versionId: stored.version_id,
    status: stored.status,
    input: stored.input,
    credentials: stored.credentials,
    options: withAdded(stored),
    trigger: stored.trigger,
    tags: stored.tags,
    createdAt: stored.created_at,
    startedAt: stored.started_at,
    endedAt: stored.ended_at,
    attempts: stored.attempts,
    retries: stored.retries,
    maxRetries: stored.max_retries,
    notBefore: stored.not_before,
    expiresAt: stored.expires_at,
    priority: stored.priority,
    startBy: stored.start_by,
    retry:
      stored.retry_of === null ? null : { of: stored.retry_of, by: stored.retry_by ?? "", reason: stored.retry_reason },
    release: releaseOf(stored),
    lease: fence === null || until === null || worker === null ? null : { worker, fence, until },
    progress: { acted: stored.acted, committed: stored.committed, mark: stored.mark },
    data: stored.data,
    errors: stored.errors,
    warnings: stored.warnings,
    warningCount: stored.warning_count,
    modelCalls: stored.model_calls
  })
}

/** The columns of a run. `text` is its input as JSON. */
export const fromRun = (run: Run, text: string) => ({ ...withoutInput.encode(run), input: text })

/**
 * The columns that are null, or have their default, in every run which is accepted without credentials and without an
 * added output.
 */
const emptyAtFirst = [
  "added_output",
  "holds",
  "started_at",
  "ended_at",
  "released_at",
  "released_by",
  "released_pause",
  "lease_worker",
  "lease_fence",
  "lease_until",
  "mark",
  "warnings",
  "warning_count",
  "model_calls"
] as const satisfies ReadonlyArray<keyof typeof submitted | keyof typeof state>

const columnsAtFirst = Struct.omit({ ...submitted, ...state }, emptyAtFirst)

const first = Table.make("runs", columnsAtFirst, ["id"])

/** The columns that are written of such a run. */
export const atFirst = Table.make("runs", { ...columnsAtFirst, ...input }, ["id"])

/** Their values. `text` is the input of the run as JSON. */
export const fromFirst = (run: Run, text: string) => ({ ...first.encode(run), input: text })

const held = Table.make(
  "runs",
  {
    id: submitted.id,
    status: state.status,
    released_at: state.released_at,
    released_by: state.released_by,
    released_pause: state.released_pause
  },
  ["id"]
)

/** The columns by which a gate holds a run. */
export type HeldRow = Table.Row<typeof held.columns>

/** The part of a run by which its gate holds it. */
export const heldOf = (row: HeldRow): Pick<Run, "release" | "status"> => {
  const stored = held.decode(row)
  return { status: stored.status, release: releaseOf(stored) }
}

const asked = Table.make("runs", { options: submitted.options }, ["run_id"])

/** The options of a run, where it is joined as `run_id`. */
export type OptionsRow = Table.Row<typeof asked.columns>

/** The options but `dryRun.addToOutput`. */
export const optionsOf = (row: OptionsRow): Options => asked.decode(row).options

const naming = Table.make("runs", { id: submitted.id, credentials: state.credentials }, ["id"])

/** The credentials that a waiting run refers to. */
export const credentialsOf = (row: Table.Row<typeof naming.columns>): ReadonlyArray<Credential> =>
  naming.decode(row).credentials

/** The columns that lists of runs show. */
export const listed = Table.make(
  "runs",
  {
    id: submitted.id,
    workspace_id: submitted.workspace_id,
    workflow_id: submitted.workflow_id,
    options: submitted.options,
    trigger: submitted.trigger,
    tags: submitted.tags,
    priority: submitted.priority,
    start_by: submitted.start_by,
    created_at: submitted.created_at,
    status: state.status,
    queue: state.queue,
    started_at: state.started_at,
    ended_at: state.ended_at,
    not_before: state.not_before,
    released_at: state.released_at,
    released_by: state.released_by,
    released_pause: state.released_pause,
    errors: state.errors,
    warning_count: state.warning_count
  },
  ["id"]
)

export type ListedRow = Table.Row<typeof listed.columns>

/** A listed run, from its row, its gate and the name of its workflow. */
export const toListed = (
  row: ListedRow,
  {
    awaited,
    gate,
    name
  }: { readonly gate: Gate; readonly name: string; readonly awaited: Slots.Awaited | SpentLimit | null },
  at: number
): ListedRun => {
  const stored = listed.decode(row)
  const run = { ...stored, notBefore: stored.not_before, release: releaseOf(stored) }
  return {
    id: stored.id,
    workspaceId: stored.workspace_id,
    workflowId: stored.workflow_id,
    createdAt: stored.created_at,
    startedAt: stored.started_at,
    endedAt: stored.ended_at,
    options: stored.options,
    trigger: stored.trigger,
    tags: stored.tags,
    priority: stored.priority,
    startBy: stored.start_by,
    status: statusOf(run, gate, at),
    workflowName: name,
    holds: RunFilter.holdsOf({ run, gate, awaited, at }),
    error: stored.errors.at(-1) ?? null,
    warningCount: stored.warning_count
  }
}

/** Whether a run is released past what holds its gate at an instant, where it is joined with that: see `Gate.past`. */
export const isReleased = (sql: SqlClient.SqlClient, at: number) => sql`
  coalesce(released_at is not null and removed_at is null
    and (paused_at is null or paused_until <= ${new Date(at)} or paused_at is not distinct from released_pause), false)`

/** Whether a waiting run has started before, or may still start at an instant: see `Run.isTooLate`. */
export const isInTime = (sql: SqlClient.SqlClient, at: number) => sql`
  (start_by is null or start_by > ${new Date(at)} or started_at is not null)`

/** How a run reads at an instant, where it is joined with its gate: see `Run.statusAt`. */
export const statusAt = (sql: SqlClient.SqlClient, at: number) => sql`
  case when runs.ended_at is null and runs.status <> 'execution.start' and not coalesce(
      starts_at <= ${new Date(at)} and (stops_at is null or stops_at > ${new Date(at)}), false)
      and not ${isReleased(sql, at)}
    then 'execution.paused' else runs.status end`
