import { Effect } from "effect"
import * as Pointer from "../../browser/vision/Pointer.ts"
import { byHand, type Key, maxCopied, type Typing } from "../../browser/vision/Typing.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import * as KeyTokens from "../../workflow/language/parameters/KeyTokens.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"

/**
 * Types a text into the one matching element, the element that a model chooses, or the element at a point; with
 * `omit_focus`, into the focused element.
 */
export const inputText: Action<"INPUT_TEXT", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, context) {
    const { parameters } = node
    const { memory, page } = context
    const strokes: Array<string | Key> = []
    const human = parameters.human_mode === true && typeof parameters.typing_delay_ms !== "number"
    const pieces = KeyTokens.split(parameters.text)
    for (const piece of pieces) {
      if (piece._tag === "Unknown") {
        const sentence = `Cannot type into ${parameters.selector ?? "the page"}: ${piece.reason}`
        return yield* new StepFailed({ code: "TEMPLATE-E0001", sentence, original: piece.reason })
      }
      strokes.push(
        piece._tag === "Text" ? yield* Memory.evaluateText(piece.text, memory, page, "guarded") : { key: piece.key }
      )
    }
    const hasKeys = strokes.some((stroke) => typeof stroke !== "string")
    if (parameters.submit_after_input === true) strokes.push({ key: "Enter" })
    const omitFocus = parameters.omit_focus === true
    const texts = strokes.filter((stroke) => typeof stroke === "string")
    const pastes = strokes.some((stroke) => typeof stroke !== "string" && stroke.key === KeyTokens.pasteKey)
    const written = pieces.flatMap((piece) => (piece._tag === "Text" ? [piece.text] : []))
    const pasted = parameters.paste_via_clipboard === true ? texts.find(({ length }) => length > maxCopied) : undefined
    if (pasted !== undefined) {
      const reason = `it has ${pasted.length} characters, and at most ${maxCopied} are pasted`
      const sentence = `Cannot paste the text into ${parameters.selector ?? "the page"}: ${reason}`
      return yield* new StepFailed({ code: "TEMPLATE-E0001", sentence, original: reason })
    }
    const isHtml = parameters.paste_as_html === true
    const guard = yield* SecretUse.guard(written, texts, memory, pastes)
    const isPlain = !hasKeys && !omitFocus && !ActionPoint.isPointed(node) && parameters.paste_via_clipboard !== true
    if (guard?.hiddenOnly !== undefined && !isPlain) {
      return yield* SecretUse.refused(`type into ${parameters.selector ?? "the page"}`, guard.hiddenOnly)
    }
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
      html: isHtml,
      readBack: !isHtml,
      guard
    }
    if (!omitFocus && ActionPoint.isPointed(node)) {
      const place = yield* ActionPoint.place(node, "type into", parameters.text, context)
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
