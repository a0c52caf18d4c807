/**
 * Scrolls to what a description means, as a model sees it.
 */
import { Effect } from "effect"
import type { Direction, Position } from "../../browser/vision/Scrolling.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage, type StepFailed } from "../Failure.ts"
import * as ModelRequest from "../model/ModelRequest.ts"
import * as References from "../model/References.ts"
import type { StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as ActionPoint from "./ActionPoint.ts"
import * as Grounding from "./Grounding.ts"

/**
 * Scrolls to the element that `target_description` describes, in the container if there is one; or scrolls a container
 * to its end. The model sees at most 15 screens.
 */
export const show = Effect.fnUntraced(function* (
  node: NodeOf<"SCROLL">,
  { direction, position }: { readonly direction: Direction; readonly position: Position },
  { compiling, memory, page }: StepContext<"elements" | "navigation" | "vision">
): Effect.fn.Return<void, StepFailed> {
  const { container_description, container_xpath, goal, llm_model, scroll_behavior, scroll_mode, target_description } =
    node.parameters
  const waitMillis = node.parameters.wait_time ?? defaultWaitMillis
  const { secrets } = memory.credentials
  const model = ActionPoint.modelOf(llm_model)
  const looks = { node, page, secrets, model, visual: true, waitMillis }

  const described = Effect.fnUntraced(function* (description: string) {
    const prompt = yield* References.evaluate(description, memory, page)
    const place = yield* Grounding.place({ ...looks, act: "scroll", prompt })
    const spot = yield* page.vision.spot(place).pipe(Effect.mapError((failure) => ofPage("scroll", failure)))
    if (spot.selector !== null) return spot.selector
    const reason = "no selector matches the container that the model chose: set container_xpath"
    return yield* ModelRequest.failure({ node, model, request: prompt, secrets }, "MODEL-E0005", reason)
  })
  const container =
    scroll_mode !== "region"
      ? null
      : (container_description ?? "").trim() === ""
        ? yield* Memory.evaluateText(container_xpath ?? "", memory, page)
        : yield* described(container_description ?? "")

  const wanted =
    goal ?? scroll_behavior ?? ((target_description ?? "").trim() === "" ? "full-container" : "find-element")
  if (container !== null && wanted === "full-container") {
    return yield* page.elements
      .scroll({ kind: "end", container, direction }, waitMillis)
      .pipe(Effect.mapError((failure) => ofPage("scroll", failure)))
  }
  const prompt = yield* References.evaluate(target_description ?? "", memory, page)
  const place = yield* Grounding.place({ ...looks, act: "scroll to", prompt, container })
  const xpath = yield* compiling.element(place, target_description ?? "")
  // The selector of a container that a model chose is only a path.
  if (xpath !== null && (container_description ?? "").trim() === "") {
    const how = container === null ? { scroll_mode: "to-element" } : { goal: "find-element" }
    yield* compiling.propose({ execution: "STATIC", xpath, ...how })
  }
  yield* page.vision.show(place, position).pipe(Effect.mapError((failure) => ofPage("scroll to", failure)))
})
