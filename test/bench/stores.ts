/** The cost of edits and claims on a real PostgreSQL server, with and without many runs that are held. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { Gates } from "../../core/gate/Gates.ts"
import { type ClaimedRun, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { StoredWorkflow } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { makeEntry, naming } from "../kit/contracts/start/CredentialRuns.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { inTurn, median, millis, type Row, timed } from "./Row.ts"

const heldRuns = 100_000

const closedNow = () => {
  const hour = (new Date().getUTCHours() + 6) % 22
  return daily(hour, hour + 1)
}

/** Copies the one waiting run of a workflow until there are so many. */
const multiply = (workflow: StoredWorkflow, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.unsafe(
      "workspace_id, workflow_id, version_id, status, input, credentials, queue, options, created_at, attempts, retries, max_retries, not_before, acted, committed, data, errors"
    )
    yield* sql`insert into runs (id, ${columns}) select gen_random_uuid(), ${columns} from runs, generate_series(2, ${count}::integer)
      where workflow_id = ${workflow.workflow.id} and status = 'execution.queued'`
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

const finished = ({ run: { id, lease } }: ClaimedRun) =>
  Effect.flatMap(RunStore, (runs) =>
    runs.settle({ id, fence: lease?.fence ?? 0 }, (locked, at) =>
      Transition.finish(locked, { _tag: "Success", data: {} }, at)
    )
  )

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.gen(function* () {
    yield* sql`truncate run_events, runs cascade`
    yield* sql`update gates set waiting = false`
    yield* sql`vacuum analyze`
  })
)

export const stores = async (): Promise<ReadonlyArray<Row>> => {
  // Filling the tables takes longer than the service gives a statement.
  const patient = (url: string) => Redacted.make(`${url}?options=-c%20statement_timeout%3D0`)
  const databaseLayer = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(patient(url), 8)))
  const runtime = ManagedRuntime.make(
    Layer.merge(Gates.layer, Crypto.layer).pipe(Layer.provideMerge(databaseLayer), Layer.orDie)
  )
  try {
    const caller = await runtime.runPromise(makeWorkspace())

    // An edit that releases, of one run and of many, in turn. Only the PUT that opens is timed.
    const [one, many] = [await runtime.runPromise(held(caller, 1)), await runtime.runPromise(held(caller, heldRuns))]
    const release = (workflow: StoredWorkflow) => async () => {
      const set = (window: unknown) =>
        runtime.runPromise(Effect.flatMap(Gates, (gates) => gates.setWindow(caller, workflow.workflow.id, window)))
      const took = await timed(() => set(daily(0, 23)))
      await set(closedNow())
      return took
    }
    const [editOne, editMany] = await inTurn(200, release(one), release(many))

    // A claim of one run, with the held ones there and without. The same workflow is served each time.
    const served = await runtime.runPromise(makeWorkflow(caller))
    const claimOf = (sent: () => Transition.Submission) => async () => {
      await runtime.runPromise(Effect.flatMap(RunStore, (runs) => runs.submit(sent())))
      let claimed: ReadonlyArray<ClaimedRun> = []
      const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "b", limit: 1, leaseMillis: 60_000 }))
      const took = await timed(async () => {
        claimed = await runtime.runPromise(claim)
      })
      const [first] = claimed
      if (first === undefined) throw new Error("Nothing was claimed")
      await runtime.runPromise(finished(first))
      return took
    }
    const claimOne = claimOf(() => submission(served))
    const withHeld: Array<number> = []
    for (let round = 0; round < 300; round++) withHeld.push(await claimOne())
    await runtime.runPromise(emptied)
    const without: Array<number> = []
    for (let round = 0; round < 300; round++) without.push(await claimOne())
    const [claimHeld, claimFree] = [median(withHeld), median(without)]

    // A claim of a run with a free credential, behind those of the same workflow that wait for a busy one, and without.
    await runtime.runPromise(Effect.all([makeEntry(caller, "busy"), makeEntry(caller, "free")]))
    const claimWithCredential = claimOf(() => submission(served, { credentials: [naming("free")] }))
    const alone: Array<number> = []
    for (let round = 0; round < 300; round++) alone.push(await claimWithCredential())
    await runtime.runPromise(
      Effect.gen(function* () {
        const runs = yield* RunStore
        for (let index = 0; index < 2; index++) {
          yield* runs.submit(submission(served, { credentials: [naming("busy")] }))
        }
        yield* runs.claim({ worker: "b", limit: 1, leaseMillis: 3_600_000 })
        yield* multiply(served, heldRuns + 1)
      })
    )
    const besideBusy: Array<number> = []
    for (let round = 0; round < 300; round++) besideBusy.push(await claimWithCredential())
    const [claimBusy, claimAlone] = [median(besideBusy), median(alone)]

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
      },
      {
        name: `claim behind ${(heldRuns + 1).toLocaleString("en")} runs for a busy login`,
        value: millis(claimBusy),
        reference: `${millis(claimAlone)} without`,
        ratio: claimBusy / claimAlone,
        target: "≤ 2",
        ok: claimBusy / claimAlone <= 2
      }
    ]
  } finally {
    await runtime.dispose()
  }
}
