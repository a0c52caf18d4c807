/** Plain forms of the steps of a model, from the run that finds them to the version that has them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { ModelAvailability } from "../../../core/workflow/ModelAvailability.ts"
import { graphOf } from "../../support/browser.ts"
import { model as served, serve as serveModel } from "../../support/modelServer.ts"
import { chooses, out } from "../../support/modelWalk.ts"
import { sharedBrowser } from "../../support/realBrowser.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { html, serve } from "../../support/site.ts"

const withModel = Layer.fresh(layerInMemory).pipe(Layer.provide(Layer.succeed(ModelAvailability, { names: ["small"] })))

type Fields = Readonly<Record<string, unknown>>

const page = `<p id="out">nothing</p><button onclick="out.textContent='saved'">Save</button><button>Delete</button>`

const click = (prompt: string, more: object = {}) => ({
  action: "CLICK",
  parameters: { execution: "LLM_DOM", prompt, wait_time: 2_000, ...more }
})

it.live("a step of a model is done without it from the second run on, until its node changes", () =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const origin = yield* serve({ "/": html(page) })
    const { asked, url } = yield* serveModel(chooses("Save"))
    const { key } = yield* member("Member")
    const get = (path: string) => Effect.map(send({ method: "GET", path, key }), ({ body }) => body)
    const json = (prompt: string, settings: object, more: object = {}) => ({
      name: "Save",
      ...graphOf(origin, [click(prompt, more), out]),
      ...settings
    })
    const made = yield* send({ method: "POST", path: "/workflows", key, json: json("Press Save", {}) })
    const workflow = String(made.body.id)
    const path = `/workflows/${workflow}`
    const put = (body: object) => send({ method: "PUT", path, key, json: body })
    const patches = Effect.map(get(`${path}/patches`), (all) => all as unknown as ReadonlyArray<Fields>)
    const run = (more: object = {}) =>
      Effect.gen(function* () {
        const json = { workflow_id: workflow, run_input_variables: {}, ...more }
        const session = (yield* send({ method: "POST", path: "/run", key, json })).body.session_id
        const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
        yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one))
        const record = yield* get(`/run/${session}`)
        assert.deepInclude(record, { status: "execution.success", data: { out: "saved" } })
        return record.model_calls
      })

    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(), { spent: 1, saved: 0 })
      assert.deepStrictEqual(yield* run(), { spent: 1, saved: 0 }, "without enable_compile, it is only offered")
      const [offered, ...others] = yield* patches
      assert.deepStrictEqual(others, [])
      assert.deepInclude(offered, { kind: "plain_form", parameter: "execution", confirmations: 2, state: "offered" })
      assert.deepStrictEqual(JSON.parse(String(offered?.after)), {
        execution: "STATIC",
        selector: '//button[normalize-space()="Save"]'
      })
      assert.deepStrictEqual(offered?.reach, { site: new URL(origin).host, decides: null })

      yield* put(json("Press Save", { enable_compile: true }))
      assert.deepStrictEqual(yield* run(), { spent: 0, saved: 1 })
      const additional = yield* run({ additional_context: { note: "Press the other one" } })
      assert.deepStrictEqual(additional, { spent: 1, saved: 0 }, "what a client says in addition is for the model")

      yield* put(json("Press the button Save", { enable_compile: true }))
      assert.deepStrictEqual(yield* patches, [], "the node says something else by now")
      assert.deepStrictEqual(yield* run(), { spent: 1, saved: 0 })
      assert.deepStrictEqual(yield* run(), { spent: 0, saved: 1 })
      const [again] = yield* patches
      const applied = yield* send({ method: "POST", path: `${path}/patches/${String(again?.id)}/apply`, key })
      assert.strictEqual(applied.status, 200, applied.text)
      const nodes = (yield* get(path)).nodes as ReadonlyArray<{ readonly parameters: Fields }>
      assert.deepInclude(nodes[1]?.parameters, {
        execution: "STATIC",
        prompt: "Press the button Save",
        wait_time: 2_000
      })
      assert.deepStrictEqual(yield* run(), { spent: 0, saved: 0 })

      yield* put(json("Press Save", { enable_compile: true }, { human_mode: true }))
      assert.deepStrictEqual(yield* run(), { spent: 1, saved: 0 })
      const [last] = (yield* patches).filter(({ state }) => state === "offered")
      yield* send({ method: "POST", path: `${path}/patches/${String(last?.id)}/dismiss`, key })
      assert.deepStrictEqual(yield* run(), { spent: 1, saved: 0 }, "a person does not want it")
      assert.lengthOf(asked, 6)
    }).pipe(Effect.provide(AgentExecutor.layer.pipe(Layer.provide([sharedBrowser, served(url)]))))
  }).pipe(Effect.scoped, Effect.provide(withModel))
)
