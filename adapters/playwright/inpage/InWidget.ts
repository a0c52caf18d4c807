/**
 * What runs inside the page to choose from lists. Each function is sent there as its source, so it uses nothing from
 * outside itself.
 */

/** What a selector for a list led to. */
export interface Widget {
  /** A list of the browser; one that builds its own; a field with suggestions; a list whose options are always there. */
  readonly kind: "native" | "custom" | "suggestions" | "open"
  /** The list of the browser, also the hidden one behind a list that a page builds. */
  readonly native: HTMLSelectElement | null
  /** What is clicked to open the list. */
  readonly trigger: Element | null
}

/** The list that an element is, is in, stands for or holds. */
export const widgetOf = (element: Element): Widget => {
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

  if (start instanceof HTMLInputElement && start.list !== null)
    return { kind: "suggestions", native: null, trigger: start }
  const inner = start.querySelector("select")
  const native = start instanceof HTMLSelectElement ? start : inner
  const isHidden = native !== null && (!isSeen(native) || native.classList.contains("select2-hidden-accessible"))
  if (native !== null && !isHidden) return { kind: "native", native, trigger: native }

  const select2 =
    start.closest(".select2-container") ??
    (native?.nextElementSibling?.matches(".select2-container") === true ? native.nextElementSibling : null) ??
    start.querySelector(".select2-container")
  if (select2 !== null) {
    const before = select2.previousElementSibling
    const behind = native ?? (before instanceof HTMLSelectElement ? before : null)
    return { kind: "custom", native: behind, trigger: select2.querySelector(".select2-selection") ?? select2 }
  }
  const isOpener = start.matches("[role=combobox],[aria-haspopup=listbox],[aria-haspopup=true]")
  if (isOpener && isSeen(start)) return { kind: "custom", native, trigger: start }
  if (start.matches("[role=listbox]") && isSeen(start)) return { kind: "open", native, trigger: start }
  if (!(start instanceof HTMLInputElement) && !isHidden) {
    const list = seen(start, "[role=listbox]")
    const within = seen(start, opener)
    if (within === null && list !== null) return { kind: "open", native, trigger: list }
    return { kind: "custom", native, trigger: within ?? start }
  }
  if (isSeen(start) && !isHidden) return { kind: "custom", native, trigger: start }
  // What is hidden stands beside what a person sees of it.
  let around: Element | null = (native ?? start).parentElement
  for (let level = 0; level < 3 && around !== null && around !== document.body; level++) {
    const found = seen(around, opener)
    if (found !== null) return { kind: "custom", native, trigger: found }
    around = around.parentElement
  }
  return native === null ? { kind: "custom", native, trigger: start } : { kind: "native", native, trigger: null }
}

/** The options of a list of the browser, or of the suggestions of a field. */
export const nativeOptions = (element: Element) => {
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

/** The lists that are open on the page already, each as the element that holds its options. */
export const openLists = (trigger: Element): ReadonlyArray<Element> => {
  const root = trigger.getRootNode() as Document | ShadowRoot
  return (root === document ? [document] : [root, document])
    .flatMap((from) => [...from.querySelectorAll("[role=listbox]")])
    .filter((one) => !one.contains(trigger) && one.getBoundingClientRect().height > 0)
}

/**
 * The options that an opened list shows now, and what can be done to see more of them. Lists that were open before it
 * was are others, unless it says that they are its own.
 */
export const shownOptions = (trigger: Element, others?: ReadonlyArray<Element>) => {
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
          .filter((one) => isSeen(one) && others?.some((list) => list.contains(one)) !== true)
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
  return {
    elements,
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
    typed: field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field : null,
    scroller: isScroller ? scroller : null
  }
}

/** Brings more options of a list into view; `false` at its end. */
export const scrollOn = (scroller: Element): boolean => {
  const before = scroller.scrollTop
  scroller.scrollTop = before + Math.max(scroller.clientHeight - 20, 20)
  return scroller.scrollTop > before
}

export const scrollBack = (scroller: Element): void => {
  scroller.scrollTop = 0
}

/** Everything that a list shows of what is chosen. */
export const shownChoice = (trigger: Element): string => {
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
  return chosen
    .join("\n")
    .replace(/[^\S\n]+/g, " ")
    .toLowerCase()
}
