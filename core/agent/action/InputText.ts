import { Effect } from "effect"
import * as Pointer from "../../browser/vision/Pointer.ts"
import { byHand, type Key, type Typing } from "../../browser/vision/Typing.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"

/**
 * Types a text into the one element that matches, what a model takes for the one that is meant, or what is at a point; where
 * the focus is with `omit_focus`.
 */
export const inputText: Action<"INPUT_TEXT", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, surroundings) {
    const { parameters } = node
    const { memory, page } = surroundings
    const strokes: Array<string | Key> = []
    const human = parameters.human_mode === true && typeof parameters.typing_delay_ms !== "number"
    for (const piece of split(parameters.text)) {
      strokes.push(typeof piece === "string" ? yield* Memory.evaluateText(piece, memory, page) : piece)
    }
    const hasKeys = strokes.some((stroke) => typeof stroke !== "string")
    if (parameters.submit_after_input === true) strokes.push({ key: "Enter" })
    const omitFocus = parameters.omit_focus === true
    const texts = strokes.filter((stroke) => typeof stroke === "string")
    const pastes = strokes.some((stroke) => typeof stroke !== "string" && stroke.key === pasteKey)
    const guard = yield* SecretUse.guard([parameters.text], texts, memory, pastes)
    const typing: Typing = {
      strokes,
      existing:
        omitFocus || parameters.do_not_clear === true
          ? "keep"
          : parameters.aggressive_clear === true
            ? "erase"
            : "replace",
      delayMillis: parameters.typing_delay_ms ?? 0,
      ...(human ? yield* byHand : {}),
      paste: parameters.paste_via_clipboard === true && !hasKeys,
      guard
    }
    if (!omitFocus && ActionPoint.isPointed(node)) {
      const place = yield* ActionPoint.place(node, "type into", parameters.text, surroundings)
      const gesture = parameters.human_mode === true ? yield* Pointer.draw : undefined
      yield* page.vision
        .typeAt(place, typing, parameters.wait_time ?? defaultWaitMillis, gesture)
        .pipe(Effect.mapError((failure) => ofPage("type into", failure)))
      return next
    }
    const target = omitFocus
      ? null
      : {
          selector: yield* Memory.evaluateText(parameters.selector ?? "", memory, page),
          waitMillis: parameters.wait_time ?? defaultWaitMillis,
          guard
        }
    yield* page.elements.type(target, typing).pipe(Effect.mapError((failure) => ofPage("type into", failure)))
    return next
  }
)

const pasteKey = "ControlOrMeta+v"

/** The keys that a text may name, as `{{name}}`. */
const keys: Readonly<Record<string, string>> = {
  tab: "Tab",
  enter: "Enter",
  return: "Enter",
  escape: "Escape",
  esc: "Escape",
  space: "Space",
  backspace: "Backspace",
  delete: "Delete",
  del: "Delete",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
  arrow_up: "ArrowUp",
  arrow_down: "ArrowDown",
  arrow_left: "ArrowLeft",
  arrow_right: "ArrowRight",
  ctrl_a: "ControlOrMeta+a",
  ctrl_c: "ControlOrMeta+c",
  ctrl_v: pasteKey
}

/** Takes the named keys out of a text; what is between them may hold expressions. */
const split = (text: string): ReadonlyArray<string | Key> =>
  text.split(/\{\{\s*([a-z_]+)\s*\}\}/).flatMap((piece, index): ReadonlyArray<string | Key> => {
    if (index % 2 === 0) return piece === "" ? [] : [piece]
    const key = Object.hasOwn(keys, piece) ? keys[piece] : undefined
    return key === undefined ? [`{{${piece}}}`] : [{ key }]
  })
