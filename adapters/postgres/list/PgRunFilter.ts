/**
 * The filter of runs as statements of PostgreSQL.
 *
 * The status that a run reads as follows from what is stored and from its gate, so it has no index. A filter is
 * therefore split into sources: one for each stored status, and for each workflow where few are asked for. Each is read
 * newest first from an index that has it in that order, and they are merged. What has many values for one run (tags,
 * error codes, credentials) is in `run_labels`, in the same order.
 */
import { createHash } from "node:crypto"
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

/** A set of runs that an index has newest first. */
export interface Source {
  readonly from: Statement.Fragment
  /** The same with the rows of the runs, which a source of a label may do without. */
  readonly withRuns: Statement.Fragment
  /** The same for a count, where the order does not matter. */
  readonly counted: Statement.Fragment
  readonly where: Statement.Fragment
  /** Where few workflows are asked for, each of them has its runs in this order, and all of them together do not. */
  readonly each: ReadonlyArray<string> | null
  /** The table whose index has the order. */
  readonly by: "label" | "runs"
}

/** Ids as the text of an array. */
export const arrayOf = (ids: ReadonlyArray<string>): string => `{${ids.join(",")}}`

/** More workflows than this are not read one by one. */
const mostWorkflows = 500

const unstarted = new Set<string>(["execution.paused", ...Waiting.literals])
const others: ReadonlyArray<StoredStatus> = ["execution.start", ...Ended.literals]

/** The key of a label in `run_labels`, as the function `run_label` of the schema makes it. */
export const labelOf = (kind: "credential" | "error" | "tag", value: string): string =>
  createHash("sha256").update(`${kind}:${value}`).digest("hex").slice(0, 32)

/** The value of the label of a credential or an error code: they may have characters that the database does not keep. */
export const asValue = (text: string): string => JSON.stringify(text)

/** The sources whose runs together satisfy a filter, except for its text. */
export const sources = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  filter: RunFilter & Pick<Filter, "before">,
  now: number
) {
  const gates = gateConditions(sql, now, yield* closedWhilePaused(sql, workspaceId, filter, now))
  const held = heldBy(filter)
  const few =
    held === null || filter.workflowIds !== undefined ? null : yield* workflowsOf(sql, workspaceId, gates.of(held))
  const workflowIds = few ?? filter.workflowIds
  const ofGates = workflowIds !== undefined && few === null ? yield* inWorkspace(sql, workspaceId, workflowIds) : few
  // None of the workflows is in this workspace, or none is held so.
  if (ofGates?.length === 0) return []
  const each = ofGates != null && ofGates.length <= mostWorkflows ? ofGates : null
  const label = drivingLabel(filter)
  const by = label === null ? "runs" : "label"
  const conditions = common(sql, workspaceId, filter, label)
  const ofPlace = [
    ...(label === null
      ? [sql`runs.workspace_id = ${workspaceId}`]
      : [sql`label.workspace_id = ${workspaceId} and label.label = ${label.key}::uuid`]),
    ...(workflowIds === undefined ? [] : [sql`runs.workflow_id = any(${arrayOf(workflowIds)}::uuid[])`])
  ]
  const everywhere = [...ofPlace, ...conditions]
  const since = filter.from === undefined ? [] : [sql`${sql(`${by}.created_at`)} >= ${new Date(filter.from)}`]
  const busy = asksForSlots(filter) ? yield* PgBusyQueues.ofWorkspace(sql, workspaceId, now) : new Set<string>()
  const condition = waitingCondition(sql, filter, pastReleases(sql, gates, now), { busy, now })

  const asked = filter.statuses
  const waits = asked === undefined || asked.some((status) => unstarted.has(status))
  const ended = filter.holds === undefined ? others.filter((status) => asked?.includes(status) ?? true) : []
  const waiting = waits
    ? Waiting.literals.filter(
        (status) => asked === undefined || asked.includes("execution.paused") || asked.includes(status)
      )
    : []
  const joined = label === null ? sql`runs` : sql`run_labels label join runs on runs.id = label.run_id`
  // Each run is looked up by its label, in the order of the labels. As a plain join it would be planned by a guess of how
  // many runs have the label, which may read all of them. Where a workflow has none of the label, that order is a long
  // way.
  const allRuns =
    label === null || workflowIds !== undefined
      ? joined
      : sql`run_labels label cross join lateral (select * from runs where runs.id = label.run_id offset 0) runs`
  const withGate = (of: Statement.Fragment) =>
    condition === null ? of : sql`${of} join gates on gates.workflow_id = runs.workflow_id`
  const ofWaiting = (place: ReadonlyArray<Statement.Fragment>): Source => ({
    from: withGate(allRuns),
    withRuns: withGate(allRuns),
    counted: withGate(joined),
    where: sql.and([...everywhere, ...place, ...(condition === null ? [] : [condition])]),
    each: null,
    by
  })
  const ofOthers = (place: ReadonlyArray<Statement.Fragment>): Source => {
    const asksRuns = place.length > 0 || workflowIds !== undefined || filter.triggers !== undefined
    const from = label === null || asksRuns ? allRuns : sql`run_labels label`
    return {
      from,
      withRuns: allRuns,
      counted: from,
      where: sql.and([...everywhere, ...since, ...place]),
      each: null,
      by
    }
  }
  const age = filter.waitingOfAnyAge === true ? [] : since

  const isOrderedElsewhere =
    filter.tags !== undefined || filter.errorCodes !== undefined || filter.credentials !== undefined
  const isAll = asked === undefined && filter.holds === undefined
  if (isOrderedElsewhere) {
    if (isAll && filter.from === undefined) return [ofOthers([])]
    const older = sql`${sql.in("runs.status", Waiting.literals)} and ${sql(`${by}.created_at`)} < ${new Date(filter.from ?? 0)}`
    if (isAll) return [ofOthers([]), ...(filter.waitingOfAnyAge === true ? [ofWaiting([older])] : [])]
    return [
      ...(ended.length === 0 ? [] : [ofOthers([sql.in("runs.status", ended)])]),
      ...(waiting.length === 0 ? [] : [ofWaiting([...age, sql.in("runs.status", waiting)])])
    ]
  }
  const placed = (from: Statement.Fragment, rest: ReadonlyArray<Statement.Fragment>): Source => ({
    from,
    withRuns: from,
    counted: from,
    where: sql.and([...(each === null ? everywhere : conditions), ...rest]),
    each,
    by: "runs"
  })
  return [
    ...ended.map((status) => placed(sql`runs`, [...since, sql`runs.status = ${status}`])),
    ...waiting.map((status) =>
      // As a subquery, the status is not known to the planner, which would sort what an index of all waiting runs has.
      condition === null
        ? placed(sql`runs`, [...age, sql`runs.status = (select ${status}::text)`])
        : placed(withGate(sql`runs`), [...age, sql`runs.status = ${status}`, condition])
    )
  ]
})

