/**
 * A worker as a separate process, whose runs commit on a site by one request, with the marks that an agent leaves.
 */
import { Clock, Effect, Layer, Redacted, Schedule } from "effect"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as DatabaseClock from "../../adapters/postgres/server/DatabaseClock.ts"
import { Executor } from "../../core/run/Executor.ts"
import type { Outcome } from "../../core/run/Transition.ts"
import * as Worker from "../../core/run/Worker.ts"
import * as StoreUnavailable from "../../core/runtime/StoreUnavailable.ts"

const [url = "", site = ""] = process.argv.slice(2)
const node = { id: "pay", name: "Pay" }

const executor = Layer.succeed(
  Executor,
  Executor.of({
    execute: Effect.fnUntraced(function* ({ run }, reporter) {
      const mark = (kind: "committing" | "committed") =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          reporter.mark({ acted: true, committed: true, mark: { kind, node, at } })
        )
      yield* reporter.event({
        event: "execution.step",
        runId: run.id,
        workflowId: run.workflowId,
        step: node.name,
        next: null
      })
      yield* Effect.sleep(Number(run.input.millis))
      yield* mark("committing")
      yield* Effect.promise((signal) => fetch(`${site}/commit/${run.id}`, { method: "POST", signal }))
      yield* mark("committed")
      return { _tag: "Success", data: {} } satisfies Outcome
    })
  })
)

/** How long it waits for the database when it starts, as the service does, in milliseconds. */
const waitMillis = 60_000

const worker = Worker.run({ name: `chaos-${process.pid}`, capacity: 5, leaseMillis: 3_000, graceMillis: 500 })

process.stdout.write("worker started\n")
await Effect.runPromise(
  worker.pipe(
    Effect.provide(executor),
    Effect.provide(DatabaseClock.layer.pipe(Layer.provideMerge(Postgres.layer(Redacted.make(url), 4, waitMillis)))),
    // As the service does.
    Effect.retry({ while: StoreUnavailable.is, schedule: Schedule.spaced("1 second") }),
    Effect.orDie
  )
)
