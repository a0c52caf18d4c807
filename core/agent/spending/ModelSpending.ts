/**
 * How much a workspace and its workflows may spend on models in one day (UTC), and whether one more call may be made.
 *
 * A call is reserved before it is made, by the most that it may use, and settled afterwards by what it used. Everything here
 * is a function of its arguments. Money is in the unit of the stated prices, and counted in millionths of it.
 */
import { Schema } from "effect"

const bound = (maximum: number) => Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum })))

/** The most of one day; `null` is any number. */
export const Limits = Schema.Struct({
  calls: bound(1_000_000_000).check(
    Schema.makeFilter((value) => value === null || Number.isInteger(value) || "Expected a whole number")
  ),
  /** Of questions and answers together. */
  tokens: bound(1_000_000_000_000).check(
    Schema.makeFilter((value) => value === null || Number.isInteger(value) || "Expected a whole number")
  ),
  money: bound(1_000_000_000)
})
export type Limits = typeof Limits.Type

const perMillion = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/** The price of a million tokens of a model, in any currency, which is the same for all prices and limits. */
export const Price = Schema.Struct({
  model: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  input: perMillion,
  output: perMillion
})
export type Price = typeof Price.Type

/** The limits of a workspace: of all its calls, and of those of single workflows besides. */
export const Terms = Schema.Struct({
  workspace: Limits,
  workflows: Schema.Array(Schema.Struct({ workflow_id: Schema.String.check(Schema.isUUID()), ...Limits.fields })).check(
    Schema.isMaxLength(1_000)
  ),
  prices: Schema.Array(Price).check(Schema.isMaxLength(100))
}).annotate({ identifier: "ModelSpendingTerms" })
export type Terms = typeof Terms.Type

const unlimited: Limits = { calls: null, tokens: null, money: null }

/** The terms of a workspace that has stated none. */
export const noTerms: Terms = { workspace: unlimited, workflows: [], prices: [] }

/** What calls used, or may use. `micros` are millionths of the unit of money. */
export const Amount = Schema.Struct({ calls: Schema.Int, tokens: Schema.Int, micros: Schema.Finite })
export type Amount = typeof Amount.Type

export const nothing: Amount = { calls: 0, tokens: 0, micros: 0 }

export const plus = (one: Amount, other: Amount): Amount => ({
  calls: one.calls + other.calls,
  tokens: one.tokens + other.tokens,
  micros: one.micros + other.micros
})

export const minus = (one: Amount, other: Amount): Amount => ({
  calls: one.calls - other.calls,
  tokens: one.tokens - other.tokens,
  micros: one.micros - other.micros
})

/** What was spent in a day, and what calls that are not over may use. */
export interface Day {
  readonly spent: Amount
  readonly open: Amount
}

export const newDay: Day = { spent: nothing, open: nothing }

/** The tokens of a question and of its answer. */
export interface Tokens {
  readonly input: number
  readonly output: number
}

/** The amount of one call; `micros` is 0 for a model without a price. */
export const amountOf = ({ input, output }: Tokens, price: Price | null): Amount => ({
  calls: 1,
  tokens: input + output,
  // A price of a million tokens is one of a token in millionths.
  micros: price === null ? 0 : Math.ceil(input * price.input + output * price.output)
})

export const priceOf = ({ prices }: Terms, model: string): Price | null =>
  prices.find((price) => price.model === model) ?? null

/** Whose limit a call meets. */
export const Scope = Schema.Literals(["workspace", "workflow"])
export type Scope = typeof Scope.Type

/**
 * Whether a call may be made. `Wait`: it may be, if calls that are not over use less than they may. `Refused`: the limit is
 * spent until the day is over, or the money of a model without a price cannot be counted.
 */
export type Verdict =
  | { readonly _tag: "Spend" }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Refused"; readonly reason: string }

const spend: Verdict = { _tag: "Spend" }
const wait: Verdict = { _tag: "Wait" }

/** Whether a call may be made by the limits of one scope. Alone, it may go over a limit that is not spent; nothing else may. */
export const within = (
  scope: Scope,
  limits: Limits,
  { open, spent }: Day,
  asked: Amount,
  isPriced: boolean
): Verdict => {
  const refused = (what: string): Verdict => ({ _tag: "Refused", reason: `the ${scope} ${what}` })
  if (limits.money !== null && !isPriced) {
    return refused("has a limit in money, and the model has no price: state one in the prices of the workspace")
  }
  // A call counts as one, whatever it uses.
  if (limits.calls !== null && spent.calls + open.calls >= limits.calls) {
    return refused(`may make ${limits.calls} calls a day (UTC), and has made ${spent.calls + open.calls}`)
  }
  if (limits.tokens !== null && spent.tokens >= limits.tokens) {
    return refused(`may use ${limits.tokens} tokens a day (UTC), and has used ${spent.tokens}`)
  }
  const micros = limits.money === null ? null : limits.money * 1_000_000
  if (micros !== null && spent.micros >= micros) {
    return refused(`may spend ${limits.money} a day (UTC), and has spent ${spent.micros / 1_000_000}`)
  }
  const fits = (limit: number | null, key: "tokens" | "micros") =>
    limit === null || spent[key] + open[key] + asked[key] <= limit
  return open.calls === 0 || (fits(limits.tokens, "tokens") && fits(micros, "micros")) ? spend : wait
}

/** A day with one more call that is not over. */
export const opened = ({ open, spent }: Day, asked: Amount): Day => ({ spent, open: plus(open, asked) })

/** A day after a call that was reserved is over. */
export const settled = ({ open, spent }: Day, asked: Amount, used: Amount): Day => ({
  spent: plus(spent, used),
  open: minus(open, asked)
})

/** The days of the workspace and the workflow of a call. */
export type Days = { readonly [S in Scope]: Day }

/** Whether a call may be made by the limits of its workspace and of its workflow. */
export const verdict = (
  terms: Terms,
  call: { readonly workflowId: string; readonly model: string; readonly most: Tokens },
  days: Days
): Verdict => {
  const price = priceOf(terms, call.model)
  const asked = amountOf(call.most, price)
  const own = terms.workflows.find(({ workflow_id }) => workflow_id.toLowerCase() === call.workflowId)
  const verdicts = [
    within("workspace", terms.workspace, days.workspace, asked, price !== null),
    within("workflow", own ?? unlimited, days.workflow, asked, price !== null)
  ]
  return verdicts.find(({ _tag }) => _tag === "Refused") ?? verdicts.find(({ _tag }) => _tag === "Wait") ?? spend
}

const dayMillis = 86_400_000

/** The day of an instant, as a date in UTC. */
export const dayOf = (at: number): string => new Date(Math.floor(at / dayMillis) * dayMillis).toISOString().slice(0, 10)
