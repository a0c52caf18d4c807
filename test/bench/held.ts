/**
 * The cost of every edit of a window beside many held runs, and the delay of another workflow's webhooks while these
 * runs are told that they are held: `npm run bench held -- --runs 1000000`.
 */
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Dispatcher from "../../core/event/webhook/Dispatcher.ts"
import { Sender } from "../../core/event/webhook/Sender.ts"
import { WebhookSecrets } from "../../core/event/webhook/WebhookSecrets.ts"
import { Gates } from "../../core/gate/Gates.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Scheduler from "../../core/run/Scheduler.ts"
import { Signals } from "../../core/runtime/Signals.ts"
import type { StoredWorkflow } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { makeWebhook } from "../support/webhooks.ts"
import { inTurn, millis, type Row, timed } from "./Row.ts"

const rounds = 60

/** How long the webhooks of the other workflow are measured, with and without the announcement. */
const watchMillis = 20_000

/** The number of held runs that was asked for. */
const asked = (): number => {
  const { argv } = process
  const place = argv.indexOf("--runs")
  const written = place < 0 ? "200000" : (argv[place + 1] ?? "")
  if (!/^[1-9]\d{0,7}$/.test(written)) throw new Error(`--runs: Expected a whole number, got "${written}"`)
  return Number(written)
}

const closedNow = () => {
  const hour = (new Date().getUTCHours() + 6) % 22
  return daily(hour, hour + 1)
}

const openNow = () => daily(0, 23)

/** When each run of the other workflow was sent to its webhook, by its id. */
const sentAt = new Map<string, number>()

const layerSender = Layer.succeed(Sender, {
  refusal: () => null,
  post: ({ body }) =>
    Effect.sync(() => {
      const { payload } = JSON.parse(body) as { readonly payload: { readonly session_id: string } }
      sentAt.set(payload.session_id, performance.now())
      return { _tag: "Answered" as const, status: 200, durationMillis: 1, retryAfterMillis: null }
    })
})

const layerSecrets = Layer.succeed(WebhookSecrets, {
  make: Effect.succeed(Redacted.make("")),
  seal: () => Effect.succeed(""),
  sign: () => Effect.succeed("")
})

const links = () => Effect.succeed({ artifact: () => ({ url: "", expires: "" }), liveView: () => "" })

const held = (caller: Caller, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workflow = yield* makeWorkflow(caller)
    yield* (yield* Gates).setWindow(caller, workflow.workflow.id, closedNow())
    yield* (yield* RunStore).submit(submission(workflow))
    const columns = sql.unsafe(
      "workspace_id, workflow_id, version_id, status, input, credentials, queue, options, created_at, attempts, retries, max_retries, not_before, acted, committed, data, errors"
    )
    yield* sql`insert into runs (id, ${columns}) select gen_random_uuid(), ${columns}
      from runs, generate_series(2, ${count}::integer) where workflow_id = ${workflow.workflow.id}`
    yield* sql`vacuum analyze runs`
    return workflow
  })

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

type Services = Gates | RunStore | Signals

/** How late webhooks are, one run every 50 ms, for `watchMillis`. */
const latencies = async (
  run: <A>(effect: Effect.Effect<A, unknown, Services>) => Promise<A>,
  workflow: StoredWorkflow
) => {
  const submitted = new Map<string, number>()
  const until = performance.now() + watchMillis
  while (performance.now() < until) {
    const one = submission(workflow)
    submitted.set(one.id, performance.now())
    await run(
      Effect.gen(function* () {
        yield* (yield* RunStore).submit(one)
        yield* (yield* Signals).publish({ _tag: "events" })
        yield* Effect.sleep("50 millis")
      })
    )
  }
  for (let tries = 0; tries < 600 && [...submitted.keys()].some((id) => !sentAt.has(id)); tries++) {
    await run(Effect.sleep("100 millis"))
  }
  return [...submitted].map(([id, at]) => (sentAt.get(id) ?? Number.POSITIVE_INFINITY) - at)
}

