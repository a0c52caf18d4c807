import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import type { ModelDecision } from "../../../apps/api/decision/DecisionsApi.ts"
import * as Models from "../../../apps/cli/layers/Models.ts"
import * as Settings from "../../../apps/cli/Settings.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { says, serve, wordsOf } from "../../support/modelServer.ts"
import { chooses } from "../../support/modelWalk.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"

const shop = "https://shop.example/"
const site: ScriptedBrowser.ScriptedSite = { [shop]: [{ selector: "#buy", text: "Buy" }] }

type Environment = Readonly<Record<string, string>>

/** The settings of a command that is started with these variables. */
const settingsOf = Effect.fnUntraced(function* (env: Environment) {
  const given: Array<Models.ModelSettings> = []
  const command = Command.make("work", Settings.model, (settings) => Effect.sync(() => void given.push(settings)))
  yield* Command.runWith(command, { version: "0" })([]).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provide(NodeServices.layer)
  )
  return given[0] ?? assert.fail("the settings were not taken")
})

/** The service of a process that is started with these variables. */
const serving = <A, E>(env: Environment, test: Effect.Effect<A, E, Layer.Success<typeof layerInMemory>>) =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(env)
    const served = Layer.fresh(layerInMemory).pipe(Layer.provide(Models.layerAvailability(settings)))
    return yield* Effect.provide(test, served)
  })

/** Has a worker that is started with these variables do what waits. */
const work = Effect.fnUntraced(function* (env: Environment) {
  const executor = AgentExecutor.layer.pipe(
    Layer.provide([ScriptedBrowser.layer(site), Models.layer(yield* settingsOf(env))]),
    Layer.fresh
  )
  const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
  yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one), { discard: true }).pipe(Effect.provide(executor))
})

const click: Step = { action: "CLICK", parameters: { execution: "LLM_DOM", prompt: "Buy it" } }
const looks: Step = {
  action: "BOOL_CONDITION",
  parameters: { execution: "LLM_VISION", prompt: "It is a shop" },
  to: { yes: 3, no: 4 }
}

const save = Effect.fnUntraced(function* (me: Member, steps: ReadonlyArray<Step>) {
  const { send } = yield* Service
  const json = { name: "Shop", ...graphOf(shop, steps), input_schema: {}, output_schema: {} }
  return yield* send({ method: "POST", path: "/workflows", key: me.key, json })
})

/** Runs a workflow of these steps on a worker, and answers its record and its decisions. */
const carriedOut = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, env: Environment) {
  const { member, send } = yield* Service
  const me = yield* member("Member")
  const saved = yield* save(me, steps)
  assert.strictEqual(saved.status, 201, saved.text)
  const json = { workflow_id: saved.body.id, additional_context: { budget: "generous" } }
  const started = yield* send({ method: "POST", path: "/run", key: me.key, json })
  yield* work(env)
  const path = `/run/${started.body.session_id}`
  const [error] = (yield* send({ method: "GET", path, key: me.key })).body.errors as ReadonlyArray<{
    readonly error_code: string
    readonly message: string
  }>
  const { body } = yield* send({ method: "GET", path: `${path}/decisions`, key: me.key })
  return { error, decisions: body.decisions as ReadonlyArray<typeof ModelDecision.Type> }
})

const holds = says(JSON.stringify({ holds: true, reason: "So it looks" }))

it.live("a worker asks the model of its settings, by its names, with its key and within its budget", () =>
  Effect.gen(function* () {
    const { asked, url } = yield* serve(chooses("Buy"), holds, chooses("Buy"))
    const env = {
      SLUICE_MODEL_URL: url,
      SLUICE_MODEL: "small, large",
      SLUICE_MODEL_VISION: "eyes",
      SLUICE_MODEL_KEY: "model-key"
    }
    const steps: ReadonlyArray<Step> = [
      click,
      looks,
      { action: "CLICK", parameters: { ...click.parameters, llm_model: "large" } }
    ]
    yield* serving(
      env,
      Effect.gen(function* () {
        const done = yield* carriedOut(steps, env)
        assert.isUndefined(done.error)
        assert.deepStrictEqual(
          asked.map(({ body, headers, path }) => [path, body.model, headers.authorization]),
          ["small", "eyes", "large"].map((name) => ["/v1/chat/completions", name, "Bearer model-key"])
        )
        assert.include(asked.map(wordsOf)[0], "Buy it")
        for (const one of asked)
          assert.include(wordsOf(one), '{"budget":"generous"}', "the additional context of the run")
        assert.deepStrictEqual(
          done.decisions.map(({ purpose }) => purpose),
          ["choose", "judge", "choose"]
        )
        for (const [budget, used] of [
          [{ SLUICE_MODEL_CALLS: "1" }, "SLUICE_MODEL_CALLS"],
          [{ SLUICE_MODEL_TOKENS: "100" }, "SLUICE_MODEL_TOKENS"]
        ] as const) {
          const { error } = yield* carriedOut([click, click], { ...env, ...budget })
          assert.strictEqual(error?.error_code, "MODEL-E0004")
          assert.include(error?.message, used)
        }
      })
    )
  }).pipe(Effect.scoped)
)

it.live("the installation names its models, or the settings that configure one", () =>
  Effect.gen(function* () {
    const asked = (env: Environment) =>
      serving(
        env,
        Effect.gen(function* () {
          const { member, send } = yield* Service
          const { key } = yield* member("Viewer")
          return (yield* send({ method: "GET", path: "/installation", key })).body.models
        })
      )
    const setting = "SLUICE_MODEL_URL and SLUICE_MODEL"
    const env = { SLUICE_MODEL_URL: "http://127.0.0.1:9/v1", SLUICE_MODEL: "small, large" }
    assert.deepStrictEqual(yield* asked(env), { names: ["small", "large"], setting })
    assert.deepStrictEqual(yield* asked({}), { names: [], setting })
  })
)

it.live("without the settings a step for a model ends by its code, and is refused when it is saved", () =>
  Effect.gen(function* () {
    const env = { SLUICE_MODEL_URL: "http://127.0.0.1:9/v1", SLUICE_MODEL: "small" }
    yield* serving(
      env,
      Effect.gen(function* () {
        const { decisions, error } = yield* carriedOut([click], {})
        assert.strictEqual(error?.error_code, "MODEL-E0001")
        assert.include(error?.message, "set SLUICE_MODEL_URL and SLUICE_MODEL")
        assert.deepStrictEqual(decisions, [])
      })
    )
    const refused = yield* serving(
      {},
      Effect.gen(function* () {
        return yield* save(yield* (yield* Service).member("Member"), [click])
      })
    )
    assert.strictEqual(refused.status, 400)
    assert.include(refused.text, "SLUICE_MODEL_URL")
  }).pipe(Effect.scoped)
)

it.live.each([
  [{ SLUICE_MODEL_URL: "http://127.0.0.1:9/v1" }, "set SLUICE_MODEL to a name as well"],
  [{ SLUICE_MODEL: "small" }, "set SLUICE_MODEL_URL as well"],
  [{ SLUICE_MODEL_VISION: "eyes" }, "set SLUICE_MODEL_URL as well"]
] as const)("a process that is started with %j alone does not begin", ([env, words]) =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(Layer.build(Models.layer(yield* settingsOf(env))))
    assert.include(failure.message, words)
  }).pipe(Effect.scoped)
)
