/** The cost of a claim with many open workflows whose runs are put off, or wait for a busy credential. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { type Claimed, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { Stored } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { makeEntry, naming } from "../support/slots.ts"
import { inTurn, millis, type Row, timed } from "./Row.ts"

const workflows = Number(process.env.SLUICE_BENCH_WAITING ?? 1_500)
const rounds = 200

const claim = (limit: number) =>
  Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "b", limit, leaseMillis: 3_600_000 }))

const settle = ({ run: { id, lease } }: Claimed, outcome: Transition.Outcome) =>
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

/** The time that a claim of one run takes. */
const claimOne = Effect.fnUntraced(function* (served: Stored) {
  yield* (yield* RunStore).submit(submission(served))
  const services = yield* Effect.context<RunStore>()
  let claimed: ReadonlyArray<Claimed> = []
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

/** A database with one workflow that is served and what `prepare` puts beside it, and claims of it. */
const prepared = async (prepare: (caller: Caller) => Effect.Effect<unknown, unknown, RunStore>) => {
  const database = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(Redacted.make(url), 8)))
  const runtime = ManagedRuntime.make(Layer.provideMerge(Crypto.layer, database).pipe(Layer.orDie))
  const served = (await runtime.runPromise(
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      yield* prepare(caller)
      yield* (yield* SqlClient.SqlClient)`vacuum analyze`
      return workflow
    }) as never
  )) as Stored
  return {
    claim: () => runtime.runPromise(claimOne(served) as Effect.Effect<number, unknown, never>),
    stop: () => runtime.dispose()
  }
}

export const waiting = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const [what, prepare] of [
    ["put off", putOff],
    ["waiting for one credential", waitForOne]
  ] as const) {
    const one = await prepared(() => Effect.void)
    const other = await prepared(prepare as never)
    try {
      // The first rounds warm up, and find what cannot start.
      await inTurn(rounds / 4, one.claim, other.claim)
      const [without, beside] = await inTurn(rounds, one.claim, other.claim)
      rows.push({
        name: `claim beside ${workflows.toLocaleString("en")} workflows ${what}`,
        value: millis(beside),
        reference: `${millis(without)} without`,
        ratio: beside / without,
        target: "≤ 1.2",
        ok: beside / without <= 1.2
      })
    } finally {
      await one.stop()
      await other.stop()
    }
  }
  return rows
}
