/**
 * Waits until what is expected of a step is true. The page is looked at again in short intervals and with each answer of
 * the network.
 */
import { Clock, Effect } from "effect"
import type { SessionParts } from "../browser/Browser.ts"
import { redactUrl } from "../browser/Exchange.ts"
import { isUnsettled } from "../browser/element/Survey.ts"
import type { Download } from "../browser/file/DownloadPorts.ts"
import * as SafePattern from "../workflow/language/expression/SafePattern.ts"
import { seen } from "../workflow/language/format/SeenText.ts"
import * as Compared from "../workflow/language/graph/Comparison.ts"
import * as Expect from "../workflow/language/graph/Expect.ts"
import { defaultWaitMillis } from "../workflow/language/parameters/Fields.ts"
import { regexPrefix } from "../workflow/language/parameters/Network.ts"
import * as Expectation from "./Expectation.ts"
import { ofPage, StepFailed } from "./Failure.ts"
import type { Mark, NetworkRecorder } from "./network/NetworkRecorder.ts"
import * as Patterns from "./Patterns.ts"
import * as Memory from "./variables/Memory.ts"
import * as SecretUse from "./variables/SecretUse.ts"

/** The step that has done its work. */
export interface FinishedStep {
  /** The variables after it. */
  readonly memory: Memory.Memory
  readonly page: SessionParts<"elements" | "navigation">
  readonly heard: NetworkRecorder | null
  /** When it began, in the recording. */
  readonly since: Mark | null
  /** The files that it has kept. */
  readonly files: ReadonlyArray<Pick<Download, "fileName" | "mediaType" | "bytes">>
  /** Whether it may have had an effect on the site. */
  readonly acted: boolean
}

/** The pauses between looks, in milliseconds; the last one is repeated. */
const pauses = [20, 50, 100, 100, 200]

/** How long a page must be at rest before it counts that something is absent, in milliseconds. */
const restMillis = 250

/** Maximum length of a text in a failure, in characters. */
const maxShown = 200

/** Returns when what is expected holds, and fails when it does not in time. */
export const until = Effect.fnUntraced(function* (expect: Expect.Expect, step: FinishedStep) {
  const began = yield* Clock.currentTimeMillis
  const { acted, heard, page } = step
  const waitMillis = expect.wait_time ?? defaultWaitMillis
  const match = expect.match ?? "all"
  const conditions = yield* Effect.forEach(expect.conditions, (condition) => resolved(condition, step))
  const showing = showingOf(step)
  const failed = (sentence: string) =>
    new StepFailed({ code: "EXPECT-E0001", sentence, original: null, ...(acted ? { acted } : {}) })
  const missed = (judgement: Expectation.Judgement, waitedMillis: number | null) => {
    const failure = failed(Expectation.sentenceOf(judgement, match, waitedMillis))
    const unmet = Expectation.hiddenOf(conditions, judgement)
    return unmet === null ? failure : new StepFailed({ ...failure, unmet })
  }
  const look = yield* looking(conditions, step)
  let rests = 0
  for (let round = 0; ; round++) {
    const seen = yield* Effect.result(look)
    const left = began + waitMillis - (yield* Clock.currentTimeMillis)
    let pause = pauses[Math.min(round, pauses.length - 1)] ?? 0
    if (seen._tag === "Failure") {
      const { kind, reason } = seen.failure
      if (kind === "selector" || kind === "crash") {
        const failure = ofPage("check what is expected of", seen.failure)
        return yield* new StepFailed({ ...failure, ...(acted ? { acted } : {}) })
      }
      // A page that is just leaving cannot be looked at.
      rests = 0
      if (left <= 0) return yield* failed(`Cannot check what is expected after ${waitMillis} ms: ${reason}`)
    } else {
      const judgement = Expectation.judge(conditions, match, seen.success, showing)
      if (judgement.holds) {
        if (!judgement.precedes) return
        rests = (yield* isAtRest(page)) ? rests + 1 : 0
        if (rests > 1 || left <= 0) return
        pause = restMillis
      } else {
        rests = 0
        if (judgement.isFinal) return yield* missed(judgement, null)
        if (left <= 0) return yield* missed(judgement, waitMillis)
      }
    }
    const wait = Effect.sleep(Math.max(Math.min(pause, left), 1))
    yield* heard === null || rests > 0 ? wait : Effect.raceFirst(heard.next, wait)
  }
})

const isAtRest = (page: SessionParts<"elements">): Effect.Effect<boolean> =>
  page.elements.survey({ target: null, fields: [] }).pipe(
    Effect.map((survey) => !isUnsettled(survey)),
    // A page that is just leaving is not at rest.
    Effect.orElseSucceed(() => false)
  )

const showingOf = ({ memory }: FinishedStep): Expectation.Showing => {
  const { secrets } = memory.credentials
  return {
    text: (text) => `"${secrets.hideWithin(seen(text.slice(0, 10 * maxShown)), maxShown)}"`,
    url: (url) => redactUrl(secrets.hide(url)).slice(0, maxShown)
  }
}

