import { Clock, Effect, Result, type Schema } from "effect"
import { redactUrl } from "../../browser/Exchange.ts"
import type { ElementQuery } from "../../browser/element/ElementQuery.ts"
import * as Extraction from "../../browser/element/Extraction.ts"
import * as Presence from "../../browser/element/Presence.ts"
import * as ReadValue from "../../browser/element/ReadValue.ts"
import type { Settled } from "../../browser/element/Settling.ts"
import { PageFailure } from "../../browser/PageFailure.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import { type DataModel, modelOf, overwritten } from "../../workflow/language/parameters/DataModel.ts"
import * as Executions from "../../workflow/language/parameters/Executions.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import * as PlainForm from "../../workflow/patch/PlainForm.ts"
import * as Json from "../../workspace/Json.ts"
import * as PlainReading from "../compile/PlainReading.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as DataExtraction from "../model/DataExtraction.ts"
import * as References from "../model/References.ts"
import type { Action, StepContext } from "../Step.ts"
import * as Doubts from "../variables/Doubts.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as SecretWays from "../variables/SecretWays.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"
import * as PageView from "../vision/PageView.ts"
import type { Warning } from "../Warning.ts"

/**
 * Reads what a data model describes: by its paths from the page, or by a model from the HTML of a part of the page, from a
 * picture of the viewport, or from the context alone. With a selector, waits for at least one element that it matches.
 */
export const extractDatamodel: Action<"EXTRACT_DATAMODEL", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, context) {
    const { parameters } = node
    const { memory, page } = context
    const model = parameters.extract_data_model
    const waitMillis = parameters.wait_time ?? defaultWaitMillis
    if (parameters.selector) {
      const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
      yield* page.elements
        .find({ selector, waitMillis, first: true })
        .pipe(Effect.mapError((failure) => ofPage("extract data: waiting for", failure)))
      const { regionBefore } = context
      if (parameters.wait_for_change === true && regionBefore !== null) {
        yield* changed({ selector, waitMillis }, regionBefore, page)
      }
    }
    const resolved = yield* resolve(model, context)
    const { secrets } = memory.credentials
    const used = new Set<string>()
    for (const text of Extraction.texts(model)) {
      const aliases = (yield* SecretUse.usedBy(text, memory)).map(({ alias }) => alias)
      for (const alias of aliases) used.add(alias)
      // A text with a secret resolves to a path or a known value, which are JSON.
      secrets.own(aliases, Object.values(resolved.get(text) ?? {}) as Schema.Json)
    }
    const kept = yield* keptBy(model, memory)
    const made = (found: Schema.JsonObject): Schema.JsonObject => {
      for (const name of Object.keys(found)) secrets.noteMade(name, [...used], null)
      for (const [name, isPart] of kept) secrets.noteKept([name], isPart)
      return found
    }
    const overwrite = new Set(overwritten(model))
    const known: Extraction.Resolve = (text) => resolved.get(text) ?? { text }
    if (Executions.isModelExecution(parameters.execution)) {
      const found = yield* read(node, DataExtraction.requestedFieldsOf(model, known), context)
      yield* compile(node, known, found, context)
      return { _tag: "Found", found: made(found), overwrite }
    }
    const plan = Extraction.plan(model, known, parameters.keep_whitespace === true)
    return { _tag: "Found", found: made(yield* carryOut(plan, waitMillis, context)), overwrite }
  }
)

