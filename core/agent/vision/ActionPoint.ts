/**
 * The place of an action on an element without a selector: a point, or the choice of a model.
 */
import { Effect } from "effect"
import type { PointerTarget } from "../../browser/vision/Sight.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import * as Executions from "../../workflow/language/parameters/Executions.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { StepFailed } from "../Failure.ts"
import * as References from "../model/References.ts"
import type { StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as Grounding from "./Grounding.ts"
import * as VisualTask from "./VisualTask.ts"

type Pointed = NodeOf<"CLICK"> | NodeOf<"INPUT_TEXT"> | NodeOf<"TFA">

/** Returns whether a node finds its element in another way than by its selector. */
export const isPointed = ({ parameters }: Pointed): boolean =>
  parameters.execution === "COORDINATES" || Executions.isModelExecution(parameters.execution)

const isByHand = ({ parameters }: Pointed): boolean => "human_mode" in parameters && parameters.human_mode === true

/** The point that a selector names. */
export const point = Effect.fnUntraced(function* (
  written: string,
  { memory, page }: StepContext<"elements" | "navigation" | "vision">
) {
  const selector = yield* Memory.evaluateText(written, memory, page)
  const at = Executions.pointOf(selector)
  if (at !== null) return { _tag: "Point", ...at } satisfies PointerTarget
  const shown = memory.credentials.secrets.hideWithin(selector, 100)
  return yield* new StepFailed({
    code: "SELECTOR-E0003",
    sentence: `Cannot find the point ${shown}: expected JSON such as {"x": 120, "y": 300}`,
    original: null
  })
})

/**
 * The place of an action without a selector. `COMPUTER_USE` may make moves to get there.
 *
 * An element that a model chose gets no text with secrets where it belongs to another site than they do.
 */
export const place = Effect.fnUntraced(function* (
  node: Pointed,
  act: string,
  text: string,
  context: StepContext<"elements" | "navigation" | "vision">
) {
  const { execution, llm_model, prompt, wait_time } = node.parameters
  const { compiling, memory, page } = context
  if (execution === "COORDINATES") return yield* point(node.parameters.selector ?? "", context)
  const used = yield* SecretUse.usedBy(text, memory)
  const objection = (chosen: PointerTarget) =>
    page.vision.spot(chosen).pipe(
      Effect.map(({ address }) => {
        const foreign = used.find(({ entry }) => !SecretSites.permits(entry, address))
        return foreign === undefined
          ? null
          : `The text has a secret of ${foreign.entry.domain} in it, and this field is of another site`
      }),
      Effect.orElseSucceed(() => "There is no longer an element at this point")
    )
  const wanted = {
    node,
    page,
    prompt: yield* References.evaluate(prompt ?? defaultPrompt, memory, page),
    model: modelOf(llm_model),
    compiles: (place: PointerTarget) => compiling.element(place, prompt ?? defaultPrompt),
    ...(used.length === 0 ? {} : { objection })
  }
  if (execution === "COMPUTER_USE") {
    const { place, selector } = yield* VisualTask.move({ ...wanted, memory, ends: "place", byHand: isByHand(node) })
    if (selector !== null) yield* compiling.propose(plain(selector))
    if (place !== null) return place
    return yield* new StepFailed({ code: "MODEL-E0005", sentence: "The model chose no element", original: null })
  }
  const chosen = yield* Grounding.place({
    ...wanted,
    secrets: memory.credentials.secrets,
    act,
    visual: execution !== "LLM_DOM",
    waitMillis: wait_time ?? defaultWaitMillis
  })
  const selector = yield* wanted.compiles(chosen)
  if (selector !== null) yield* compiling.propose(plain(selector))
  return chosen
})

/** The parameters that name an element by a selector. */
export const plain = (selector: string) => ({ execution: "STATIC", selector })

/** Only the field for a code may be located without a prompt. */
const defaultPrompt = "The field that the one-time code is typed into; of several boxes for one digit each, the first."

/** The name of a model that a node gives; `null` when it gives none. */
export const modelOf = (name: string | null | undefined): string | null =>
  (name ?? "").trim() === "" ? null : (name ?? null)
