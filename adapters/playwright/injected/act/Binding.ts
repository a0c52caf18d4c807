/**
 * Keeps the events of an act from an element that is not what it was when the act was approved. They are decided in the
 * document itself, before any listener of an element and before the effect of the browser, so that nothing can change between.
 */
import { changeOf, type ElementFacts } from "../../../../core/browser/element/ElementFacts.ts"
import { contains } from "../dom/Tree.ts"
import { actorOf, factsOf } from "../look/Facts.ts"

/** The events of a click, in their order. */
const events = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "dblclick",
  "auxclick",
  "contextmenu"
] as const

/** What is bound, whether an event of the act has reached the page, and what was then found to be different. */
export interface Binding {
  readonly element: Element
  readonly facts: ElementFacts
  hasBegun: boolean
  change: string | null
}

let bound: Binding | null = null

/** Attributes that pages change when the pointer comes or a button is pressed, such as those of tooltips. */
const isOfPointer = (name: string): boolean => /^(aria-|data-|(title|tabindex)$)/.test(name)

const settled = (facts: ElementFacts): ElementFacts => ({
  ...facts,
  attributes: facts.attributes.filter(({ name }) => !isOfPointer(name))
})

const judge = (event: Event): void => {
  if (bound === null || !event.isTrusted) return
  const { element, facts } = bound
  const target = event.composedPath()[0]
  bound.change ??= !(element.isConnected && target instanceof Element && isFor(target, element))
    ? "the element"
    : // The browser turns a box on or off before its click is heard. Nothing runs between that and the event before.
      event.type === "click" && isBox(actorOf(element))
      ? null
      : changeOf(settled(facts), settled(factsOf(element)))
  if (bound.change === null) {
    bound.hasBegun = true
    return
  }
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Whether what an event happens to is an element, is in it, or is a label of it. */
const isFor = (target: Element, element: Element): boolean =>
  contains(element, target) || actorOf(target) === actorOf(element)

const isBox = (element: Element): boolean =>
  element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type)

for (const name of events) addEventListener(name, judge, true)

/** What is different by now from what was approved; `null` where nothing is. */
export const changed = (facts: ElementFacts, element: Element): string | null => changeOf(facts, factsOf(element))

/** The same, and binds the next click on the element to these facts where nothing is different. */
export const bind = (facts: ElementFacts, element: Element): string | null => {
  const change = changed(facts, element)
  bound = change === null ? { element, facts, hasBegun: false, change: null } : null
  return change
}

/** Ends that. Answers what kept the click, or the rest of it, from the element; `null` where nothing did. */
export const unbind = (): Pick<Binding, "change" | "hasBegun"> | null => {
  const ended = bound
  bound = null
  return ended === null || ended.change === null ? null : { change: ended.change, hasBegun: ended.hasBegun }
}
