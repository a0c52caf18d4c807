/**
 * Recovers a failed step so that the run can continue, if the workflow allows it.
 *
 * The recoveries are tried in one order, each a bounded number of times for one step:
 *
 * 1. `unavailable`  the server does not serve the page now: the address is opened again, after a pause
 * 2. `timing`       the page is still busy: it is waited for
 * 3. `popup`        something covers the element: it is dismissed, or a person decides about it
 * 4. `demand`       the site asks something of the account: a person does it, or the failure says so
 * 5. `form`         the form that was filled in complains: a person corrects inputs, and it is filled in again
 * 6. `selector`     the element is not where it was: it is looked for by what it looks like
 * 7. `modal`        the element is nowhere, and a dialog is open: it is dismissed like a pop-up
 *
 * and at last a person may correct what the step itself cannot use. After each of them the step is tried again, and when
 * it fails in another way, all have another look. A step that may have taken effect is never tried again, nor one
 * that must not be repeated: those end the run. Where only what such a step expects is missing, a pop-up may hide it: that
 * is dismissed, and what is expected is looked for again.
 */
import { Effect, Result } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import * as Survey from "../../browser/element/Survey.ts"
import * as Measures from "../../runtime/Measures.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import type { Offer } from "../../workflow/patch/Patch.ts"
import { reworded, StepFailed } from "../Failure.ts"
import type * as Memory from "../variables/Memory.ts"
import { accountAction } from "./AccountAction.ts"
import * as Classification from "./Classification.ts"
import { selectorOf } from "./ElementMemory.ts"
import { elementRelocation, similarTo } from "./ElementRelocation.ts"
import { formCorrection } from "./FormCorrection.ts"
import { dialogDismissal, overlayDismissal } from "./OverlayDismissal.ts"
import type {
  Analysis,
  CompletedStep,
  FailedStep,
  Kind,
  RecoveryContext,
  RecoveryStrategy,
  Remedy
} from "./RecoveryStrategy.ts"
import { dismissals, kinds } from "./RecoveryStrategy.ts"
import * as StepCorrection from "./StepCorrection.ts"
import { timing } from "./Timing.ts"
import { unavailable } from "./UnavailablePage.ts"

const recoveries: Readonly<Record<Kind, RecoveryStrategy>> = {
  unavailable,
  timing,
  popup: overlayDismissal,
  demand: accountAction,
  form: formCorrection,
  selector: elementRelocation,
  modal: dialogDismissal
}

/** The listener for recoveries. */
export interface RecoveryListener<E> {
  readonly analysed: (analysis: Analysis) => Effect.Effect<void, E>
  readonly offered: (offer: Offer) => Effect.Effect<void, E>
}

/** A step that failed for the first time. */
export interface FirstFailure {
  readonly node: Node
  readonly failure: StepFailed
  readonly memory: Memory.Memory
  readonly page: BrowserSession
  readonly trail: ReadonlyArray<CompletedStep>
  readonly signedIn: boolean
  /** Whether an account is being signed in. */
  readonly signsIn: boolean
}

export type Again<A, E = never> = (
  memory: Memory.Memory,
  page: BrowserSession,
  option: string | null
) => Effect.Effect<Result.Result<A, StepFailed>, E>

/** Looks once more for what a step expects that has done its work; `null` where the step has to be done again for that. */
export type Expected<A> = () => Effect.Effect<Result.Result<A, StepFailed>> | null

/** The result of a step in the end. A failed one is judged by what the page shows. */
export type RecoveryResult<A> =
  | { readonly _tag: "Done"; readonly done: A; readonly memory: Memory.Memory }
  | {
      readonly _tag: "Failed"
      readonly failure: StepFailed
      readonly classification: Classification.Classification
      readonly memory: Memory.Memory
    }

/** The result of a step whose file could not be kept. */
export const without = <A>(done: RecoveryResult<A>, reason: string): RecoveryResult<A> => {
  if (done._tag === "Failed") return done
  const sentence = `Cannot keep what was downloaded: ${reason}`
  const failure = new StepFailed({ code: "DOWNLOAD-E0002", sentence, original: reason })
  const classification = Classification.of(failure, null, { signedIn: false, typed: false })
  return { _tag: "Failed", failure, classification, memory: done.memory }
}

