/** The fields that were typed into, as they are before an element is used. */
import type { Held } from "../../../../core/browser/element/ReadBack.ts"
import { kept, keptElement } from "../find/Kept.ts"
import { Chosen } from "./Chosen.ts"
import { textOfEditor } from "./Editors.ts"
import { valueBefore } from "./Strays.ts"

/** What was filled: a field, a list of the browser, one that the page builds, or an editor. */
export type FillKind = "text" | "choice" | "list" | "editor"

/**
 * What is kept of a fill, with what it held before; `elsewhere` for one that is not sent with the element. It is `unsure`
 * where no form says what is sent.
 */
export type Filled = (Held & { readonly before: string | null; readonly unsure?: boolean }) | "gone" | "elsewhere"

/**
 * What using an element means: `focus` only goes to a field, `field` changes one, `option` chooses one, `reset` empties a form, and `act` may send
 * what stands in fields.
 */
export type Use = "focus" | "field" | "option" | "reset" | "act"

const buttons = "button,a,summary,[role=button],[role=link],input[type=submit],input[type=image],input[type=button]"

const texts =
  "input:not([type=checkbox],[type=radio],[type=range],[type=color]),textarea,[contenteditable=''],[contenteditable=true],[role=textbox],[role=searchbox],[role=spinbutton]"

const choices = "input,select,label,[role=checkbox],[role=radio],[role=switch],[role=tab],[role=combobox],[role=slider]"

const options = "[role=option],[role=menuitem],[role=menuitemradio],[role=treeitem],[role=gridcell],option,li,td"

/** With `submits` the element takes a key that sends its form. */
export const beforeUse = (
  { fills, submits }: { readonly fills: ReadonlyArray<KeptFill>; readonly submits: boolean },
  element: Element
): { readonly use: Use; readonly fields: ReadonlyArray<Filled> } => {
  const button = element.closest(buttons)
  const form = formOf(button ?? element)
  const isButton = submits || (button !== null && !button.matches("a,[role=link]"))
  return { use: submits ? "act" : purpose(element, button), fields: fills.map((fill) => filled(fill, form, isButton)) }
}

/** A fill, with the name under which its field is kept. */
export interface KeptFill {
  readonly kind: FillKind
  readonly name: string
}

/** The text of a kept editor, which is sent with whatever uses it. */
export const editorNow = (name: string): Filled => filled({ kind: "editor", name }, null, true)

const purpose = (element: Element, button: Element | null): Use => {
  if (button instanceof HTMLButtonElement && button.type === "reset") return "reset"
  if (element instanceof HTMLInputElement && element.type === "reset") return "reset"
  if (button !== null) return element.closest("[role=option]") === null ? "act" : "option"
  const control = element.closest("label")?.control ?? element
  if (control.closest(texts) !== null) return "focus"
  if (control.closest(choices) !== null) return "field"
  return element.closest(options) === null ? "act" : "option"
}

const formOf = (element: Element): HTMLFormElement | null =>
  "form" in element && element.form instanceof HTMLFormElement ? element.form : element.closest("form")

const filled = ({ kind, name }: KeptFill, form: HTMLFormElement | null, isButton: boolean): Filled => {
  const thing = kept(name)
  const field = thing instanceof Chosen ? (thing.place.isConnected ? thing.place : null) : keptElement(name)
  if (field === null) return "gone"
  const own = formOf(field)
  if (kind === "choice" || kind === "list") {
    const isSent = form === own && (form !== null || isButton) && !field.matches(":disabled")
    if (!isSent) return "elsewhere"
    const value = thing instanceof Chosen ? thing.read() : field instanceof HTMLSelectElement ? field.value : ""
    return { value, type: "select", before: null, unsure: form === null }
  }
  if (form !== null && own !== null && own !== form) return "elsewhere"
  if (kind === "editor") return { value: textOfEditor(field), type: "editor", before: valueBefore(field) }
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) || field.disabled) return "elsewhere"
  return { value: field.value, type: field.type, before: valueBefore(field) }
}
