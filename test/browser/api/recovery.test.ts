import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import {
  answering,
  calls,
  type Reply,
  says,
  model as served,
  serve as serveModel,
  wordsOf
} from "../../support/modelServer.ts"
import { sharedBrowser } from "../../support/realBrowser.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { type Answer, html, serve } from "../../support/site.ts"

type Fields = Readonly<Record<string, unknown>>

let id = "pay-old"
const payment: Answer = (request, response) =>
  html(`<form action="/done"><h2>Invoice of Ada Lovelace</h2><button id="${id}">Pay now</button></form>`)(
    request,
    response
  )

const site = serve({
  "/": payment,
  "/done": html(`<h1>Done</h1><a href="/broken" id="next">Next</a>`),
  "/twins": html(`
    <section><h2>For me</h2><form action="/done"><button id="me-2">Place order</button></form></section>
    <section><h2>As a gift</h2><form action="/done"><button id="gift-2">Place order</button></form></section>`),
  "/broken": (_request, response) => void response.writeHead(503).end()
})

it.live("what a run recovers from is in its record and offered as a patch, which makes the recovery unnecessary", () =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const origin = yield* site
    const { key } = yield* member("Member")
    const get = (path: string) => Effect.map(send({ method: "GET", path, key }), ({ body }) => body)
    const save = (steps: ReadonlyArray<Step>, settings: object, url = origin) =>
      send({
        method: "POST",
        path: "/workflows",
        key,
        json: { name: "Pay", ...graphOf(url, steps), ...settings }
      }).pipe(
        Effect.map(({ body, text }) => {
          assert.property(body, "id", text)
          return String(body.id)
        })
      )
    const run = (workflow_id: string, run_input_variables: object = {}) =>
      Effect.gen(function* () {
        const json = { workflow_id, run_input_variables }
        const session = (yield* send({ method: "POST", path: "/run", key, json })).body.session_id
        const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
        yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one))
        return yield* get(`/run/${session}`)
      })
    const eventsOf = (record: Fields, event: string) =>
      (record.events as ReadonlyArray<{ readonly event: string; readonly payload: Fields }>).filter(
        (one) => one.event === event
      )

    yield* Effect.gen(function* () {
      const pay = { selector: "//button[@id='pay-old']", wait_time: 2_000 }
      const steps = [{ action: "CLICK", parameters: pay }]
      const workflow = yield* save(steps, { enable_xpath_recovery: true })
      const inputs = { name: "Ada Lovelace" }
      const first = yield* run(workflow, inputs)
      assert.deepInclude(first, { status: "execution.success", was_recovered: false })
      id = "pay-new"
      const second = yield* run(workflow, inputs)
      assert.deepInclude(second, { status: "execution.success", was_recovered: true })
      const [analysis] = eventsOf(second, "agent.error_analysis")
      assert.deepInclude(analysis?.payload, {
        analysis_step_name: "CLICK 1",
        recovery: "selector",
        error_category: "XPATH_INCORRECT",
        outcome: "success",
        ai_analysis: null
      })
      assert.deepStrictEqual(second.recovered_error_ids, [analysis?.payload.error_id])
      const [patch, ...others] = (yield* get(`/workflows/${workflow}/patches`)) as unknown as ReadonlyArray<Fields>
      assert.deepStrictEqual(others, [])
      assert.deepInclude(patch, { before: "//button[@id='pay-old']", first_session_id: second.session_id })
      yield* send({ method: "POST", path: `/workflows/${workflow}/patches/${patch?.id}/apply`, key })
      assert.deepInclude(yield* run(workflow, inputs), { status: "execution.success", was_recovered: false })

      const open = { action: "NAVIGATE", parameters: { url: `${origin}/broken` } }
      const requeue = { allow_requeue: true, max_retries: 2 }
      const waits = yield* run(yield* save([open], requeue))
      assert.strictEqual(waits.status, "execution.requeued")
      assert.deepInclude(eventsOf(waits, "execution.requeued")[0]?.payload, { retry_attempt: 1, delay_ms: 5_000 })
      assert.deepInclude((waits.errors as ReadonlyArray<Fields>)[0], { llm_error_category: "SERVICE_UNAVAILABLE" })
      const denied = yield* run(yield* save([open], { ...requeue, allow_requeue: false }))
      assert.strictEqual(denied.status, "execution.failed")
      const buy = { action: "CLICK", parameters: { selector: "//button[@id='pay-new']", not_repeatable: true } }
      const ended = yield* run(yield* save([buy, open], requeue))
      assert.strictEqual(ended.status, "execution.failed")
      const [error] = ended.errors as ReadonlyArray<Fields>
      assert.include(String(error?.message), "passed a node that must not be repeated")
    }).pipe(Effect.provide(AgentExecutor.layer.pipe(Layer.provide(sharedBrowser))))
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

