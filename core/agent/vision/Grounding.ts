/**
 * Has a model choose the element of a page that a description means: from a list of the elements, or from a picture of the
 * window, which it may scroll.
 */
import { Clock, Effect, Result } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { PointerTarget } from "../../browser/vision/Sight.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import { ofPage, type StepFailed } from "../Failure.ts"
import * as ModelRequest from "../model/ModelRequest.ts"
import * as Prompts from "../model/Prompts.ts"
import * as PageView from "./PageView.ts"

/** So often is the page scrolled at most before nothing was found. */
const mostScrolls = 15

/** How often to check whether a page without a match has changed, in milliseconds. */
const lookAgainMillis = 500

export interface GroundingRequest {
  readonly node: Node
  readonly page: SessionParts<"elements" | "vision">
  readonly secrets: Secrets
  /** The action on the element, such as `click`. */
  readonly act: string
  /** The description of the element in the workflow. */
  readonly prompt: string
  readonly model: string | null
  /** By a picture of the window, and not by the list of all elements alone. */
  readonly visual: boolean
  /** How long the element may take to appear, in milliseconds. */
  readonly waitMillis: number
  /** The selector of what is scrolled to look on; the page when there is none. */
  readonly container?: string | null
  /** Why a place must not be taken; `null` when it may. */
  readonly objection?: (place: PointerTarget) => Effect.Effect<string | null, StepFailed>
}

type Choice = { readonly place: PointerTarget } | { readonly scroll: "down" | "up" } | { readonly missing: string }

/**
 * The place that the model chose. Fails with `MODEL-E0005` when it finds none within the time that the element may take
 * to appear, and after 15 scrolls.
 */
export const place = Effect.fnUntraced(function* (
  wanted: GroundingRequest
): Effect.fn.Return<PointerTarget, StepFailed> {
  const { node, page, secrets } = wanted
  const until = (yield* Clock.currentTimeMillis) + wanted.waitMillis
  const notes: Array<string> = []
  for (let scrolls = 0; ; ) {
    const view = yield* PageView.view(page, wanted.visual)
    const shot = wanted.visual ? yield* PageView.picture(page, secrets) : null
    const refs = view.elements.map(({ ref }) => ref)
    const { height, width } = view.outline.window
    const tools = [
      ...(refs.length === 0 ? [] : [Prompts.chooseElement(refs)]),
      ...(wanted.visual ? [Prompts.choosePoint] : []),
      ...(wanted.visual && scrolls < mostScrolls ? [Prompts.scroll] : []),
      Prompts.notFound
    ]
    const judge = Effect.fnUntraced(function* (
      said: ModelRequest.ModelAnswer
    ): Effect.fn.Return<Result.Result<ModelRequest.Verdict<Choice>, string>, StepFailed> {
      const choice = choiceOf(said, refs, { height, width })
      if (Result.isFailure(choice) || !("place" in choice.success)) {
        return Result.map(choice, (value) => ({ value, did: tell(value) }))
      }
      const value = choice.success
      const objection = wanted.objection === undefined ? null : yield* wanted.objection(value.place)
      const chosen = view.elements.find(({ ref }) => value.place._tag === "Ref" && value.place.ref === ref)
      const name = chosen === undefined ? "" : ` (${chosen.role} "${chosen.name}")`
      return objection === null
        ? Result.succeed({ value, did: `${wanted.act} ${tell(value)}${name}` })
        : Result.fail(objection)
    })
    const choice = yield* ModelRequest.ask<Choice>({
      node,
      secrets,
      purpose: "choose",
      model: wanted.model,
      instructions: Prompts.choosing(wanted.act, wanted.visual),
      request: [wanted.prompt, ...notes].join("\n"),
      page: view.text,
      shot,
      form: { _tag: "Choice", tools },
      judge
    })
    if ("place" in choice) return choice.place
    if ("scroll" in choice) {
      scrolls++
      const moved = yield* page.elements
        .turn(choice.scroll, wanted.container ?? null)
        .pipe(Effect.mapError((failure) => ofPage("scroll the page", failure)))
      notes.splice(0, notes.length, ...(moved ? [] : [`The page does not scroll further ${choice.scroll}.`]))
      continue
    }
    if (!(yield* changed(page, view.text, wanted.visual, until))) {
      const model = { node, model: wanted.model, request: wanted.prompt, secrets }
      return yield* ModelRequest.failure(model, "MODEL-E0005", `the model found no such element: ${choice.missing}`)
    }
  }
})

const tell = (choice: Choice): string => {
  if ("scroll" in choice) return `scroll ${choice.scroll}`
  if ("missing" in choice) return `nothing found: ${choice.missing}`
  return choice.place._tag === "Ref" ? choice.place.ref : `the point ${choice.place.x},${choice.place.y}`
}

/** The choice of a tool call, if it exists on the page. */
export const choiceOf = (
  said: ModelRequest.ModelAnswer,
  refs: ReadonlyArray<string>,
  window: { readonly width: number; readonly height: number }
): Result.Result<Choice, string> => {
  if (said._tag !== "Called") return Result.fail("Expected a call of a tool")
  const { direction, element, reason, x, y } = said.parameters
  switch (said.tool) {
    case "choose_element":
      return typeof element === "string" && refs.includes(element)
        ? Result.succeed({ place: { _tag: "Ref", ref: element } })
        : Result.fail(`There is no element "${String(element).slice(0, 50)}" in the list`)
    case "choose_point":
      return typeof x === "number" && typeof y === "number" && x < window.width && y < window.height
        ? Result.succeed({ place: { _tag: "Point", x, y } })
        : Result.fail(`The point is outside of the picture, which has ${window.width} by ${window.height} pixels`)
    case "scroll":
      return Result.succeed({ scroll: direction === "up" ? "up" : "down" })
    default:
      return Result.succeed({ missing: String(reason ?? "").slice(0, 500) })
  }
}

/** Waits until a page shows something else than it did; `false` when it does not in time. */
const changed = Effect.fnUntraced(function* (
  page: SessionParts<"vision">,
  before: string,
  inWindow: boolean,
  until: number
) {
  while ((yield* Clock.currentTimeMillis) < until) {
    yield* Effect.sleep(lookAgainMillis)
    if ((yield* PageView.view(page, inWindow)).text !== before) return true
  }
  return false
})
