/**
 * The cost of a claim with many open workflows whose runs are put off, or wait for a busy credential, and while old runs
 * are removed.
 */
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { type ClaimedRun, RunStore } from "../../core/run/RunStore.ts"
import { RunRemovalStore } from "../../core/run/retention/RunRemovalStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { StoredWorkflow } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { makeEntry, naming } from "../kit/contracts/start/CredentialRuns.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { inTurn, millis, type Row, timed } from "./Row.ts"

const workflows = Number(process.env.SLUICE_BENCH_WAITING ?? 1_500)
const rounds = 200
/** `SLUICE_BENCH_WAITING_ONLY=removed` measures the rows whose names have that text. */
const only = process.env.SLUICE_BENCH_WAITING_ONLY ?? ""

const claim = (limit: number) =>
  Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "b", limit, leaseMillis: 3_600_000 }))

const settle = ({ run: { id, lease } }: ClaimedRun, outcome: Transition.Outcome) =>
  Effect.flatMap(RunStore, (runs) =>
    runs.settle({ id, fence: lease.fence }, (locked, at) => Transition.settle(locked, outcome, at))
  )

/** Many workflows with one run each that failed and is put off for hours. */
const putOff = Effect.fnUntraced(function* (caller: Caller) {
  const runs = yield* RunStore
  for (let index = 0; index < workflows; index++) {
    yield* runs.submit(submission(yield* makeWorkflow(caller, { maxRetries: 3 })))
  }
  const failed: Transition.Outcome = {
    _tag: "Failed",
    data: {},
    errors: [],
    retry: { times: null, delayMillis: 36_000_000 }
  }
  for (let some = yield* claim(200); some.length > 0; some = yield* claim(200)) {
    yield* Effect.forEach(some, (one) => settle(one, failed), { concurrency: 8 })
  }
})

/** Many workflows with one run each that waits for the credential that another run holds. */
const waitForOne = Effect.fnUntraced(function* (caller: Caller) {
  const runs = yield* RunStore
  yield* makeEntry(caller, "busy")
  const credentials = [naming("busy")]
  yield* runs.submit(submission(yield* makeWorkflow(caller), { credentials }))
  yield* claim(1)
  for (let index = 0; index < workflows; index++) {
    yield* runs.submit(submission(yield* makeWorkflow(caller), { credentials }))
  }
})

/** More runs than are removed while claims are measured. */
const ended = 40_000

/** Many runs that have ended long ago, with an event and a start each. */
const fillEnded = Effect.fnUntraced(function* (caller: Caller) {
  const sql = yield* SqlClient.SqlClient
  const runs = yield* RunStore
  yield* runs.submit(submission(yield* makeWorkflow(caller)))
  for (const one of yield* claim(1)) yield* settle(one, { _tag: "Success", data: {} })
  const columns = sql.unsafe(
    "workspace_id, workflow_id, version_id, status, input, credentials, queue, options, attempts, retries, max_retries, not_before, acted, committed, data, errors"
  )
  yield* sql`
    insert into runs (id, created_at, started_at, ended_at, ${columns})
    select gen_random_uuid(), at, at, at, ${columns}
    from (select now() - interval '30 days' - n * interval '1 second' as at from generate_series(1, ${ended}::integer) n) times,
      runs where status = 'execution.success'`
  yield* sql`
    insert into run_events (run_id, at, event, payload)
    select id, ended_at, 'execution.success', '{}' from runs where ended_at < now() - interval '29 days'`
  yield* sql`
    insert into run_starts (run_id, attempt, workspace_id, workflow_id, at, worker, gate_revision, window_revision, zone_data)
    select id, 1, workspace_id, workflow_id, started_at, 'b', 1, 0, '' from runs where ended_at < now() - interval '29 days'`
})

/** Removes old runs as a sweep does, until there are no more. */
const removeEnded = Effect.fnUntraced(function* (caller: Caller) {
  const removal = yield* RunRemovalStore
  for (;;) {
    const ids = yield* removal.ended(caller.workspaceId, Date.now() - 86_400_000, 50)
    if ((yield* removal.remove(ids)) === 0) throw new Error("All old runs were removed before the last claim")
    yield* Effect.sleep("50 millis")
  }
})

/** The time that a claim of one run takes. */
const claimOne = Effect.fnUntraced(function* (served: StoredWorkflow) {
  yield* (yield* RunStore).submit(submission(served))
  const services = yield* Effect.context<RunStore>()
  let claimed: ReadonlyArray<ClaimedRun> = []
  const time = yield* Effect.promise(() =>
    timed(async () => {
      claimed = await Effect.runPromiseWith(services)(claim(1))
    })
  )
  const [first] = claimed
  if (first === undefined) throw new Error("Nothing was claimed")
  yield* settle(first, { _tag: "Success", data: {} })
  return time
})

type Prepare = (caller: Caller) => Effect.Effect<unknown, unknown, never>

/** A database with one workflow that is served and what `prepare` puts beside it, and claims of it during `meanwhile`. */
const prepared = async (prepare: Prepare, meanwhile: Prepare = () => Effect.void) => {
  const database = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(Redacted.make(url), 8)))
  const runtime = ManagedRuntime.make(Layer.provideMerge(Crypto.layer, database).pipe(Layer.orDie))
  const [served, caller] = (await runtime.runPromise(
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      yield* prepare(caller)
      yield* (yield* SqlClient.SqlClient)`vacuum analyze`
      return [workflow, caller]
    }) as never
  )) as [StoredWorkflow, Caller]
  const work = runtime.runFork(meanwhile(caller))
  return {
    claim: () => runtime.runPromise(claimOne(served) as Effect.Effect<number, unknown, never>),
    stop: async () => {
      const exit = work.pollUnsafe()
      if (exit !== undefined && Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      await Effect.runPromise(Fiber.interrupt(work))
      await runtime.dispose()
    }
  }
}

export const waiting = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  const beside = `claim beside ${workflows.toLocaleString("en")} workflows`
  for (const { meanwhile, name, prepare } of [
    { name: `${beside} put off`, prepare: putOff },
    { name: `${beside} waiting for one credential`, prepare: waitForOne },
    { name: "claim while old runs are removed", prepare: fillEnded, meanwhile: removeEnded }
  ].filter(({ name }) => name.includes(only))) {
    const one = await prepared(() => Effect.void)
    const other = await prepared(prepare as never, meanwhile as never)
    try {
      // The first rounds warm up, and find what cannot start.
      await inTurn(rounds / 4, one.claim, other.claim)
      const [without, measured] = await inTurn(rounds, one.claim, other.claim)
      rows.push({
        name,
        value: millis(measured),
        reference: `${millis(without)} without`,
        ratio: measured / without,
        target: "≤ 1.2",
        ok: measured / without <= 1.2
      })
    } finally {
      await one.stop()
      await other.stop()
    }
  }
  return rows
}
