/**
 * Executes one node of a graph: each action by its own function, and the iterations of loops.
 */
import { Effect } from "effect"
import type { Port, SessionParts } from "../browser/Browser.ts"
import type { ActionName } from "../workflow/language/graph/Action.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import { elementsOf, expectedElements } from "../workflow/language/parameters/Control.ts"
import { apiFlow } from "./action/ApiFlow.ts"
import { boolCondition } from "./action/BoolCondition.ts"
import { captcha } from "./action/Captcha.ts"
import { click } from "./action/Click.ts"
import { delay } from "./action/Delay.ts"
import { drag } from "./action/Drag.ts"
import { extractDatamodel } from "./action/ExtractDatamodel.ts"
import { extractNetwork } from "./action/ExtractNetwork.ts"
import { fileDownload } from "./action/FileDownload.ts"
import { fileUpload } from "./action/FileUpload.ts"
import { inputSelect } from "./action/InputSelect.ts"
import { inputText } from "./action/InputText.ts"
import { navigate } from "./action/Navigate.ts"
import { screenshot } from "./action/Screenshot.ts"
import { scroll } from "./action/Scroll.ts"
import { tabManagement } from "./action/TabManagement.ts"
import { tfa } from "./action/Tfa.ts"
import { transform } from "./action/Transform.ts"
import { userInteraction } from "./action/UserInteraction.ts"
import { reworded, StepFailed } from "./Failure.ts"
import * as HttpSignIn from "./login/HttpSignIn.ts"
import type * as Position from "./Position.ts"
import type { Action, Done, StepContext } from "./Step.ts"
import * as Memory from "./variables/Memory.ts"
import * as SecretUse from "./variables/SecretUse.ts"

/** Executes the next node of a position, on the page of the step context. */
export const perform = (
  node: Exclude<Node, { action: "END" }>,
  { loops }: Position.Position,
  context: StepContext
): Effect.Effect<Done | Position.LoopTurn, StepFailed> => {
  if (node.action === "LOOP") return turn(node, loops.get(node.id), context)
  return accompanied(node, context, alone(node, context))
}

/** Executes the action of a node, and nothing around it. */
export const alone = (
  node: Exclude<Node, { action: "END" | "LOOP" }>,
  context: StepContext
): Effect.Effect<Done, StepFailed> => {
  // The table has the action of each kind of node.
  const action = actions[node.action] as Action<ActionName, Port>
  return action(node, context)
}

/** Actions that start no download: a FILE_DOWNLOAD after them keeps the downloads of the action before them. */
const passive: ReadonlySet<string> = new Set([
  "FILE_DOWNLOAD",
  "BOOL_CONDITION",
  "DELAY",
  "SCREENSHOT",
  "EXTRACT_DATAMODEL",
  "EXTRACT_NETWORK",
  "TRANSFORM"
])

const beginsDownloads = ({ action, parameters }: Node): boolean =>
  !passive.has(action) && !("tabAction" in parameters && parameters.tabAction !== "OPEN")

/** A step with the side effects of the page: unrequested downloads are dropped, and dialogs are added to a failure. */
const accompanied = Effect.fnUntraced(function* <A>(
  node: Node,
  { memory, page, warn }: StepContext,
  step: Effect.Effect<A, StepFailed>
) {
  if (beginsDownloads(node)) yield* page.navigation.forgetDownloads
  const isOpening = node.action === "START" || node.action === "NAVIGATE"
  const done = yield* Effect.result(isOpening ? step : HttpSignIn.around(step, { memory, page }))
  const dialogs = yield* page.navigation.dialogs
  for (const { kind, message } of dialogs) {
    yield* Effect.logDebug(
      memory.credentials.secrets.hide(`Node "${node.name}": the page showed "${message}" (${kind}), which was accepted`)
    )
  }
  if (done._tag === "Success") {
    for (const { kind, reason, selector } of yield* page.navigation.remarks) {
      const { code, done: did } = remarked[kind]
      yield* warn({ code, sentence: `${did} ${selector}: ${reason}`, value: null })
    }
    return done.success
  }
  const said = dialogs.filter(({ message }) => message !== "").at(-1)
  if (said === undefined) return yield* done.failure
  const shown = memory.credentials.secrets.hideWithin(said.message.replace(/\s+/g, " "), maxShown)
  return yield* reworded(done.failure, `${done.failure.sentence}. The page had shown "${shown}" (${said.kind})`)
})

const remarked = {
  refilled: { code: "FIELD-W0001", done: "Typed again into" },
  unchosen: { code: "FIELD-W0002", done: "Chose in" },
  effectless: { code: "EFFECT-W0001", done: "Clicked" }
} as const

/** Maximum length of a dialog text in a failure, in characters. */
const maxShown = 300

const actions: { readonly [A in Exclude<ActionName, "LOOP" | "END">]: Action<A, Port> } = {
  // Both kinds have the parameters that a navigation reads.
  START: navigate as Action<"START", Port>,
  // As above.
  NAVIGATE: navigate as Action<"NAVIGATE", Port>,
  CLICK: click,
  DRAG: drag,
  INPUT_TEXT: inputText,
  INPUT_SELECT: inputSelect,
  EXTRACT_DATAMODEL: extractDatamodel,
  BOOL_CONDITION: boolCondition,
  DELAY: delay,
  SCREENSHOT: screenshot,
  SCROLL: scroll,
  TAB_MANAGEMENT: tabManagement,
  FILE_DOWNLOAD: fileDownload,
  FILE_UPLOAD: fileUpload,
  USER_INTERACTION: userInteraction,
  TFA: tfa,
  TRANSFORM: transform,
  EXTRACT_NETWORK: extractNetwork,
  CAPTCHA: captcha,
  API_FLOW: apiFlow
}

/** Begins a loop, or continues the current one. */
const turn = Effect.fnUntraced(function* (
  node: Position.LoopNode,
  loop: Position.Loop | undefined,
  { memory, page }: StepContext
) {
  const items = loop?.items ?? (yield* itemsOf(node, memory, page))
  const index = loop === undefined ? 0 : loop.index + 1
  return { _tag: "Turned", loop: index < items.length ? { items, index } : null } satisfies Position.LoopTurn
})

const itemsOf = Effect.fnUntraced(function* (
  node: Position.LoopNode,
  memory: Memory.Memory,
  page: SessionParts<"navigation">
) {
  const over = node.parameters.variable_over
  const value = typeof over === "string" ? yield* Memory.evaluate(over, memory, page) : over
  const used = typeof over === "string" ? yield* SecretUse.usedBy(over, memory) : []
  memory.credentials.secrets.noteMade(
    `runtime.${node.parameters.variable_current_item}`,
    used.map(({ alias }) => alias),
    value
  )
  const items = elementsOf(value)
  if (items !== null) return items
  const shown = memory.credentials.secrets.hideWithin(Memory.asText(value), 100)
  return yield* new StepFailed({
    code: "TEMPLATE-E0001",
    sentence: `Cannot loop over ${shown}: ${expectedElements}`,
    original: null
  })
})
