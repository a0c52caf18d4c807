import { Effect } from "effect"
import type { Direction } from "../../browser/vision/Scrolling.ts"
import type { Parameters } from "../../workflow/language/graph/Action.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as Aiming from "../vision/Aiming.ts"
import * as VisualScroll from "../vision/VisualScroll.ts"

/**
 * Scrolls the page by ticks of the wheel, to an element, or until the `goal`. With `LLM_VISION` a model locates the
 * element or the part.
 */
export const scroll: Action<"SCROLL", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, context) {
    const { parameters } = node
    const { memory, page } = context
    const waitMillis = parameters.wait_time ?? defaultWaitMillis
    const direction = directionOf(parameters)
    const position = parameters.position ?? "start"
    const mode = parameters.scroll_mode ?? "simple"
    if (parameters.execution === "LLM_VISION" && mode !== "simple" && mode !== "wheel") {
      yield* VisualScroll.show(node, { direction, position }, context)
      return next
    }
    const selector = yield* Memory.evaluateText(parameters.xpath ?? "", memory, page)
    switch (mode) {
      case "simple": {
        // The default is one turn, because a node without effect is never intended.
        const ticks = Math.max(parameters.load_events_triggered_through_scroll ?? 1, 1)
        yield* page.elements
          .scroll({ kind: "ticks", direction, ticks }, waitMillis)
          .pipe(Effect.mapError((failure) => ofPage(`scroll ${direction}`, failure)))
        return next
      }
      case "wheel": {
        const ticks = Math.max(parameters.load_events_triggered_through_scroll ?? 1, 1)
        const keys = Aiming.keysOf(parameters.modifier_keys)
        yield* page.elements
          .scroll({ kind: "wheel", selector, direction, ticks, keys }, waitMillis)
          .pipe(Effect.mapError((failure) => ofPage("turn the wheel over", failure)))
        return next
      }
      case "to-element":
        yield* page.elements
          .scroll({ kind: "element", selector, position }, waitMillis)
          .pipe(Effect.mapError((failure) => ofPage("scroll to", failure)))
        return next
      case "region": {
        const container = yield* Memory.evaluateText(parameters.container_xpath ?? "", memory, page)
        const goal =
          parameters.goal ?? parameters.scroll_behavior ?? (selector === "" ? "full-container" : "find-element")
        yield* page.elements
          .scroll(
            goal === "find-element"
              ? { kind: "find", container, selector, direction, position }
              : { kind: "end", container, direction },
            waitMillis
          )
          .pipe(Effect.mapError((failure) => ofPage("scroll", failure)))
        return next
      }
    }
  }
)

/** `scroll_down` is the older form. */
const directionOf = ({ direction, scroll_down }: Parameters<"SCROLL">): Direction =>
  direction ?? (scroll_down === false ? "up" : "down")
