/**
 * The filter of runs as statements of PostgreSQL.
 *
 * The status that a run reads as follows from what is stored and from its gate, so it has no index. A filter is
 * therefore split into sources: one for each stored status, and for each workflow where few are asked for. Each is read
 * newest first from an index that has it in that order, and they are merged. What has many values for one run (tags,
 * credentials, kinds of failures) is in `run_labels`, in the same order: see `PgLabels`.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import * as Gate from "../../../core/gate/Gate.ts"
import type { HoldReason, RunFilter } from "../../../core/run/list/RunFilter.ts"
import { Ended, type Status, type StoredStatus, Waiting } from "../../../core/run/Run.ts"
import type { Filter } from "../../../core/run/RunStore.ts"
import type { WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as PgBusyQueues from "./PgBusyQueues.ts"
import * as PgLabels from "./PgLabels.ts"
import { arrayOf, placed, type Source } from "./PgRunSource.ts"

/** More workflows than this are not read one by one. */
const mostWorkflows = 500

const unstarted = new Set<string>(["execution.paused", ...Waiting.literals])
const others: ReadonlyArray<StoredStatus> = ["execution.start", ...Ended.literals]

/** The sources whose runs together satisfy a filter, except for its text. */
export const sources = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  asked: RunFilter & Pick<Filter, "before">,
  now: number
) {
  const filter = withoutContradiction(asked)
  if (filter === null) return []
  const gates = gateConditions(sql, now, yield* closedWhilePaused(sql, workspaceId, filter, now))
  const held = heldBy(filter)
  const few =
    held === null || filter.workflowIds !== undefined ? null : yield* workflowsOf(sql, workspaceId, gates.of(held))
  const workflowIds = few ?? filter.workflowIds
  const ofGates = workflowIds !== undefined && few === null ? yield* inWorkspace(sql, workspaceId, workflowIds) : few
  // None of the workflows is in this workspace, or none is held so.
  if (ofGates?.length === 0) return []
  const busy = asksForSlots(filter) ? yield* PgBusyQueues.ofWorkspace(sql, workspaceId, now) : null
  const condition = waitingCondition(sql, filter, pastReleases(sql, gates, now), { busy, now })
  const split = { ...statesOf(filter), condition }
  const within = workflowIds === undefined ? filter : { ...filter, workflowIds }
  const label = PgLabels.driving(filter)
  if (label !== null) return ofLabel(sql, workspaceId, within, { ...split, label })
  const each = ofGates != null && ofGates.length <= mostWorkflows ? ofGates : null
  return ofRuns(sql, workspaceId, within, { ...split, each })
})

interface Split {
  /** The statuses in a filter of runs that do not wait. */
  readonly others: ReadonlyArray<StoredStatus>
  /** The stored statuses in a filter of waiting runs. */
  readonly waiting: ReadonlyArray<typeof Waiting.Type>
  /** What waiting runs and their gates satisfy. */
  readonly condition: Statement.Fragment | null
}

const statesOf = ({ holds, statuses }: RunFilter): Omit<Split, "condition"> => ({
  others: holds === undefined ? others.filter((status) => statuses?.includes(status) ?? true) : [],
  waiting: Waiting.literals.filter(
    (status) => statuses === undefined || statuses.includes("execution.paused") || statuses.includes(status)
  )
})

const isOfAllStates = ({ holds, statuses }: RunFilter) => statuses === undefined && holds === undefined

const sinceOf = (sql: SqlClient.SqlClient, { from }: RunFilter, by: Source["by"]) =>
  from === undefined ? [] : [sql`${sql(`${by}.created_at`)} >= ${new Date(from)}`]

/** The runs of a label. */
const ofLabel = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  filter: RunFilter & Pick<Filter, "before">,
  { condition, label, others, waiting }: Split & { readonly label: PgLabels.Label }
): ReadonlyArray<Source> => {
  const of = PgLabels.sourcesOf(sql, workspaceId, filter, label)
  const since = sinceOf(sql, filter, "label")
  if (isOfAllStates(filter)) {
    if (filter.waitingOfAnyAge !== true || filter.from === undefined) return [of.all(since)]
    return [of.all(since), of.waiting(waiting, [sql`label.created_at < ${new Date(filter.from)}`], null)]
  }
  return [
    ...others.map((status) => of.ofStatus(status, since)),
    ...(waiting.length === 0 ? [] : [of.waiting(waiting, filter.waitingOfAnyAge === true ? [] : since, condition)])
  ]
}