/** Chooses the candidate that stands in a section, by its description for the model. */
const inSection = (name: string): Reply =>
  answering((asked) => {
    const lines = wordsOf(asked).split("\n")
    const line = lines.find((one) => /^c\d+:/.test(one) && one.includes(`in "${name}"`)) ?? ""
    return calls("choose_element", { element: /^c\d+/.exec(line)?.[0] ?? "" })
  })

it.live("a model tells which of several elements was meant, and nothing it says in vain helps", () =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const origin = yield* site
    const { key } = yield* member("Member")
    const get = (path: string) => Effect.map(send({ method: "GET", path, key }), ({ body }) => body)
    const lost = "//button[@id='gift-1'][.='Place orders']"
    const carriedOut = (reply: Reply) =>
      Effect.gen(function* () {
        const model = yield* serveModel(reply)
        const steps = [{ action: "CLICK", parameters: { selector: lost, wait_time: 500 } }]
        const json = { name: "Order", ...graphOf(`${origin}/twins`, steps), enable_xpath_recovery: true }
        const workflow = (yield* send({ method: "POST", path: "/workflows", key, json })).body.id
        const session = (yield* send({ method: "POST", path: "/run", key, json: { workflow_id: workflow } })).body
          .session_id
        yield* Effect.gen(function* () {
          const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
          yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one))
        }).pipe(
          Effect.provide(AgentExecutor.layer.pipe(Layer.provide(sharedBrowser), Layer.provide(served(model.url))))
        )
        const patches = (yield* get(`/workflows/${workflow}/patches`)) as unknown as ReadonlyArray<Fields>
        return { record: yield* get(`/run/${session}`), patches, asked: model.asked.length, session }
      })
    const helped = yield* carriedOut(inSection("As a gift"))
    assert.deepInclude(helped.record, { status: "execution.success", was_recovered: true })
    const analysis = (helped.record.events as ReadonlyArray<{ readonly event: string; readonly payload: Fields }>).find(
      ({ event }) => event === "agent.error_analysis"
    )
    assert.deepInclude(analysis?.payload, { recovery: "selector", outcome: "success" })
    assert.match(String(analysis?.payload.ai_analysis), /^The model took .*As a gift/)
    assert.strictEqual(helped.patches.length, 1)
    assert.deepInclude(helped.patches[0], { before: lost })
    assert.include(String(helped.patches[0]?.after), "gift-2")
    assert.strictEqual(helped.asked, 1)

    for (const [reply, questions] of [
      [says("The second one, certainly"), 3],
      [calls("choose_element", { element: "c99" }), 3],
      [calls("not_found", { reason: "They are alike" }), 1]
    ] as const) {
      const { asked, patches, record } = yield* carriedOut(reply)
      assert.strictEqual(record.status, "execution.failed")
      assert.deepInclude((record.errors as ReadonlyArray<Fields>)[0], { error_code: "SELECTOR-E0001" })
      assert.deepStrictEqual(patches, [])
      assert.strictEqual(asked, questions)
    }
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)
