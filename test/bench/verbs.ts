/** What one call for 1,000 runs takes of a workspace with many held runs, on a real PostgreSQL server. */
import { Effect, Layer, ManagedRuntime, Redacted, Result } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { type Outcome, RunVerbs } from "../../core/run/verb/RunVerbs.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { millis, type Row } from "./Row.ts"

const count = 1_000
/** The limit of calls that change runs, and of the one that submits new ones. */
const most = { changed: 3_000, submitted: 10_000 }

/** A window that is closed at this hour, and for hours around it. */
const closedNow = () => {
  const hour = (new Date().getUTCHours() + 6) % 22
  return daily(hour, hour + 1)
}

export const verbs = async (): Promise<ReadonlyArray<Row>> => {
  const stores = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(Redacted.make(url), 12)))
  const runtime = ManagedRuntime.make(
    RunVerbs.layer.pipe(Layer.provideMerge(Crypto.layer), Layer.provideMerge(stores), Layer.orDie)
  )
  try {
    return await runtime.runPromise(
      Effect.gen(function* () {
        const caller = yield* makeWorkspace()
        const workflow = yield* makeWorkflow(caller)
        const { id, workspaceId } = workflow.workflow
        yield* (yield* GateStore).change(workspaceId, id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, closedNow(), { at, by: caller.userId }))
        )
        const runs = yield* RunStore
        yield* Effect.forEach(Array.from({ length: 4 * count }), () => runs.submit(submission(workflow)), {
          concurrency: 64
        })
        const verb = yield* RunVerbs
        const { ids } = yield* verb.select(caller, { holds: ["run_window"], limit: count })
        const asked = { sessionIds: ids, dryRun: false }
        const calls: ReadonlyArray<readonly [string, Effect.Effect<ReadonlyArray<Outcome<string>>, unknown>]> = [
          ["tagged", verb.tag(caller, { ...asked, add: ["october"], remove: [] })],
          ["released", verb.release(caller, { ...asked, pastPause: false })],
          ["interrupted", verb.interrupt(caller, { ...asked, reason: "The portal is away" })],
          ["retried", verb.retry(caller, { ...asked, version: "same", input: {}, reason: null })]
        ]
        return yield* Effect.forEach(calls, ([name, call]) =>
          Effect.gen(function* () {
            const began = performance.now()
            const outcomes = yield* call
            const took = performance.now() - began
            const limit = name === "retried" ? most.submitted : most.changed
            const done = outcomes.filter(({ outcome }) => outcome === name).length
            return {
              name: `${count} of ${4 * count} held runs ${name}, one call`,
              value: millis(took),
              reference: millis(limit),
              ratio: took / limit,
              target: "<= 1",
              ok: took <= limit && done === count
            } satisfies Row
          })
        )
      })
    )
  } finally {
    await runtime.dispose()
  }
}
