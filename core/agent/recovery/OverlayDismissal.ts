/**
 * Dismisses an overlay of the page that obstructs a step. If no button on it is without consequences, a person may
 * decide.
 */
import { Clock, Effect, Option } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import { cleanOf } from "../../browser/element/Appearance.ts"
import { inTheWay, type Overlay } from "../../browser/element/Survey.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import type { Offer } from "../../workflow/patch/Patch.ts"
import * as Dismissal from "./Dismissal.ts"
import {
  type Analysis,
  type FailedStep,
  isAboutElement,
  type PopupFacts,
  type RecoveryContext,
  type RecoveryStrategy,
  type Remedy
} from "./RecoveryStrategy.ts"

/** How many pop-ups are dismissed for one step. */
const mostTries = 3

/** How many of the ways out of one are tried. */
const mostWays = 2

/** How long a button may take to be pressed, and a pop-up to go away, in milliseconds. */
const pressMillis = 2_000
const goneMillis = 2_000
const lookEveryMillis = 200

/** The maximum attempts to press a button when a press times out: a page may be too busy to answer. */
const mostPresses = 2

/** The time to wait for frames of a pop-up that have shown nothing yet, in milliseconds. */
const unreadMillis = 8_000

/** Dismisses what covers the element of a step. */
export const overlayDismissal: RecoveryStrategy = (trouble, means) => {
  const { settings } = means
  const overlay = trouble.survey.overlays.find(({ coversTarget }) => coversTarget)
  if (!settings.popups || !isFor(trouble)) return Effect.succeed(null)
  return Effect.flatMap(knownDismissal(trouble, settings.popupXpaths), (known) =>
    known !== null || overlay === undefined ? Effect.succeed(known) : outOfTheWay(trouble, overlay, means)
  )
}

/**
 * Dismisses a dialog, the last thing to be tried for an element that is nowhere to be found. What covers the element is
 * left to `overlayDismissal`, which has tried all that there is to try.
 */
export const dialogDismissal: RecoveryStrategy = (trouble, means) => {
  const overlay = inTheWay(trouble.survey)
  if (!means.settings.popups || overlay === null || overlay.coversTarget || !isFor(trouble)) return Effect.succeed(null)
  return outOfTheWay(trouble, overlay, means)
}

/** Presses what the workflow knows to dismiss pop-ups, where one came up only while a step waited for its element. */
const knownDismissal = Effect.fnUntraced(function* (trouble: FailedStep, xpaths: ReadonlyArray<string>) {
  const pressed = yield* pressKnown(trouble.node, trouble.page, xpaths)
  if (pressed.length === 0) return null
  const { popup } = cleared(trouble.node, pressed, trouble.survey.address)
  const remedy = `Pressed ${pressed.join(", ")} of popup_xpaths`
  return { _tag: "Again", remedy, ...(popup === null ? {} : { popup }) } satisfies Remedy
})

type Deciding = Pick<RecoveryContext, "choices" | "correctable" | "person">

const isFor = ({ failure, tried }: FailedStep): boolean =>
  (isAboutElement(failure) || failure.unmet !== undefined) && tried < mostTries

const outOfTheWay = Effect.fnUntraced(function* (
  trouble: FailedStep,
  found: Overlay,
  { choices, correctable, person }: Deciding
) {
  const { page } = trouble
  const overlay = yield* whenRead(trouble, found)
  const saved = choices.get(questionOf(trouble, overlay))
  const known = saved === undefined ? null : yield* actedOn(trouble, overlay, saved)
  if (known?.isGone === true) return { ...known.remedy, remedy: `${known.remedy.remedy} before` }
  for (const button of Dismissal.waysOut(overlay).slice(0, mostWays)) {
    if (!(yield* isPressedAway(trouble, overlay, button.selector))) continue
    const facts = factsOf(trouble, overlay, { phase: "popup_dismiss_verified", action: null, label: button.label })
    const { credentials, inputs } = trouble.memory
    const offer = cleanOf(credentials.secrets, inputs)(button.selector) ? offerFor(button.selector) : null
    const remedy = `Pressed "${button.label}" to dismiss a pop-up`
    return { _tag: "Again", remedy, popup: facts, ...(offer === null ? {} : { offer }) } satisfies Remedy
  }
  if (overlay.isDialog && !overlay.isAlert) {
    const keys = { strokes: [{ key: "Escape" }], existing: "keep", delayMillis: 0, paste: false } as const
    yield* Effect.ignore(page.elements.type(null, keys))
    if (yield* isGone(trouble, overlay)) {
      const facts = factsOf(trouble, overlay, { phase: "popup_dismiss_verified", action: null, label: null })
      return { _tag: "Again", remedy: "Pressed Escape to dismiss a pop-up", popup: facts } satisfies Remedy
    }
  }
  return correctable && overlay.buttons.length > 0 ? yield* decided(trouble, overlay, { choices, person }) : null
})

