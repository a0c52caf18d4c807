/**
 * Has a model carry out a task by moves of a person at the page, one at a time, within bounds: it stays on the sites that
 * the run has been on, and secrets are typed on their own site only.
 */
import { Effect, Result } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { ClickKind } from "../../browser/element/ElementQuery.ts"
import type { PageFailure } from "../../browser/PageFailure.ts"
import * as Pointer from "../../browser/vision/Pointer.ts"
import type { PointerTarget } from "../../browser/vision/Sight.ts"
import { byHand } from "../../browser/vision/Typing.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import { afterActing, ofPage, type StepFailed } from "../Failure.ts"
import type { Tool } from "../model/Model.ts"
import * as ModelRequest from "../model/ModelRequest.ts"
import * as Prompts from "../model/Prompts.ts"
import * as References from "../model/References.ts"
import type { Memory } from "../variables/Memory.ts"
import * as Grounding from "./Grounding.ts"
import * as PageView from "./PageView.ts"

/** Maximum number of moves of one step. */
const mostMoves = 30

/** Maximum number of refused moves of one step. */
const mostRefusals = 5

/** How long an element of the list may take to be usable, in milliseconds. */
const waitMillis = 5_000

export interface Task {
  readonly node: Node
  readonly page: SessionParts<"elements" | "navigation" | "vision">
  readonly memory: Memory
  readonly prompt: string
  readonly model: string | null
  /** How it ends: when the task is done, or with the choice of an element. */
  readonly ends: "done" | "place"
  /** Moves the mouse and types as a hand would. @default {false} */
  readonly byHand?: boolean
  readonly objection?: (place: PointerTarget) => Effect.Effect<string | null, StepFailed>
  /** The selector for an element; `null` where none is certain. */
  readonly compiles: (place: PointerTarget) => Effect.Effect<string | null>
}

/** The result of a task. */
export interface Moved {
  /** The place that was chosen; `null` when the task is done. */
  readonly place: PointerTarget | null
  /** The selector of all that was done: the chosen element, or the one that was clicked and nothing else. */
  readonly selector: string | null
}

type Move = { readonly ended: PointerTarget | null } | { readonly did: string } | { readonly refused: string }

/**
 * Carries out a task. Fails with `MODEL-E0005` when it cannot be done in 30 moves. Once
 * a move has changed something, the failure says so.
 */
export const move = (task: Task): Effect.Effect<Moved, StepFailed> =>
  Effect.suspend(() => {
    const made: Made = { acted: false, acts: 0, clicked: null }
    return moves(task, made).pipe(Effect.mapError((failure) => (made.acted ? afterActing(failure) : failure)))
  })

/** What the moves have done so far. */
interface Made {
  acted: boolean
  /** How many moves may have changed something. */
  acts: number
  /** The selector of what the last click was on. */
  clicked: string | null
}

/** Moves that change something on the page. */
const acting: ReadonlySet<string> = new Set(["click", "click_element", "type", "press"])

/** Moves after which a single click is not all that was done. */
const leading: ReadonlySet<string> = new Set([...acting, "open"])

