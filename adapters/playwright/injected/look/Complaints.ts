/** The error messages of a page. */
import type { Query } from "../../../../core/browser/element/Selector.ts"
import type { FieldState } from "../../../../core/browser/element/Survey.ts"
import { named } from "../dom/Names.ts"
import { isField, isPress, orNull, squeeze } from "../dom/Text.ts"
import { around, everything } from "../dom/Tree.ts"
import { isUsable, isVisible } from "../dom/Visible.ts"
import { elementsAnywhere } from "../find/XPath.ts"
import { isBox } from "./CodeFields.ts"
import { isGoodNews } from "./GoodNews.ts"

/** How complaints are marked. */
const marks =
  "[role=alert],[aria-live=assertive],[class*=error i],[class*=invalid-feedback i],[class*=danger i]:not([class*=dangerous i]),[id*=error i]"

/** Elements that screen readers announce at once. They are messages, whatever their type. */
const announced = "[role=alert],[aria-live=assertive]"

/** What is called something and says nothing: the link to a folder `errors` is no complaint. */
const callsOnly = "a,a *,button,button *,[role=button],[role=treeitem],[role=treeitem] *,nav *,li[id],td,th,option"

/** The name of a file alone: its element is called after what the file is for. */
const isFileName = (text: string): boolean => /^[^\s/\\]+\.[a-z0-9]{1,5}$/i.test(text)

/** Complaints of elements among these. */
export const complaintsAmong = (elements: ReadonlyArray<Element>): ReadonlyArray<string> =>
  elements
    .filter(
      (element) =>
        element.matches(marks) && isVisible(element) && !isField(element) && !everything(element, 500).some(isField)
    )
    .filter((element) => element.matches(announced) || !element.matches(callsOnly))
    .flatMap((element) => orNull(element.textContent, 200) ?? [])
    .filter((text) => !isGoodNews(text) && !isFileName(text))

/** The complaints of a document, each once. */
export const alerts = (elements: ReadonlyArray<Element>): ReadonlyArray<string> =>
  [...new Set(complaintsAmong(elements))].slice(0, 5)

/** Complaints about a field: those that it references, or else those beside it; empty where there is nothing. */
const complaintOf = (field: ReturnType<typeof fieldIn>): string => {
  if (field === null) return ""
  const isMarked = field.getAttribute("aria-invalid") === "true" || field.matches(":user-invalid")
  const said = [...named(field, "aria-errormessage"), ...named(field, "aria-describedby")]
    .filter((element) => isVisible(element) && (isMarked || element.matches(marks)))
    .map((element) => squeeze(element.textContent))
  const all = said.length > 0 ? said : complaintsBeside(field)
  if (all.length > 0) return all.join("; ").slice(0, 300)
  return isMarked ? field.validationMessage || "the field is marked as invalid" : ""
}

const fieldIn = (element: Element) => (isField(element) && !isPress(element) ? element : null)

/** Complaints around a field, as long as no other field is there too. */
const complaintsBeside = (field: Element): ReadonlyArray<string> => {
  let outer: Node | null = field.parentNode
  for (let level = 0; level < 3; level++) {
    if (!(outer instanceof Element || outer instanceof ShadowRoot)) break
    const within = everything(outer, 2_000)
    if (within.filter((element) => isField(element) && element.getAttribute("type") !== "hidden").length > 1) break
    const said = complaintsAmong(within)
    if (said.length > 0) return said
    outer = outer instanceof ShadowRoot ? outer.host : outer.parentNode
  }
  return []
}

/** The state of a field in one document. */
export interface Field extends FieldState {
  /** How many elements match. */
  readonly matched: number
}

/**
 * The complaints about the fields that paths match, and beside them, in the document and its shadow roots. Without
 * paths, those about the given element.
 */
export const fields = (
  { queries }: { readonly queries: ReadonlyArray<Query> | null },
  subject: Element
): { readonly states: ReadonlyArray<Field>; readonly alerts: ReadonlyArray<string> } => ({
  states: queries === null ? [stateOf([subject])] : queries.map((query) => stateOf(elementsAnywhere(query))),
  alerts: alerts(everything(document, 8_000))
})

const stateOf = (all: ReadonlyArray<Element>): Field => {
  const [field] = all
  const shown = all.length === 1 && field !== undefined && isUsable(field)
  return { matched: all.length, shown, complaint: shown ? complaintOf(fieldIn(field)) : "" }
}

/** The visible state of a field for a one-time code, of all elements that a selector matches. */
export const codeField = (elements: ReadonlyArray<Element>, _arg: null) => {
  const [first] = elements
  const field = first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement ? first : null
  const near = first === undefined ? "" : complaintsAboutCode(first)
  const isInvalid = elements.some((element) => element.getAttribute("aria-invalid") === "true")
  return {
    matched: elements.length,
    split: isBox(first),
    shown: first !== undefined && isUsable(first) && field?.disabled !== true && field?.readOnly !== true,
    empty: field === null ? (first?.textContent ?? "") === "" : field.value === "",
    complaint: near === "" && isInvalid ? "the field is marked as invalid" : near,
    document: String(performance.timeOrigin),
    loading: document.readyState === "loading"
  }
}

/**
 * Complaints about a code: in the form of its field and around that, or around the field where there is no form. A page
 * that asks for a code asks for little else, so complaints are taken from further away than those about other fields.
 */
const complaintsAboutCode = (field: Element): string => {
  let outer: Element | null = field.closest("form")?.parentElement ?? null
  if (outer === null) {
    outer = field
    for (let level = 0; level < 3; level++) outer = around(outer) ?? outer
  }
  return [...outer.querySelectorAll(`${marks},[class*=invalid i]`), ...named(field, "aria-errormessage")]
    .filter((element) => isVisible(element) && !element.contains(field))
    .map((element) => squeeze(element.textContent))
    .filter((text) => text !== "")
    .join("; ")
}
