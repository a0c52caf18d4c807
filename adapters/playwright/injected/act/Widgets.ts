/** Lists of options: native ones and custom ones. */

import type { Query } from "../../../../core/browser/element/Selector.ts"
import { squeeze } from "../dom/Text.ts"
import { isUsable, isVisible } from "../dom/Visible.ts"
import { nameOf } from "../find/ElementNames.ts"
import { allKept, keep, kept, keptBefore } from "../find/Kept.ts"
import { elements } from "../find/XPath.ts"
import { watchChange } from "./ChangedLists.ts"

/** The result of a selector for a list. */
export interface Widget {
  /** A list of the browser; one that builds its own; a field with suggestions; a list whose options are always there. */
  readonly kind: "native" | "custom" | "suggestions" | "open"
  /** Whether there is a list of the browser, also a hidden one behind a list that a page builds. It is kept as `native`. */
  readonly native: boolean
  /** Whether there is something to be clicked to open the list. It is kept as `trigger`. */
  readonly trigger: boolean
}

const opener =
  "[role=combobox],[aria-haspopup=listbox],[aria-haspopup=true],.select2-selection,.ant-select-selector,button,input:not([type=hidden])"

/** The list that an element is, is in, represents or contains. */
export const widgetOf = (_arg: null, element: Element): Widget => {
  const labelled = element instanceof HTMLLabelElement && element.control !== null ? element.control : element
  const start = labelled instanceof HTMLOptionElement ? (labelled.closest("select") ?? labelled) : labelled
  if (start instanceof HTMLInputElement && start.list !== null) return widget("suggestions", null, start)
  const native = start instanceof HTMLSelectElement ? start : start.querySelector("select")
  if (native !== null && isPlain(native)) return widget("native", native, native)
  return select2Of(start, native) ?? builtBy(start, native) ?? besideHidden(start, native)
}

const widget = (kind: Widget["kind"], native: HTMLSelectElement | null, trigger: Element | null): Widget => {
  keep("native", native)
  keep("trigger", trigger)
  keep("others", [])
  return { kind, native: native !== null, trigger: trigger !== null }
}

/** Whether a native list is used directly, without a custom list in front of it. */
const isPlain = (list: HTMLSelectElement): boolean =>
  isUsable(list) && !list.classList.contains("select2-hidden-accessible")

const usableIn = (root: Element, selector: string): Element | null =>
  [...root.querySelectorAll(selector)].find(isUsable) ?? null

/** A list that Select2 builds. */
const select2Of = (start: Element, native: HTMLSelectElement | null): Widget | null => {
  const next = native?.nextElementSibling
  const container =
    start.closest(".select2-container") ??
    (next?.matches(".select2-container") === true ? next : null) ??
    start.querySelector(".select2-container")
  if (container === null) return null
  const before = container.previousElementSibling
  const behind = native ?? (before instanceof HTMLSelectElement ? before : null)
  return widget("custom", behind, container.querySelector(".select2-selection") ?? container)
}

/** A list that a page builds, at an element that can be seen. */
const builtBy = (start: Element, native: HTMLSelectElement | null): Widget | null => {
  const isSeen = isUsable(start)
  const isOpener = start.matches("[role=combobox],[aria-haspopup=listbox],[aria-haspopup=true]")
  if (isOpener && isSeen) return widget("custom", native, start)
  if (start.matches("[role=listbox]") && isSeen) return widget("open", native, start)
  if (native !== null) return null
  if (start instanceof HTMLInputElement) return isSeen ? widget("custom", native, start) : null
  const list = usableIn(start, "[role=listbox]")
  const within = usableIn(start, opener)
  return within === null && list !== null ? widget("open", native, list) : widget("custom", native, within ?? start)
}

/** A hidden control is beside the element that a person sees. */
const besideHidden = (start: Element, native: HTMLSelectElement | null): Widget => {
  let around: Element | null = (native ?? start).parentElement
  for (let level = 0; level < 3 && around !== null && around !== document.body; level++) {
    const found = usableIn(around, opener)
    if (found !== null) return widget("custom", native, found)
    around = around.parentElement
  }
  return native === null ? widget("custom", native, start) : widget("native", native, null)
}

/** The options in the one list that a path matches in the document alone; `null` where it matches none or several. */
export const nativeOptionsOf = (query: Query): NativeOptions | null => {
  const [element, ...others] = elements(query, false)
  return element === undefined || others.length > 0 ? null : optionsOf(element)
}

/** The options of the element that is kept under a name. */
export const nativeOptions = (name: string): NativeOptions => optionsOf(keptBefore(name))

