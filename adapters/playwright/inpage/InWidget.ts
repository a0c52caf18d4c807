/**
 * What runs inside the page to choose from lists. Each function is sent there as its source, so it uses nothing from
 * outside itself.
 */

import type { World } from "./InWorld.ts"

/** What a selector for a list led to. */
export interface Widget {
  /** A list of the browser; one that builds its own; a field with suggestions; a list whose options are always there. */
  readonly kind: "native" | "custom" | "suggestions" | "open"
  /** Whether there is a list of the browser, also a hidden one behind a list that a page builds. It is kept as `native`. */
  readonly native: boolean
  /** Whether there is something to be clicked to open the list. It is kept as `trigger`. */
  readonly trigger: boolean
}

/** The list that an element is, is in, stands for or holds. */
export const widgetOf = (_arg: null, { keep }: World, element: Element): Widget => {
  const widget = (kind: Widget["kind"], native: HTMLSelectElement | null, trigger: Element | null): Widget => {
    keep("native", native)
    keep("trigger", trigger)
    keep("others", [])
    return { kind, native: native !== null, trigger: trigger !== null }
  }
  const isSeen = (one: Element) => {
    const { height, width } = one.getBoundingClientRect()
    return width > 1 && height > 1 && getComputedStyle(one).visibility !== "hidden"
  }
  const opener =
    "[role=combobox],[aria-haspopup=listbox],[aria-haspopup=true],.select2-selection,.ant-select-selector,button,input:not([type=hidden])"
  const seen = (root: Element, selector: string): Element | null =>
    [...root.querySelectorAll(selector)].find(isSeen) ?? null
  const labelled = element instanceof HTMLLabelElement && element.control !== null ? element.control : element
  const start = labelled instanceof HTMLOptionElement ? (labelled.closest("select") ?? labelled) : labelled

  if (start instanceof HTMLInputElement && start.list !== null) return widget("suggestions", null, start)
  const inner = start.querySelector("select")
  const native = start instanceof HTMLSelectElement ? start : inner
  const isHidden = native !== null && (!isSeen(native) || native.classList.contains("select2-hidden-accessible"))
  if (native !== null && !isHidden) return widget("native", native, native)

  const select2 =
    start.closest(".select2-container") ??
    (native?.nextElementSibling?.matches(".select2-container") === true ? native.nextElementSibling : null) ??
    start.querySelector(".select2-container")
  if (select2 !== null) {
    const before = select2.previousElementSibling
    const behind = native ?? (before instanceof HTMLSelectElement ? before : null)
    return widget("custom", behind, select2.querySelector(".select2-selection") ?? select2)
  }
  const isOpener = start.matches("[role=combobox],[aria-haspopup=listbox],[aria-haspopup=true]")
  if (isOpener && isSeen(start)) return widget("custom", native, start)
  if (start.matches("[role=listbox]") && isSeen(start)) return widget("open", native, start)
  if (!(start instanceof HTMLInputElement) && !isHidden) {
    const list = seen(start, "[role=listbox]")
    const within = seen(start, opener)
    if (within === null && list !== null) return widget("open", native, list)
    return widget("custom", native, within ?? start)
  }
  if (isSeen(start) && !isHidden) return widget("custom", native, start)
  // What is hidden stands beside what a person sees of it.
  let around: Element | null = (native ?? start).parentElement
  for (let level = 0; level < 3 && around !== null && around !== document.body; level++) {
    const found = seen(around, opener)
    if (found !== null) return widget("custom", native, found)
    around = around.parentElement
  }
  return native === null ? widget("custom", native, start) : widget("native", native, null)
}

/** The options of a list of the browser, or of the suggestions of a field: of what is kept under a name, or of the element. */
export const nativeOptions = (name: string | null, { kept }: World, root: Element) => {
  const element = name === null ? root : (kept(name) as Element)
  const list =
    element instanceof HTMLSelectElement ? element : element instanceof HTMLInputElement ? element.list : null
  const options = [...(list?.options ?? [])]
  const { height, width } = element.getBoundingClientRect()
  return {
    /** Whether it is a list of the browser that people choose from themselves, with nothing built in front of it. */
    plain:
      element instanceof HTMLSelectElement &&
      width > 1 &&
      height > 1 &&
      getComputedStyle(element).visibility !== "hidden" &&
      !element.classList.contains("select2-hidden-accessible"),
    multiple: list instanceof HTMLSelectElement && list.multiple,
    disabled: list instanceof HTMLSelectElement && list.matches(":disabled"),
    options: options.map((option) => {
      const group = option.parentElement
      return {
        value: option.value,
        text: option.text.trim() || option.label,
        disabled: option.disabled || (group instanceof HTMLOptGroupElement && group.disabled)
      }
    })
  }
}

/** Whether what opens a list says that it is open. */
export const isExpanded = (_arg: null, { kept }: World): boolean => {
  const one = kept("trigger") as Element
  return [one, ...one.querySelectorAll("[aria-expanded]")].some((part) => part.getAttribute("aria-expanded") === "true")
}

/** Keeps the lists that are open on the page already as `others`, each as the element that holds its options. */
export const keepOpenLists = (_arg: null, { keep, kept }: World): void => {
  const trigger = kept("trigger") as Element
  const root = trigger.getRootNode() as Document | ShadowRoot
  const open = (root === document ? [document] : [root, document])
    .flatMap((from) => [...from.querySelectorAll("[role=listbox]")])
    .filter((one) => !one.contains(trigger) && one.getBoundingClientRect().height > 0)
  keep("others", open)
}

