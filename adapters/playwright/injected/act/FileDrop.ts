/**
 * Drops a file on an element: a hidden file field receives it from the browser, and drop events pass it to the page.
 */
import { nameOf } from "../find/ElementNames.ts"
import { keep, keptBefore } from "../find/Kept.ts"

/** Keeps the element as the zone of a drop, and a field for the file under `offered`, which listeners of the page do not see. */
export const offerFile = (_arg: null, zone: Element): void => {
  const host = document.createElement("div")
  host.style.display = "none"
  const field = document.createElement("input")
  field.type = "file"
  host.attachShadow({ mode: "closed" }).append(field)
  document.documentElement.append(host)
  keep("zone", zone)
  keep("offered", field)
  keep("offering", host)
}

/** Drops what the field holds on the zone, or pastes it there, and returns whether the page took it. The field is removed. */
export const dropOffered = (how: "drop" | "paste"): boolean => {
  const zone = keptBefore("zone")
  const field = keptBefore("offered")
  keptBefore("offering").remove()
  if (!(field instanceof HTMLInputElement)) return false
  const dataTransfer = new DataTransfer()
  for (const file of field.files ?? []) dataTransfer.items.add(file)
  if (how === "paste") {
    if (zone instanceof HTMLElement) zone.focus()
    const pasted = { clipboardData: dataTransfer, bubbles: true, cancelable: true, composed: true }
    return !zone.dispatchEvent(new ClipboardEvent("paste", pasted))
  }
  const { height, width, x, y } = zone.getBoundingClientRect()
  const place = { clientX: x + width / 2, clientY: y + height / 2 }
  // The event of a file that is dropped in a browser is cancelled by a page that takes it: the browser would open it else.
  const isTaken = (type: string): boolean =>
    !zone.dispatchEvent(
      new DragEvent(type, { ...place, dataTransfer, bubbles: true, cancelable: true, composed: true })
    )
  isTaken("dragenter")
  const isAccepted = isTaken("dragover")
  return isTaken("drop") || isAccepted
}

/** What a field for files has now. */
export const filesOf = (
  _arg: null,
  element: Element
): { readonly name: string; readonly multiple: boolean; readonly count: number } => {
  const isField = element instanceof HTMLInputElement && element.type === "file"
  return {
    name: nameOf(element),
    multiple: isField && element.multiple,
    count: isField ? (element.files?.length ?? 0) : 0
  }
}
