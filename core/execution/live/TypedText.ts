/**
 * Reconstructs the text that a person types by remote control from their gestures, so that it can be hidden in reports
 * of the run.
 *
 * The whole text is hidden when another gesture ends it. Because a page may send it while it is typed, text without a
 * space is also hidden from its eighth character on, with each further character.
 */
import type { Gesture } from "../../browser/vision/RemoteHand.ts"

const growing = /^\S{8,200}$/

/** Keys that do not end a typed text. */
const passing = new Set(["Shift", "CapsLock", "AltGraph", "Control", "Alt", "Meta", "Dead"])

/** Modifier keys of shortcuts. */
const commanding = ["Control", "Alt", "Meta"]

export class TypedText {
  #text = ""
  readonly #keysDown = new Set<string>()

  /** Takes a gesture, and returns the texts to hide before it is carried out. */
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

  /** Ends the current text, and returns the texts to hide. */
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