/** One look at everything that the conditions are about. */
const looking = Effect.fnUntraced(function* (
  conditions: ReadonlyArray<Expectation.Condition>,
  { files, heard, memory, page, since }: FinishedStep
) {
  const types = new Set(conditions.map(({ type }) => type))
  const selectors = [
    ...new Set(
      conditions.flatMap((condition) => ("selector" in condition ? [condition.selector ?? Expectation.page] : []))
    )
  ]
  const kept = yield* Effect.forEach(types.has("file") ? files : [], ({ bytes, fileName, mediaType }) =>
    // A file that cannot be read is not kept either, and counts as empty.
    Effect.map(Effect.result(bytes), (read) => ({
      fileName,
      mediaType,
      bytes: read._tag === "Success" ? read.success.length : 0
    }))
  )
  return Effect.gen(function* () {
    const states = selectors.length === 0 ? [] : yield* page.elements.states(selectors)
    // What is expected must not tell what a secret is that the page shows.
    const { hideInData, partsAreTyped } = memory.credentials.secrets
    const shown = yield* Effect.forEach(states, (state) =>
      Effect.map(
        hideInData({
          text: state.text,
          otherTexts: state.otherTexts,
          values: state.isSecret && partsAreTyped ? [] : state.values
        }),
        (hidden) => ({ ...state, ...hidden })
      )
    )
    return {
      address: yield* hideInData(yield* page.navigation.address),
      states: new Map(selectors.flatMap((selector, at) => (shown[at] === undefined ? [] : [[selector, shown[at]]]))),
      requests: heard === null || since === null ? [] : heard.since(since),
      files: kept
    } satisfies Expectation.Facts
  })
})

/** A condition with its expressions evaluated. */
const resolved = Effect.fnUntraced(function* (
  condition: Expect.Condition,
  step: FinishedStep
): Effect.fn.Return<Expectation.Condition, StepFailed> {
  const wanted = (text: string) => wantedOf(text, step)
  switch (condition.type) {
    case "address":
      return { type: "address", comparison: yield* comparisonOf(condition, step) }
    case "text": {
      const selector = condition.selector ? (yield* wanted(condition.selector)).text : null
      return { type: "text", selector, comparison: yield* comparisonOf(condition, step) }
    }
    case "value": {
      const { text: selector } = yield* wanted(condition.selector)
      return { type: "value", selector, comparison: yield* comparisonOf(condition, step) }
    }
    case "element": {
      const { text: selector } = yield* wanted(condition.selector)
      return { type: "element", selector, visible: condition.state !== "present", ...Expect.rangeOf(condition) }
    }
    case "request": {
      const url = yield* wanted(condition.url)
      if (url.text.startsWith(regexPrefix)) yield* checkPattern(url.text.slice(regexPrefix.length))
      return { type: "request", url, method: condition.method ?? null, status: condition.status ?? null }
    }
    case "file": {
      const { at_least_bytes, media_type, name } = condition
      return {
        type: "file",
        name: name ? yield* wanted(name) : null,
        mediaType: media_type ? yield* wanted(media_type) : null,
        bytes: at_least_bytes ?? 1
      }
    }
    case "variable":
      return yield* comparedVariable(condition, step)
  }
})

const comparisonOf = Effect.fnUntraced(function* (
  {
    contains,
    equals,
    matches
  }: {
    readonly contains?: string | null
    readonly equals?: string | null
    readonly matches?: string | null
  },
  step: FinishedStep
): Effect.fn.Return<Expectation.Comparison, StepFailed> {
  if (typeof matches === "string") {
    yield* checkPattern(matches)
    return { operator: "matches", wanted: { text: matches, shown: matches } }
  }
  return typeof equals === "string"
    ? { operator: "equals", wanted: yield* wantedOf(equals, step) }
    : { operator: "contains", wanted: yield* wantedOf(contains ?? "", step) }
})

const checkPattern = Effect.fnUntraced(function* (pattern: string) {
  yield* Patterns.judge(pattern)
  const wrong = SafePattern.check(pattern)
  if (wrong !== null) return yield* new StepFailed({ code: "EXPECT-E0001", sentence: wrong, original: null })
})

/** A text with its expressions evaluated. One that reads a secret is shown as it stands in the workflow. */
const wantedOf = Effect.fnUntraced(function* (
  written: string,
  { memory, page }: FinishedStep
): Effect.fn.Return<Expectation.Wanted, StepFailed> {
  const text = yield* Memory.evaluateText(written, memory, page)
  const isSecret = (yield* SecretUse.usedBy(written, memory)).length > 0
  const { secrets } = memory.credentials
  return { text, shown: `"${secrets.hideWithin(isSecret ? written : text, maxShown)}"` }
})

const comparedVariable = Effect.fnUntraced(function* (
  { field, operator, value = null }: Extract<Expect.Condition, { readonly type: "variable" }>,
  step: FinishedStep
): Effect.fn.Return<Expectation.Condition, StepFailed> {
  const { memory, page } = step
  const known = yield* Memory.evaluateExpression(field, memory, page, Memory.policyOf(field, operator))
  const other = typeof value === "string" ? yield* Memory.evaluate(value, memory, page) : value
  const { shown } = typeof value === "string" ? yield* wantedOf(value, step) : { shown: Compared.asText(value) }
  const isSecret = (yield* SecretUse.usedByExpression(field, memory)).length > 0
  const holds = Compared.holdsOfField(operator, known, other)
  const expected = `${field} ${operator}${operator.endsWith("_NULL") ? "" : ` ${shown}`}`
  const found = isSecret ? "another value, which is secret" : showingOf(step).text(Compared.asText(known))
  return { type: "variable", holds, expected, found: known === null ? "nothing" : found }
})
