/** What edits and claims cost on a real PostgreSQL server, with and without many runs that are held. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { Gates } from "../../core/gate/Gates.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { Stored } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { inTurn, median, millis, type Row, timed } from "./Row.ts"

const heldRuns = 100_000

const closedNow = () => {
  const hour = (new Date().getUTCHours() + 6) % 22
  return daily(hour, hour + 1)
}

/** Copies the one waiting run of a workflow until there are so many. */
const multiply = (workflow: Stored, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.unsafe(
      "workspace_id, workflow_id, version_id, status, input, options, created_at, attempts, retries, max_retries, not_before, acted, committed, data, errors"
    )
    yield* sql`insert into runs (id, ${columns}) select gen_random_uuid(), ${columns} from runs, generate_series(2, ${count}::integer)
      where workflow_id = ${workflow.workflow.id}`
    yield* sql`vacuum analyze runs`
  })

const held = (caller: Caller, count: number) =>
  Effect.gen(function* () {
    const workflow = yield* makeWorkflow(caller)
    yield* (yield* Gates).setWindow(caller, workflow.workflow.id, closedNow())
    yield* (yield* RunStore).submit(submission(workflow))
    if (count > 1) yield* multiply(workflow, count)
    return workflow
  })

export const stores = async (): Promise<ReadonlyArray<Row>> => {
  const databaseLayer = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(Redacted.make(url), 8)))
  const runtime = ManagedRuntime.make(
    Layer.merge(Gates.layer, Crypto.layer).pipe(Layer.provideMerge(databaseLayer), Layer.orDie)
  )
  try {
    const caller = await runtime.runPromise(makeWorkspace())

    // An edit that releases, of one run and of many, in turn. Only the PUT that opens is timed.
    const [one, many] = [await runtime.runPromise(held(caller, 1)), await runtime.runPromise(held(caller, heldRuns))]
    const release = (workflow: Stored) => async () => {
      const set = (window: unknown) =>
        runtime.runPromise(Effect.flatMap(Gates, (gates) => gates.setWindow(caller, workflow.workflow.id, window)))
      const took = await timed(() => set(daily(0, 23)))
      await set(closedNow())
      return took
    }
    const [editOne, editMany] = await inTurn(200, release(one), release(many))

    // A claim of one run, with the held ones there and without. The same workflow is served each time.
    const served = await runtime.runPromise(makeWorkflow(caller))
    const claimOne = async () => {
      await runtime.runPromise(Effect.flatMap(RunStore, (runs) => runs.submit(submission(served))))
      let claimed: ReadonlyArray<{
        readonly run: { readonly id: never; readonly lease: { readonly fence: number } | null }
      }> = []
      const took = await timed(async () => {
        claimed = (await runtime.runPromise(
          Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "b", limit: 1, leaseMillis: 60_000 }))
        )) as never
      })
      const [first] = claimed
      const fence = first?.run.lease?.fence ?? 0
      if (first === undefined) throw new Error("Nothing was claimed")
      await runtime.runPromise(
        Effect.flatMap(RunStore, (runs) =>
          runs.settle({ id: first.run.id, fence }, ({ run }, at) =>
            Transition.finish(run, fence, { _tag: "Success", data: {} }, at)
          )
        )
      )
      return took
    }
    const withHeld: Array<number> = []
    for (let round = 0; round < 300; round++) withHeld.push(await claimOne())
    await runtime.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.gen(function* () {
          yield* sql`truncate run_events, runs cascade`
          yield* sql`update gates set waiting = false`
          yield* sql`vacuum analyze`
        })
      )
    )
    const without: Array<number> = []
    for (let round = 0; round < 300; round++) without.push(await claimOne())
    const [claimHeld, claimFree] = [median(withHeld), median(without)]

    return [
      {
        name: `PUT that releases ${heldRuns.toLocaleString("en")} held runs`,
        value: millis(editMany),
        reference: `${millis(editOne)} for 1 run`,
        ratio: editMany / editOne,
        target: "≤ 1.5",
        ok: editMany / editOne <= 1.5
      },
      {
        name: `claim beside ${(heldRuns + 1).toLocaleString("en")} held runs`,
        value: millis(claimHeld),
        reference: `${millis(claimFree)} without`,
        ratio: claimHeld / claimFree,
        target: "≤ 1.2",
        ok: claimHeld / claimFree <= 1.2
      }
    ]
  } finally {
    await runtime.dispose()
  }
}
