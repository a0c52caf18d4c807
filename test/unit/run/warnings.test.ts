import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import type { Remark } from "../../../core/browser/Remark.ts"
import * as EventJson from "../../../core/event/EventJson.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { altered } from "../../support/alteredSessions.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const home = "https://shop.example/"
const remark: Remark = { kind: "refilled", selector: "//input", reason: "the page had emptied it" }

/** A browser on a shop that remarks something about each step, the opening of the page included. */
const browser = Layer.effect(
  Browser,
  Effect.map(Browser, ({ open }) => ({
    open: (session) =>
      Effect.map(open(session), (page) => altered(page, { navigation: { remarks: Effect.succeed([remark]) } }))
  }))
).pipe(Layer.provide(ScriptedBrowser.layer({ [home]: [{ selector: "//add" }] })))

const services = Layer.mergeAll(Runs.layer, Workflows.layer, AgentExecutor.layer).pipe(
  Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, browser))
)

const press = (selector: string): Step => ({ action: "CLICK", parameters: { selector, wait_time: 0 } })

/** The ended run of these steps, with the payload of its last event. */
const ended = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, settings: object = {}) {
  const caller = yield* makeWorkspace()
  const { workflow } = yield* (yield* Workflows).create(caller, { name: "Shop", ...graphOf(home, steps), ...settings })
  const runs = yield* Runs
  const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input: {}, options: {} })
  const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
  assert.isDefined(claimed)
  yield* Attempt.carryOut(claimed)
  const { events, run } = yield* runs.get(caller, id)
  const last = events.at(-1)?.event
  assert.isDefined(last)
  return { run, payload: EventJson.payloadOf(last, null) }
})

const messages = (run: { readonly warnings: ReadonlyArray<{ readonly message: string }> }) =>
  run.warnings.map(({ message }) => message)

describe("the warnings of steps", () => {
  it.effect("are in the record of a run that succeeds, and in the event of its end", () =>
    Effect.gen(function* () {
      const { payload, run } = yield* ended([press("//add")])
      const warning = (name: string, action: string) => ({
        code: "FIELD-W0001",
        message: "Typed again into //input: the page had emptied it",
        node: { name, action },
        value: null
      })
      assert.strictEqual(run.status, "execution.success")
      assert.deepStrictEqual(
        run.warnings.map(({ node: { action, name }, ...rest }) => ({ ...rest, node: { name, action } })),
        [warning("START 0", "START"), warning("CLICK 1", "CLICK")]
      )
      assert.strictEqual(run.warningCount, 2)
      assert.strictEqual(payload.warning_count, 2)
      assert.deepStrictEqual(payload.warnings, run.warnings.map(EventJson.reportedWarning))
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it.effect("are in that of a run that fails, without those of the step that failed", () =>
    Effect.gen(function* () {
      const { payload, run } = yield* ended([press("//add"), press("//gone")])
      assert.strictEqual(run.status, "execution.failed")
      assert.deepStrictEqual(
        run.warnings.map(({ node }) => node.name),
        ["START 0", "CLICK 1"]
      )
      assert.strictEqual(payload.warning_count, 2)
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it.effect("are the first hundred, and their number", () =>
    Effect.gen(function* () {
      const { run } = yield* ended(Array.from({ length: 120 }, () => press("//add")))
      assert.lengthOf(messages(run), 100)
      assert.strictEqual(run.warningCount, 121)
      assert.strictEqual(run.warnings.at(-1)?.node.name, "CLICK 99")
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it.effect("fail the step in a strict workflow", () =>
    Effect.gen(function* () {
      const { payload, run } = yield* ended([press("//add")], { strict: true })
      assert.strictEqual(run.status, "execution.failed")
      const [error] = run.errors
      assert.deepStrictEqual([error?.code, error?.node?.name], ["STRICT-E0001", "START 0"])
      assert.include(error?.message, "Typed again into //input: the page had emptied it. The workflow is strict")
      assert.deepStrictEqual([run.warnings, run.warningCount], [[], 0])
      assert.notProperty(payload, "warnings")
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it.effect("of an attempt that is followed by another one are not those of the run", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const { workflow } = yield* (yield* Workflows).create(caller, {
        name: "Shop",
        max_retries: 1,
        ...graphOf(home, [])
      })
      const runs = yield* Runs
      const store = yield* RunStore
      const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input: {}, options: {} })
      const node = { id: "n", name: "Read", action: "EXTRACT_DATAMODEL" }
      const warnings = { kept: [{ code: "LIST-W0001", message: "No rows", node, value: null }], count: 1 }
      const attempts: ReadonlyArray<Transition.Outcome> = [
        { _tag: "Failed", data: {}, errors: [], retry: { times: 1, delayMillis: 0 }, warnings },
        { _tag: "Success", data: {} }
      ]
      for (const outcome of attempts) {
        const [claimed] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        assert.isDefined(claimed)
        const lease = { id, fence: claimed.run.lease.fence }
        yield* store.settle(lease, (locked, at) => Transition.settle(locked, outcome, at))
      }
      const { events, run } = yield* runs.get(caller, id)
      assert.deepStrictEqual([run.status, run.warnings, run.warningCount], ["execution.success", [], 0])
      const last = events.at(-1)?.event
      assert.isDefined(last)
      assert.notProperty(EventJson.payloadOf(last, null), "warnings")
    }).pipe(Effect.provide(Layer.fresh(services)))
  )
})
