/** The fields that were typed into, as they are before an element is used. */
import type { Held } from "../../../../core/browser/element/ReadBack.ts"
import { keptElement } from "../find/Kept.ts"
import { valueBefore } from "./Strays.ts"

/** A kept field, with what it held before; `elsewhere` for one that is not sent with the element. */
export type Filled = (Held & { readonly before: string | null }) | "gone" | "elsewhere"

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
  { names, submits }: { readonly names: ReadonlyArray<string>; readonly submits: boolean },
  element: Element
): { readonly use: Use; readonly fields: ReadonlyArray<Filled> } => {
  const button = element.closest(buttons)
  const form = formOf(button ?? element)
  return { use: submits ? "act" : purpose(element, button), fields: names.map((name) => filled(name, form)) }
}

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

const filled = (name: string, form: HTMLFormElement | null): Filled => {
  const field = keptElement(name)
  if (field === null) return "gone"
  if (field instanceof HTMLSelectElement) {
    const isSent = form !== null && field.form === form && !field.disabled
    return isSent ? { value: field.value, type: "select", before: null } : "elsewhere"
  }
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) || field.disabled) return "elsewhere"
  if (form !== null && field.form !== null && field.form !== form) return "elsewhere"
  return { value: field.value, type: field.type, before: valueBefore(field) }
}
