import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"
import * as Site from "../../apps/demo/Site.ts"
import * as Host from "../../core/builder/host/Host.ts"
import * as StartingState from "../../core/builder/host/StartingState.ts"
import * as AgentExecutor from "../../core/execution/AgentExecutor.ts"
import * as Worker from "../../core/run/Worker.ts"
import { migratedDatabase } from "../support/databases.ts"
import * as Processes from "../support/processes.ts"
import { chromium } from "../support/realBrowser.ts"
import { Service, layer as serviceLayer } from "../support/service.ts"
import { until } from "../support/waiting.ts"

/** The service with a host and a worker, both on one real Chromium that may reach the site. */
const serviceFor = (site: string) => {
  const host = Layer.effectDiscard(
    Effect.forkScoped(
      Host.run({
        name: "host",
        capacity: 2,
        leaseMillis: 30_000,
        beginningOf: () => Effect.succeed(StartingState.empty)
      })
    )
  )
  const worker = Layer.effectDiscard(
    Effect.forkScoped(Worker.run({ name: "worker", capacity: 1, leaseMillis: 30_000, graceMillis: 0 }))
  ).pipe(Layer.provide(AgentExecutor.layer))
  return Layer.mergeAll(host, worker).pipe(Layer.provide(chromium([site])), Layer.provideMerge(serviceLayer))
}

const withService = <A, E>(test: (site: string) => Effect.Effect<A, E, Service>) =>
  Effect.scoped(Effect.flatMap(Site.serve(0), (site) => test(site).pipe(Effect.provide(Layer.fresh(serviceFor(site))))))

const base = "/workflow-builder/agent"

/** Asks until the answer is as wanted. */
const answered = (path: string, key: string, isWanted: (body: Readonly<Record<string, unknown>>) => boolean) =>
  Effect.flatMap(Service, ({ send }) =>
    until(
      path,
      Effect.map(send({ method: "GET", path, key }), ({ body }) => body),
      isWanted
    )
  )

const tell = (key: string, id: string, text: string) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const taken = yield* send({ method: "POST", path: `${base}/${id}/message`, key, json: { text } })
    assert.strictEqual(taken.status, 200, taken.text)
    yield* answered(`${base}/${id}/status`, key, ({ isProcessing }) => isProcessing !== true)
    const { body } = yield* send({ method: "GET", path: `${base}/${id}/messages?tail=true&limit=1`, key })
    const [last] = body.messages as ReadonlyArray<{ readonly text: string; readonly result?: Record<string, unknown> }>
    return { text: last?.text ?? "", result: last?.result ?? {} }
  })

const model = JSON.stringify({
  type: "object",
  properties: {
    orders: {
      type: "array",
      path: "//table[@id='orders']/tbody/tr",
      items: {
        type: "object",
        properties: { number: { type: "string", path: "/td[1]/a" }, total: { type: "number", path: "/td[5]" } }
      }
    }
  }
})

type Answer = Readonly<Record<string, unknown>>

