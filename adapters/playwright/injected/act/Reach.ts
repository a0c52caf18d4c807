/** Which element a press goes to, and whether the pointer has to be there first. */
import { contains, everything } from "../dom/Tree.ts"
import { clickedFor, isUsable } from "../dom/Visible.ts"
import { isSettingOff } from "./Starts.ts"

/** Where the last press went. */
let pressed: EventTarget | null = null
addEventListener(
  "pointerdown",
  (event) => {
    pressed = event.composedPath()[0] ?? null
  },
  true
)

/** Where the pointer rests, in the window. */
let rest: Pick<PointerEvent, "clientX" | "clientY"> | null = null
for (const kind of ["pointerdown", "pointermove", "pointerup"] as const) {
  addEventListener(
    kind,
    ({ clientX, clientY, isTrusted }) => {
      if (isTrusted) rest = { clientX, clientY }
    },
    true
  )
}

/**
 * The element to press for one: its label where a box is not to be seen, what is shown of it where it has no height or width
 * itself. None while it, or what is selected, changes.
 *
 * @throws the signal `area` for an area of a picture, and `hover` where the pointer may change what is there: once it
 *   `hasCome`, that is over.
 */
export const reached = (element: Element, hasCome: boolean): ReadonlyArray<Element> => {
  if (element instanceof HTMLAreaElement) throw new Error("sluice:area")
  const one = clickedFor(element) ?? shownIn(element) ?? element
  if (isSettingOff(one) || isSelecting()) return []
  if (!hasCome && (changesByPointer(one) || cameUnderPointer(one))) throw new Error("sluice:hover")
  return [one]
}

/** The first thing that is seen of an element without a height or width, such as one whose content floats. */
const shownIn = (element: Element): Element | null => {
  const { height, width } = element.getBoundingClientRect()
  if ((height > 0 && width > 0) || !element.checkVisibility()) return null
  return everything(element, 200).find(isUsable) ?? null
}

// --- what the pointer changes

/** What moves, covers or replaces an element. */
const moving =
  /^(content|display|position|float|inset|top|left|right|bottom|(min-|max-)?(width|height)|margin|transform|translate|scale|font-size)/

/** The selectors of the rules of style sheets that change something under the pointer, by how many rules they had. */
const known = new WeakMap<CSSStyleSheet, { readonly rules: number; readonly selectors: ReadonlyArray<string> }>()

const selectorsOf = (sheet: CSSStyleSheet): ReadonlyArray<string> => {
  try {
    const rules = sheet.cssRules.length
    const before = known.get(sheet)
    if (before?.rules === rules) return before.selectors
    const selectors = selectorsIn(sheet.cssRules, "*")
    known.set(sheet, { rules, selectors })
    return selectors
  } catch {
    // A sheet of another site is not to be read.
    return []
  }
}

const selectorsIn = (rules: CSSRuleList, around: string): ReadonlyArray<string> =>
  [...rules].flatMap((rule) => {
    if (rule instanceof CSSImportRule) return rule.styleSheet === null ? [] : selectorsOf(rule.styleSheet)
    const selector = rule instanceof CSSStyleRule ? rule.selectorText.replaceAll("&", `:is(${around})`) : around
    const inner =
      rule instanceof CSSGroupingRule || rule instanceof CSSStyleRule ? selectorsIn(rule.cssRules, selector) : []
    const isChanging =
      rule instanceof CSSStyleRule && selector.includes(":hover") && [...rule.style].some((name) => moving.test(name))
    return isChanging ? [selector.replaceAll(":hover", ":is(*)"), ...inner] : inner
  })

/** Whether a rule for elements under the pointer would move, cover or replace an element, or something in it. */
const changesByPointer = (element: Element): boolean => {
  const root = element.getRootNode()
  const roots = root instanceof ShadowRoot ? [document, root] : [document]
  const sheets = roots.flatMap(({ adoptedStyleSheets, styleSheets }) => [...styleSheets, ...adoptedStyleSheets])
  return sheets.flatMap(selectorsOf).some((selector) => {
    try {
      return element.closest(selector) !== null || element.querySelector(selector) !== null
    } catch {
      return false
    }
  })
}

/** How far up the items of one list are looked for. */
const levels = 3

/**
 * Whether something of the same list has come under the pointer since it rests: a page may take that for the choice of a
 * person, unless the pointer moves away from there.
 */
const cameUnderPointer = (element: Element): boolean => {
  const under = underPointer()
  if (under === null || contains(under, element) || contains(element, under)) return false
  if (pressed instanceof Element && contains(under, pressed)) return false
  const [ones, others] = [upwards(under), upwards(element)]
  return ones.some((element) =>
    others.some(
      (other) =>
        element !== other && element.parentElement === other.parentElement && element.localName === other.localName
    )
  )
}

/** What lies under the pointer. A page and its styles learn that later, with a frame that may come between a look and a press. */
const underPointer = (): Element | null =>
  (rest === null ? null : document.elementFromPoint(rest.clientX, rest.clientY)) ??
  [...document.querySelectorAll(":hover")].at(-1) ??
  null

const upwards = (element: Element): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  for (let one: Element | null = element; one !== null && found.length < levels; one = one.parentElement)
    found.push(one)
  return found
}

// --- what is selected

/** How long a page that draws nothing is waited for, in milliseconds. */
const drawnMillis = 500

type Range = readonly [Node | null, number, Node | null, number]

const selected = (): Range => {
  const selection = getSelection()
  return [
    selection?.anchorNode ?? null,
    selection?.anchorOffset ?? 0,
    selection?.focusNode ?? null,
    selection?.focusOffset ?? 0
  ]
}

/** The selection that the page was told of, and has drawn since. */
let told: Range = selected()
let changed = 0
document.addEventListener("selectionchange", () => {
  const now = selected()
  requestAnimationFrame(() => setTimeout(() => (told = now)))
})

/** Whether a text is selected that the page does not know of yet. */
const isSelecting = (): boolean => {
  const now = selected()
  if (getSelection()?.isCollapsed !== false || now.every((part, at) => part === told[at])) {
    changed = 0
    return false
  }
  if (changed === 0) changed = performance.now()
  return performance.now() - changed < drawnMillis
}
