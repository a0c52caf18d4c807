import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { NamedLimitStore } from "../../core/run/limit/NamedLimit.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { makeWorkflow, makeWorkspace, submission } from "../kit/contracts/Fixtures.ts"
import { finish } from "../kit/contracts/start/CredentialRuns.ts"
import * as LimitContract from "../kit/contracts/start/LimitContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<LimitContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`limits (${name})`, (it) => {
    for (const { keeps, title } of LimitContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

it.live("four processes that claim at once never start more than limits allow", () =>
  Effect.gen(function* () {
    const url = yield* databases.migratedDatabase
    const processes = yield* Effect.forEach([1, 2, 3, 4], () =>
      Layer.build(Layer.fresh(Postgres.layer(Redacted.make(url), 4)))
    )
    const [first] = processes
    if (first === undefined) throw new Error("There is no process")
    yield* Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const workflows = [yield* makeWorkflow(caller), yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const limits = yield* NamedLimitStore
      const [a, b, c] = workflows
      if (a === undefined || b === undefined || c === undefined) throw new Error("Nothing was made")
      const ids = [a.workflow.id, b.workflow.id]
      yield* limits.insert(caller.workspaceId, LimitContract.limitOf(caller, { maxRunning: 5, workflowIds: ids }))
      yield* limits.insert(caller.workspaceId, LimitContract.limitOf(caller, { maxRunning: 3, tags: ["portal"] }))
      const runs = yield* RunStore
      for (const [index, workflow] of Array.from({ length: 20 }, () => workflows)
        .flat()
        .entries()) {
        yield* runs.submit(submission(workflow, { tags: index % 2 === 0 ? ["portal"] : [] }))
      }
      let started = 0
      for (let round = 0; started < 60; round++) {
        const claimed = yield* Effect.forEach(
          processes,
          (stores) =>
            Effect.flatMap(RunStore, (store) => store.claim({ worker: "w", limit: 4, leaseMillis: 600_000 })).pipe(
              Effect.provide(stores)
            ),
          { concurrency: "unbounded" }
        )
        const all = claimed.flat()
        for (const { running, limit } of yield* limits.used(caller.workspaceId)) {
          assert.isAtMost(running, limit.maxRunning ?? 0)
        }
        assert.isNotEmpty(all, `round ${round}, ${started} started`)
        started += all.length
        for (const one of all) yield* finish(one)
      }
      assert.strictEqual(started, 60)
    }).pipe(Effect.provide(first))
  }).pipe(Effect.scoped)
)

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)
