import { Effect } from "effect"
import * as Pointer from "../../browser/vision/Pointer.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import * as References from "../model/References.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"
import * as Aiming from "../vision/Aiming.ts"
import * as VisualTask from "../vision/VisualTask.ts"

/**
 * Clicks as `click_type` says, or sets the state of a box as `checked` says: the one matching element, the element that a model chooses, or a point. With `COMPUTER_USE` a model carries out the whole task.
 */
export const click: Action<"CLICK", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, context) {
    const { parameters } = node
    const { compiling, memory, page } = context
    const kind = parameters.click_type ?? "click"
    const waitMillis = parameters.wait_time ?? defaultWaitMillis
    const tried = kind === "press" || kind === "release" ? `${kind} the button on` : kind.replace("_", "-")
    if (parameters.execution === "COMPUTER_USE") {
      const prompt = yield* References.evaluate(parameters.prompt ?? "", memory, page)
      const model = ActionPoint.modelOf(parameters.llm_model)
      const { selector } = yield* VisualTask.move({
        node,
        page,
        memory,
        prompt,
        model,
        ends: "done",
        byHand: parameters.human_mode === true,
        compiles: (place) => compiling.element(place, parameters.prompt ?? "")
      })
      if (selector !== null) yield* compiling.propose({ ...ActionPoint.plain(selector), click_type: "click" })
      return next
    }
    const keys = Aiming.keysOf(parameters.modifier_keys)
    const gesture = parameters.human_mode === true ? yield* Pointer.draw : undefined
    if (ActionPoint.isPointed(node)) {
      const place = yield* ActionPoint.place(node, tried, "", context)
      yield* page.vision
        .clickAt(place, kind, waitMillis, gesture, keys)
        .pipe(Effect.mapError((failure) => ofPage(tried, failure)))
      return next
    }
    const selector = yield* Memory.evaluateText(parameters.selector ?? "", memory, page)
    const at = yield* Aiming.offset(parameters.position, "position", memory, page)
    const query = { selector, waitMillis }
    const { checked } = parameters
    if (typeof checked === "boolean") {
      const turn = checked ? "turn on" : "turn off"
      yield* page.elements.check(query, checked).pipe(Effect.mapError((failure) => ofPage(turn, failure)))
      return next
    }
    const name = parameters.copied_as ?? null
    if (name !== null) {
      const text = yield* page.elements
        .clickToCopy(query, kind, gesture, { at, keys })
        .pipe(Effect.mapError((failure) => ofPage(tried, failure)))
      return { _tag: "Found", found: { [name]: text }, overwrite: new Set([name]) }
    }
    yield* page.elements
      .click(query, kind, gesture, { at, keys })
      .pipe(Effect.mapError((failure) => ofPage(tried, failure)))
    return next
  }
)
