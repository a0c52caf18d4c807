/** Runs and their events in PostgreSQL. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { page } from "../../../core/event/EventLog.ts"
import type { InProgress } from "../../../core/run/hold/PlaceLimit.ts"
import { isRunning, isWaiting } from "../../../core/run/Run.ts"
import { type GatedRun, type LeaseRef, RunStore } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { RunNotFound, WorkflowId } from "../../../core/workspace/Ids.ts"
import * as HeldRuns from "../claim/HeldRuns.ts"
import * as PgClaim from "../claim/PgClaim.ts"
import * as PgDueRuns from "../claim/PgDueRuns.ts"
import * as PgFailedLogins from "../claim/PgFailedLogins.ts"
import * as PgLimits from "../claim/PgLimits.ts"
import * as PgOpenings from "../claim/PgOpenings.ts"
import * as PgPaces from "../claim/PgPaces.ts"
import * as PgSlots from "../claim/PgSlots.ts"
import * as PgTurns from "../claim/PgTurns.ts"
import * as PgHoldAnnouncements from "../gate/PgHoldAnnouncements.ts"
import * as PgBusyQueues from "../list/PgBusyQueues.ts"
import * as PgRunList from "../list/PgRunList.ts"
import * as Pipeline from "../Pipeline.ts"
import { logFailure, transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Events from "../tables/Events.ts"
import * as Runs from "../tables/Runs.ts"
import * as PgChangeAll from "../verb/PgChangeAll.ts"
import * as PgLockedRuns from "../verb/PgLockedRuns.ts"
import * as PgRetries from "../verb/PgRetries.ts"
import * as PgRunTags from "../verb/PgRunTags.ts"
import * as Writing from "../Writing.ts"
import * as PgReport from "./PgReport.ts"
import * as PgSettle from "./PgSettle.ts"
import * as PgSubmit from "./PgSubmit.ts"

export const layer = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const scope = yield* Effect.scope

    const { gateOf, lockedOf, owned, remind, write } = PgLockedRuns.make(sql)
    const due = PgDueRuns.make(sql, { lockedOf, write })
    const submit = PgSubmit.make(sql)
    const retries = PgRetries.make(sql, submit)
    const memory = PgClaim.memory()
    const transact = yield* Pipeline.make
    const held = HeldRuns.make()

    const settle = PgSettle.make(sql, held, (lease, decide) =>
      transaction(
        sql,
        Effect.gen(function* () {
          const locked = yield* lockedOf(yield* owned(lease))
          const at = yield* Clock.currentTimeMillis
          const change = decide(locked, at)
          yield* write(locked, change, at)
          return change
        })
      )
    )
    const report = PgReport.make(sql, held)

    const loggedIn = (lease: LeaseRef, alias: string) =>
      transaction(
        sql,
        Effect.gen(function* () {
          held.forget(lease)
          const run = yield* owned(lease)
          const change = Transition.loggedIn(run, alias)
          yield* PgFailedLogins.worked(sql, run, alias)
          const isExclusive = run.credentials.some((one) => one.alias === alias && (one.slot?.login ?? null) !== null)
          if (!isExclusive) return false
          yield* Writing.changes(sql, [{ ...change, before: run }], yield* Clock.currentTimeMillis)
          const freed = Slots.freed(run.credentials, change.run.credentials)
          yield* PgSlots.giveBack(sql, freed)
          return freed.length > 0
        })
      )

    const changeAll = PgChangeAll.make(
      sql,
      Effect.fnUntraced(function* (changed) {
        const limited = changed.flatMap(({ before, isLimited }) =>
          isLimited && isRunning(before) ? [PgLimits.drawnOf(before)] : []
        )
        const freed = changed.flatMap(({ before, change: { run } }) => Slots.freed(before.credentials, run.credentials))
        yield* PgSlots.giveBack(sql, [...new Set([...freed, ...(yield* PgLimits.namesOf(sql, limited))])])
        yield* PgPaces.lookAgain(
          sql,
          changed.flatMap(({ before, gate }) =>
            isRunning(before) ? [{ workflowId: before.workflowId, pace: gate.pace }] : []
          )
        )
        // The run of each workflow that may start first: gates are locked in the order of their ids.
        const waiting = changed.map(({ change: { run } }) => run).filter(isWaiting)
        const first = new Map(
          waiting.toSorted((a, b) => b.notBefore - a.notBefore).map((run) => [run.workflowId, run] as const)
        )
        for (const run of [...first.values()].sort((a, b) => (a.workflowId < b.workflowId ? -1 : 1))) yield* remind(run)
      })
    )

    const { count, counts, list, tally } = PgRunList.make(sql)

    return RunStore.of({
      submit: (submission) => submit(submission),
      retry: Effect.fn("RunStore.retry")((submission, { isLatest }) => retries.retry(submission, isLatest)),
      retriesOf: Effect.fn("RunStore.retriesOf")((ids) => retries.of(ids)),
      weigh: Effect.fn("RunStore.weigh")(PgSubmit.weigh(sql)),
      list,
      count,
      counts,
      tally,
      ...due,
      // As most runs call these, they do without the stack that a traced function keeps of each call.
      settle,
      get: Effect.fn("RunStore.get")((workspaceId, id) =>
        Effect.gen(function* () {
          const [row] = yield* sql<Runs.Row>`
            select * from runs where id = ${id} and workspace_id = ${workspaceId}`
          if (row === undefined) return yield* new RunNotFound({ sessionId: id })
          const gate = yield* gateOf({ id, workflowId: WorkflowId.make(row.workflow_id) })
          // After the gate, so that a large row is not decoded in the turn of the event loop that received it.
          return { run: Runs.toRun(row), gate } satisfies GatedRun
        }).pipe(withoutSqlErrors)
      ),
      awaited: Effect.fn("RunStore.awaited")((workspaceId, id) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => PgBusyQueues.ofRun(sql, workspaceId, id, now)).pipe(
          withoutSqlErrors
        )
      ),
      inProgress: Effect.fn("RunStore.inProgress")((workspaceId) =>
        withoutSqlErrors(sql<InProgress>`
          select lease_worker as worker, count(*)::int as runs,
            (count(*) filter (where workspace_id = ${workspaceId}))::int as own
          from runs where status = 'execution.start' group by lease_worker`)
      ),
      events: Effect.fn("RunStore.events")((id, after) =>
        sql<Events.Row>`
          with found as (
            select sequence, run_id, at, event, payload, expires_at from run_events
            where run_id = ${id} and sequence > ${after} order by sequence limit ${page.events}),
          page as (select *, sum(octet_length(payload)) over (order by sequence) - octet_length(payload) as before from found)
          select * from page where before < ${page.characters} order by sequence`.pipe(
          Effect.map((rows) => rows.map(Events.toLogged)),
          withoutSqlErrors
        )
      ),
      changeAll: Effect.fn("RunStore.changeAll")((workspaceId, ids, decide, options) =>
        changeAll(workspaceId, ids, decide, options)
      ),
      changeTags: Effect.fn("RunStore.changeTags")(PgRunTags.make(sql)),
      change: Effect.fn("RunStore.change")((workspaceId, id, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Runs.Row>`
              select * from runs where id = ${id} and workspace_id = ${workspaceId} for update`
            if (row === undefined) return yield* new RunNotFound({ sessionId: id })
            const locked = yield* lockedOf(Runs.toRun(row))
            const at = yield* Clock.currentTimeMillis
            const change = yield* Effect.fromResult(decide(locked, at))
            yield* write(locked, change, at)
            return change
          })
        )
      ),
      announceHolds: Effect.fn("RunStore.announceHolds")((limit, announcement) =>
        PgHoldAnnouncements.tell(sql, limit, announcement)
      ),
      watch: Effect.fn("RunStore.watch")((workspaceId, id, ofRun) =>
        PgHoldAnnouncements.watch(sql, workspaceId, id, ofRun)
      ),
      loggedIn: Effect.fn("RunStore.loggedIn")((lease, alias) => loggedIn(lease, alias)),
      opening: Effect.fn("RunStore.opening")((until) => PgOpenings.opening(sql, until)),
      stopAfterFailedLogins: Effect.fn("RunStore.stopAfterFailedLogins")((limit, decide) =>
        PgFailedLogins.stop(sql, limit, decide)
      ),
      // A process that finds nothing more to do has its turns written before the next submission.
      claim: Effect.fn("RunStore.claim")((options) =>
        Effect.tap(PgClaim.claim(sql, { ...options, memory, held, transact }), () =>
          PgTurns.settle(sql, memory).pipe(
            Effect.catchCause(logFailure("Whose turn it is next could not be kept; claims look at all of them again")),
            Effect.forkIn(scope)
          )
        )
      ),
      renew: Effect.fn("RunStore.renew")((leases, leaseMillis) =>
        Effect.gen(function* () {
          const until = new Date((yield* Clock.currentTimeMillis) + leaseMillis)
          for (const lease of leases) held.forget(lease)
          const renewed = yield* sql<{ readonly id: string; readonly fence: bigint }>`
            with owned as materialized (
              select runs.id from runs
              join json_to_recordset(${JSON.stringify(leases)}::json) as leases (id uuid, fence bigint)
                on runs.id = leases.id and lease_fence = leases.fence
              order by runs.id for no key update of runs
            )
            update runs set lease_until = ${until} from owned where runs.id = owned.id
            returning runs.id, lease_fence as fence`
          const kept = new Set(renewed.map((row) => `${row.id} ${row.fence}`))
          return leases.filter(({ fence, id }) => !kept.has(`${id} ${fence}`))
        }).pipe(withoutSqlErrors)
      ),
      report: (lease, { events, progress = {} }) => report({ lease, events, progress })
    })
  })
)