export const heldRuns = async (): Promise<ReadonlyArray<Row>> => {
  const count = asked()
  const patient = (url: string) => Redacted.make(`${url}?options=-c%20statement_timeout%3D0`)
  const databaseLayer = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(patient(url), 12)))
  const services = Layer.mergeAll(Gates.layer, Crypto.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(databaseLayer, layerSender)),
    Layer.orDie
  )
  const silent = Layer.succeed(References.MinimumLogLevel, "None")
  const runtime = ManagedRuntime.make(Layer.mergeAll(Layer.provideMerge(layerSecrets, services), silent))
  const run = runtime.runPromise
  try {
    const caller = await run(makeWorkspace())
    const [one, many, other] = await run(Effect.all([held(caller, 1), held(caller, count), makeWorkflow(caller)]))
    const edited =
      (act: (gates: Gates["Service"], id: StoredWorkflow["workflow"]["id"]) => Effect.Effect<unknown, unknown>) =>
      (workflow: StoredWorkflow) =>
      () =>
        timed(() => run(Effect.flatMap(Gates, (gates) => act(gates, workflow.workflow.id))))
    const edits = {
      open: edited((gates, id) => gates.setWindow(caller, id, openNow())),
      pause: edited((gates, id) => gates.pause(caller, id, { reason: "", until: null })),
      unpause: edited((gates, id) => gates.unpause(caller, "workflow", [id])),
      preview: edited((gates, id) => gates.preview(caller, id, closedNow(), { openings: 10 })),
      close: edited((gates, id) => gates.setWindow(caller, id, closedNow())),
      lift: edited((gates, id) => gates.unpause(caller, "run_window", [id]))
    }
    const rows: Array<Row> = []
    const took = new Map<string, readonly [Array<number>, Array<number>]>()
    for (let round = 0; round < rounds; round++) {
      for (const [name, act] of Object.entries(edits)) {
        const [ones, manys] = took.get(name) ?? [[], []]
        took.set(name, [ones, manys])
        const [few, all] = await inTurn(1, act(one), act(many))
        if (round > 4) {
          ones.push(few)
          manys.push(all)
        }
      }
      await run(Effect.flatMap(Gates, (gates) => gates.setWindow(caller, one.workflow.id, closedNow())))
      await run(Effect.flatMap(Gates, (gates) => gates.setWindow(caller, many.workflow.id, closedNow())))
    }
    for (const [name, [ones, manys]] of took) {
      const [reference, value] = [percentile(ones, 0.5), percentile(manys, 0.5)]
      rows.push({
        name: `${name} beside ${count.toLocaleString("en")} held runs`,
        value: millis(value),
        reference: `${millis(reference)} for 1 run`,
        ratio: value / reference,
        target: "≤ 1.2",
        ok: value / reference <= 1.2
      })
    }

    // The webhooks of another workflow, while each of the held runs is told of the hold, and delivered.
    await run(makeWebhook(caller, { workflowId: other.workflow.id, eventTypes: ["execution.queued"] }))
    await run(makeWebhook(caller, { workflowId: many.workflow.id, eventTypes: ["execution.paused"] }))
    const background = runtime.runFork(
      Effect.scoped(
        Effect.all([Scheduler.run(), Dispatcher.run({ ...Dispatcher.defaults, links })], { concurrency: 2 })
      )
    )
    await latencies(run, other)
    sentAt.clear()
    const quiet = await latencies(run, other)
    await run(Effect.flatMap(Gates, (gates) => gates.setWindow(caller, many.workflow.id, openNow())))
    await run(Effect.flatMap(Gates, (gates) => gates.setWindow(caller, many.workflow.id, closedNow())))
    const loud = await latencies(run, other)
    const told = [...sentAt].length - quiet.length - loud.length
    const [reference, value] = [percentile(quiet, 0.99), percentile(loud, 0.99)]
    rows.push({
      name: `webhook p99 beside ${count.toLocaleString("en")} told (${told} sent)`,
      value: millis(value),
      reference: `${millis(reference)} quiet`,
      ratio: value / reference,
      target: "≤ 2",
      ok: value / reference <= 2
    })
    background.interruptUnsafe()
    return rows
  } finally {
    await runtime.dispose()
  }
}
