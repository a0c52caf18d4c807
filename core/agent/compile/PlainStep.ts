/**
 * Does a step by its plain form, and falls back to the model where that does not do it.
 *
 * A plain form is never the reason of a success that is not one: it is used on the site that it was tried on, values that
 * would break out of its selector are not put into it, a doubt counts as a failure, and a value that it does not find is left to
 * the model. Where it may have changed the page, its failure is that of the step, as of any step that has acted.
 */
import { Effect, Result, type Schema } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import * as LiveSelectors from "../../workflow/language/expression/LiveSelectors.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import * as PlainForm from "../../workflow/patch/PlainForm.ts"
import * as Json from "../../workspace/Json.ts"
import type { StepFailed } from "../Failure.ts"
import type { Done } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import { type ProposedForm, siteOf } from "./Compiling.ts"
import * as PlainCondition from "./PlainCondition.ts"
import * as PlainElement from "./PlainElement.ts"
import * as PlainReading from "./PlainReading.ts"

type StepNode = Exclude<Node, { action: "END" }>

export interface PlainStep<A> {
  readonly node: StepNode
  /** The forms of the workflow. */
  readonly forms: ReadonlyArray<PlainForm.PlainForm>
  readonly memory: Memory.Memory
  readonly page: BrowserSession
  /** Does a node in place of the own one, and sees that what is expected of it holds. Fails by a warning where it is `strict`. */
  readonly perform: (node: StepNode, strict: boolean) => Effect.Effect<A, StepFailed>
  /** A form took the place of the model. */
  readonly saved: Effect.Effect<void>
  /** A form did not do the step. */
  readonly misled: (form: PlainForm.PlainForm) => void
  readonly propose: (form: ProposedForm) => void
}

/** Does the step by its plain form if there is one that fits, and otherwise by what the node says. */
export const carryOut = Effect.fnUntraced(function* <A extends Done | { readonly _tag: "Turned" }>(
  step: PlainStep<A>
): Effect.fn.Return<A, StepFailed> {
  const forms = yield* Effect.filter(PlainForm.fitting(step.forms, step.node), (form) => isHere(form, step))
  if (forms.length === 0) return yield* step.perform(step.node, false)
  return step.node.action === "BOOL_CONDITION" ? yield* decide(step, forms) : yield* act(step, forms)
})

/** Whether the page is on the site of a form. */
const isHere = <A>({ site }: PlainForm.PlainForm, { page }: PlainStep<A>) =>
  site === null ? Effect.succeed(true) : Effect.map(siteOf(page), (here) => here === site)

const act = Effect.fnUntraced(function* <A extends Done | { readonly _tag: "Turned" }>(
  step: PlainStep<A>,
  [form]: ReadonlyArray<PlainForm.PlainForm>
): Effect.fn.Return<A, StepFailed> {
  const plain = form === undefined ? null : nodeOf(step, form)
  if (form === undefined || plain === null || !(yield* isSafe(form, step))) return yield* step.perform(step.node, false)
  const model = plain.action === "EXTRACT_DATAMODEL" ? plain.parameters.extract_data_model : null
  const done = yield* Effect.result(step.perform(plain, model !== null))
  const isRead = (found: A) =>
    model === null
      ? Effect.succeed(true)
      : Effect.map(PlainReading.isSole(model, step.page), (isSole) => isSole && isWhole(foundOf(found)))
  if (Result.isSuccess(done) && (yield* isRead(done.success))) {
    yield* step.saved
    return done.success
  }
  if (Result.isSuccess(done) || isItsFault(done.failure)) step.misled(form)
  if (Result.isFailure(done) && done.failure.acted === true) return yield* done.failure
  return yield* step.perform(step.node, false)
})

/** Whether a step failed by its form: not where something covers the element, or the browser or the site is the reason. */
const isItsFault = ({ code }: StepFailed): boolean => faults.has(code)

const faults: ReadonlySet<StepFailed["code"]> = new Set([
  "SELECTOR-E0001",
  "SELECTOR-E0003",
  "EXPECT-E0001",
  "STRICT-E0001"
])

const foundOf = (done: Done | { readonly _tag: "Turned" }): Schema.Json => (done._tag === "Found" ? done.found : null)

