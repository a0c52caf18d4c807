/**
 * Stops the runs that wait for a credential that could not be signed in with: not in the transaction of the run that
 * found it out, as there may be very many, but afterwards, in pieces. Its position is stored in the database.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { isWaiting, type Run } from "../../../core/run/Run.ts"
import type { StopAfter } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import type { Change } from "../../../core/run/Transition.ts"
import type { RunId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction } from "../Transaction.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"
import * as Writing from "../Writing.ts"
import * as PgQueues from "./PgQueues.ts"
import * as PgSlots from "./PgSlots.ts"

/** Before every queue that has a name. */
const first = " "

/** How many queues are read in one transaction. */
const queuesTogether = 256

/**
 * Notes, with the state of the run that could not sign in, what that means for its credential and for others. Of a
 * credential that was changed after the run began it tells nothing.
 */
export const note = (sql: SqlClient.SqlClient, { failedLogin, run }: Change, at: number) =>
  Effect.gen(function* () {
    if (failedLogin === undefined) return
    const { stopsOthers, ...login } = failedLogin
    const began = new Date(run.startedAt ?? at)
    const [tried] = yield* sql`
      update vault_entries set login_failed_at = ${new Date(at)}
      where ${PgSlots.named(sql, login.entry)} and changed_at <= ${began} returning id`
    if (!stopsOthers || tried === undefined) return
    yield* sql`
      insert into login_failures (run_id, workspace_id, entry, login, failed_at, last)
      select ${run.id}::uuid, ${run.workspaceId}::uuid, ${login.entry}, ${JSON.stringify(login)}, ${new Date(at)}, last_value
      from runs_sequence_seq on conflict (run_id) do nothing`
  })

/** Notes that the credential of an alias works. */
export const worked = (sql: SqlClient.SqlClient, run: Run, alias: string) => {
  const entry = run.credentials.find((credential) => credential.alias === alias)?.slot?.entry
  return entry === undefined
    ? Effect.void
    : sql`
        update vault_entries set login_failed_at = null
        where ${PgSlots.named(sql, entry)} and login_failed_at is not null`
}

/** A failed login, the last run that it stops, and the queue where stopping continues. */
interface Failure {
  readonly runId: RunId
  readonly workspaceId: WorkspaceId
  readonly login: Slots.FailedLogin
  readonly failedAt: number
  readonly last: number
  readonly place: Place | null
}

const column = Table.of<Failure>()

export const failures = Table.make(
  "login_failures",
  {
    run_id: column(Table.uuid<RunId>(), ({ runId }) => runId),
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    entry: column(Table.text, ({ login }) => login.entry),
    login: column(
      Table.json(Schema.Struct({ entry: Schema.String, permissionedUserId: Schema.String, domain: Schema.String })),
      ({ login }) => login
    ),
    failed_at: column(Table.instant, ({ failedAt }) => failedAt),
    last: column(Table.bigint, ({ last }) => last),
    workflow_id: column(Table.nullable(Table.uuid<string>()), ({ place }) => place?.workflow_id ?? null),
    queue: column(Table.nullable(Table.text), ({ place }) => place?.queue ?? null)
  },
  ["run_id"]
)

type FailureRow = Table.Row<typeof failures.columns>

interface Place {
  readonly workflow_id: string
  readonly queue: string
}

/** A queue with one of the runs that wait in it. */
interface WaitingPlace extends Place {
  readonly id: string
  readonly credentials: string
}

/**
 * Stops up to `limit` runs because of one failure, and answers whether there may be more to stop. A credential that was
 * changed since stops no further run.
 */