/** The question that a pop-up asks: one with another text, or other buttons, asks something else. */
const questionOf = ({ survey }: FailedStep, { buttons, text }: Overlay): string =>
  JSON.stringify([hostOf(survey.address), text, buttons.map(({ label }) => label)])

/** Lets a person choose one of the buttons. */
const decided = Effect.fnUntraced(function* (
  trouble: FailedStep,
  overlay: Overlay,
  { choices, person }: Pick<Deciding, "choices" | "person">
) {
  const { memory, node, page, survey, tried } = trouble
  const { secrets } = memory.credentials
  const shot = yield* Effect.option(page.observation.glimpse())
  const began = yield* Clock.currentTimeMillis
  const description = secrets.hideWithin(`A pop-up is in the way: "${overlay.text.slice(0, 300)}"`, 400)
  const answer = yield* person.correct({
    node,
    message: description,
    inputs: memory.inputs,
    choosing: false,
    shot: Option.getOrNull(shot),
    popup: {
      description,
      subType: "NON_DISMISSIBLE",
      address: secrets.hide(survey.address),
      actions: Dismissal.actionsOf(overlay).map(({ id, label }) => ({ id, label: secrets.hide(label) })),
      attempt: tried + 1,
      maxAttempts: mostTries
    }
  })
  if (answer?._tag !== "action") return null
  const responseMillis = (yield* Clock.currentTimeMillis) - began
  const done = yield* actedOn(trouble, overlay, answer.action)
  if (done === null) return null
  if (answer.save === true && done.isGone) choices.set(questionOf(trouble, overlay), answer.action)
  return { ...done.remedy, popup: { ...done.remedy.popup, responseMillis } } satisfies Remedy
})

/** Presses the button of an action once, and looks whether the pop-up is gone; `null` if it has no such action. */
const actedOn = Effect.fnUntraced(function* (trouble: FailedStep, overlay: Overlay, action: string) {
  const button = Dismissal.buttonOf(overlay, action)
  if (button === undefined) return null
  yield* press(trouble.page, button.selector)
  const popup = factsOf(trouble, overlay, { phase: "modal_decision_dispatched", action, label: button.label })
  const remedy = `Pressed "${popup.label}" on a pop-up, as a person decided`
  return { isGone: yield* isGone(trouble, overlay), remedy: { _tag: "Again", remedy, popup } satisfies Remedy }
})

/** The overlay once its frames were read, as far as they can be: before that, its buttons are not known. */
const whenRead = Effect.fnUntraced(function* (trouble: FailedStep, found: Overlay) {
  const until = (yield* Clock.currentTimeMillis) + unreadMillis
  let overlay = found
  while (overlay.isUnread === true && Dismissal.waysOut(overlay).length === 0) {
    if ((yield* Clock.currentTimeMillis) >= until) break
    yield* Effect.sleep(lookEveryMillis)
    const seen = yield* surveyed(trouble)
    overlay = seen?.overlays.find(({ signature }) => signature === found.signature) ?? overlay
  }
  return overlay
})

/** Presses a button until it has been pressed, and returns whether the overlay is gone. */
const isPressedAway = Effect.fnUntraced(function* (trouble: FailedStep, overlay: Overlay, selector: string) {
  for (let presses = 0; presses < mostPresses; presses++) {
    if (yield* press(trouble.page, selector)) return yield* isGone(trouble, overlay)
    // The press may have worked although it was not confirmed in time.
    if (yield* isGoneNow(trouble, overlay)) return true
  }
  return false
})