const moves = Effect.fnUntraced(function* (task: Task, made: Made): Effect.fn.Return<Moved, StepFailed> {
  const { memory, node, page } = task
  const { secrets } = memory.credentials
  const sites = new Set(yield* page.navigation.visited)
  const offered = References.offered(memory)
  const history: Array<string> = []
  const about = { node, model: task.model, request: task.prompt, secrets }
  let refusals = 0

  /** Goes back to where the run has been before when a move led away from it. */
  const returned = Effect.gen(function* () {
    const left = yield* strayed(page, sites)
    if (left === null) return null
    yield* Effect.ignore(page.navigation.back)
    const gone = yield* strayed(page, sites)
    if (gone === null) return { refused: `It led to ${left}, where the run has not been before, and was taken back` }
    return yield* ModelRequest.failure(about, "MODEL-E0006", `a move led to ${gone}, where the run has not been before`)
  })

  const note = Effect.fnUntraced(function* (value: Exclude<Move, { readonly ended: PointerTarget | null }>) {
    history.push(`${history.length + 1}. ${tell(value)}`)
    if ("refused" in value && ++refusals >= mostRefusals) {
      const reason = `${mostRefusals} moves were refused; the last: ${value.refused}`
      return yield* ModelRequest.failure(about, "MODEL-E0006", reason)
    }
  })

  for (let moves = 0; moves < mostMoves; moves++) {
    // Some moves take effect late.
    const astray = yield* returned
    if (astray !== null) yield* note(astray)
    const view = yield* PageView.view(page, true)
    const shot = yield* PageView.picture(page, secrets)
    const refs = view.elements.map(({ ref }) => ref)
    const { window } = view.outline
    const carryOut = Effect.fnUntraced(function* (said: ModelRequest.ModelAnswer) {
      if (said._tag !== "Called") return Result.fail("Expected a call of a tool")
      if (leading.has(said.tool)) made.acts++
      made.clicked = made.acts > 1 ? null : made.clicked
      const compiles = Effect.fnUntraced(function* (place: PointerTarget) {
        made.clicked = made.acts > 1 ? null : yield* task.compiles(place)
        return made.clicked
      })
      const value: Move = yield* perform(said, { ...task, compiles, refs, sites, window }).pipe(
        // Report a failed move to the model, which then sees the page again.
        Effect.catchTag("PageFailure", (failed) => {
          made.acted ||= failed.acted === true
          const { kind, reason } = failed
          return kind === "crash" ? Effect.fail(ofPage("continue", failed)) : Effect.succeed({ refused: reason })
        })
      )
      made.acted ||= "did" in value && acting.has(said.tool)
      const outcome = (yield* returned) ?? value
      return Result.succeed<ModelRequest.Verdict<Move>>({ value: outcome, did: tell(outcome) })
    })
    const value = yield* ModelRequest.ask<Move>({
      ...about,
      purpose: "move",
      instructions: Prompts.moving(
        task.ends === "done"
          ? "When it is done, call done."
          : "When you see the element that the task means, choose it."
      ),
      request: [
        task.prompt,
        ...(offered === "" ? [] : [`Secrets that may be typed:\n${offered}`]),
        ...(history.length === 0 ? [] : [`Your moves so far:\n${history.slice(-15).join("\n")}`])
      ].join("\n\n"),
      page: view.text,
      shot,
      form: { _tag: "Choice", tools: toolsFor(task.ends, refs) },
      judge: carryOut
    })
    if ("ended" in value) {
      const { ended } = value
      const chosen = ended === null || made.acts > 0 ? null : yield* task.compiles(ended)
      return { place: ended, selector: ended === null ? made.clicked : chosen }
    }
    yield* note(value)
  }
  return yield* ModelRequest.failure(about, "MODEL-E0005", `it was not done within ${mostMoves} moves`)
})

const toolsFor = (ends: Task["ends"], refs: ReadonlyArray<string>): ReadonlyArray<Tool> => [
  ...(ends === "done" ? [Prompts.done] : [Prompts.chooseElement(refs), Prompts.choosePoint]),
  Prompts.clickPoint,
  Prompts.clickElement,
  Prompts.typeText,
  Prompts.pressKey,
  Prompts.scroll,
  Prompts.pause,
  Prompts.open,
  Prompts.notFound
]

const tell = (value: Move): string =>
  "ended" in value ? "ended" : "did" in value ? value.did : `refused: ${value.refused}`

interface Scene extends Task {
  readonly refs: ReadonlyArray<string>
  readonly sites: ReadonlySet<string>
  readonly window: { readonly width: number; readonly height: number }
}