/**
 * The options that an opened list shows now, and what can be done to see more of them. Lists that were open before it
 * was are others, unless it says that they are its own. Keeps the options as `option 0` and so on, the field that it can be
 * typed into as `field`, and what scrolls it as `scroller`.
 */
export const shownOptions = (_arg: null, { keep, kept }: World) => {
  const trigger = kept("trigger") as Element
  const others = kept("others") as ReadonlyArray<Element>
  const isSeen = (one: Element) => {
    const { height, width } = one.getBoundingClientRect()
    return width > 0 && height > 0 && getComputedStyle(one).visibility !== "hidden"
  }
  const root = trigger.getRootNode() as Document | ShadowRoot
  const roots = root === document ? [document] : [root, document]
  const anyOption =
    "[role=option],[role=treeitem],[role=menuitemradio],[role=menuitem],.select2-results__option,.ant-select-item-option,[cmdk-item]"
  const active = root.activeElement
  const owners = [trigger, ...trigger.querySelectorAll("[aria-controls],[aria-owns]"), active].filter(
    (one) => one !== null
  )
  const named = owners.flatMap((one) =>
    `${one.getAttribute("aria-controls") ?? ""} ${one.getAttribute("aria-owns") ?? ""}`
      .split(" ")
      .flatMap((id) =>
        id === "" ? [] : (roots.map((from) => from.getElementById(id)).find((found) => found !== null) ?? [])
      )
  )
  const lists = [...(trigger.matches("[role=listbox]") ? [trigger] : []), ...named]
  const inLists = lists.flatMap((list) => [...list.querySelectorAll(anyOption)]).filter(isSeen)
  const all =
    inLists.length > 0
      ? inLists
      : roots
          .flatMap((from) => [...from.querySelectorAll(anyOption)])
          .filter((one) => isSeen(one) && !others.some((list) => list.contains(one)))
  const isNote = (one: Element) =>
    one.matches(".loading-results,.select2-results__message,.select2-results__option--load-more,[aria-busy=true]") ||
    (one.querySelector(anyOption) !== null && !one.matches("[aria-selected]"))
  const elements = [...new Set(all)].filter((one) => !isNote(one) && (one.textContent ?? "").trim() !== "")
  const field = [active, trigger, trigger.querySelector("input")].find(
    (one) =>
      (one instanceof HTMLInputElement &&
        !one.readOnly &&
        !one.disabled &&
        /^(text|search|tel|url|email|)$/.test(one.type)) ||
      one instanceof HTMLTextAreaElement
  )
  let scroller: Element | null = elements[0] ?? lists[0] ?? null
  while (scroller !== null && scroller !== document.body && scroller.scrollHeight <= scroller.clientHeight + 1) {
    scroller = scroller.parentElement
  }
  const isScroller = scroller !== null && scroller !== document.body && scroller !== document.documentElement
  const isTyped = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
  for (const [index, element] of elements.entries()) keep(`option ${index}`, element)
  keep("field", isTyped ? field : null)
  keep("scroller", isScroller ? scroller : null)
  return {
    options: elements.map((one) => ({
      value:
        one.getAttribute("data-value") ??
        one.getAttribute("value") ??
        one.getAttribute("data-key") ??
        (one.textContent ?? "").trim(),
      text: (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().replace(/\s+/g, " "),
      disabled: one.getAttribute("aria-disabled") === "true" || one.matches("[disabled],[class*=-disabled]")
    })),
    busy:
      roots.some(
        (from) =>
          from.querySelector(".loading-results,.select2-results [aria-busy=true],[role=listbox][aria-busy=true]") !==
          null
      ) || lists.some((list) => /^\s*(loading|searching)\b.{0,20}$/i.test(list.textContent ?? "")),
    typed: isTyped,
    scrolls: isScroller
  }
}

/** Keeps the field that a list can be typed into now as `typed`, also when it shows another one later. */
export const holdTyped = (_arg: null, { keep, kept }: World): void => keep("typed", kept("field"))

/** Brings more options of a list into view; `false` at its end. */
export const scrollOn = (_arg: null, { kept }: World): boolean => {
  const scroller = kept("scroller") as Element
  const before = scroller.scrollTop
  scroller.scrollTop = before + Math.max(scroller.clientHeight - 20, 20)
  return scroller.scrollTop > before
}

export const scrollBack = (_arg: null, { kept }: World): void => {
  const scroller = kept("scroller") as Element
  scroller.scrollTop = 0
}

/** Everything that a list shows of what is chosen, and whether the option with this number says that it is. */
export const shownChoice = (index: number, { kept }: World) => {
  const trigger = kept("trigger") as Element
  const native = kept("native") as HTMLSelectElement | null
  const option = kept(`option ${index}`) as Element | undefined
  const says = (attribute: string) => option?.getAttribute(attribute) === "true"
  const chosen: Array<string> = []
  let around: Element = trigger
  for (let level = 0; level < 2 && around.parentElement !== null && around.parentElement !== document.body; level++) {
    around = around.parentElement
  }
  for (const one of [trigger, around]) {
    chosen.push(one.textContent ?? "", one.getAttribute("title") ?? "", one.getAttribute("aria-label") ?? "")
    for (const field of [one, ...one.querySelectorAll("input,textarea,select")]) {
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
    native: [...(native?.selectedOptions ?? [])].map((one) => `${one.text}\n${one.value}`).join("\n"),
    isMarked: option?.isConnected === true && (says("aria-selected") || says("aria-checked"))
  }
}
