import { Clock, Effect, type Schema } from "effect"
import { type Exchange, redactBody, redactHeaders, redactUrl } from "../../browser/Exchange.ts"
import type { Doubt } from "../../browser/element/ReadValue.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import * as SafePattern from "../../workflow/language/expression/SafePattern.ts"
import { overwritten } from "../../workflow/language/parameters/DataModel.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { regexPrefix } from "../../workflow/language/parameters/Network.ts"
import * as Json from "../../workspace/Json.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as NetworkExtraction from "../network/NetworkExtraction.ts"
import type { NetworkRecorder } from "../network/NetworkRecorder.ts"
import * as SiteJson from "../network/SiteJson.ts"
import * as Patterns from "../Patterns.ts"
import type { Action } from "../Step.ts"
import * as Doubts from "../variables/Doubts.ts"
import * as Memory from "../variables/Memory.ts"

/** How long to wait for the response to a newer pending request when an older response exists, in milliseconds. */
const newerMillis = 5_000

/**
 * Reads from the newest response of an address. Waits where there is none yet, and for the pending response to a request
 * sent before the step: a response may arrive here slightly later than in the page.
 */
export const extractNetwork: Action<"EXTRACT_NETWORK", "elements" | "navigation"> = Effect.fnUntraced(function* (
  { parameters },
  context
) {
  const { heard, memory, page } = context
  const { secrets } = memory.credentials
  const began = yield* Clock.currentTimeMillis
  const waitMillis = parameters.wait_time ?? defaultWaitMillis
  const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(began + waitMillis - now, 0))
  if (parameters.selector) {
    const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
    yield* page.elements
      .find({ selector, waitMillis })
      .pipe(Effect.mapError((failure) => ofPage("read the network: waiting for", failure)))
  }
  const url = yield* Memory.evaluateText(parameters.url, memory, page)
  if (url.startsWith(regexPrefix)) yield* Patterns.judge(url.slice(regexPrefix.length))
  const wrong = url.startsWith(regexPrefix) ? SafePattern.check(url.slice(regexPrefix.length)) : null
  if (wrong !== null) {
    const sentence = `Cannot read the network: ${secrets.hide(wrong)}`
    return yield* new StepFailed({ code: "NETWORK-E0001", sentence, original: null })
  }
  const tests = testsFor(url)
  if (heard === null) return yield* Effect.die(new Error("The network is not recorded for a graph that reads it"))
  const exchange = yield* soon(heard, tests, left)
  if (exchange === undefined) {
    return yield* new StepFailed({
      code: "NETWORK-E0001",
      sentence: `Cannot read the network: no answer of ${redactUrl(secrets.hide(url))} within ${waitMillis} ms`,
      original: null
    })
  }
  const body = yield* SiteJson.read(exchange.body)
  if (body === undefined) return yield* unreadable(exchange, secrets, "its answer is nested too deeply or too large")
  const value = parameters.full_request === true ? yield* whole(exchange, body, secrets) : body
  if (!NetworkExtraction.isWithinLimits(value)) {
    return yield* unreadable(exchange, secrets, "its answer is nested too deeply or too large")
  }
  if (parameters.full_request !== true && exchange.body === null) {
    return yield* unreadable(exchange, secrets, "its answer is no text, or is too large")
  }
  const model = parameters.extract_data_model
  const doubts: Array<Doubt> = []
  const evaluate: NetworkExtraction.Resolve = {
    text: (text) => Memory.evaluate(text, memory, page),
    over: (source, read) => Memory.evaluateOver(source, read, {}, memory)
  }
  const found = yield* NetworkExtraction.read(model, value, evaluate, (doubt) => void doubts.push(doubt))
  yield* Effect.forEach(Doubts.warningsOf(doubts, secrets), context.warn, { discard: true })
  if (!Json.isObject(found)) {
    return yield* unreadable(exchange, secrets, "the data model has no properties")
  }
  return { _tag: "Found", found, overwrite: new Set(overwritten(model)) }
})

const unreadable = ({ url }: Exchange, secrets: Secrets, reason: string) =>
  new StepFailed({
    code: "NETWORK-E0002",
    sentence: `Cannot read the network: ${redactUrl(secrets.hide(url))}: ${reason}`,
    original: reason
  })

const soon = Effect.fnUntraced(function* (
  heard: NetworkRecorder,
  tests: ReturnType<typeof testsFor>,
  left: Effect.Effect<number>
) {
  const now = yield* Clock.currentTimeMillis
  while (true) {
    const found = heard.newest(tests, now)
    const millis = yield* left
    const patience =
      found === undefined ? millis : Math.min(millis, now + newerMillis - (yield* Clock.currentTimeMillis))
    if (found?.isLast === true || patience <= 0) return found?.exchange
    yield* Effect.raceFirst(heard.next, Effect.sleep(patience))
  }
})

/** How an address can match, the closest match first. */
export const testsFor = (url: string): ReadonlyArray<(exchange: { readonly url: string }) => boolean> => {
  if (url.startsWith(regexPrefix)) {
    const source = url.slice(regexPrefix.length)
    if (SafePattern.check(source) !== null) return []
    const pattern = SafePattern.compile(source, "")
    return [({ url: one }) => pattern.test(one.slice(0, 4_096))]
  }
  const isExact = ({ url: one }: { readonly url: string }) => one === url
  const isPart = ({ url: one }: { readonly url: string }) => one.includes(url)
  if (!url.includes("*")) return [isExact, isPart]
  const parts = url.split("*")
  return [
    isExact,
    isPart,
    ({ url: one }) => {
      let at = 0
      for (const part of parts) {
        const found = one.indexOf(part, at)
        if (found < 0) return false
        at = found + part.length
      }
      return true
    }
  ]
}

/** The request, without the credentials in it. */
const whole = Effect.fnUntraced(function* (exchange: Exchange, body: Schema.Json, secrets: Secrets) {
  const headers = (all: Readonly<Record<string, string>>) => Effect.map(secrets.hideIn(all), redactHeaders)
  const sent = exchange.requestBody ? yield* secrets.hideLong(exchange.requestBody) : null
  return {
    request: {
      method: exchange.method,
      url: redactUrl(secrets.hide(exchange.url)),
      headers: yield* headers(exchange.requestHeaders),
      body: sent === null ? null : ((yield* SiteJson.read(redactBody(sent))) ?? null)
    },
    response: { status: exchange.status, headers: yield* headers(exchange.responseHeaders), body }
  } satisfies Schema.JsonObject
})