describe.concurrent("conversations", () => {
  it.live("a saved workflow repeats what messages did in a real browser, to the same JSON", () =>
    withService((site) =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Member")
        const inputs = { user: demoUsers.clerk.user, password: demoUsers.clerk.password, status: "open" }
        const opened = yield* send({
          method: "POST",
          path: `${base}/session`,
          key,
          json: { name: "Open orders", startUrl: `${site}/login`, jsonExample: inputs }
        })
        const id = String(opened.body.conversationId)
        yield* answered(`${base}/${id}/status`, key, ({ status }) => status === "completed")
        yield* tell(key, id, "type //input[@id = 'user'] = {{context.inputs.user}}")
        const wrong = yield* tell(key, id, '{"action":"CLICK","parameters":{"selector":"//input","wait_time":200}}')
        assert.include(wrong.text, "2 elements match after 200 ms, expected exactly 1")
        yield* tell(key, id, "type css=#password = {{context.inputs.password}}")
        assert.deepInclude((yield* tell(key, id, "press enter")).result, { done: true })
        yield* tell(key, id, "select //select[@id='status'] = {{context.inputs.status}}")
        const shown = yield* tell(key, id, "click role=button[name='Show']")
        assert.deepInclude(shown.result, { done: true })
        const check = {
          action: "BOOL_CONDITION",
          name: "Signed in",
          parameters: {
            comparison_operator: "EQUAL",
            comparison_value_1: "<<xpath://h1>>",
            comparison_value_2: "Orders"
          }
        }
        assert.deepInclude((yield* tell(key, id, JSON.stringify(check))).result, { done: true })
        const { result } = yield* tell(key, id, `extract ${model}`)
        const data = result.data as {
          readonly orders: ReadonlyArray<{ readonly number: string; readonly total: number }>
        }
        assert.isAbove(data.orders.length, 1)
        for (const { number, total } of data.orders) assert.isTrue(number !== "" && total > 0)

        const picture = yield* send({ method: "GET", path: `${base}/${id}/screenshot`, key })
        assert.include(String(picture.body.url), `${site}/orders`)
        assert.deepStrictEqual(
          [...Buffer.from(String(picture.body.base64), "base64").subarray(0, 3)],
          [0xff, 0xd8, 0xff]
        )
        const html = yield* send({ method: "GET", path: `${base}/${id}/html`, key })
        assert.include(String(html.body.html), data.orders[0]?.number ?? "no order")

        const saved = yield* send({ method: "POST", path: `${base}/${id}/save`, key, json: {} })
        assert.strictEqual(saved.status, 200, saved.text)
        assert.notInclude(JSON.stringify(saved.body), demoUsers.clerk.password)
        const run = yield* send({
          method: "POST",
          path: "/run",
          key,
          json: { workflow_id: saved.body.id, run_input_variables: inputs }
        })
        const record = yield* answered(`/run/${run.body.session_id}`, key, ({ status }) =>
          ["execution.success", "execution.failed", "execution.stopped"].includes(String(status))
        )
        assert.deepInclude(record, { status: "execution.success", data })

        const again = yield* send({
          method: "POST",
          path: `${base}/session/from-failed-run`,
          key,
          json: { sessionId: run.body.session_id }
        })
        assert.deepInclude(again.body, { statusCode: 409, code: "RUN_NOT_FAILED" })
        const replayed = yield* tell(key, id, "replay")
        assert.include(replayed.text, "The end of the workflow comes next")
        yield* send({ method: "DELETE", path: `${base}/${id}`, key })
      })
    )
  )

  it.live("a conversation goes between an API and a worker, and on in another worker when that one ends", () =>
    Effect.gen(function* () {
      const [folder, databaseUrl] = [yield* Processes.dataDir, yield* migratedDatabase]
      const site = yield* Site.serve(0)
      const settings = {
        DATABASE_URL: databaseUrl,
        SLUICE_MASTER_KEY: Processes.masterKey,
        SLUICE_DATA_DIR: folder,
        SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
      }
      const migrated = yield* Processes.sluice(["migrate"], settings)
      assert.strictEqual(yield* migrated.ended, 0)
      const api = yield* Processes.sluice(["api"], settings)
      const first = yield* Processes.sluice(["worker"], settings)
      const url = yield* Processes.ready(api)
      const opened = yield* Processes.send(url, "POST", `${base}/session`, {
        name: "Orders",
        startUrl: `${site}/login`
      })
      const path = `${base}/${opened.conversationId}`
      const rested = Effect.gen(function* () {
        const status = Effect.map(Processes.send(url, "GET", `${path}/status`), (answer): Answer => answer)
        yield* until("the end of a turn", status, ({ isProcessing }) => isProcessing !== true)
        const { messages } = yield* Processes.send(url, "GET", `${path}/messages?tail=1`)
        return String((messages as unknown as ReadonlyArray<Answer>)[0]?.text)
      })
      const say = (text: string) => Effect.andThen(Processes.send(url, "POST", `${path}/message`, { text }), rested)
      assert.strictEqual(yield* rested, `Opened ${site}/login`)
      assert.include(yield* say("type //input[@id='user'] = me"), "Done: Type into //input[@id='user']")
      assert.deepInclude((yield* Processes.send(url, "GET", `${path}/html`)) as Answer, { url: `${site}/login` })
      first.child.kill("SIGTERM")
      yield* first.ended
      const none: Answer = yield* Processes.send(url, "GET", `${path}/screenshot`)
      assert.deepInclude(none, { statusCode: 409, code: "NO_BROWSER_ATTACHED" })
      yield* Processes.sluice(["worker"], settings)
      assert.include(yield* say("replay"), "Did 1 step.")
      assert.isAbove(String((yield* Processes.send(url, "GET", `${path}/screenshot`)).base64).length, 1_000)
    }).pipe(Effect.scoped)
  )
})
