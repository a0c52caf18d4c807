/** The cost of a run: from its submission to the first address, and all of its steps against the same ones by hand. */
import { createServer } from "node:http"
import { Effect, Layer, Redacted } from "effect"
import { chromium } from "playwright-core"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"
import * as Site from "../../apps/demo/Site.ts"
import { demoWorkflow } from "../../apps/demo/Workflow.ts"
import * as AgentExecutor from "../../core/execution/AgentExecutor.ts"
import { Runs } from "../../core/run/Runs.ts"
import * as Worker from "../../core/run/Worker.ts"
import { Workflows } from "../../core/workflow/Workflows.ts"
import { RunId } from "../../core/workspace/Ids.ts"
import { account } from "../support/accounts.ts"
import { walk } from "../support/browser.ts"
import { freshDatabase } from "../support/databases.ts"
import { entryOf } from "../support/entries.ts"
import { graph, makeWorkspace } from "../support/fixtures.ts"
import { executablePath } from "../support/realBrowser.ts"
import { rest } from "./ProcessTime.ts"
import { inTurn, median, millis, type Row, timed } from "./Row.ts"

const browser = Layer.fresh(
  PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true })
)

/** The demo workflow through the agent, and its steps by hand, each in a fresh context of a warm browser, in turn. */
const demo = Effect.gen(function* () {
  const site = yield* Site.serve(0)
  const workflow = demoWorkflow(site)
  const { password, user } = demoUsers.clerk
  const clerk = account("MARLOW", { userName: user, password }, entryOf({}, { domain: site }))
  const context = yield* Effect.context<never>()
  const byHand = yield* Effect.promise(() => chromium.launch({ executablePath, args: [...PlaywrightBrowser.switches] }))
  yield* Effect.addFinalizer(() => Effect.promise(() => byHand.close()))
  const { runByHand } = yield* Effect.promise(() => import("./ByHand.ts"))
  return yield* Effect.gen(function* () {
    const services = yield* Effect.context()
    const agent = async () => {
      const took = await timed(() =>
        Effect.runPromiseWith(services as never)(
          walk(
            workflow,
            { MARLOW: "clerk", status: "open" },
            { outputSchema: workflow.output_schema, accounts: [clerk] }
          ) as never
        )
      )
      await rest()
      return took
    }
    const hand = async () => {
      // The page is there before, and closed after: the agent has to see to both in its time.
      const page = await (await byHand.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
      await rest()
      const took = await timed(() => runByHand(page, site, "open"))
      await page.context().close()
      await rest()
      return took
    }
    return yield* Effect.promise(() => inTurn(25, agent, hand))
  }).pipe(Effect.provide(browser), Effect.provide(context))
}).pipe(Effect.scoped)

/** From the call that submits to the moment at which the site sees the request. */
const toNavigation = Effect.gen(function* () {
  let seen: () => void = () => {}
  const server = createServer((_request, response) => {
    seen()
    response.end("<title>x</title>")
  })
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  const database = yield* freshDatabase
  const services = Layer.mergeAll(Runs.layer, Workflows.layer, AgentExecutor.layer).pipe(
    Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
    Layer.provideMerge(Layer.mergeAll(Postgres.layer(Redacted.make(database), 8), Crypto.layer, browser)),
    Layer.provideMerge(MemoryArtifacts.layer)
  )
  return yield* Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    const stored = yield* (yield* Workflows).create(caller, { name: "Navigate", ...graph(url) })
    yield* Effect.forkScoped(Worker.run({ name: "bench", capacity: 2, leaseMillis: 30_000, graceMillis: 0 }))
    const runs = yield* Runs
    const took: Array<number> = []
    for (let round = 0; round < 40; round++) {
      const navigated = new Promise<void>((resolve) => {
        seen = resolve
      })
      const began = performance.now()
      const run = yield* runs.submit(caller, { workflowId: stored.workflow.id, input: {}, options: {} })
      yield* Effect.promise(() => navigated)
      if (round > 4) took.push(performance.now() - began)
      while ((yield* runs.get(caller, RunId.make(run.id))).run.endedAt === null) yield* Effect.sleep("20 millis")
      yield* Effect.promise(rest)
    }
    return median(took)
  }).pipe(Effect.scoped, Effect.provide(services))
}).pipe(Effect.scoped)

export const runs = async (): Promise<ReadonlyArray<Row>> => {
  const navigation = await Effect.runPromise(toNavigation)
  const [agent, hand] = await Effect.runPromise(demo)
  return [
    {
      name: "submit to first navigation, warm, p50",
      value: millis(navigation),
      reference: "",
      ratio: navigation / 50,
      target: "≤ 50 ms",
      ok: navigation <= 50
    },
    {
      name: "the demo workflow",
      value: millis(agent),
      reference: `${millis(hand)} by hand`,
      ratio: agent / hand,
      target: "≤ 1.10",
      ok: agent / hand <= 1.1
    }
  ]
}
