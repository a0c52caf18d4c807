import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as EventJson from "../../../core/event/EventJson.ts"
import * as OutcomeCertainty from "../../../core/event/OutcomeCertainty.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const site: ScriptedBrowser.ScriptedSite = {
  "https://shop.example/": [{ selector: "//h1", text: "Open" }, { selector: "//add" }, { selector: "//order" }]
}

const services = Layer.mergeAll(Runs.layer, Workflows.layer, AgentExecutor.layer).pipe(
  Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, ScriptedBrowser.layer(site)))
)

const press = (selector: string, more: object = {}): Step => ({
  action: "CLICK",
  parameters: { selector, wait_time: 0, ...more }
})

/** Runs these steps, and answers the claimed run with what its record and the event of its end say. */
const outcomeAfter = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Step>,
  carryOut: (claimed: Parameters<typeof Attempt.carryOut>[0]) => ReturnType<typeof Attempt.carryOut>
) {
  const caller = yield* makeWorkspace()
  const { workflow } = yield* (yield* Workflows).create(caller, {
    name: "Shop",
    ...graphOf("https://shop.example/", steps)
  })
  const runs = yield* Runs
  const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input: {}, options: {} })
  const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
  assert.isDefined(claimed)
  yield* carryOut(claimed)
  const { events, run } = yield* runs.get(caller, id)
  const last = events.at(-1)?.event
  assert.isDefined(last)
  return { run, payload: EventJson.payloadOf(last, null), outcome: Transition.outcomeOf(run) }
})

const [add, order, gone] = [press("//add"), press("//order", { not_repeatable: true }), press("//gone")] as const
const never = press("//gone", { not_repeatable: true })

const cases: ReadonlyArray<
  readonly [
    after: string,
    steps: ReadonlyArray<Step>,
    OutcomeCertainty.Certainty,
    mark: readonly [kind: string, node: string]
  ]
> = [
  ["an ordinary step", [add, gone], "not_committed", ["acting", "CLICK 1"]],
  ["a step that must not be repeated failed", [add, never], "unknown", ["committing", "CLICK 2"]],
  ["a step that must not be repeated succeeded", [add, order, gone], "committed", ["committed", "CLICK 2"]]
]

describe("a run that failed", () => {
  it.effect.each(cases)("after %s says how certain its outcome is", ([, steps, certainty, mark]) =>
    Effect.gen(function* () {
      const { outcome, payload, run } = yield* outcomeAfter(steps, Attempt.carryOut)
      assert.strictEqual(run.status, "execution.failed")
      assert.strictEqual(outcome?.certainty, certainty)
      assert.deepStrictEqual([outcome?.mark?.kind, outcome?.mark?.node.name], [...mark])
      assert.strictEqual(payload.outcome_certainty, certainty)
      assert.deepInclude(payload.last_mark, {
        mark: mark[0],
        node_display_name: mark[1],
        timestamp: "1970-01-01T00:00:00.000Z"
      })
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it.effect("without having begun says that nothing was started", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const { outcome, payload } = yield* outcomeAfter([add], ({ run }) =>
        Effect.orDie(
          Effect.asVoid(
            runs.settle({ id: run.id, fence: run.lease.fence }, (locked, at) =>
              Transition.finish(locked, { _tag: "Failed", data: {}, errors: [] }, at)
            )
          )
        )
      )
      assert.deepStrictEqual(outcome, { certainty: "not_started", mark: null })
      assert.deepInclude(payload, { outcome_certainty: "not_started", last_mark: null })
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it.effect("as its worker was lost within a step that must not be repeated says that this is unknown", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const { outcome, run } = yield* outcomeAfter([add], ({ run: { id, lease } }) =>
        Effect.gen(function* () {
          const held = { id, fence: lease.fence }
          const mark = { kind: "committing", node: { id: "n", name: "Order" }, at: 5 } as const
          yield* runs.report(held, { events: [], progress: { acted: true, committed: true, mark } })
          yield* runs.settle(held, Transition.abandon)
        }).pipe(Effect.orDie)
      )
      assert.strictEqual(run.errors[0]?.code, "RUNNER_LOST")
      assert.deepInclude(outcome, { certainty: "unknown" })
      assert.strictEqual(outcome?.mark?.node.name, "Order")
    }).pipe(Effect.provide(Layer.fresh(services)))
  )

  it("is judged by its flags where it has no mark", () => {
    const of = (acted: boolean, committed: boolean) => OutcomeCertainty.of({ acted, committed, mark: null })
    assert.deepStrictEqual(
      [of(false, false), of(true, false), of(true, true)],
      ["not_started", "not_committed", "unknown"]
    )
  })
})
