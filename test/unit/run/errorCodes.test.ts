import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import * as Run from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { type Draft, ErrorCodes } from "../../../core/workspace/ErrorCodes.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { makeWorkspace, stored, submission } from "../../support/fixtures.ts"

const site: ScriptedBrowser.ScriptedSite = { "https://shop.example/": [{ selector: "//h1", text: "Closed" }] }

const services = Layer.mergeAll(Runs.layer, Workflows.layer, ErrorCodes.layer, AgentExecutor.layer).pipe(
  Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, ScriptedBrowser.layer(site)))
)

const draft: Draft = {
  name: "SHOP-E0001",
  description: "The shop is closed",
  enrichedDescription: null,
  action: "alert",
  retries: null,
  retryAfterSeconds: null
}

const press = (message: string): Step => ({
  action: "CLICK",
  parameters: { selector: "//button", wait_time: 0, selector_error_message: message }
})

const isOpen = (message: string): Step => ({
  action: "BOOL_CONDITION",
  parameters: {
    comparison_operator: "EQUAL",
    comparison_value_1: "<<xpath://h1>>",
    comparison_value_2: "Open",
    error_on_false_message: message
  },
  to: { yes: 2, no: 3 }
})

/** Runs a workflow whose step names a code made from `fields`, once, and answers what became of the run. */
const attempt = Effect.fnUntraced(function* (
  fields: Partial<Draft>,
  step: (message: string) => ReadonlyArray<Step>,
  maxRetries = 0
) {
  const caller = yield* makeWorkspace()
  const { code } = yield* (yield* ErrorCodes).findOrCreate(caller, { ...draft, ...fields })
  const workflow = yield* (yield* Workflows).create(caller, {
    name: "Shop",
    ...graphOf("https://shop.example/", step(code.id)),
    max_retries: maxRetries
  })
  const runs = yield* Runs
  const { id } = yield* runs.submit(caller, { workflowId: workflow.workflow.id, input: {}, options: {} })
  const take = Effect.gen(function* () {
    const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
    if (claimed === undefined) return false
    yield* Attempt.carryOut(claimed)
    return true
  })
  assert.isTrue(yield* take)
  return { caller, code, take, workflow, view: runs.get(caller, id) }
})

const provided = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
  test.pipe(Effect.provide(Layer.fresh(services)))

describe("a run whose node names an error code", () => {
  it.effect("fails with its name and description, and keeps what happened beside it", () =>
    provided(
      Effect.gen(function* () {
        const { take, view } = yield* attempt({}, (message) => [press(message)])
        const { run } = yield* view
        assert.strictEqual(run.status, "execution.failed")
        const [error] = run.errors
        assert.deepInclude(error, {
          code: "SHOP-E0001",
          message: "The shop is closed",
          category: "XPATH_INCORRECT"
        })
        assert.strictEqual(error?.node?.action, "CLICK")
        assert.include(error?.original, "Cannot click //button")
        assert.isFalse(yield* take)
      })
    )
  )

  it.effect("fails at a condition that does not hold, instead of taking its other way", () =>
    provided(
      Effect.gen(function* () {
        const { view } = yield* attempt({}, (message) => [
          isOpen(message),
          { action: "SCREENSHOT" },
          { action: "DELAY", parameters: { delay_time: 0 } }
        ])
        const { run } = yield* view
        assert.strictEqual(run.errors[0]?.code, "SHOP-E0001")
        assert.strictEqual(run.errors[0]?.node?.action, "BOOL_CONDITION")
      })
    )
  )

  it.effect("pauses its workflow when the code says so, in the name of who saved it", () =>
    provided(
      Effect.gen(function* () {
        const { caller, view, workflow } = yield* attempt({ action: "pause" }, (message) => [press(message)])
        assert.strictEqual((yield* view).status, "execution.failed")
        const next = yield* (yield* Runs).submit(caller, { workflowId: workflow.workflow.id, input: {}, options: {} })
        const { holds, status } = yield* (yield* Runs).get(caller, next.id)
        assert.strictEqual(status, "execution.paused")
        assert.deepInclude(holds[0], { kind: "manual", by: caller.userId, until: null })
        assert.include(holds[0]?.reason, "SHOP-E0001")
      })
    )
  )

  it.effect("is tried again as often as the code says, each time with its error in the record", () =>
    provided(
      Effect.gen(function* () {
        const { take, view } = yield* attempt({ action: "retry", retries: 1, retryAfterSeconds: 0 }, (message) => [
          press(message)
        ])
        const requeued = yield* view
        assert.strictEqual(requeued.status, "execution.requeued")
        assert.deepInclude(requeued.events.at(-1)?.event, { retries: 1, delayMillis: 0 })
        assert.isTrue(yield* take)
        const { run } = yield* view
        assert.strictEqual(run.status, "execution.failed")
        assert.deepStrictEqual(
          run.errors.map(({ code }) => code),
          ["SHOP-E0001", "SHOP-E0001"]
        )
      })
    )
  )

  it.effect("fails in the words of the service when the code is gone, and in those of a text", () =>
    provided(
      Effect.gen(function* () {
        const codes = yield* ErrorCodes
        const runs = yield* Runs
        const store = yield* RunStore
        const caller = yield* makeWorkspace()
        const { code } = yield* codes.findOrCreate(caller, draft)
        for (const [message, expected] of [
          [code.id, "Cannot click //button"],
          ["The button is gone", "The button is gone"]
        ] as const) {
          const workflow = yield* (yield* Workflows).create(caller, {
            name: "Shop",
            ...graphOf("https://shop.example/", [press(message)])
          })
          if (message === code.id) yield* codes.remove(caller, code.id)
          const { id } = yield* runs.submit(caller, { workflowId: workflow.workflow.id, input: {}, options: {} })
          const [claimed] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
          assert.isDefined(claimed)
          yield* Attempt.carryOut(claimed)
          const [error] = (yield* runs.get(caller, id)).run.errors
          assert.strictEqual(error?.code, "SELECTOR-E0001")
          assert.include(error?.message, expected)
        }
      })
    )
  )
})

