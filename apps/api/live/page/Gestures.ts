/**
 * The gestures of a person with mouse and keyboard on the picture.
 */
import { act, held, isMine } from "./Control.ts"
import { button, picture } from "./Elements.ts"

/** How often movements of the mouse are sent, in milliseconds. */
const moveMillis = 40

/** Presses within this time and distance are one double click, in milliseconds and pixels. */
const doubleMillis = 500
const doublePixels = 6

/** The longest scroll of one turn of the wheel, in pixels. */
const mostScrolled = 10_000

/** The longest text that is pasted, and how much of it one gesture has, in characters. */
const mostPasted = 20_000
const pastedAtOnce = 200

const between = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** The place of an event in the picture, as a share of its size. */
const placed = (event: MouseEvent) => {
  const box = picture.getBoundingClientRect()
  return {
    x: between((event.clientX - box.left) / box.width, 0, 1),
    y: between((event.clientY - box.top) / box.height, 0, 1)
  }
}

const buttons = ["left", "middle", "right"] as const

let press = { at: 0, x: 0, y: 0, count: 0 }
let moved = 0

/** How many clicks a press makes: 2 for the second of a double click. */
const clicks = (kind: "press" | "release", event: PointerEvent): number => {
  if (kind === "release") return Math.max(press.count, 1)
  const { clientX: x, clientY: y, timeStamp: at } = event
  const isAgain = at - press.at < doubleMillis && Math.hypot(x - press.x, y - press.y) < doublePixels
  press = { at, x, y, count: isAgain ? Math.min(press.count + 1, 3) : 1 }
  return press.count
}

const pressed = (kind: "press" | "release") => (event: PointerEvent) => {
  const which = buttons[event.button]
  if (!isMine() || which === undefined) return
  event.preventDefault()
  if (kind === "press") {
    picture.focus()
    picture.setPointerCapture(event.pointerId)
  }
  act({ kind, ...placed(event), button: which, clicks: clicks(kind, event) })
}

const turned = (event: WheelEvent): void => {
  if (!isMine()) return
  event.preventDefault()
  const unit = event.deltaMode === 1 ? 40 : event.deltaMode === 2 ? 800 : 1
  const distance = (turns: number) => between(turns * unit, -mostScrolled, mostScrolled)
  act({ kind: "wheel", ...placed(event), dx: distance(event.deltaX), dy: distance(event.deltaY) })
}

/** The key that is meant: on a Mac, shortcuts have another one than where the run is. */
const keyOf = ({ key }: KeyboardEvent): string => (key === "Meta" ? "Control" : key)

const keyDown = (event: KeyboardEvent): void => {
  if (!isMine() || event.isComposing || /^(Dead|Unidentified|Process)$/.test(event.key)) return
  if (event.key === "Escape" && event.shiftKey) {
    button.focus()
    return
  }
  // Becomes a paste.
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return
  event.preventDefault()
  const key = keyOf(event)
  held.add(key)
  act({ kind: "key_down", key })
}

const keyUp = (event: KeyboardEvent): void => {
  const key = keyOf(event)
  if (!isMine() || !held.delete(key)) return
  event.preventDefault()
  act({ kind: "key_up", key })
}

const pasted = (event: ClipboardEvent): void => {
  if (!isMine()) return
  event.preventDefault()
  const characters = [...(event.clipboardData?.getData("text") ?? "").slice(0, mostPasted)]
  for (let from = 0; from < characters.length; from += pastedAtOnce) {
    act({ kind: "text", text: characters.slice(from, from + pastedAtOnce).join("") })
  }
}

/** Passes on what the person does while this page has control. */
export const listen = (): void => {
  picture.addEventListener("pointerdown", pressed("press"))
  picture.addEventListener("pointerup", pressed("release"))
  picture.addEventListener("pointermove", (event) => {
    if (!isMine() || event.timeStamp - moved < moveMillis) return
    moved = event.timeStamp
    act({ kind: "move", ...placed(event) })
  })
  picture.addEventListener("contextmenu", (event) => {
    if (isMine()) event.preventDefault()
  })
  picture.addEventListener("dragstart", (event) => event.preventDefault())
  picture.addEventListener("wheel", turned, { passive: false })
  picture.addEventListener("keydown", keyDown)
  picture.addEventListener("keyup", keyUp)
  picture.addEventListener("blur", () => {
    for (const key of held) act({ kind: "key_up", key })
    held.clear()
  })
  addEventListener("paste", pasted)
}
