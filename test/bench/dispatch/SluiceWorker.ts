/** A worker process whose runs do nothing. */
import { Effect, Layer, Redacted, References } from "effect"
import * as Postgres from "../../../adapters/postgres/Stores.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { given, telling } from "./Worker.ts"

const work = given()
const { capacity, name, url } = work
const { began, finished, ready } = telling(work)

const executor = Layer.succeed(
  Executor,
  Executor.of({ execute: () => Effect.as(Effect.sync(began), { _tag: "Success", data: {} }) })
)

const counted = Layer.effect(
  RunStore,
  Effect.map(RunStore, (store) =>
    RunStore.of({ ...store, settle: (...of) => Effect.tap(store.settle(...of), () => Effect.sync(finished)) })
  )
)

await Effect.runPromise(
  Effect.gen(function* () {
    yield* Effect.promise(ready)
    yield* Worker.run({ name, capacity, leaseMillis: 30_000, graceMillis: 0 })
  }).pipe(
    // As in the service.
    Effect.provideService(References.TracerEnabled, false),
    Effect.provide(Layer.mergeAll(counted, executor).pipe(Layer.provideMerge(Postgres.layer(Redacted.make(url)))))
  )
)