export const stop = (sql: SqlClient.SqlClient, limit: number, decide: StopAfter) =>
  transaction(
    sql,
    Effect.gen(function* () {
      const [failure] = yield* sql<FailureRow>`
        select * from login_failures order by run_id limit 1 for update skip locked`
      if (failure === undefined) return false
      const { login, run_id } = failures.decode(failure)
      const [changed] = yield* sql`
        select from vault_entries where ${PgSlots.named(sql, login.entry)} and changed_at > ${failure.failed_at}`
      if (changed !== undefined) {
        yield* remove(sql, failure)
        return true
      }
      const queues = yield* following(sql, failure)
      const place = yield* firstThatWaitsFor(sql, failure.workspace_id, login, queues)
      if (place === undefined) {
        const end = queues.at(-1)
        yield* queues.length < queuesTogether || end === undefined
          ? remove(sql, failure)
          : move(sql, failure, end, true)
        return true
      }
      const rows = yield* sql<Runs.Row>`
        select * from runs where id in (select id from ${PgQueues.oldestIn(sql, {
          workflowId: place.workflow_id,
          queue: sql`${place.queue}`,
          behind: 0n,
          limit,
          condition: sql`sequence <= ${failure.last}`
        })} as oldest) and status in ('execution.queued', 'execution.requeued') order by sequence for update`
      const now = yield* Clock.currentTimeMillis
      const cause = { ...login, runId: run_id }
      const changes = yield* Effect.forEach(rows.map(Runs.toRun).filter(isWaiting), (run) =>
        Effect.map(Writing.filesOf(sql, run), (files) => decide({ run, files }, cause, now) ?? [])
      )
      yield* Writing.changes(sql, changes.flat(), now)
      yield* move(sql, failure, place, rows.length < limit)
      return true
    })
  )

/** The next queues of the workspace, from the place that the failure has come to, each with one of its runs. */
const following = (sql: SqlClient.SqlClient, { queue, workflow_id, workspace_id }: FailureRow) =>
  Effect.gen(function* () {
    const gates = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates where workspace_id = ${workspace_id} and waiting and slots
        and ${workflow_id === null ? sql`true` : sql`workflow_id >= ${workflow_id}`} order by workflow_id`
    const found: Array<WaitingPlace> = []
    for (const gate of gates) {
      const left = queuesTogether - found.length
      if (left === 0) break
      const from = gate.workflow_id === workflow_id ? (queue ?? first) : first
      found.push(
        ...(yield* sql<WaitingPlace>`
          with ${PgQueues.queues(sql, gate.workflow_id, from)}
          select ${gate.workflow_id}::uuid as workflow_id, head.queue, head.id, head.credentials
          from (select queue from queues where queue is not null limit ${left}) as ahead
          cross join lateral ${PgQueues.oldestIn(sql, {
            workflowId: gate.workflow_id,
            queue: sql`ahead.queue`,
            behind: 0n,
            limit: 1,
            condition: sql`true`
          })} as head order by head.queue`)
      )
    }
    return found
  })

/** The first of these queues whose runs need the very credential. */
const firstThatWaitsFor = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  { entry, permissionedUserId }: Slots.FailedLogin,
  queues: ReadonlyArray<WaitingPlace>
) =>
  Effect.gen(function* () {
    const pairs = queues.flatMap((place) =>
      Runs.credentialsOf(place)
        .filter((credential) => Slots.isOnly([credential], permissionedUserId))
        .map(({ domain }) => ({ place, pair: { permissionedUserId, domain } }))
    )
    const names = yield* PgSlots.entryNames(
      sql,
      workspaceId,
      pairs.map(({ pair }) => pair)
    )
    return pairs.find((_, index) => names[index] === entry)?.place
  })

const remove = (sql: SqlClient.SqlClient, { run_id }: FailureRow) =>
  sql`delete from login_failures where run_id = ${run_id}`

/** Continues at a queue, or after it. */
const move = (sql: SqlClient.SqlClient, { run_id }: FailureRow, { queue, workflow_id }: Place, behind: boolean) =>
  // A queue is named by hexadecimal digits: nothing sorts between a name and the same with a space added.
  sql`
    update login_failures set workflow_id = ${workflow_id}, queue = ${behind ? `${queue} ` : queue}
    where run_id = ${run_id}`
