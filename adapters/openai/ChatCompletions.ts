/**
 * A language model of `effect/ai` behind any service that speaks the protocol of chat completions.
 *
 * A request that fails temporarily is retried with growing pauses, and not before the service allows it. The caller
 * limits the total time by interrupting.
 */
import { Clock, Context, Effect, Random, Redacted, Result, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import * as Exchange from "../http/Exchange.ts"
import * as Names from "../http/Names.ts"
import { retryAfterMillis } from "../http/RetryAfter.ts"
import * as Protocol from "./Protocol.ts"

export interface Options {
  /** The address of the service with its version, such as `https://api.example.com/v1`. */
  readonly url: string
  readonly key: Redacted.Redacted<string> | null
  readonly model: string
  /** The delay before the second attempt, in milliseconds. It doubles with each further attempt. */
  readonly retryMillis: number
  readonly schemaOf: LanguageModel.CodecTransformer
}

type Tell = (parts: ReadonlyArray<Response.PartEncoded>) => void

/** Called with each answer before it is interpreted, so that its cost is counted in any case. */
export const Answered: Context.Reference<Tell> = Context.Reference("sluice/adapters/openai/Answered", {
  defaultValue: (): Tell => () => undefined
})

const mostAttempts = 5

/** Maximum length of a model's answer; typical ones have a few kilobytes. */
const maxAnswerBytes = 2_097_152

/** Statuses of temporary failures. */
const passing = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529])

export const make = (options: Options) => {
  const url = addressOf(options.url)
  const lookup = Names.lookupOf(Names.make(Names.defaults))
  let leniency: Protocol.Leniency = { withoutFormat: false, withoutToolChoice: false }

  const send = (body: unknown) =>
    Exchange.send({
      method: "POST",
      url,
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        ...(options.key === null ? {} : { Authorization: `Bearer ${Redacted.value(options.key)}` })
      },
      body: Buffer.from(JSON.stringify(body)),
      lookup,
      maxAnswerBytes
    })

  const generate = Effect.fnUntraced(function* (
    asked: LanguageModel.ProviderOptions
  ): Effect.fn.Return<Array<Response.PartEncoded>, AiError.AiError> {
    for (let attempt = 1; ; ) {
      const answer = yield* send(Protocol.request(options.model, asked, options.schemaOf, leniency))
      if (answer._tag === "Answered" && answer.status === 200) {
        if (answer.isCut) return yield* invalid(`the answer has more than ${maxAnswerBytes} bytes`)
        const parts = Protocol.partsOf(jsonOf(answer.body), asked.responseFormat.type === "json")
        if (Result.isFailure(parts)) return yield* invalid(parts.failure)
        const tell = yield* Answered
        tell(parts.success)
        return parts.success
      }
      if (answer._tag === "Answered" && (answer.status === 400 || answer.status === 422)) {
        const before = leniency
        leniency = without(leniency, asked, answer.body.toString("utf8"))
        if (leniency !== before) continue
      }
      const failure = answer._tag === "Answered" ? refused(answer.status) : unreachable(url, answer.reason)
      const mayPass = answer._tag === "Unreachable" || (answer._tag === "Answered" && passing.has(answer.status))
      if (!mayPass || attempt >= mostAttempts) return yield* failure
      const now = yield* Clock.currentTimeMillis
      const wished = answer._tag === "Answered" ? (retryAfterMillis(answer.headers, now) ?? 0) : 0
      const jitter = 0.75 + (yield* Random.next) / 2
      yield* Effect.sleep(Math.max(options.retryMillis * 2 ** (attempt - 1) * jitter, wished))
      attempt++
    }
  })

  return LanguageModel.make({
    generateText: generate,
    streamText: (asked) =>
      Stream.unwrap(Effect.map(generate(asked), (parts) => Stream.fromIterable(parts.flatMap(streamed)))),
    codecTransformer: options.schemaOf
  })
}

/** The leniency after an error: an optional field that the service refuses is left out of later requests. */
const without = (
  before: Protocol.Leniency,
  { responseFormat, tools }: LanguageModel.ProviderOptions,
  complaint: string
): Protocol.Leniency => {
  if (responseFormat.type === "json" && !before.withoutFormat && /response_format|json_schema/i.test(complaint)) {
    return { ...before, withoutFormat: true }
  }
  if (tools.length > 0 && !before.withoutToolChoice && /tool_choice/i.test(complaint)) {
    return { ...before, withoutToolChoice: true }
  }
  return before
}

const addressOf = (base: string): URL => {
  const url = new URL(base)
  if (!/\/chat\/completions\/?$/.test(url.pathname)) {
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/chat/completions`
  }
  return url
}

const about = { module: "ChatCompletions", method: "generateText" }

const invalid = (description: string) =>
  AiError.make({ ...about, reason: new AiError.InvalidResponseError({ description }) })

/** The error text of the service is not reported, because it may contain the key or the question. */
const refused = (status: number) =>
  AiError.make({
    ...about,
    reason: AiError.reasonFromHttpStatus({ status, description: `the model's service answered with status ${status}` })
  })

const unreachable = ({ origin }: URL, description: string) =>
  AiError.make({
    ...about,
    reason: new AiError.NetworkError({ reason: "TransportError", method: "POST", url: origin, description })
  })

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}

/** A part as a stream would have delivered it. */
const streamed = (part: Response.PartEncoded): ReadonlyArray<Response.StreamPartEncoded> => {
  // Only text parts have another form in a stream.
  if (part.type !== "text") return [part as Response.StreamPartEncoded]
  const id = "text"
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: part.text },
    { type: "text-end", id }
  ]
}