/** Runs in the order of an index, separately for each workflow if the filter names few. */
const ofRuns = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  filter: RunFilter & Pick<Filter, "before">,
  { condition, each, others, waiting }: Split & { readonly each: ReadonlyArray<string> | null }
): ReadonlyArray<Source> => {
  const since = sinceOf(sql, filter, "runs")
  const age = filter.waitingOfAnyAge === true ? [] : since
  const labelled = PgLabels.having(sql, workspaceId, filter, null)
  const conditions = [
    sql`true`,
    ...placed(sql, filter, "runs"),
    ...(filter.triggers === undefined ? [] : [sql.in("runs.trigger", filter.triggers)]),
    ...labelled
  ]
  const everywhere = [
    sql`runs.workspace_id = ${workspaceId}`,
    ...(filter.workflowIds === undefined ? [] : [sql`runs.workflow_id = any(${arrayOf(filter.workflowIds)}::uuid[])`]),
    ...conditions
  ]
  const of = (
    from: Statement.Fragment,
    rest: ReadonlyArray<Statement.Fragment>,
    { status = null, ...places }: { readonly each: Source["each"]; readonly status?: Source["status"] } = { each }
  ): Source => ({
    ...places,
    from,
    withRuns: from,
    where: sql.and([...(places.each === null ? everywhere : conditions), ...rest]),
    by: "runs",
    status,
    lookup: null
  })
  const withGate = condition === null ? sql`runs` : sql`runs join gates on gates.workflow_id = runs.workflow_id`
  const met = condition === null ? [] : [condition]
  if (labelled.length > 0) {
    const all = { each: null }
    const older = [sql.in("runs.status", waiting), sql`runs.created_at < ${new Date(filter.from ?? 0)}`]
    if (isOfAllStates(filter)) {
      return [of(sql`runs`, since, all), ...(filter.waitingOfAnyAge === true ? [of(sql`runs`, older, all)] : [])]
    }
    return [
      ...(others.length === 0 ? [] : [of(sql`runs`, [...since, sql.in("runs.status", others)], all)]),
      ...(waiting.length === 0 ? [] : [of(withGate, [...age, sql.in("runs.status", waiting), ...met], all)])
    ]
  }
  return [
    ...others.map((status) => of(sql`runs`, [...since, sql`runs.status = ${status}`])),
    ...waiting.map((status) =>
      // The order of a workflow does not have the trigger, for which the planner may read all waiting runs of it.
      each !== null && filter.triggers !== undefined
        ? of(withGate, [...age, sql`runs.status = ${status}`, ...met])
        : of(withGate, [...age, ...met], { each, status })
    )
  ]
}

/**
 * A filter without the holds that no run of its statuses can have, and without the statuses that no run with its holds can
 * have; `null` if nothing is left of either.
 */
const withoutContradiction = <F extends RunFilter>(filter: F): F | null => {
  const { holds, statuses } = filter
  if (holds === undefined || statuses === undefined) return filter
  const canHave = (status: Status, hold: HoldReason) =>
    unstarted.has(status) && (status === "execution.paused") === (hold === "manual" || hold === "run_window")
  const left = {
    holds: holds.filter((hold) => statuses.some((status) => canHave(status, hold))),
    statuses: statuses.filter((status) => holds.some((hold) => canHave(status, hold)))
  }
  return left.holds.length === 0 ? null : { ...filter, ...left }
}

/** Those of some workflows that the workspace has: an index of theirs need not be asked for the workspace. */
const inWorkspace = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, ids: ReadonlyArray<WorkflowId>) =>
  Effect.map(
    sql<{ readonly workflow_id: WorkflowId }>`
      select workflow_id from gates where workspace_id = ${workspaceId} and workflow_id = any(${arrayOf(ids)}::uuid[])`,
    (rows) => rows.map((row) => row.workflow_id)
  )