/** Tries every allowed recovery. It fails only if the listener fails. */
export const recover = Effect.fnUntraced(function* <A, E>(
  { failure: first, memory, node, page, signedIn, signsIn, trail }: FirstFailure,
  means: RecoveryContext,
  listener: RecoveryListener<E>,
  again: Again<A, E>,
  expected: Expected<A>
) {
  const tried = new Map<Kind, number>()
  const looked = Effect.fnUntraced(function* (failure: StepFailed, known: Memory.Memory, seen: BrowserSession) {
    // A dialog that the step is about, or what it expects, belongs to the workflow.
    const own = failure.unmet === undefined ? [] : [...failure.unmet, ...[selectorOf(node) ?? []].flat()]
    const sought = { target: failure.selector ?? null, fields: [...trail.map(({ selector }) => selector), ...own] }
    const looking = Classification.speaksForItself(failure.code)
      ? null
      : yield* Effect.result(seen.elements.survey(sought))
    const shown = looking?._tag === "Success" ? looking.success : null
    const unseen = looking?._tag === "Failure" ? looking.failure.reason : null
    const { hide } = known.credentials.secrets
    const classification = Classification.of(failure, shown, { signedIn, typed: trail.length > 0, unseen, hide })
    const trouble = { node, failure, memory: known, page: seen, signedIn, trail, survey: shown ?? Survey.empty }
    return { ...trouble, classification, tried: 0 } satisfies FailedStep
  })
  const tell = (kind: Analysis["kind"], outcome: Analysis["outcome"], remedy: Omit<Remedy, "_tag">, of: FailedStep) =>
    Effect.andThen(
      Measures.recovered(kind, outcome === "success"),
      listener.analysed({
        node,
        kind,
        classification: of.classification,
        remedy: remedy.remedy,
        outcome,
        byModel: "byModel" in remedy ? String(remedy.byModel) : null,
        // Only the dismissal of a popup has this field.
        popup: "popup" in remedy ? ((remedy.popup as Analysis["popup"]) ?? null) : null
      })
    )

  let trouble: FailedStep = yield* looked(first, memory, page)
  while (true) {
    const look = trouble.failure.unmet === undefined ? null : expected()
    const allowed = mayRepeat(node, trouble.failure) ? kinds : look === null ? [] : dismissals
    const found = yield* firstRemedy(trouble, means, tried, allowed)
    if (found === null) break
    const { kind, remedy } = found
    tried.set(kind, (tried.get(kind) ?? 0) + 1)
    if (remedy._tag === "End") {
      yield* tell(kind, "failure", remedy, trouble)
      const classification =
        remedy.failure.code === trouble.failure.code
          ? trouble.classification
          : Classification.of(remedy.failure, null, { signedIn, typed: false })
      return {
        _tag: "Failed",
        failure: remedy.failure,
        classification,
        memory: trouble.memory
      } satisfies RecoveryResult<A>
    }
    const known = remedy.memory ?? trouble.memory
    const seen = remedy.page ?? trouble.page
    const done = yield* look !== null && dismissals.includes(kind) ? look : again(known, seen, null)
    yield* tell(kind, Result.isSuccess(done) ? "success" : "failure", remedy, trouble)
    if (Result.isSuccess(done)) {
      if (remedy.offer !== undefined) yield* listener.offered(remedy.offer)
      return { _tag: "Done", done: done.success, memory: known } satisfies RecoveryResult<A>
    }
    trouble = yield* looked(done.failure, known, seen)
  }

  // Corrections by a person apply to failures before any effect, so that this concerns every node.
  if (means.correctable && trouble.failure.acted !== true && StepCorrection.isMendable(node, trouble.failure)) {
    const { choices, person } = means
    const seen = trouble.page
    const asked = { choices, page: seen, person }
    const mended = yield* StepCorrection.mend(node, trouble.failure, trouble.memory, asked, (known, option) =>
      again(known, seen, option)
    )
    const remedy = { remedy: "Tried again with what a person corrected" }
    if (Result.isSuccess(mended.done)) {
      yield* tell("inputs", "success", remedy, trouble)
      return { _tag: "Done", done: mended.done.success, memory: mended.memory } satisfies RecoveryResult<A>
    }
    if (mended.done.failure !== trouble.failure) {
      yield* tell("inputs", "failure", remedy, trouble)
      trouble = yield* looked(mended.done.failure, mended.memory, seen)
    }
  }
  const said = signsIn ? Classification.refusalOf(trouble.survey) : null
  const classification =
    said === null || Classification.speaksForItself(trouble.failure.code)
      ? trouble.classification
      : Classification.ofRefusal(said, means.secrets.hide)
  const quoted = said === null ? "" : `. The page says: "${means.secrets.hideWithin(said, maxQuoted)}"`
  const similar = yield* similarTo(trouble, means)
  const { failure } = trouble
  const explained = reworded(failure, `${failure.sentence}${quoted}${similar}`)
  return {
    _tag: "Failed",
    failure: clear(node, explained),
    classification,
    memory: trouble.memory
  } satisfies RecoveryResult<A>
})

/** Maximum length of what the page says, in a failure. */
const maxQuoted = 300

/** Asks the recoveries in their order. */
const firstRemedy = Effect.fnUntraced(function* (
  trouble: FailedStep,
  means: RecoveryContext,
  tried: ReadonlyMap<Kind, number>,
  allowed: ReadonlyArray<Kind>
) {
  for (const kind of allowed) {
    const remedy = yield* recoveries[kind]({ ...trouble, tried: tried.get(kind) ?? 0 }, means)
    if (remedy !== null) return { kind, remedy }
  }
  return null
})

export const isNotRepeatable = (node: Node): boolean =>
  "not_repeatable" in node.parameters && node.parameters.not_repeatable === true

const mayRepeat = (node: Node, { acted }: StepFailed): boolean => acted !== true && !isNotRepeatable(node)

/** Says why a step was not tried again. */
const clear = (node: Node, failure: StepFailed): StepFailed => {
  const why = isNotRepeatable(node)
    ? "the node must not be repeated, so it was tried once"
    : failure.acted === true
      ? "the action may have taken effect, so it was not tried again"
      : null
  return why === null ? failure : reworded(failure, `${failure.sentence}; ${why}`)
}
