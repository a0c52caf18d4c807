/**
 * Finds the plain form of what a model did in a step, while the page is as the model saw it. Whatever goes wrong here
 * only means that there is no plain form.
 */
import { Effect, type Schema } from "effect"
import type { BrowserSession, SessionParts } from "../../browser/Browser.ts"
import type { PointerTarget } from "../../browser/vision/Sight.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import type * as PlainForm from "../../workflow/patch/PlainForm.ts"
import * as ModelUse from "../model/ModelUse.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as PlainElement from "./PlainElement.ts"
import type { EvaluatedPrompt } from "./PromptWords.ts"

/** A plain form as a step proposes it: the parameters in place of those of the node, and where they hold. */
export interface ProposedForm extends PlainForm.Reach {
  readonly parameters: Schema.JsonObject
}

/** What a step does about the plain form of what a model does in it. */
export interface Compiling {
  /** Whether the model is asked what it decides by. */
  readonly asks: boolean
  /** The prompt with its expressions; `null` where one of them has to do with a secret. */
  readonly prompt: (written: string) => Effect.Effect<EvaluatedPrompt | null>
  /** The selector for an element that the model chose, with the expressions of the prompt; `null` where none is certain. */
  readonly element: (place: PointerTarget, written: string) => Effect.Effect<string | null>
  /** Notes the plain form of the step, with the site of the page unless the form reads none. */
  readonly propose: (
    parameters: Schema.JsonObject,
    options?: { readonly decides?: boolean; readonly ofContext?: boolean }
  ) => Effect.Effect<void>
}

/** That of a step on a page. `note` takes what is proposed last. */
export const make = (
  page: BrowserSession,
  memory: Memory.Memory,
  asks: boolean,
  note: (form: ProposedForm) => void
): Compiling => ({
  asks,
  prompt: (written) => promptOf(written, memory, page),
  element: (place, written) =>
    Effect.flatMap(promptOf(written, memory, page), (prompt) =>
      prompt === null ? Effect.succeed(null) : selectorOf(place, prompt, page)
    ),
  propose: Effect.fnUntraced(function* (parameters, { decides = null, ofContext = false } = {}) {
    // What the client of one run says in addition is not known to the next one.
    if ((yield* ModelUse.current).about !== null) return
    note({ parameters, decides, site: ofContext ? null : yield* siteOf(page) })
  })
})

/** The host of the page that a step is on. */
export const siteOf = (page: SessionParts<"navigation">): Effect.Effect<string> =>
  Effect.map(page.navigation.address, (address) => URL.parse(address)?.host ?? "")

/** A prompt of the workflow with its expressions and their values; `null` where one has to do with a secret. */
const promptOf = Effect.fnUntraced(
  function* (written: string, memory: Memory.Memory, page: SessionParts<"navigation">) {
    if ((yield* SecretUse.usedBy(written, memory)).length > 0) return null
    const { parts } = Template.split(written)
    const expressions: Array<EvaluatedPrompt["expressions"][number]> = []
    for (const part of parts) {
      if (typeof part === "string") continue
      const source = part.source.trim()
      const value = yield* Memory.evaluateText(`{{${source}}}`, memory, page)
      if (!expressions.some((one) => one.source === source)) expressions.push({ source, value })
    }
    const text = yield* Memory.evaluateText(written, memory, page)
    const rest = parts.filter((part) => typeof part === "string").join(" ")
    return { text, written: rest, expressions } satisfies EvaluatedPrompt
  },
  Effect.catch(() => Effect.succeed(null))
)

/** How long an element that is there may take to be described, in milliseconds. */
const lookMillis = 500

/** Elements that a person means when pointing at something in them. */
const pressed = "ancestor-or-self::*[self::a or self::button or self::input or self::select or self::label][1]"

/** The first certain selector that leads to the chosen element, and to no other one. */
const selectorOf = Effect.fnUntraced(
  function* (place: PointerTarget, prompt: EvaluatedPrompt, page: BrowserSession) {
    const { selector } = yield* page.vision.spot(place)
    if (selector === null) return null
    const chosen = yield* chosenBy(place._tag === "Point" ? `${selector}/${pressed}` : selector, page)
    const plain = chosen === null ? [] : PlainElement.selectorsFor({ ...chosen, prompt })
    const states = yield* page.elements.states(plain.map((one) => one.selector))
    for (const [at, one] of plain.entries()) {
      if (states[at]?.matched !== 1) continue
      const same = yield* page.elements.describe({ selector: one.selector, waitMillis: lookMillis })
      if (JSON.stringify(same) === JSON.stringify(chosen?.appearance)) return one.template
    }
    return null
  },
  Effect.catch(() => Effect.succeed(null))
)

/** An element as recoveries know it, and the others that are there for the same use. */
const chosenBy = Effect.fnUntraced(function* (selector: string, page: SessionParts<"elements" | "observation">) {
  const appearance = yield* page.elements.describe({ selector, waitMillis: lookMillis })
  const candidates = yield* page.observation.candidates(appearance)
  const own = candidates.filter((one) => JSON.stringify(one.appearance) === JSON.stringify(appearance))
  const [only] = own
  return only === undefined || own.length > 1
    ? null
    : { appearance, selector: only.selector, others: candidates.filter((one) => one !== only) }
})