/** Reads by a plan, once the page has what it is about. */
const carryOut = Effect.fnUntraced(function* (
  plan: Extraction.ExtractionPlan,
  waitMillis: number,
  { memory, page, warn }: StepContext<"elements" | "navigation">
) {
  const { secrets } = memory.credentials
  // Several elements may match only as long as the page is being built.
  const settled = yield* page.navigation
    .settled(Effect.result(page.elements.extract(plan)), {
      waitMillis,
      isThere: (read) => (Result.isSuccess(read) ? Presence.of(plan, read.success) : "all")
    })
    .pipe(Effect.mapError((failure) => ofPage("extract data", failure)))
  if (Result.isFailure(settled.found)) return yield* unread(settled.found.failure, secrets)
  const there = settled.found.success
  const { data: found, doubts } = ReadValue.settled(plan, Presence.withoutShells(plan, there))
  const missing = missingRows(plan, { ...settled, found: there })
  yield* Effect.forEach([...missing, ...Doubts.warningsOf(doubts, secrets)], warn, { discard: true })
  return Json.objectOf(found)
})

/** Proposes paths that read what a model has read, where they read just that without a doubt. */
const compile = Effect.fnUntraced(function* (
  node: NodeOf<"EXTRACT_DATAMODEL">,
  known: Extraction.Resolve,
  found: Schema.JsonObject,
  context: StepContext<"elements" | "navigation">
) {
  const { execution, extract_data_model, prompt } = node.parameters
  // A prompt may say which rows or values are meant, by what the run knows.
  const isOpen = execution === "PROMPT" || Template.isTemplate(prompt ?? "")
  if (isOpen || (PlainReading.hasList(extract_data_model) && (prompt ?? "").trim() !== "")) return
  const doubted = ({ sentence }: Warning) =>
    Effect.fail(new StepFailed({ code: "STRICT-E0001", sentence, original: null }))
  yield* Effect.gen(function* () {
    const { cut, html } = yield* context.page.elements.readable(null, { metadata: true, maxCharacters })
    const plain = cut ? null : PlainReading.modelFor(html, extract_data_model, found)
    if (plain === null || !(yield* PlainReading.isSole(plain, context.page))) return
    const plan = Extraction.plan(plain, known, node.parameters.keep_whitespace === true)
    const read = yield* carryOut(plan, 0, { ...context, warn: doubted })
    if (PlainForm.textOf(read) !== PlainForm.textOf(found)) return
    yield* context.compiling.propose({ execution: "STATIC", extract_data_model: PlainReading.asJson(plain) })
  }).pipe(Effect.ignore)
})

/** What is unsure about the lists that were read. */
const missingRows = (
  plan: Extraction.ExtractionPlan,
  { declared, found, unsure }: Settled<Schema.Json>
): ReadonlyArray<Warning> => {
  const lists = Presence.lists(plan, found)
  return lists.flatMap(({ at, isShell, path, rows }) => {
    const name = at.length === 0 ? path : `"${at.join(".")}" (${path})`
    if (isShell)
      return {
        code: "LIST-W0001",
        sentence: `Read no rows of ${name}: none of its ${rows.length} has a text`,
        value: null
      }
    // Where several lists are read, it is not known which of them the page speaks of.
    if (rows.length > 0 && lists.length === 1 && declared !== null && declared > rows.length) {
      return {
        code: "LIST-W0002",
        sentence: `Read ${rows.length} rows of ${name}: the list says that it has ${declared}`,
        value: null
      }
    }
    if (rows.length > 0 || !unsure) return []
    return {
      code: "LIST-W0001",
      sentence: `Read no rows of ${name}: the page may still have been loading them`,
      value: null
    }
  })
}

/** The failure of an extraction, with what elements show that should be one. */
const unread = (failure: PageFailure, secrets: Secrets) => {
  const { matched, texts = [] } = failure
  const shown = texts.map((text) => `"${secrets.hideWithin(text, maxShown)}"`).join(" and ")
  const reason = texts.length === 0 ? failure.reason : `${matched} elements match, such as ${shown}; ${failure.reason}`
  return ofPage("extract data", new PageFailure({ ...failure, reason }))
}

/** Maximum length of a text in a message, in characters. */
const maxShown = 100

/** The interval of checks for a change of a part of the page, in milliseconds. */
const lookMillis = 100