type LabelKind = Parameters<typeof labelOf>[0]

/** The keys of the labels that a filter asks for, by kind. A run satisfies it with one label of each kind. */
const labelsOf = ({ credentials, errorCodes, tags }: RunFilter) =>
  (
    [
      ["error", errorCodes?.map(asValue)],
      ["tag", tags],
      ["credential", credentials?.map(asValue)]
    ] as const
  ).flatMap(
    ([kind, values]): ReadonlyArray<readonly [LabelKind, ReadonlyArray<string>]> =>
      values === undefined ? [] : [[kind, values.map((value) => labelOf(kind, value))]]
  )

/** A label whose runs are read in its order: of a kind of which the filter asks for no other. */
const drivingLabel = (filter: RunFilter): { readonly kind: LabelKind; readonly key: string } | null => {
  for (const [kind, [key, ...others]] of labelsOf(filter)) {
    if (key !== undefined && others.length === 0) return { kind, key }
  }
  return null
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

/** The conditions that hold for the runs of every source. */
const common = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  filter: RunFilter & Pick<Filter, "before">,
  label: ReturnType<typeof drivingLabel>
): ReadonlyArray<Statement.Fragment> => {
  const by = label === null ? "runs" : "label"
  const [createdAt, sequence] = [sql(`${by}.created_at`), sql(`${by}.sequence`)]
  const labelled = (keys: ReadonlyArray<string>) =>
    sql`exists (select from run_labels other where other.workspace_id = ${workspaceId}
      and ${sql.in("other.label", keys)} and other.created_at = ${createdAt} and other.sequence = ${sequence})`
  return [
    sql`true`,
    ...(filter.to === undefined ? [] : [sql`${createdAt} <= ${new Date(filter.to)}`]),
    ...(filter.before === undefined ? [] : [behind(sql, filter.before, by)]),
    ...(filter.triggers === undefined ? [] : [sql.in("runs.trigger", filter.triggers)]),
    ...labelsOf(filter).flatMap(([kind, keys]) => (kind === label?.kind ? [] : [labelled(keys)]))
  ]
}

/** Behind a place in the list, which is one instant, or one run among those of that instant. */
const behind = (sql: SqlClient.SqlClient, { at, id }: NonNullable<Filter["before"]>, by: Source["by"]) =>
  id === undefined
    ? sql`${sql(`${by}.created_at`)} < ${new Date(at)}`
    : sql`(${sql(`${by}.created_at`)}, ${sql(`${by}.sequence`)}) < (${new Date(at)}, coalesce(
        (select sequence from runs where id = ${id} and created_at = ${new Date(at)}), 0))`

/** The holds of the gate that a filter asks for, if it asks for nothing else of waiting runs; `null` otherwise. */
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

/** Whether it depends on slots of credentials which runs satisfy a filter. */
const asksForSlots = ({ holds }: RunFilter): boolean =>
  holds?.some((hold) => hold === "credential" || hold === "capacity") === true

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

/** What a filter asks of waiting runs by their gate; `null` where it takes all of them. */
const waitingCondition = (
  sql: SqlClient.SqlClient,
  { holds, statuses }: RunFilter,
  gates: ReturnType<typeof gateConditions>,
  slots: { readonly busy: ReadonlySet<string>; readonly now: number }
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

const holdCondition = (
  sql: SqlClient.SqlClient,
  holds: ReadonlyArray<HoldReason>,
  gates: ReturnType<typeof gateConditions>,
  { busy, now }: { readonly busy: ReadonlySet<string>; readonly now: number }
) => {
  const due = sql`${gates.open} and runs.not_before <= ${new Date(now)}`
  const awaitsCredential = busy.size === 0 ? sql`false` : sql.in("runs.queue", [...busy])
  const conditions: Readonly<Record<HoldReason, Statement.Fragment>> = {
    run_window: gates.of(["run_window"]),
    manual: gates.of(["manual"]),
    credential: sql`(${due} and (${awaitsCredential}))`,
    browser: sql`(${gates.open} and runs.not_before > ${new Date(now)}
      and coalesce(runs.errors::json -> -1 ->> 'code' like 'BROWSER-%', false))`,
    capacity: sql`(${due} and not (${awaitsCredential}))`
  }
  return holds.length === 0 ? sql`false` : sql.or(holds.map((hold) => conditions[hold]))
}