const press = (page: SessionParts<"elements">, selector: string) =>
  Effect.map(
    Effect.result(page.elements.click({ selector, waitMillis: pressMillis, first: true }, "click")),
    ({ _tag }) => _tag === "Success"
  )

/** The page as it is now; `null` where it does not answer. */
const surveyed = ({ failure, page }: FailedStep) =>
  Effect.map(Effect.option(page.elements.survey({ target: failure.selector ?? null, fields: [] })), Option.getOrNull)

const isGoneNow = (trouble: FailedStep, overlay: Overlay) =>
  Effect.map(
    surveyed(trouble),
    (seen) => seen !== null && !seen.overlays.some(({ signature }) => signature === overlay.signature)
  )

const isGone = Effect.fnUntraced(function* (trouble: FailedStep, overlay: Overlay) {
  const until = (yield* Clock.currentTimeMillis) + goneMillis
  while (true) {
    if (yield* isGoneNow(trouble, overlay)) return true
    if ((yield* Clock.currentTimeMillis) >= until) return false
    yield* Effect.sleep(lookEveryMillis)
  }
})

const factsOf = (
  { memory, survey }: FailedStep,
  overlay: Overlay,
  facts: Pick<PopupFacts, "phase" | "action" | "label">
): PopupFacts => {
  const { secrets } = memory.credentials
  return {
    ...facts,
    label: facts.label === null ? null : secrets.hide(facts.label),
    responseMillis: null,
    host: hostOf(survey.address),
    signature: secrets.hideWithin(overlay.signature, 200)
  }
}

/** The position of a button in the document does not identify it on another page with the same pop-up. */
const offerFor = (selector: string): Offer | null =>
  selector.startsWith("//") && !/\/html[/[]/.test(selector)
    ? {
        kind: "popup_xpath",
        nodeId: null,
        nodeName: null,
        parameter: null,
        before: null,
        after: selector,
        reason: "A pop-up blocked a step, and this button dismissed it"
      }
    : null

/** The actions that look at no page, or leave it: pop-ups are nothing to them. */
const apart: ReadonlySet<string> = new Set([
  "START",
  "NAVIGATE",
  "END",
  "DELAY",
  "LOOP",
  "TRANSFORM",
  "USER_INTERACTION"
])

/**
 * Presses what is known to dismiss pop-ups, before a node that acts on a page, and answers the selectors that were
 * there. One visit to the page where there is none. The dialog that the node itself acts on is left to the node.
 */
export const clear = (node: Node, page: SessionParts<"elements">, xpaths: ReadonlyArray<string>) =>
  pressKnown(node, page, apart.has(node.action) ? [] : xpaths)

const pressKnown = Effect.fnUntraced(function* (
  node: Node,
  page: SessionParts<"elements">,
  xpaths: ReadonlyArray<string>
) {
  const own: unknown = "selector" in node.parameters ? node.parameters.selector : undefined
  const known = xpaths.filter((xpath) => xpath !== own)
  if (known.length === 0) return []
  const there = yield* Effect.orElseSucceed(page.elements.seen(known), () => [])
  const pressed: Array<string> = []
  for (const xpath of there.map((index) => known[index] ?? "")) {
    if (yield* press(page, xpath)) pressed.push(xpath)
  }
  return pressed
})

/** The report on the pop-ups that were dismissed before a node. */
export const cleared = (node: Node, pressed: ReadonlyArray<string>, address: string): Analysis => ({
  node,
  kind: "popup_xpaths",
  classification: {
    category: "UNEXPECTED_UI_STATE",
    subType: "DISMISSIBLE",
    description: `${pressed.length === 1 ? "A pop-up" : `${pressed.length} pop-ups`} of the workflow's popup_xpaths came up`
  },
  remedy: `Pressed ${pressed.join(", ")}`,
  outcome: "success",
  byModel: null,
  popup: {
    phase: "popup_dismiss_verified",
    action: null,
    label: null,
    responseMillis: null,
    host: hostOf(address),
    signature: pressed.join(" ").slice(0, 200)
  }
})

const hostOf = (address: string): string | null => URL.parse(address)?.host ?? null
