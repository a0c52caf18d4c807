/**
 * Accepts runs in PostgreSQL.
 *
 * Most submissions meet an open gate. Those that come at the same time are accepted in one statement, which checks that
 * under the lock of their gates, and lets claims find them. A submission with any other case is decided in a separate
 * transaction.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as Gate from "../../../core/gate/Gate.ts"
import { ownReference, type Run } from "../../../core/run/Run.ts"
import { type GatedRun, ReferenceTaken, VersionOutdated } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { type RunId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as JsonPieces from "../../json/JsonPieces.ts"
import * as ReleasedRuns from "../claim/ReleasedRuns.ts"
import * as GroupCommit from "../GroupCommit.ts"
import { transaction } from "../Transaction.ts"
import * as Events from "../tables/Events.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"
import * as Writing from "../Writing.ts"

/** Raised in a submission if what it was just told is no longer true, so that it is repeated. */
class Forgotten extends Schema.TaggedError<Forgotten>()("Forgotten", {}) {}

/** Inputs longer than this many characters are sent separately, in pieces of about this size. */
const pieceLength = 131_072

export type Submit = (
  submission: Transition.Submission,
  isLatest?: boolean
) => Effect.Effect<GatedRun, WorkflowNotFound | VersionOutdated | FieldLimit.FieldsTooLarge | ReferenceTaken>

/** A submission with the text of its input. */
interface Short {
  readonly submission: Transition.Submission
  readonly input: string
}

/** Accepts runs as the port says. */
export const make = (sql: SqlClient.SqlClient): Submit => {
  const alone = (submission: Transition.Submission, isLatest: boolean) =>
    transaction(
      sql,
      Effect.gen(function* () {
        const { versionId, workflowId, workspaceId } = submission
        // Locks the row alone only when this is the first that may start; otherwise submissions share the lock below.
        const slots = submission.credentials.length > 0
        const before = yield* Clock.currentTimeMillis
        yield* sql`
          update gates set waiting = true, ready_at = 'epoch', blocked_on = null, ${ReleasedRuns.lookAgain(sql)},
            slots = slots or ${slots}
          where workflow_id = ${workflowId}
            and (not waiting or ready_at > ${new Date(before)} or (${slots} and not slots))`
        const [row] = yield* sql<
          Gates.Row & { readonly waiting: boolean; readonly ready_at: Date; readonly latest: string }
        >`
          select gates.*, version_for(workflow_id, ${submission.retry?.of ?? submission.id}) as latest
          from gates where workflow_id = ${workflowId} and workspace_id = ${workspaceId}
            and removed_at is null for share of gates`
        if (row === undefined) return yield* new WorkflowNotFound({ workflowId })
        if (!row.waiting || row.ready_at.getTime() > before) return yield* new Forgotten()
        if (isLatest && row.latest !== versionId) return yield* new VersionOutdated({ versionId })
        const gate = Gates.toGate(row)
        const at = yield* Clock.currentTimeMillis
        const { events, run } = Transition.submit(submission, gate, at)
        yield* insertRun(sql, run)
        yield* reserve(sql, run)
        if (addsOutput(submission)) yield* Effect.fromResult(FieldLimit.refuse(yield* tooLargeIn(sql, run)))
        yield* Writing.credentials(sql, run)
        yield* Writing.events(
          sql,
          events.map((event) => ({ runId: run.id, event })),
          at
        )
        return { run, gate } satisfies GatedRun
      })
    ).pipe(
      // Every failure here is a tagged one; after the retries none is `Forgotten`.
      Effect.retry({ while: (error) => (error as { readonly _tag: string })._tag === "Forgotten" })
    ) as ReturnType<Submit>

  const acceptAll = Effect.fnUntraced(function* (batch: ReadonlyArray<Short>) {
    const at = yield* Clock.currentTimeMillis
    const changes = batch.map(({ submission }) => Transition.submit(submission, Gate.open, at))
    const rows = changes.flatMap(({ events: [queued], run }, position) => {
      if (queued === undefined) return []
      const { event, payload } = Events.table.encode({ runId: run.id, at, event: queued })
      return Object.assign(Runs.fromFirst(run, batch[position]?.input ?? JSON.stringify(run.input)), {
        position,
        event,
        payload
      })
    })
    const accepted = yield* together(sql, rows, at)
    const gates = new Map(accepted.map((row) => [row.run_id, Gates.toGate(row)]))
    return changes.map(({ run }) => Option.map(Option.fromUndefinedOr(gates.get(run.id)), (gate) => ({ run, gate })))
  })

  const withOthers = GroupCommit.make(sql, { most: 64, groups: 2, all: acceptAll })

  return (submission, isLatest = true) =>
    Effect.gen(function* () {
      if (!isLatest) return yield* alone(submission, false)
      // Credentials and references are kept in separate tables, and an added output is weighed; few runs have any of these.
      const isPlain =
        submission.credentials.length === 0 && !addsOutput(submission) && submission.options.isReferenceUnique !== true
      const input = isPlain ? shortText(submission.input) : null
      if (input === null) return yield* alone(submission, true)
      const accepted = yield* withOthers({ submission, input })
      return Option.isSome(accepted) ? accepted.value : yield* alone(submission, true)
    })
}

