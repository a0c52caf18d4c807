import { Effect, type Schema } from "effect"
import { type Flow, placeOf } from "../../workflow/language/parameters/ApiFlowParameters.ts"
import { namesIn } from "../../workflow/language/parameters/TransformParameters.ts"
import * as Json from "../../workspace/Json.ts"
import { afterActing, type StepFailed } from "../Failure.ts"
import * as FlowResults from "../network/FlowResults.ts"
import { refuse } from "../network/Refusal.ts"
import * as RequestSender from "../network/RequestSender.ts"
import { type Action, type Done, next, type StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as SecretWays from "../variables/SecretWays.ts"

/** Sends requests in the session of the page, and merges the mapped responses into the context. */
export const apiFlow: Action<"API_FLOW", "navigation"> = Effect.fnUntraced(function* ({ parameters }, context) {
  const allowance = yield* RequestSender.allowance
  return yield* done(parameters, context, allowance).pipe(
    Effect.mapError((failure) => (allowance.acted ? afterActing(failure) : failure))
  )
})

const done = Effect.fnUntraced(function* (
  parameters: Flow,
  context: StepContext<"navigation">,
  allowance: RequestSender.Allowance
): Effect.fn.Return<Done, StepFailed> {
  const { memory, page } = context
  const steps = yield* FlowResults.results(parameters, context, allowance)
  const map = parameters.field_json_map
  if (!map) return next
  const last = parameters.steps.at(-1)?.id ?? ""
  const target = parameters.target_step_id ?? last
  const evaluate = (source: string) =>
    Memory.evaluateExpression(source, memory, page, "guarded", { steps, response: steps[target] ?? null })
  const found = typeof map === "string" ? yield* evaluate(map) : yield* fromPlaces(map, evaluate)
  if (!Json.isObject(found)) {
    return yield* refuse({ id: target }, "field_json_map did not answer an object")
  }
  const { inputs: _inputs, runtime: _runtime, ...own } = found
  const sources = typeof map === "string" ? [map] : Object.values(map)
  const used = (yield* Effect.forEach(sources, (source) => SecretUse.usedByExpression(source, memory)))
    .flat()
    .map(({ alias }) => alias)
  const { secrets } = memory.credentials
  for (const name of Object.keys(own)) secrets.noteMade(name, used, own[name] ?? null)
  for (const [place, source] of typeof map === "string" ? [] : Object.entries(map)) {
    const secret = yield* SecretWays.wayOfExpression(source, memory)
    if (secret !== null) secrets.noteKept(namesIn(placeOf(place)), secret.way === "part")
  }
  const secret = typeof map === "string" ? yield* SecretWays.wayOfExpression(map, memory) : null
  if (secret !== null) for (const name of Object.keys(own)) secrets.noteKept([name], secret.way === "part")
  const answers = Object.fromEntries(Object.entries(memory.answers).filter(([name]) => !Object.hasOwn(own, name)))
  return { _tag: "Rewrote", data: Memory.merged({ ...kept(memory, own), ...memory.data }, own), answers }
})

/** Answers of persons are merged too where the same name is set, and count as data afterwards. */
const kept = ({ answers }: Memory.Memory, found: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(answers).filter(([name]) => Object.hasOwn(found, name)))

const fromPlaces = Effect.fnUntraced(function* <E>(
  map: Readonly<Record<string, string>>,
  evaluate: (source: string) => Effect.Effect<Schema.Json, E>
) {
  let found: Schema.JsonObject = {}
  for (const [place, source] of Object.entries(map)) {
    const value = yield* evaluate(source)
    const nested = namesIn(placeOf(place)).reduceRight(
      (inner: Schema.Json, name): Schema.Json => ({ [name]: inner }),
      value
    )
    // A path in the context has at least one name.
    found = Memory.merged(found, Json.objectOf(nested))
  }
  return found
})
