/**
 * Performs the steps of a flow in order, and keeps the result of each for the steps after it.
 */
import { Effect, type Schema } from "effect"
import * as Comparison from "../../workflow/language/graph/Comparison.ts"
import { type Flow, limitsOf, orderOf, type Step } from "../../workflow/language/parameters/ApiFlowParameters.ts"
import type { StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as SecretWays from "../variables/SecretWays.ts"
import { refuse } from "./Refusal.ts"
import * as RequestSender from "./RequestSender.ts"
import * as StepAnswer from "./StepAnswer.ts"
import * as StepRequest from "./StepRequest.ts"

/** How many elements the answers of one step may be gathered into. */
const maxGathered = 100_000

/** The results of the steps, by their ids. */
export type Results = Readonly<Record<string, Schema.JsonObject>>

export const results = Effect.fnUntraced(function* (
  flow: Flow,
  context: StepContext<"navigation">,
  allowance: RequestSender.Allowance
) {
  const found: Record<string, Schema.JsonObject> = {}
  for (const id of orderOf(flow.steps, flow.ordering ?? []) ?? []) {
    const step = flow.steps.find((other) => other.id === id)
    if (step !== undefined) found[id] = yield* done(step, flow, { ...found }, context, allowance)
  }
  return found
})

const done = Effect.fnUntraced(function* (
  step: Step,
  flow: Flow,
  before: Results,
  { memory, page }: StepContext<"navigation">,
  allowance: RequestSender.Allowance
) {
  const { repeat } = step
  const base = yield* page.navigation.address
  const used = new Set(readsContext(flow) ? yield* SecretUse.usedByExpression("context", memory) : [])
  let secret: SecretWays.SecretWay | null = null
  const evaluate: StepRequest.Evaluate = Effect.fnUntraced(function* (text) {
    const secretWay = yield* SecretWays.wayOfText(text, memory)
    secret = secretWay?.way === "part" ? secretWay : secret
    for (const account of yield* SecretUse.usedBy(text, memory)) used.add(account)
    return yield* Memory.evaluate(text, memory, page, "guarded", { steps: before })
  })
  const most = repeat ? (repeat.max_iterations ?? limitsOf.iterations) : 1
  const gathered: Array<Schema.Json> = []
  const seen = new Set<string>()
  let cursor: StepRequest.Cursor | null = null
  for (let pages = 1; ; pages++) {
    const asked = yield* StepRequest.requestOf(step, flow, base, evaluate, cursor, memory.credentials.secrets)
    const texts = [asked.url, ...asked.headers.flat(), textOf(asked.body)]
    const guard = yield* SecretUse.guardOf([...used], texts, memory, false, secret)
    const foreign = SecretUse.objection(guard, step.url, asked.url, base)
    if (foreign !== null) return yield* refuse(step, foreign, "CREDENTIAL-E0002")
    const answer = yield* RequestSender.send(
      step,
      { ...asked, guard },
      page.navigation,
      allowance,
      memory.credentials.secrets
    )
    const errors = StepAnswer.graphqlErrors(step, answer.body)
    if (errors !== null) return yield* refuse(step, `its answer has errors: ${memory.credentials.secrets.hide(errors)}`)
    const exchange = { status: answer.status, url: answer.url, headers: answer.headers, body: answer.body }
    const bindings: StepAnswer.Bindings = {
      context: Memory.contextOf(memory),
      steps: { ...before, [step.id]: exchange },
      response: exchange,
      status: answer.status
    }
    const own = yield* StepAnswer.extracted(step, answer, bindings, memory)
    const over = (source: string) => Memory.evaluateOver(source, answer.body, bindings, memory)
    const items = repeat?.accumulate ? listOf(yield* over(repeat.accumulate)) : []
    gathered.push(...items)
    if (gathered.length > maxGathered) return yield* refuse(step, `it gathered more than ${maxGathered} elements`)
    const result = { ...exchange, ...own, extract: own, items: gathered, pages }
    if (!repeat || pages >= most) return result
    const { cursor_absent, empty_collection, response_predicate } = repeat.until
    if (response_predicate && isTrue(yield* over(response_predicate))) return result
    if (empty_collection === true && items.length === 0) return result
    if (typeof empty_collection === "string" && listOf(yield* over(empty_collection)).length === 0) return result
    if (repeat.cursor) {
      const value = yield* over(repeat.cursor.from)
      const isAbsent = Comparison.isNothing(value) || value === false
      if (isAbsent && cursor_absent === true) return result
      // Repeating a cursor would repeat the same answer without end.
      const text = Comparison.asText(value)
      if (isAbsent || seen.has(text)) return result
      seen.add(text)
      cursor = { into: repeat.cursor.into, value: text }
    }
  }
})

/** Whether answers of a flow may carry values of the context on to later steps: their expressions have it as `$context`. */
const readsContext = ({ steps }: Flow): boolean => JSON.stringify(steps).includes("$context")

const textOf = (body: Uint8Array | null): string => (body === null ? "" : new TextDecoder().decode(body))

const listOf = (value: Schema.Json): ReadonlyArray<Schema.Json> =>
  Array.isArray(value) ? value : value === null ? [] : [value]

const isTrue = (value: Schema.Json): boolean =>
  value === true || value === "true" || (typeof value === "number" && value !== 0)