/** The options of a list of the browser, or of the suggestions of a field. */
const optionsOf = (element: Element) => {
  const list =
    element instanceof HTMLSelectElement ? element : element instanceof HTMLInputElement ? element.list : null
  if (list instanceof HTMLSelectElement) watchChange(list)
  return {
    /** Names the element, also among those of other documents. */
    name: nameOf(element),
    /** Whether it is a list of the browser that people choose from themselves, with nothing built in front of it. */
    plain: element instanceof HTMLSelectElement && isPlain(element),
    multiple: list instanceof HTMLSelectElement && list.multiple,
    disabled: list instanceof HTMLSelectElement && list.matches(":disabled"),
    options: [...(list?.options ?? [])].map((option) => {
      const group = option.parentElement
      return {
        value: option.value,
        text: option.text.trim() || option.label,
        selected: option.selected,
        disabled: option.disabled || (group instanceof HTMLOptGroupElement && group.disabled)
      }
    })
  }
}

export type NativeOptions = ReturnType<typeof optionsOf>

/** Whether the trigger of a list declares that it is open. */
export const isExpanded = (): boolean => {
  const element = keptBefore("trigger")
  return [element, ...element.querySelectorAll("[aria-expanded]")].some(
    (part) => part.getAttribute("aria-expanded") === "true"
  )
}

/** The document, and the shadow root around the list if it is in one. */
const rootsOf = (trigger: Element): ReadonlyArray<Document | ShadowRoot> => {
  const root = trigger.getRootNode()
  // A page may put another trigger in its place as it opens the list.
  return root instanceof ShadowRoot ? [root, document] : [document]
}

/** Keeps the lists that are open on the page already as `others`, each as the element that holds its options. */
export const keepOpenLists = (): void => {
  const trigger = keptBefore("trigger")
  if (!trigger.isConnected) throw new Error("sluice:gone")
  const open = rootsOf(trigger)
    .flatMap((from) => [...from.querySelectorAll("[role=listbox]")])
    .filter((element) => !element.contains(trigger) && isVisible(element))
  keep("others", open)
}

export const anyOption =
  "[role=option],[role=treeitem],[role=menuitemradio],[role=menuitem],.select2-results__option,.ant-select-item-option,[cmdk-item]"

/**
 * The options that an opened list shows now, and what can be done to see more of them. Lists that were open before it
 * was are others, unless it says that they are its own. Keeps the options as `option 0` and so on, the field that it can be
 * typed into as `field`, and what scrolls it as `scroller`.
 */
export const shownOptions = () => {
  const trigger = keptBefore("trigger")
  const roots = rootsOf(trigger)
  const lists = listsOf(trigger, roots)
  const options = optionsShown(lists, roots)
  // What opened nothing, and is there no longer, was replaced before it could.
  if (options.length === 0 && !trigger.isConnected) throw new Error("sluice:gone")
  const field = fieldOf(trigger, roots[0]?.activeElement ?? null)
  const scroller = scrollerOf(options[0] ?? lists[0] ?? null)
  for (const [index, element] of options.entries()) keep(`option ${index}`, element)
  keep("field", field)
  keep("scroller", scroller)
  return {
    options: options.map(customOption),
    busy: roots.some(isLoading) || lists.some(saysThatItLoads),
    typed: field !== null,
    scrolls: scroller !== null
  }
}

/** The lists that an opener names as its own, or what has the focus in its place. */
const listsOf = (trigger: Element, roots: ReadonlyArray<Document | ShadowRoot>): ReadonlyArray<Element> => {
  const owners = [trigger, ...trigger.querySelectorAll("[aria-controls],[aria-owns]"), roots[0]?.activeElement ?? null]
  const ids = owners
    .filter((owner) => owner !== null)
    .flatMap((owner) =>
      `${owner.getAttribute("aria-controls") ?? ""} ${owner.getAttribute("aria-owns") ?? ""}`.split(" ")
    )
  const named = ids.flatMap((id) =>
    id === "" ? [] : (roots.map((from) => from.getElementById(id)).find((found) => found !== null) ?? [])
  )
  return [...(trigger.matches("[role=listbox]") ? [trigger] : []), ...named]
}

/** The options of the lists, or where they have none, those of any list that was not open before. */
const optionsShown = (
  lists: ReadonlyArray<Element>,
  roots: ReadonlyArray<Document | ShadowRoot>
): ReadonlyArray<Element> => {
  const others = allKept("others")
  const optionsIn = (from: ParentNode) => [...from.querySelectorAll(anyOption)].filter(isVisible)
  const own = lists.flatMap(optionsIn)
  const all =
    own.length > 0 ? own : roots.flatMap(optionsIn).filter((element) => !others.some((list) => list.contains(element)))
  return [...new Set(all)].filter((element) => !isNote(element) && (element.textContent ?? "").trim() !== "")
}