/** Carries the result of a weighing out of its transaction, which is rolled back. */
class Weighed extends Schema.TaggedError<Weighed>()("Weighed", { tooLarge: Schema.Array(FieldLimit.FieldTooLarge) }) {}

/**
 * Stores a value as the column of a run would, measures its size, and rolls back. There need be no workflow for it: the
 * row is one of a table that needs none.
 */
export const weigh = (sql: SqlClient.SqlClient) => (workspaceId: WorkspaceId, addToOutput: Schema.Json) =>
  transaction(
    sql,
    Effect.gen(function* () {
      const now = new Date(yield* Clock.currentTimeMillis)
      const key = `weighed ${randomUUID()}`
      yield* sql`
        insert into idempotency_keys ${sql.insert({
          workspace_id: workspaceId,
          key,
          digest: "",
          created_at: now,
          reserved_until: now,
          body: JSON.stringify(addToOutput)
        })}`
      const [stored] = yield* sql<{ readonly size: number }>`
        select pg_column_size(body) as size from idempotency_keys where workspace_id = ${workspaceId} and key = ${key}`
      return yield* new Weighed({ tooLarge: tooLarge(stored?.size) })
    })
  ).pipe(Effect.catchTag("Weighed", ({ tooLarge }) => Effect.succeed(tooLarge)))

/** The fields of a stored run that are over their limits. */
const tooLargeIn = (sql: SqlClient.SqlClient, { id }: Run) =>
  Effect.map(
    sql<{ readonly size: number | null }>`select pg_column_size(added_output) as size from runs where id = ${id}`,
    ([stored]) => tooLarge(stored?.size)
  )

const tooLarge = (size: number | null | undefined): ReadonlyArray<FieldLimit.FieldTooLarge> =>
  FieldLimit.overBytes({ "dry_run.add_to_output": size ?? 0 })

const addsOutput = ({ options }: Transition.Submission): boolean => options.dryRun?.addToOutput !== undefined

/** The text of an input; `null` when it takes more than one piece. */
const shortText = (input: Schema.JsonObject): string | null => {
  const pieces = JsonPieces.write(input, pieceLength)
  const first = pieces.next().value
  return first === undefined || pieces.next().done !== true ? null : first
}

