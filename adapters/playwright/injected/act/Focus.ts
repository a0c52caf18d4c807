/**
 * The focused element, and copying and pasting there.
 */
import { isFrame } from "../dom/Tree.ts"
import { keep, keptBefore } from "../find/Kept.ts"
import { inert } from "./Inert.ts"

/** Keeps what has the focus under a name, shadow roots looked into. */
export const keepFocus = (name: string): "nothing" | "element" | "frame" => {
  let found: Element | null = document.activeElement ?? document.body
  while (found?.shadowRoot?.activeElement != null) found = found.shadowRoot.activeElement
  if (found === null) return "nothing"
  keep(name, found)
  return isFrame(found) ? "frame" : "element"
}

/** The text that a copy at a kept element takes, as the page has it. */
export const copy = (name: string): string => {
  const element = keptBefore(name)
  const data = new DataTransfer()
  const event = new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true, composed: true })
  if (!element.dispatchEvent(event)) return data.getData("text/plain")
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (element.type === "password") return ""
    return element.value.slice(element.selectionStart ?? 0, element.selectionEnd ?? 0)
  }
  return element.ownerDocument.getSelection()?.toString() ?? ""
}

/** Dispatches a paste event to a kept element; `false` if the page handled it itself. */
export const pasteInto = ({ name, text }: { readonly name: string; readonly text: string }): boolean => {
  const data = new DataTransfer()
  data.setData("text/plain", text)
  return keptBefore(name).dispatchEvent(
    new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true })
  )
}

/**
 * Dispatches a paste event with HTML to a kept element, and inserts it where the page leaves that to the browser. Returns
 * the text to insert into a field that takes no HTML; `null` for nothing.
 */
export const pasteHtmlInto = ({ html, name }: { readonly name: string; readonly html: string }): string | null => {
  const element = keptBefore(name)
  const content = inert(html)
  const text = content.textContent ?? ""
  const data = new DataTransfer()
  data.setData("text/html", html)
  data.setData("text/plain", text)
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true })
  if (!element.dispatchEvent(event)) return null
  if (!(element instanceof HTMLElement && element.isContentEditable)) return text
  return document.execCommand("insertHTML", false, content.innerHTML) ? null : text
}