/** Whether what looks like an option is a message or a group of options. */
const isNote = (element: Element): boolean =>
  element.matches(".loading-results,.select2-results__message,.select2-results__option--load-more,[aria-busy=true]") ||
  (element.querySelector(anyOption) !== null && !element.matches("[aria-selected]"))

/** The field that a list can be typed into. */
const fieldOf = (trigger: Element, active: Element | null): Element | null =>
  [active, trigger, trigger.querySelector("input")].find(
    (element) =>
      (element instanceof HTMLInputElement &&
        !element.readOnly &&
        !element.disabled &&
        /^(text|search|tel|url|email|)$/.test(element.type)) ||
      element instanceof HTMLTextAreaElement
  ) ?? null

/** The scroller of an option or a list, other than the page itself. */
const scrollerOf = (from: Element | null): Element | null => {
  let scroller = from
  while (scroller !== null && scroller !== document.body && scroller.scrollHeight <= scroller.clientHeight + 1) {
    scroller = scroller.parentElement
  }
  return scroller === document.body || scroller === document.documentElement ? null : scroller
}

const customOption = (element: Element) => ({
  value:
    element.getAttribute("data-value") ??
    element.getAttribute("value") ??
    element.getAttribute("data-key") ??
    (element.textContent ?? "").trim(),
  text: squeeze(element.getAttribute("aria-label") ?? element.textContent),
  disabled: element.getAttribute("aria-disabled") === "true" || element.matches("[disabled],[class*=-disabled]")
})

const isLoading = (from: Document | ShadowRoot): boolean =>
  from.querySelector(".loading-results,.select2-results [aria-busy=true],[role=listbox][aria-busy=true]") !== null

const saysThatItLoads = (list: Element): boolean => /^\s*(loading|searching)\b.{0,20}$/i.test(list.textContent ?? "")

/** Keeps the field that a list can be typed into now as `typed`, also when it shows another one later. */
export const holdTyped = (): void => keep("typed", kept("field"))

/** Scrolls more options of a list into view; `false` at its end. */
export const scrollOn = (): boolean => {
  const scroller = keptBefore("scroller")
  const before = scroller.scrollTop
  scroller.scrollTop = before + Math.max(scroller.clientHeight - 20, 20)
  return scroller.scrollTop > before
}

export const scrollBack = (): void => {
  const scroller = keptBefore("scroller")
  scroller.scrollTop = 0
}

/** The displayed choice of a list, and whether the option with this index declares that it is selected. */
export const shownChoice = (index: number) => {
  const trigger = keptBefore("trigger")
  const native = kept("native")
  const thing = kept(`option ${index}`)
  const option = thing instanceof Element ? thing : undefined
  const says = (attribute: string) => option?.getAttribute(attribute) === "true"
  const chosen: Array<string> = []
  let around: Element = trigger
  for (let level = 0; level < 2 && around.parentElement !== null && around.parentElement !== document.body; level++) {
    around = around.parentElement
  }
  for (const element of [trigger, around]) {
    chosen.push(
      element.textContent ?? "",
      element.getAttribute("title") ?? "",
      element.getAttribute("aria-label") ?? ""
    )
    for (const field of [element, ...element.querySelectorAll("input,textarea,select")]) {
      if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) chosen.push(field.value)
      if (field instanceof HTMLSelectElement) {
        chosen.push(...[...field.selectedOptions].flatMap(({ text, value }) => [text, value]))
      }
    }
  }
  return {
    text: chosen
      .join("\n")
      .replace(/[^\S\n]+/g, " ")
      .toLowerCase(),
    native: [...(native instanceof HTMLSelectElement ? native.selectedOptions : [])]
      .map((option) => `${option.text}\n${option.value}`)
      .join("\n"),
    isMarked: option?.isConnected === true && (says("aria-selected") || says("aria-checked")),
    /** Whether a click takes the choice of an option back that is chosen. */
    toggles: option?.closest("[aria-multiselectable=true]") != null
  }
}

/** Whether a box, a radio button or a switch is on, also by its label or around it; `null` for what has no such state. */
export const checkedOf = (_arg: null, element: Element): boolean | null => {
  const labelled = element.closest("label")?.control ?? element
  const box =
    boxIn(labelled) ?? [...labelled.querySelectorAll(boxes)].find((element) => boxIn(element) !== null) ?? null
  if (box === null) return null
  if (box instanceof HTMLInputElement) return box.checked && !box.indeterminate
  return (box.getAttribute("aria-checked") ?? box.getAttribute("aria-pressed")) === "true"
}

const boxes = "input[type=checkbox],input[type=radio],[aria-checked],[aria-pressed]"

const boxIn = (element: Element): Element | null =>
  element.matches(boxes) ? element : element.closest("[aria-checked],[aria-pressed]")
