import { Effect } from "effect"
import type { Destination, Offset } from "../../browser/vision/Dragging.ts"
import * as Pointer from "../../browser/vision/Pointer.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import { type Action, next, type StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"
import * as Aiming from "../vision/Aiming.ts"

/**
 * Drags the one matching element, or whatever is at a point: to another element, by a distance, along a path, or over a
 * part of its text.
 */
export const drag: Action<"DRAG", "elements" | "navigation" | "vision"> = Effect.fnUntraced(function* (node, context) {
  const { parameters } = node
  const { memory, page } = context
  const keys = Aiming.keysOf(parameters.modifier_keys)
  const gesture = parameters.human_mode === true ? yield* Pointer.draw : undefined
  if (parameters.execution === "COORDINATES") {
    const { x, y } = yield* ActionPoint.point(parameters.selector, context)
    const points = yield* pointsFrom({ x, y }, node, context)
    yield* page.vision
      .dragAt({ x, y }, points, keys, gesture)
      .pipe(Effect.mapError((failure) => ofPage("drag", failure)))
    return next
  }
  const waitMillis = parameters.wait_time ?? defaultWaitMillis
  const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
  const at = yield* Aiming.offset(parameters.position, "position", memory, page)
  const to = yield* destination(node, waitMillis, context)
  yield* page.elements.drag({ selector, waitMillis }, { to, at, keys, gesture }).pipe(
    Effect.mapError((failure) => {
      const isTarget = to.kind === "element" && failure.selector === to.query.selector && failure.selector !== selector
      return ofPage(isTarget ? `drag ${selector} to` : "drag", failure)
    })
  )
  return next
})

/** Where the drag of an element ends. Saving the workflow checked that one parameter defines it. */
const destination = Effect.fnUntraced(function* (
  { parameters }: NodeOf<"DRAG">,
  waitMillis: number,
  { memory, page }: StepContext<"navigation">
) {
  const { offset, path, text, to_position, to_selector } = parameters
  if ((to_selector ?? "") !== "") {
    const selector = yield* Memory.evaluateText(to_selector ?? "", memory, page)
    const at = yield* Aiming.offset(to_position, "to_position", memory, page)
    return { kind: "element", query: { selector, waitMillis }, at } satisfies Destination
  }
  if ((text ?? "") !== "") {
    return { kind: "text", text: yield* Memory.evaluateText(text ?? "", memory, page) } satisfies Destination
  }
  const points = path ?? (offset === undefined || offset === null ? [] : [offset])
  return { kind: "path", points: yield* Aiming.path(points, memory, page) } satisfies Destination
})

/** The points of a drag that begins at a point of the viewport. */
const pointsFrom = Effect.fnUntraced(function* (
  from: Offset,
  { parameters }: NodeOf<"DRAG">,
  context: StepContext<"elements" | "navigation" | "vision">
) {
  const { memory, page } = context
  const { offset, path, to_selector } = parameters
  if ((to_selector ?? "") !== "") {
    const { x, y } = yield* ActionPoint.point(to_selector ?? "", context)
    return [{ x: x - from.x, y: y - from.y }]
  }
  return yield* Aiming.path(path ?? (offset === undefined || offset === null ? [] : [offset]), memory, page)
})
