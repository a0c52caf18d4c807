/** What recording every trace costs: the processor time of `POST /run`, and of a run, recorded and not. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { Agent, createServer, request } from "node:http"
import { fileURLToPath } from "node:url"
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Telemetry from "../../adapters/telemetry/Telemetry.ts"
import type { Browser } from "../../core/browser/Browser.ts"
import * as AgentExecutor from "../../core/execution/AgentExecutor.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { Runs } from "../../core/run/Runs.ts"
import * as Worker from "../../core/run/Worker.ts"
import * as Trace from "../../core/runtime/Trace.ts"
import { Workflows } from "../../core/workflow/Workflows.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../support/browser.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"
import { listening } from "../support/listening.ts"
import { executablePath } from "../support/realBrowser.ts"
import * as ServerFork from "../support/ServerFork.ts"
import { processMillis, threadMillis } from "./ProcessTime.ts"
import { median, millis, type Row } from "./Row.ts"

/** A receiver that costs the measured processes nothing. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = fork(fileURLToPath(new URL("./Receiver.ts", import.meta.url)))
    const [ready] = await once(child, "message")
    return { child, url: (ready as { readonly url: string }).url }
  }),
  ({ child }) => Effect.sync(() => child.disconnect())
)

/** Short turns in one process, so that both ways of each pair see the same machine and the same compiled code. */
const pairs = Number(process.env.SLUICE_BENCH_ROUNDS ?? 30)
const warmUp = 6

/** What each pair of turns cost, in milliseconds for one piece. */
const compared = (off: ReadonlyArray<number>, on: ReadonlyArray<number>) => ({
  off: median(off),
  on: median(on),
  ratio: median(on.map((value, pair) => value / (off[pair] ?? value)))
})

const requestsInTurn = 150
const connections = 8

