import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as ModelRequest from "../../../../core/agent/model/ModelRequest.ts"
import * as Describing from "../../../../core/builder/proposal/Describing.ts"
import * as Proposal from "../../../../core/builder/proposal/Proposal.ts"
import * as TaskBudget from "../../../../core/builder/proposal/TaskBudget.ts"

const nobody = () => null
const toolOf = (name: string) => Proposal.tools.find((tool) => tool.name === name) ?? assert.fail(name)

const calls: ReadonlyArray<readonly [string, Schema.JsonObject]> = [
  ["open", { url: "https://shop.example/" }],
  ["click", { selector: "//a" }],
  ["type", { selector: "#a", text: "x" }],
  ["type", { selector: "#a", text: "x", submit_after_input: true }],
  ["choose", { selector: "#a", value: "x" }],
  [
    "read",
    {
      extract_data_model: {
        type: "object",
        properties: {
          rows: { type: "array", path: "//tr", items: { type: "object", properties: { id: { path: "/td" } } } }
        }
      }
    }
  ],
  ["for_each", { variable_over: "{{context.rows}}", variable_current_item: "row", variable_current_index: "at" }],
  [
    "read_by_judgement",
    { prompt: "Which is late?", extract_data_model: { type: "object", properties: { late: "string" } } }
  ],
  ["scroll", { direction: "down" }],
  ["end_for_each", {}],
  ["finish", { reason: "" }],
  ["give_up", { reason: "no such page" }]
]

describe("a tool", () => {
  it("is for a step of the page, or ends something: none saves, agrees or spends", () => {
    const names = Proposal.tools.map(({ name }) => name)
    assert.deepStrictEqual(names.toSorted(), [...new Set(calls.map(([name]) => name))].toSorted())
  })

  it.effect.each(calls)("%s takes what it is for, and nothing beside", ([name, parameters]) =>
    Effect.gen(function* () {
      const { parameters: schema } = toolOf(name)
      assert.isNull(yield* ModelRequest.violation(schema, parameters))
      assert.isNotNull(yield* ModelRequest.violation(schema, { ...parameters, execution: "COMPUTER_USE" }))
      assert.isTrue(Result.isSuccess(Proposal.read(name, parameters, nobody)))
    })
  )

  it("makes a plain step, named after its element", () => {
    const read = Proposal.read("click", { selector: "#go", execution: "LLM_DOM" }, () => "Open invoices")
    assert.deepStrictEqual(Result.getOrThrow(read), {
      _tag: "Step",
      candidate: { action: "CLICK", name: "Click Open invoices", parameters: { selector: "#go", execution: "STATIC" } }
    })
  })

  it("that needs judgement says so in the name of its step", () => {
    const read = Result.getOrThrow(Proposal.read(...(calls[7] ?? assert.fail()), nobody))
    assert.strictEqual(read._tag === "Step" && read.candidate.name, "Needs judgement: Which is late?")
  })
})

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))

it.effect.prop(
  "a budget is over exactly when a bound is reached, and what is left is never more than that",
  [TaskBudget.TaskBudget, Schema.Array(Schema.Struct({ calls: Amount, tokens: Amount, millis: Amount }))],
  ([bounds, uses]) =>
    Effect.sync(() => {
      let one = Describing.begin("task", bounds)
      for (const use of uses) {
        const before = Describing.left(one)
        one = Describing.noted(Describing.spending(one, use, use.millis), "x".repeat(2_000))
        const after = Describing.left(one)
        for (const name of ["calls", "tokens", "millis"] as const) assert.isAtMost(after[name], before[name])
        assert.strictEqual(Describing.over(one) !== null, after.calls === 0 || after.tokens === 0 || after.millis === 0)
      }
      assert.isAtMost(one.log.join("").length, 40 * 500)
    }),
  { arbitrary: { runs: 200, size: 30 } }
)

it("a description that a turn leaves open has stopped, and nothing waits", () => {
  const waiting = {
    ...Describing.begin("task", TaskBudget.usual),
    state: "waits" as const,
    awaited: { candidate: null, act: "Pay", why: "it pays" }
  }
  assert.deepInclude(Describing.ended(waiting), { state: "stopped", awaited: null })
  assert.deepInclude(Describing.ended({ ...waiting, state: "done" }), { state: "done" })
})