/** Waits until a part of the page shows something else. */
const changed = Effect.fnUntraced(function* (
  { selector, waitMillis }: ElementQuery,
  before: string,
  { elements }: StepContext<"elements">["page"]
) {
  const until = (yield* Clock.currentTimeMillis) + waitMillis
  while (true) {
    const shown = yield* elements
      .read({ selector, waitMillis: 0 })
      .pipe(Effect.mapError((failure) => ofPage("extract data from", failure)))
    if (shown !== null && shown !== before) return
    if ((yield* Clock.currentTimeMillis) >= until) break
    yield* Effect.sleep(lookMillis)
  }
  return yield* new StepFailed({
    code: "SELECTOR-E0002",
    sentence: `Cannot extract data: ${selector} shows the same as before the last action, after ${waitMillis} ms (wait_for_change)`,
    original: null,
    selector
  })
})

/** Maximum length of a page for a model, in characters. */
const maxCharacters = 200_000

const read = Effect.fnUntraced(function* (
  node: NodeOf<"EXTRACT_DATAMODEL">,
  wanted: DataExtraction.RequestedFields,
  { memory, page }: StepContext<"elements" | "navigation" | "vision">
) {
  const { execution, keep_html_metadata, llm_model, model, prompt, selector, wait_time } = node.parameters
  const { secrets } = memory.credentials
  const asked = {
    node,
    secrets,
    wanted,
    prompt: yield* References.evaluate(prompt ?? "", memory, page),
    model: ActionPoint.modelOf(llm_model) ?? ActionPoint.modelOf(model)
  }
  if (execution === "PROMPT")
    return yield* DataExtraction.data({ ...asked, page: yield* PageView.context(memory), shot: null })
  const waitMillis = wait_time ?? defaultWaitMillis
  if (execution === "LLM_VISION") {
    yield* page.navigation
      .settled(Effect.void, { waitMillis, isThere: () => "all" })
      .pipe(Effect.mapError((failure) => ofPage("extract data", failure)))
    const shot = yield* PageView.picture(page, secrets)
    return yield* DataExtraction.data({ ...asked, page: `Address: ${redactUrl(yield* page.navigation.address)}`, shot })
  }
  const scope = yield* Memory.evaluateText(selector ?? "", memory, page)
  const readable = page.elements.readable(scope, { metadata: keep_html_metadata === true, maxCharacters })
  const { found } = yield* page.navigation
    .settled(readable, { waitMillis, isThere: ({ html }) => (html === "" ? "none" : "all") })
    .pipe(Effect.mapError((failure) => ofPage("extract data from", failure)))
  const { cut, html } = found
  return yield* DataExtraction.data({ ...asked, page: cut ? `${html}\n${PageView.restIsCut}` : html, shot: null })
})

/** The fields of a model whose values hold secrets, each with whether it may be a part of one. */
const keptBy = Effect.fnUntraced(function* (model: DataModel, memory: Memory.Memory) {
  const kept: Array<readonly [name: string, isPart: boolean]> = []
  for (const [name, field] of Object.entries(model.properties ?? {})) {
    for (const text of Extraction.texts(modelOf(field))) {
      const secret = yield* SecretWays.wayOfText(text, memory)
      if (secret !== null) kept.push([name, secret.way === "part"])
    }
  }
  return kept
})

/** Evaluates the texts with expressions. A text that is exactly one expression is the value, not a path to it. */
const resolve = Effect.fnUntraced(function* (model: DataModel, { memory, page }: StepContext<"navigation">) {
  const names = new Set(Extraction.names(model))
  const resolved = new Map<string, ReturnType<Extraction.Resolve>>()
  for (const text of Extraction.texts(model).filter(Template.isTemplate)) {
    const { whole } = Template.split(text)
    const value = yield* Memory.evaluate(text, memory, page, whole && !names.has(text) ? "guarded" : "refused")
    resolved.set(text, whole ? { known: value } : { text: Memory.asText(value) })
  }
  return resolved
})