/** The processor time of the process that answers, for one request whose caller records its trace, or does not. */
const requests = Effect.gen(function* () {
  const { url } = yield* receiver
  const server = yield* ServerFork.start(yield* freshDatabase, [], { OTEL_EXPORTER_OTLP_ENDPOINT: url })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
  const body = JSON.stringify({ workflow_id: server.workflowId, run_input_variables: { customer: "c-1", amount: 12 } })
  const send = (flags: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        "cc-key": server.key,
        "content-type": "application/json",
        traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`
      }
      const sent = request(`${server.url}/run`, { method: "POST", agent, headers }, (answer) => {
        answer.resume()
        answer.on("end", () => (answer.statusCode === 201 ? resolve() : reject(new Error(`${answer.statusCode}`))))
      })
      sent.on("error", reject)
      sent.end(body)
    })
  const turn = async (flags: string) => {
    const before = threadMillis(server.pid)
    let left = requestsInTurn
    const one = async () => {
      while (left-- > 0) await send(flags)
    }
    await Promise.all(Array.from({ length: connections }, one))
    return (threadMillis(server.pid) - before) / requestsInTurn
  }
  return yield* Effect.promise(async () => {
    const [off, on]: [Array<number>, Array<number>] = [[], []]
    for (let pair = -warmUp; pair < pairs; pair++) {
      // Either way is the first in every other pair, so that what grows meanwhile counts for both.
      for (const flags of pair % 2 === 0 ? ["00", "01"] : ["01", "00"]) {
        const millis = await turn(flags)
        if (pair >= 0) (flags === "01" ? on : off).push(millis)
      }
    }
    return compared(off, on)
  })
}).pipe(Effect.scoped)

const nodes = (url: string) =>
  graphOf(url, [
    { action: "INPUT_TEXT", parameters: { selector: "#a", text: "some text" } },
    { action: "CLICK", parameters: { selector: "#b", wait_time: 0 } }
  ])

interface Measured {
  readonly browser: Layer.Layer<Browser, unknown>
  /** The address of a page with the elements of the workflow. */
  readonly url: string
  readonly runsInTurn: number
  readonly pairs: number
  /** The processor time until now, in milliseconds. */
  readonly used: () => number
}

/** The processor time of one run of four nodes, recorded and not. */
const runs = ({ browser, pairs, runsInTurn, url, used }: Measured) =>
  Effect.gen(function* () {
    const { url: to } = yield* receiver
    const database = yield* freshDatabase
    const services = Layer.mergeAll(Runs.layer, Workflows.layer, AgentExecutor.layer).pipe(
      Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
      Layer.provideMerge(Layer.mergeAll(Postgres.layer(Redacted.make(database), 8), Crypto.layer, browser)),
      Layer.provideMerge(MemoryArtifacts.layer)
    )
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: to, OTEL_METRICS_EXPORTER: "none" }
    return yield* Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const stored = yield* (yield* Workflows).create(caller, { name: "Shop", ...nodes(url) })
      const submitted = yield* Runs
      const store = yield* RunStore
      const recorder = yield* Trace.Recorder
      const turnOfRuns = Effect.gen(function* () {
        for (let count = 0; count < runsInTurn; count++) {
          yield* submitted.submit(caller, { workflowId: stored.workflow.id, input: {}, options: {} })
        }
        let settled = 0
        const counted = RunStore.of({
          ...store,
          settle: (...of) => Effect.tap(store.settle(...of), () => Effect.sync(() => settled++))
        })
        const before = used()
        const worker = yield* Effect.forkChild(
          Worker.run({ name: "bench", capacity: 8, leaseMillis: 30_000, graceMillis: 0 }).pipe(
            Effect.provideService(RunStore, counted)
          )
        )
        while (settled < runsInTurn) yield* Effect.sleep("20 millis")
        const millis = used() - before
        // A worker that ends while the next turn begins would claim runs of that turn, and not finish them.
        yield* Fiber.interrupt(worker)
        return millis / runsInTurn
      })
      const turn = Effect.timeoutOrElse(turnOfRuns, {
        duration: "2 minutes",
        orElse: () => Effect.die(new Error(`${runsInTurn} runs were not carried out within two minutes`))
      })
      const [off, on]: [Array<number>, Array<number>] = [[], []]
      for (let pair = -warmUp; pair < pairs; pair++) {
        for (const one of pair % 2 === 0 ? [null, recorder] : [recorder, null]) {
          const millis = yield* Effect.provideService(turn, Trace.Recorder, one)
          if (pair >= 0) (one === null ? off : on).push(millis)
        }
      }
      return compared(off, on)
    }).pipe(
      Effect.scoped,
      Effect.provide(services),
      Effect.provide(Telemetry.layer({ environment, part: "worker", version: "1.0.0" }))
    )
  }).pipe(Effect.scoped)

const ownMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

const shop = "https://shop.example/"

/** In a browser that costs nothing, which makes the most of what is recorded. */
const scripted = runs({
  browser: ScriptedBrowser.layer({ [shop]: [{ selector: "#a", value: "" }, { selector: "#b" }] }),
  url: shop,
  runsInTurn: 40,
  pairs,
  used: ownMillis
})

/** In Chromium, whose processes count as well. */
const real = Effect.gen(function* () {
  const site = createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "text/html" }).end('<input id="a"><button id="b">Next</button>')
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => site.close()))
  const url = `http://127.0.0.1:${yield* listening(site)}/`
  const browser = PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [url] })
  return yield* runs({ browser, url, runsInTurn: 8, pairs: Math.ceil(pairs / 2), used: processMillis })
}).pipe(Effect.scoped)

const row = (name: string, { off, on, ratio }: ReturnType<typeof compared>): Row => ({
  name,
  value: millis(on),
  reference: `${millis(off)} without`,
  ratio,
  target: "≤ 1.05",
  ok: ratio <= 1.05
})

export const traces = async (): Promise<ReadonlyArray<Row>> => [
  row("processor, POST /run, recorded", await Effect.runPromise(requests)),
  row("processor, run in Chromium, recorded", await Effect.runPromise(real)),
  row("processor, run in no browser, recorded", await Effect.runPromise(scripted))
]