/** What a waiting run and its gate satisfy to read as a status, or to be held for a reason. */
export const waitingConditions = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  now: number
) {
  const closed = yield* closedWhilePaused(sql, workspaceId, { holds: ["run_window"] }, now)
  const gates = pastReleases(sql, gateConditions(sql, now, closed), now)
  const slots = { busy: yield* PgBusyQueues.ofWorkspace(sql, workspaceId, now), now }
  return {
    ofStatus: (statuses: NonNullable<RunFilter["statuses"]>) => statusCondition(sql, statuses, gates),
    ofHold: (holds: ReadonlyArray<HoldReason>) => holdCondition(sql, holds, gates, slots)
  }
})

/** Whether runs that read as a status have not been started, or wait for another attempt. */
export const isUnstarted = (status: Status): boolean => unstarted.has(status)

/** The holds of the gate in a filter, if it selects waiting runs only by these; `null` otherwise. */
const heldBy = ({ holds, statuses }: RunFilter): ReadonlyArray<"manual" | "run_window" | "any"> | null => {
  const isPaused = statuses === undefined || statuses.includes("execution.paused")
  if (holds !== undefined) {
    const ofGate = holds.filter((hold) => hold === "manual" || hold === "run_window")
    return isPaused && ofGate.length === holds.length ? ofGate : null
  }
  return statuses !== undefined && statuses.length === 1 && isPaused ? ["any"] : null
}

/** The conditions on gates, `closed` being the workflows that are paused while their run window is closed too. */
const gateConditions = (sql: SqlClient.SqlClient, now: number, closed: ReadonlyArray<string>) => {
  const open = sql`coalesce(gates.starts_at <= ${new Date(now)}
    and (gates.stops_at is null or gates.stops_at > ${new Date(now)}), false)`
  const paused = sql`(gates.removed_at is null and gates.paused_at is not null
    and (gates.paused_until is null or gates.paused_until > ${new Date(now)}))`
  const inClosed = closed.length === 0 ? sql`false` : sql.in("gates.workflow_id", closed)
  const conditions = {
    any: sql`not ${open}`,
    manual: paused,
    run_window: sql`(gates.removed_at is null and gates.run_window is not null and not ${open}
      and (not ${paused} or ${inClosed}))`
  }
  return {
    open,
    of: (holds: ReadonlyArray<keyof typeof conditions>) =>
      holds.length === 0 ? sql`false` : sql.or(holds.map((hold) => conditions[hold]))
  }
}

/** The conditions on gates as they hold single runs, which may be released past them: see `Gate.past`. */
const pastReleases = (sql: SqlClient.SqlClient, gates: ReturnType<typeof gateConditions>, now: number) => {
  const isReleased = Runs.isReleased(sql, now)
  const holds = {
    any: sql`not ${isReleased}`,
    manual: sql`runs.released_pause is distinct from gates.paused_at`,
    run_window: sql`runs.released_at is null`
  }
  const of: typeof gates.of = (asked) =>
    asked.length === 0 ? sql`false` : sql.or(asked.map((hold) => sql`(${gates.of([hold])} and ${holds[hold]})`))
  return { open: sql`(${gates.open} or ${isReleased})`, of }
}

/** Whether it depends on slots of credentials and on named limits which runs satisfy a filter. */
const asksForSlots = ({ holds }: RunFilter): boolean =>
  holds?.some((hold) => hold === "credential" || hold === "limit" || hold === "capacity") === true

/** The paused workflows whose run window is closed too: their rows do not say so. */
const closedWhilePaused = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  { holds }: RunFilter,
  now: number
): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> =>
  holds?.includes("run_window") === true
    ? Effect.map(
        sql<Gates.Row>`
          select * from gates where workspace_id = ${workspaceId} and waiting
            and paused_at is not null and run_window is not null and removed_at is null`,
        (rows) =>
          rows
            .filter((row) => Gate.holds(Gates.toGate(row), now).some(({ kind }) => kind === "run_window"))
            .map((row) => row.workflow_id)
      )
    : Effect.succeed([])

