/** Rich text and code editors: the field for their keys, and their displayed text. */
import type { Held } from "../../../../core/browser/element/ReadBack.ts"
import { isUsable } from "../dom/Visible.ts"
import { keep, keptBefore } from "../find/Kept.ts"
import { noteBefore, noteOthers } from "./Strays.ts"

/**
 * `code`: an editor that draws lines itself, perhaps only those in view, and takes keys in a field of its own. `rich`: an
 * element that the browser lets people edit. `frame`: one whose document is edited. `document`: that document.
 */
export type EditorKind = "code" | "rich" | "frame" | "document"

/** How an element is typed into. */
export interface Typed {
  /** The editor that it belongs to or stands for; its field is kept as `input`, the whole of it as `editor`. */
  readonly editor: EditorKind | null
  /** Whether its value is chosen from a list, so that typing would not enter the text. */
  readonly isChosen: boolean
}

/** Editors of code: the whole, the field that takes the keys, and a line that is shown. */
const codeEditors = [
  [".monaco-editor", "textarea.inputarea,.native-edit-context", ".view-line"],
  [".CodeMirror", "textarea,[contenteditable=true]", "pre.CodeMirror-line:not(.CodeMirror-measure *)"],
  [".cm-editor", ".cm-content", ".cm-line"],
  [".ace_editor", "textarea.ace_text-input", ".ace_line"]
] as const

const richEditors =
  ".ql-editor,.ProseMirror,.ck-editor__editable,.mce-content-body,.note-editable,.public-DraftEditor-content,[data-lexical-editor=true],[data-slate-editor=true],trix-editor,.tox-tinymce iframe,.mce-tinymce iframe"

export const typed = (_arg: null, element: Element): Typed => {
  noteOthers(element)
  const type = element instanceof HTMLInputElement ? element.type : ""
  return { editor: editorOf(element), isChosen: /^(date|time|datetime-local|month|week|color|range)$/.test(type) }
}

/** Whether an element is typed into without an editor, and can be now: then its text is selected, and it has the focus. */
export const selectPlain = (_arg: null, element: Element): "selected" | "special" | "later" => {
  const { editor, isChosen } = typed(null, element)
  if (editor !== null || isChosen) return "special"
  if (!takesText(element) || !isUsable(element) || element.matches(":disabled,:read-only")) return "later"
  if (element.closest("[aria-disabled=true]") !== null) return "later"
  element.select()
  element.focus()
  return "selected"
}

/** A field that takes the keys of a text; one for numbers drops those that are not of a number. */
const takesText = (element: Element): element is HTMLInputElement | HTMLTextAreaElement =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && /^(text|email|number|password|search|tel|url)$/.test(element.type))

/** What a field holds, and its type; `null` for another element. The element is kept under a name. */
export const heldBy = (name: string, element: Element): Held | null => {
  keep(name, element)
  if (element instanceof HTMLInputElement) return { value: element.value, type: element.type }
  const isField = element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement
  return isField ? { value: element.value, type: "text" } : null
}

const editorOf = (element: Element): EditorKind | null =>
  codeAround(element) ?? codeIn(element) ?? richAt(element) ?? (isHidden(element) ? beside(element) : null)

const code = (whole: Element, input: Element): EditorKind => {
  keep("editor", whole)
  keep("input", input)
  noteBefore(whole, textOfEditor(whole))
  return "code"
}

/** The editor that an element is a part of. A search field in it is not the editor. */
const codeAround = (element: Element): EditorKind | null => {
  for (const [whole, field] of codeEditors) {
    const around = element.closest(whole)
    const input = around?.querySelector(field)
    if (around == null || input == null) continue
    const isOther = /^(INPUT|TEXTAREA|SELECT|BUTTON)$/.test(element.tagName) && element !== input
    return isOther ? null : code(around, input)
  }
  return null
}

/** The one editor in an element that holds no other field. */
const codeIn = (element: Element): EditorKind | null => {
  for (const [whole, field] of codeEditors) {
    const [inside, ...others] = element.querySelectorAll(whole)
    const input = inside?.querySelector(field)
    if (inside !== undefined && others.length === 0 && input != null) return code(inside, input)
  }
  return null
}

const rich = (element: Element): EditorKind => {
  keep("editor", element)
  keep("input", element)
  noteBefore(element, textOfEditor(element))
  if (element.tagName === "IFRAME") return "frame"
  return element === document.body || element.matches(".mce-content-body") ? "document" : "rich"
}

const isHost = (element: Element): boolean =>
  element instanceof HTMLElement && element.isContentEditable && element.parentElement?.isContentEditable !== true

const richAt = (element: Element): EditorKind | null => {
  if (isHost(element)) return rich(element)
  if (element instanceof HTMLIFrameElement) return rich(element)
  const [inside, ...others] = element.querySelectorAll(richEditors)
  return inside !== undefined && others.length === 0 ? rich(inside) : null
}

/** Whether a field is hidden behind an editor. */
const isHidden = (element: Element): boolean => /^(INPUT|TEXTAREA)$/.test(element.tagName) && !element.checkVisibility()

const beside = (element: Element): EditorKind | null => {
  const next = element.nextElementSibling
  const previous = element.previousElementSibling
  for (const element of [next, previous]) {
    const found = element === null ? null : (codeAround(element) ?? codeIn(element) ?? richAt(element))
    if (found !== null) return found
  }
  return null
}

/** The text that the kept editor shows. The editor is kept under a name as well, where one is given. */
export const editorText = (name: string | null): string => {
  const whole = keptBefore("editor")
  if (name !== null) keep(name, whole)
  return textOfEditor(whole)
}

/** The text that an editor shows, in the order of its lines. Code editors may show only the lines in view. */
export const textOfEditor = (whole: Element): string => {
  for (const [name, , line] of codeEditors) {
    if (!whole.matches(name)) continue
    const lines = [...whole.querySelectorAll(line)].map((element) => ({
      text: element.textContent ?? "",
      top: element.getBoundingClientRect().top
    }))
    return lines
      .sort((one, other) => one.top - other.top)
      .map(({ text }) => text)
      .join("\n")
  }
  return whole instanceof HTMLElement ? whole.innerText : (whole.textContent ?? "")
}

/** Keeps the body of a document as an editor; `false` where that document is not one that people edit. */
export const keepBody = (): boolean => {
  if (!document.body.isContentEditable && document.designMode !== "on") return false
  rich(document.body)
  return true
}
