/**
 * Expressions of a run never hold the event loop of its worker: they are worked out in another thread, and a step
 * whose expression takes too much fails.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ThreadSandbox from "../../../adapters/threads/ThreadSandbox.ts"
import * as Sandbox from "../../../core/workflow/sandbox/Sandbox.ts"
import type { Step } from "../../support/browser.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { hangMillis } from "../../support/limits.ts"
import { dataOf, failureOf, run } from "../../support/shop.ts"

const transform = (...values: ReadonlyArray<string>): Step => ({
  action: "TRANSFORM",
  parameters: { operations: values.map((value, index) => ({ type: "SET", target: `context.value${index}`, value })) }
})

const many = { list: Array.from({ length: 30_000 }, (_, index) => ({ [`name${index}`]: index })) }
const text = { text: "a".repeat(4_000_000) }

const within = (evaluateMillis: number) =>
  ThreadSandbox.layer({
    ...ThreadSandbox.defaults,
    deadlineMillis: (name) => (name === "evaluate" ? evaluateMillis : hangMillis)
  })

layer(within(1_000))("an expression of a run", (it) => {
  const watched = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, inputs: object) {
    // The first use starts a thread, and compiles what every run needs.
    yield* Sandbox.run("", "describe", { source: "1 + 1" })
    yield* run([transform("1 + 1")], {})
    const { cost, value: seen } = yield* HeldLoop.least(run(steps, inputs as never))
    assert.isBelow(cost, HeldLoop.most, `${JSON.stringify(seen.outcome).slice(0, 300)}`)
    return seen
  })

  describe("does not hold the worker, and fails its step where it takes too much", () => {
    it.effect.each([
      ["spreads a list", "$count($spread(context.inputs.list))", many],
      ["spreads and merges", "$count($keys($merge($spread(context.inputs.list))))", many],
      ["looks for a text again and again", "$count([1..50000][$contains($$.context.inputs.text, 'b')])", text],
      ["counts a text again and again", "$sum([1..50000].($length($$.context.inputs.text)))", text],
      ["loops", "($f := function($n) { $f($n + 1) }; $f(0))", {}]
    ] as const)("where it %s", ([, value, inputs]) =>
      Effect.gen(function* () {
        const seen = yield* watched([transform(value)], inputs)
        if (seen.outcome._tag === "Success") return
        assert.match(failureOf(seen).code, /^(TEMPLATE-E000[12]|TRANSFORM-E0001)$/)
        assert.match(failureOf(seen).message, /Cannot evaluate the expression|to nothing/)
      })
    )
  })
})

layer(within(hangMillis))("an expression in a thread", (it) => {
  it.effect("has the same value as in the process", () =>
    Effect.gen(function* () {
      const inputs = {
        orders: [
          { id: "A-1", total: 12.5 },
          { id: "A-2", total: 7 }
        ],
        user: { name: "Ada" },
        none: null
      }
      const values: ReadonlyArray<readonly [string, unknown]> = [
        ["context.inputs.user.name", "Ada"],
        ["context.inputs.orders.id", ["A-1", "A-2"]],
        ["context.inputs.orders[total > 10].id", "A-1"],
        ["$sum(context.inputs.orders.total)", 19.5],
        ["$keys(context.inputs)", ["orders", "user", "none"]],
        ["$eval('context.inputs.user.name')", "Ada"],
        ["$$.context.inputs.user", { name: "Ada" }],
        ["context.inputs.orders ~> $map(function($one) { $one.id & '!' })", ["A-1!", "A-2!"]],
        ["context.inputs.*.name", "Ada"],
        ["context.inputs.user ~> |$|{'name': 'Bob'}|", { name: "Bob" }],
        ["$lookup(context.inputs.user, 'name')", "Ada"],
        ["$string(context.inputs.user)", '{"name":"Ada"}'],
        ["{'a': context.inputs.user.name, 'b': [1..3]}", { a: "Ada", b: [1, 2, 3] }],
        ["context.inputs.orders^(total).id", ["A-2", "A-1"]]
      ]
      const steps = [transform(...values.map(([source]) => source))]
      const there = yield* run(steps, inputs)
      const here = yield* Effect.provideService(run(steps, inputs), Sandbox.Sandbox, Sandbox.inProcess)
      const expected = Object.fromEntries(values.map(([, value], index) => [`value${index}`, value]))
      assert.deepEqual(dataOf(here), expected)
      assert.deepEqual(dataOf(there), expected)
    })
  )
})