/** The workflows whose gate satisfies a condition, if they are few. */
const workflowsOf = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, condition: Statement.Fragment) =>
  Effect.map(
    sql<{ readonly workflow_id: WorkflowId }>`
      select workflow_id from gates where workspace_id = ${workspaceId} and waiting and (${condition})
      limit ${mostWorkflows + 1}`,
    (rows) => (rows.length > mostWorkflows ? null : rows.map((row) => row.workflow_id))
  )

/** The condition of a filter on the gates of waiting runs; `null` if it selects all of them. */
const waitingCondition = (
  sql: SqlClient.SqlClient,
  { holds, statuses }: RunFilter,
  gates: ReturnType<typeof gateConditions>,
  slots: Slots
): Statement.Fragment | null => {
  const byStatus =
    statuses === undefined || [...unstarted].every((status) => statuses.some((one) => one === status))
      ? []
      : [statusCondition(sql, statuses, gates)]
  const byHold = holds === undefined ? [] : [holdCondition(sql, holds, gates, slots)]
  return byStatus.length + byHold.length === 0 ? null : sql.and([...byStatus, ...byHold])
}

const statusCondition = (
  sql: SqlClient.SqlClient,
  statuses: NonNullable<RunFilter["statuses"]>,
  gates: ReturnType<typeof gateConditions>
) => {
  const waiting = Waiting.literals.filter((status) => statuses.includes(status))
  return sql.or([
    ...(statuses.includes("execution.paused") ? [sql`not ${gates.open}`] : []),
    ...(waiting.length === 0 ? [] : [sql`(${gates.open} and ${sql.in("runs.status", waiting)})`])
  ])
}

/**
 * The last failure in the JSON of the failures of a run is that of its browser. The database does not read JSON with every
 * character that a message may have; in a message the quotes of a name are escaped.
 */
const lastIsOfBrowser = `"code":"BROWSER-(?!.*"code":)`

/** What runs wait for now, where that is asked for. */
interface Slots {
  readonly busy: Effect.Success<ReturnType<typeof PgBusyQueues.ofWorkspace>> | null
  readonly now: number
}

const holdCondition = (
  sql: SqlClient.SqlClient,
  holds: ReadonlyArray<HoldReason>,
  gates: ReturnType<typeof gateConditions>,
  { busy, now }: Slots
) => {
  const due = sql`${gates.open} and runs.not_before <= ${new Date(now)}`
  const queues = [...(busy?.queues ?? [])]
  const queuesOf = (isLimit: boolean) =>
    queues.flatMap(([queue, awaited]) => ("limit" in awaited === isLimit ? [queue] : []))
  const inQueue = (names: ReadonlyArray<string>) => (names.length === 0 ? sql`false` : sql.in("runs.queue", names))
  const all = busy?.spent ?? []
  const drawn = (names: ReadonlyArray<string>) =>
    sql`array(select json_array_elements_text(${JSON.stringify(names)}::json))`
  const awaitsLimit =
    all.length === 0
      ? sql`false`
      : sql`(runs.workflow_id::text = any (${drawn(all.flatMap(({ workflowIds }) => workflowIds))})
          or runs.tags && ${drawn(all.flatMap(({ tags }) => tags))} or ${inQueue(queuesOf(true))})`
  const awaitsCredential = sql`(not ${awaitsLimit} and ${inQueue(queuesOf(false))})`
  const conditions: Readonly<Record<HoldReason, Statement.Fragment>> = {
    run_window: gates.of(["run_window"]),
    manual: gates.of(["manual"]),
    credential: sql`(${due} and ${awaitsCredential})`,
    limit: sql`(${due} and ${awaitsLimit})`,
    browser: sql`(${gates.open} and runs.not_before > ${new Date(now)}
      and runs.errors ~ ${lastIsOfBrowser})`,
    capacity: sql`(${due} and not ${awaitsLimit} and not ${awaitsCredential})`
  }
  return holds.length === 0 ? sql`false` : sql.or(holds.map((hold) => conditions[hold]))
}
