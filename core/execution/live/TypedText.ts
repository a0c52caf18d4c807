/**
 * The text that a person types by remote control, read from their gestures, so that it can be hidden in reports of the
 * run.
 *
 * It is hidden as a whole once they do something else. A page may send it on while it is typed: what has no space in it
 * yet is hidden from its eighth character on as well, with each that follows.
 */
import type { Gesture } from "../../browser/vision/RemoteHand.ts"

const growing = /^\S{8,200}$/

/** Keys that change what is typed, or how, without being the end of it. */
const passing = new Set(["Shift", "CapsLock", "AltGraph", "Control", "Alt", "Meta", "Dead"])

/** Keys that make a shortcut of the others. */
const commanding = ["Control", "Alt", "Meta"]

export class TypedText {
  #text = ""
  readonly #keysDown = new Set<string>()

  /** Takes a gesture, and answers the texts to hide before it is made. */
  readonly take = (gesture: Gesture): ReadonlyArray<string> => {
    switch (gesture.kind) {
      case "text":
        this.#text += gesture.text
        return [gesture.text, this.#text]
      case "key_down":
        return this.#pressed(gesture.key)
      case "key_up":
        this.#keysDown.delete(gesture.key)
        return []
      case "press":
        return this.end()
      default:
        return []
    }
  }

  /** The text typed so far; what follows is something else. */
  readonly end = (): ReadonlyArray<string> => {
    const text = this.#text
    this.#text = ""
    this.#keysDown.clear()
    return text === "" ? [] : [text]
  }

  readonly #pressed = (key: string): ReadonlyArray<string> => {
    if (passing.has(key)) {
      this.#keysDown.add(key)
      return []
    }
    if (commanding.some((one) => this.#keysDown.has(one)) && !this.#keysDown.has("AltGraph")) return this.end()
    if (key === "Backspace") {
      const before = this.#text
      this.#text = [...before].slice(0, -1).join("")
      return before === "" ? [] : [before]
    }
    if ([...key].length !== 1) return this.end()
    this.#text += key
    return growing.test(this.#text) ? [this.#text] : []
  }
}