/** Whether every value is there, and every list has rows: the forms that are offered have found all of them. */
export const isWhole = (found: Schema.Json): boolean => {
  if (Array.isArray(found)) return found.length > 0 && found.every(isWhole)
  return Json.isObject(found) ? Object.values(found).every(isWhole) : found !== null && found !== ""
}

/**
 * Decides as the forms do, each by what it was tried with. Where none of them may decide, the model does; a form that
 * would have decided the same has now been tried with that, too.
 */
const decide = Effect.fnUntraced(function* <A extends Done | { readonly _tag: "Turned" }>(
  step: PlainStep<A>,
  forms: ReadonlyArray<PlainForm.PlainForm>
): Effect.fn.Return<A, StepFailed> {
  const tried: Array<{
    readonly form: PlainForm.PlainForm
    readonly decides: boolean | null
    readonly done: A
    readonly holds: boolean
  }> = []
  for (const form of forms) {
    const plain = nodeOf(step, form)
    const done =
      plain !== null && (yield* isSafe(form, step)) && (yield* isThere(plain, step))
        ? yield* Effect.result(step.perform(withoutEffects(plain), true))
        : null
    if (done === null || Result.isFailure(done) || done.success._tag !== "Decided") continue
    tried.push({ form, decides: form.decides, done: done.success, holds: done.success.holds })
  }
  const decision = PlainCondition.decided(tried)
  const own = tried.find(({ holds }) => holds === decision)
  if (decision !== null && own !== undefined) {
    yield* step.saved
    return own.done
  }
  const done = yield* step.perform(step.node, false)
  if (done._tag !== "Decided") return done
  for (const { form, holds } of tried) {
    if (holds !== done.holds && form.decides === holds) step.misled(form)
    const parameters = Json.objectOf(Json.parse(form.after))
    const mayDecide = PlainCondition.mayDecide(String(parameters.comparison_operator), holds)
    if (holds === done.holds && form.decides !== holds && mayDecide) {
      step.propose({ parameters, site: form.site, decides: holds })
    }
  }
  return done
})

/** Whether a condition does something where it does not hold, which then is left to the model. */
export const hasEffects = ({ parameters }: Node): boolean =>
  ("clear_cookies_on_false" in parameters && parameters.clear_cookies_on_false === true) ||
  ("error_on_false_message" in parameters && (parameters.error_on_false_message ?? "") !== "")

const withoutEffects = (node: StepNode): StepNode =>
  node.action === "BOOL_CONDITION"
    ? { ...node, parameters: { ...node.parameters, clear_cookies_on_false: false, error_on_false_message: null } }
    : node

/** Whether the page has the one text that a comparison is about. Only a question whether it is there can do without. */
const isThere = Effect.fnUntraced(function* <A>(node: StepNode, { page }: PlainStep<A>) {
  if (node.action !== "BOOL_CONDITION" || node.parameters.comparison_operator?.endsWith("_NULL") === true) return true
  const { comparison_value_1 } = node.parameters
  const parts = typeof comparison_value_1 === "string" ? LiveSelectors.split(comparison_value_1) : []
  const selectors = parts.flatMap((part) => (typeof part === "string" ? [] : [part.selector]))
  const states = yield* Effect.orElseSucceed(page.elements.states(selectors), () => [])
  return states.length === selectors.length && states.every(({ visible }) => visible === 1)
})

const nodeOf = <A>({ node }: PlainStep<A>, { after }: PlainForm.PlainForm): StepNode | null => {
  const plain = PlainForm.nodeWith(node, after)
  return plain === null || plain.action === "END" ? null : plain
}

/** Whether no value of an expression in a selector would end the text that it stands in. */
const isSafe = Effect.fnUntraced(function* <A>({ after }: PlainForm.PlainForm, { memory, page }: PlainStep<A>) {
  const { selector, xpath } = Json.objectOf(Json.parse(after))
  for (const written of [selector, xpath]) {
    if (typeof written !== "string") continue
    for (const part of Template.split(written).parts) {
      if (typeof part === "string") continue
      const value = yield* Effect.result(Memory.evaluateText(`{{${part.source}}}`, memory, page))
      if (Result.isFailure(value) || !PlainElement.isQuotable(value.success)) return false
    }
  }
  return true
})
