import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Spending from "../../../core/agent/spending/ModelSpending.ts"
import { scale } from "../../support/scale.ts"

const none: Spending.Limits = { calls: null, tokens: null, money: null }
const price = { model: "m", input: 3, output: 7 }
const workflowId = "0b0b0b0b-0000-4000-8000-000000000001"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const limits = Schema.Struct({
  calls: Schema.NullOr(between(0, 30)),
  tokens: Schema.NullOr(between(0, 30_000)),
  money: Schema.NullOr(Schema.Literals([0, 0.01, 0.05]))
})

/** Calls that are asked for, each with the most that it may use and the part of it that it uses, in percent. */
const steps = Schema.Array(
  Schema.Struct({
    input: between(0, 2_000),
    output: between(0, 1_000),
    percent: between(0, 100),
    ends: Schema.Boolean
  })
).check(Schema.isMaxLength(120))
const options = { arbitrary: { runs: 200 * scale, size: 60 } }

/** What was left of a limit before the last call that could go over it, and what that call used. */
interface Walk {
  readonly day: Spending.Day
  readonly largest: Spending.Amount
}

/** Calls that are asked for, and that end in any order: `ends` says after which requests one of the open calls ends. */
const walk = (own: Spending.Limits, asking: typeof steps.Type): Walk => {
  let day = Spending.newDay
  let largest = Spending.nothing
  const open: Array<{ readonly asked: Spending.Amount; readonly used: Spending.Amount }> = []
  const end = (index: number) => {
    const [call] = open.splice(index, 1)
    if (call !== undefined) day = Spending.settled(day, call.asked, call.used)
  }
  for (const [index, { ends, input, output, percent }] of asking.entries()) {
    const asked = Spending.amountOf({ input, output }, price)
    if (Spending.within("workspace", own, day, asked, true)._tag === "Spend") {
      const part = (most: number) => Math.floor((most * percent) / 100)
      const used = { input: part(input), output: part(output) }
      open.push({ asked, used: Spending.amountOf(used, price) })
      day = Spending.opened(day, asked)
      largest = {
        calls: 1,
        tokens: Math.max(largest.tokens, asked.tokens),
        micros: Math.max(largest.micros, asked.micros)
      }
    }
    if (ends && open.length > 0) end(index % open.length)
  }
  while (open.length > 0) end(0)
  return { day, largest }
}

it.prop(
  "calls never exceed their limit, and tokens and money by one call at most, in any order of ends",
  [limits, steps],
  ([own, asking]) => {
    const { day, largest } = walk(own, asking)
    return (
      day.open.calls === 0 &&
      (own.calls === null || day.spent.calls <= own.calls) &&
      (own.tokens === null || day.spent.tokens <= own.tokens + largest.tokens) &&
      (own.money === null || day.spent.micros <= own.money * 1_000_000 + largest.micros)
    )
  },
  options
)

it.prop(
  "what is not limited is never refused and never waits",
  [steps],
  ([asking]) => walk(none, asking).day.spent.calls === asking.length,
  options
)

it("a refusal names whose limit it is, its value, and what was spent", () => {
  const terms: Spending.Terms = {
    workspace: { ...none, tokens: 500 },
    workflows: [{ workflow_id: workflowId.toUpperCase(), ...none, calls: 2, money: 1 }],
    prices: [price]
  }
  const spent = (calls: number, used: number): Spending.Day => ({
    spent: { calls, tokens: used, micros: 0 },
    open: Spending.nothing
  })
  const reasonOf = (model: string, workspace: Spending.Day, workflow: Spending.Day) => {
    const call = { workflowId, model, most: { input: 10, output: 10 } }
    const verdict = Spending.verdict(terms, call, { workspace, workflow })
    return verdict._tag === "Refused" ? verdict.reason : verdict._tag
  }
  assert.strictEqual(reasonOf("m", spent(1, 10), spent(1, 10)), "Spend")
  assert.include(
    reasonOf("m", spent(1, 500), spent(1, 10)),
    "the workspace may use 500 tokens a day (UTC), and has used 500"
  )
  assert.include(reasonOf("m", spent(2, 10), spent(2, 10)), "the workflow may make 2 calls a day (UTC), and has made 2")
  assert.include(reasonOf("other", spent(0, 0), spent(0, 0)), "the model has no price")
})

it("money is that of the price of a million tokens, and a day is one of UTC", () => {
  assert.deepStrictEqual(
    Spending.amountOf({ input: 1_000_000, output: 500_000 }, { model: "m", input: 0.15, output: 0.6 }),
    {
      calls: 1,
      tokens: 1_500_000,
      micros: 450_000
    }
  )
  assert.strictEqual(Spending.dayOf(Date.UTC(2026, 0, 31, 23, 59)), "2026-01-31")
})
