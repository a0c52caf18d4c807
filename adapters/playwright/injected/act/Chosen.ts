/** What was chosen in a list, where its page shows it: it is read there again before it is sent. */
import type { Held } from "../../../../core/browser/element/ReadBack.ts"
import { squeeze } from "../dom/Text.ts"
import { keep, kept, keptBefore } from "../find/Kept.ts"
import { heldAfterChange, shownMillis } from "./ChangedLists.ts"
import { anyOption, widgetOf } from "./Widgets.ts"

/** A choice that a page shows in a place of a list that it builds. */
export class Chosen {
  readonly place: Element
  readonly read: () => string

  constructor(place: Element, read: () => string) {
    this.place = place
    this.read = read
  }
}

/** An option of a list that a page builds, and the name under which the place is kept that shows it. */
export interface WantedChoice {
  readonly index: number
  readonly name: string
  readonly text: string
}

/** Keeps where the page shows an option right after it is clicked, however late that is asked. */
export const watchChoice = (wanted: WantedChoice): void => {
  const note = () => setTimeout(() => keepShown(wanted), shownMillis)
  for (const type of ["mousedown", "click"]) document.addEventListener(type, note, { capture: true, once: true })
}

/** An option that was taken; without an index, one of the browser. */
type Taken = Omit<WantedChoice, "index"> & { readonly index: number | null }

const keepShown = ({ index, name, text }: Taken): Choice | null => {
  const trigger = kept("trigger")
  const option = index === null ? undefined : kept(`option ${index}`)
  if (!(trigger instanceof Element && trigger.isConnected)) return null
  const place = placesOf(trigger, option instanceof Element ? option : null).find((candidate) =>
    shows(candidate.read(), text)
  )
  if (place === undefined) return null
  keep(name, place)
  return { kind: "list", text }
}

/** What to read again: the value of a list of the browser, or the text of an option where the page shows it. */
export interface Choice {
  readonly kind: "choice" | "list"
  readonly text: string
}

/**
 * Keeps the list that was chosen from under a name; `null` where it does not show the choice, as menus do not. `index` is
 * that of the option in a list that a page builds.
 */
export const keepChosen = (wanted: Taken): Choice | null => {
  const { name, text } = wanted
  const native = kept("native")
  if (native instanceof HTMLSelectElement && !native.multiple) {
    const options = [...native.options].filter(({ selected, value }) => selected || value === heldAfterChange(native))
    const chosen = options.find((option) => [option.value, squeeze(option.text)].includes(text))
    if (chosen !== undefined) {
      keep(name, native)
      return { kind: "choice", text: chosen.value }
    }
  }
  return kept(name) instanceof Chosen ? { kind: "list", text } : keepShown(wanted)
}

const shows = (shown: string, text: string): boolean => shown.toLowerCase().includes(text.toLowerCase())

/** Where a list may show what was chosen, the nearest place first. */
const placesOf = (trigger: Element, option: Element | null): ReadonlyArray<Chosen> => {
  const list = trigger.matches("[role=listbox]") ? trigger : null
  if (list !== null || (option !== null && trigger.contains(option))) {
    return [new Chosen(list ?? trigger, () => markedIn(list ?? trigger))]
  }
  const around = [trigger, trigger.parentElement, trigger.parentElement?.parentElement ?? null]
  return around
    .filter((element) => element !== null && element !== document.body && !element.matches("form,body,html"))
    .map((element) => new Chosen(element as Element, () => shownIn(element as Element)))
}

/** The texts of the options that declare that they are chosen. */
const markedIn = (list: Element): string =>
  [...list.querySelectorAll("[aria-selected=true],[aria-checked=true]")]
    .map((element) => squeeze(element.textContent))
    .join("\n")

const notShown = `[role=listbox],[role=menu],[role=tree],[aria-live],script,style,option,${anyOption}`

/** What a person sees in a place, without the options to choose from. */
const shownIn = (element: Element): string => {
  if (element.matches(notShown) || !element.checkVisibility({ visibilityProperty: true })) return ""
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value
  const own = [element.getAttribute("title") ?? "", element.getAttribute("aria-label") ?? ""]
  const inner = [...element.childNodes].map((node) =>
    node instanceof Element ? shownIn(node) : node instanceof Text ? node.data : ""
  )
  return squeeze([...own, ...inner].join(" "))
}

/** What the list shows that an element is or stands for. */
export const chosenAt = (_arg: null, element: Element): Held => {
  const { native } = widgetOf(null, element)
  const list = native ? keptBefore("native") : null
  if (list instanceof HTMLSelectElement) {
    return { value: [...list.selectedOptions].map(({ text, value }) => `${value}\n${text}`).join("\n"), type: "list" }
  }
  const trigger = kept("trigger")
  const places = trigger instanceof Element ? placesOf(trigger, null) : []
  return { value: places.map((place) => place.read()).join("\n"), type: "list" }
}