it.effect("two concurrent creations of an error code of one name get the same one", () =>
  provided(
    Effect.gen(function* () {
      const codes = yield* ErrorCodes
      const caller = yield* makeWorkspace()
      const made = yield* Effect.all(
        Array.from({ length: 8 }, () => codes.findOrCreate(caller, draft)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        made.filter(({ created }) => created),
        1
      )
      assert.strictEqual(new Set(made.map(({ code }) => code.id)).size, 1)
    })
  )
)

describe("a failed attempt that asks for a retry", () => {
  const error = (run: Run.Run) => Run.failure(run, "X", "x", 0)

  /** A run at work, after so many retries and attempts. */
  const running = (overrides: Partial<Run.RunningRun>): Run.RunningRun => {
    const caller = Effect.runSync(makeWorkspace().pipe(Effect.provide(Memory.layer)))
    const { run } = Transition.submit(submission(stored(caller, { maxRetries: 2 })), Gate.open, 0)
    const claimed = Transition.claim(run, Gate.open, { worker: "w", fence: 1, until: 30_000 }, 0)?.run
    assert.isDefined(claimed)
    return { ...claimed, ...overrides }
  }

  const cases: ReadonlyArray<
    readonly [name: string, Partial<Run.RunningRun>, Transition.Retry, status: Run.StoredStatus, delay: number]
  > = [
    ["is put off as it asks", {}, { times: 3, delayMillis: 7_000 }, "execution.requeued", 7_000],
    ["is put off as others are, without a delay", {}, { times: 3, delayMillis: null }, "execution.requeued", 5_000],
    [
      "is tried as often as the workflow allows",
      { retries: 1 },
      { times: null, delayMillis: 0 },
      "execution.requeued",
      0
    ],
    ["ends when the workflow allows no more", { retries: 2 }, { times: null, delayMillis: 0 }, "execution.failed", 0],
    ["ends when its own retries are used up", { retries: 1 }, { times: 1, delayMillis: 0 }, "execution.failed", 0],
    ["ends when it allows none", {}, { times: 0, delayMillis: 0 }, "execution.failed", 0],
    ["ends after ten attempts", { attempts: 10 }, { times: 99, delayMillis: 0 }, "execution.failed", 0],
    [
      "ends when it passed a node that must not be repeated",
      { progress: { acted: true, committed: true, mark: null } },
      { times: 3, delayMillis: 0 },
      "execution.failed",
      0
    ]
  ]

  it.each(cases)("%s", (_, overrides, retry, status, delay) => {
    const run = running(overrides)
    const outcome: Transition.Outcome = { _tag: "Failed", data: {}, errors: [error(run)], retry }
    const { run: after } = Transition.settle({ run, gate: Gate.open, files: [] }, outcome, 100)
    assert.strictEqual(after.status, status)
    assert.lengthOf(after.errors, 1)
    assert.isNull(after.lease)
    if (status === "execution.requeued") {
      assert.deepInclude(after, { retries: run.retries + 1, notBefore: 100 + delay })
    }
  })
})