const together = (sql: SqlClient.SqlClient, rows: ReadonlyArray<ReturnType<typeof Runs.fromFirst>>, at: number) => {
  const now = new Date(at)
  const accepts = sql`removed_at is null and starts_at <= ${now} and (stops_at is null or stops_at > ${now})`
  return sql<Gates.Row & { readonly run_id: string }>`
    with new as (
      select * from ${Table.recordset(sql, Runs.atFirst, "new", rows, { position: "integer", event: "text", payload: "text" })}
    ), found as (
      select * from gates where workflow_id in (select workflow_id from new)
        and ${accepts} and waiting and ready_at <= ${now} for share
    ), forgotten as materialized (
      select workflow_id from gates where workflow_id in (select workflow_id from new)
        and ${accepts} and (not waiting or ready_at > ${now}) order by workflow_id for no key update
    ), reminded as (
      update gates set waiting = true, ready_at = 'epoch', blocked_on = null, ${ReleasedRuns.lookAgain(sql)}
      where workflow_id in (select workflow_id from forgotten) returning *
    ), gate as (
      select * from found union all select * from reminded
    ), inserted as (
      insert into runs (${Table.names(sql, Runs.atFirst)})
      select ${Table.names(sql, Runs.atFirst, "new")}
      from new join gate using (workspace_id, workflow_id) where version_id = version_for(new.workflow_id, coalesce(new.retry_of, new.id))
      order by position
      returning id, workflow_id
    ), announced as (
      insert into run_events (run_id, at, event, payload, tx)
      select id, ${now}, event, payload, pg_current_xact_id() from new join inserted using (id) order by position
    )
    select inserted.id as run_id, gate.* from inserted join gate using (workflow_id)`
}

/** A part of a long input. */
interface Piece {
  readonly runId: RunId
  readonly position: number
  readonly piece: string
}

/** A reference that a run has to itself. */
interface OwnReference {
  readonly run_id: RunId
  readonly workspace_id: WorkspaceId
  readonly reference: string
}

const ofReference = Table.of<OwnReference>()

export const references = Table.make(
  "run_references",
  {
    run_id: ofReference(Table.uuid<RunId>(), ({ run_id }) => run_id),
    workspace_id: ofReference(Table.uuid<WorkspaceId>(), ({ workspace_id }) => workspace_id),
    reference: ofReference(Table.text, ({ reference }) => reference)
  },
  ["run_id"]
)

const column = Table.of<Piece>()

export const pieces = Table.make(
  "run_input_pieces",
  {
    run_id: column(Table.uuid<RunId>(), ({ runId }) => runId),
    position: column(Table.integer, ({ position }) => position),
    piece: column(Table.text, ({ piece }) => piece)
  },
  ["run_id", "position"]
)

/** Gives a run the reference that it asks for to itself. Of several at the same time, the later ones wait for the first. */
const reserve = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, run: Run) {
  const reference = ownReference(run)
  if (reference === null) return
  const { id: run_id, workspaceId: workspace_id } = run
  const reserved = yield* sql`
    insert into run_references ${sql.insert(references.encode({ run_id, workspace_id, reference }))}
    on conflict (workspace_id, reference) do nothing returning run_id`
  if (reserved.length > 0) return
  const [holder] = yield* sql<{ readonly run_id: string }>`
    select run_id from run_references where workspace_id = ${workspace_id} and reference = ${reference}`
  // It was removed in between.
  if (holder === undefined) return yield* new Forgotten()
  return yield* new ReferenceTaken({ reference, sessionId: holder.run_id })
})

/** Inserts a run. A long input is sent in chunks, so that only one of them is copied at a time. */
const insertRun = (sql: SqlClient.SqlClient, run: Run) =>
  Effect.gen(function* () {
    const input = shortText(run.input)
    if (input !== null) {
      yield* sql`insert into runs ${sql.insert(Runs.fromRun(run, input))}`
      return
    }
    let position = 0
    for (const piece of JsonPieces.write(run.input, pieceLength)) {
      yield* sql`insert into run_input_pieces ${sql.insert(pieces.encode({ runId: run.id, position: position++, piece }))}`
    }
    yield* sql`
      insert into runs (input, ${Table.names(sql, Runs.withoutInput)})
      select (select string_agg(piece, '' order by position) from run_input_pieces where run_id = ${run.id}),
        ${sql.csv(Object.values(Runs.withoutInput.encode(run)).map((value) => sql`${value}`))}`
    yield* sql`delete from run_input_pieces where run_id = ${run.id}`
  })