/** Makes one move. Failures of the page are reported as such; the failure of the step is for what ends it. */
const perform = Effect.fnUntraced(function* (
  { parameters, tool }: Extract<ModelRequest.ModelAnswer, { _tag: "Called" }>,
  scene: Scene
): Effect.fn.Return<Move, PageFailure | StepFailed> {
  const { memory, page, sites } = scene
  const { direction, element, key, kind, reason, seconds, text, url } = parameters
  const gesture = scene.byHand === true ? yield* Pointer.draw : undefined
  switch (tool) {
    case "done":
      return { ended: null }
    case "choose_element":
    case "choose_point": {
      const choice = Grounding.choiceOf({ _tag: "Called", tool, parameters }, scene.refs, scene.window)
      if (Result.isFailure(choice)) return { refused: choice.failure }
      if (!("place" in choice.success)) return { refused: "Expected an element" }
      const { place } = choice.success
      const objection = scene.objection === undefined ? null : yield* scene.objection(place)
      return objection === null ? { ended: place } : { refused: objection }
    }
    case "click": {
      const point = Grounding.choiceOf({ _tag: "Called", tool: "choose_point", parameters }, scene.refs, scene.window)
      if (Result.isFailure(point)) return { refused: point.failure }
      if (!("place" in point.success)) return { refused: "Expected a point" }
      if (kind === "click") yield* scene.compiles(point.success.place)
      // The tool allows these kinds only.
      yield* page.vision.clickAt(point.success.place, kind as ClickKind, waitMillis, gesture)
      return { did: `${String(kind)} at ${String(parameters.x)},${String(parameters.y)}` }
    }
    case "click_element": {
      const ref = scene.refs.find((known) => known === element)
      if (ref === undefined) return { refused: `There is no element "${String(element).slice(0, 50)}" in the list` }
      yield* scene.compiles({ _tag: "Ref", ref })
      yield* page.vision.clickAt({ _tag: "Ref", ref }, "click", waitMillis, gesture)
      return { did: `click ${ref}` }
    }
    case "type": {
      const { address } = yield* page.vision.spot(null)
      const resolved = yield* References.resolve(String(text), memory, address)
      if (Result.isFailure(resolved)) return { refused: resolved.failure }
      const pace = scene.byHand === true ? yield* byHand : { delayMillis: 0 }
      yield* page.elements.type(null, {
        existing: "keep",
        ...pace,
        paste: false,
        strokes: [resolved.success.text],
        guard: resolved.success.guard
      })
      return { did: `type ${resolved.success.isSecret ? String(text) : JSON.stringify(text)}` }
    }
    case "press":
      yield* page.elements.type(null, {
        existing: "keep",
        delayMillis: 0,
        paste: false,
        strokes: [{ key: String(key) }]
      })
      return { did: `press ${String(key)}` }
    case "scroll":
      return (yield* page.elements.turn(direction === "up" ? "up" : "down", null))
        ? { did: `scroll ${String(direction)}` }
        : { did: `the page does not scroll further ${String(direction)}` }
    case "wait":
      yield* Effect.sleep(Number(seconds) * 1_000)
      return { did: `wait ${String(seconds)} s` }
    case "open": {
      const base = yield* page.navigation.address
      const target = URL.parse(String(url), base)
      if (target === null || !/^https?:$/.test(target.protocol) || !sites.has(target.host)) {
        const allowed = [...sites].join(", ")
        return { refused: `The address is not of a site that the run has been on: ${allowed}` }
      }
      yield* page.navigation.goto(target.href)
      return { did: `open ${target.host}${target.pathname}` }
    }
    default:
      return yield* ModelRequest.failure(
        { node: scene.node, model: scene.model, request: scene.prompt, secrets: memory.credentials.secrets },
        "MODEL-E0005",
        `the model cannot do it: ${String(reason ?? "").slice(0, 500)}`
      )
  }
})

/** The host that the page is on, where the run had not been before; `null` for a known one. */
const strayed = (page: SessionParts<"navigation">, sites: ReadonlySet<string>) =>
  Effect.map(page.navigation.address, (address) => {
    if (URL.parse(address) === null || !/^https?:$/.test(new URL(address).protocol)) return null
    const { host } = new URL(address)
    return sites.has(host) ? null : host
  })
