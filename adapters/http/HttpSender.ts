/**
 * Sends webhooks over HTTP, to public addresses only unless others are allowed.
 */
import { Clock, Effect, Layer } from "effect"
import type { Outcome } from "../../core/event/webhook/Delivery.ts"
import { Sender, type WebhookRequest } from "../../core/event/webhook/Sender.ts"
import * as Exchange from "./Exchange.ts"
import * as Names from "./Names.ts"
import { bareHost, isLocal, lookupFor, sentence } from "./Reach.ts"
import { retryAfterMillis } from "./RetryAfter.ts"

export interface Options {
  readonly allowPrivateNetworks: boolean
  /** Private origins that may be reached, such as `http://127.0.0.1:4000`. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Maximum time of an attempt, from the connection to the last byte of the answer, in milliseconds. */
  readonly budgetMillis: number
  /** The limits of name lookups, which only webhooks use. */
  readonly names: Names.Options
}

export const defaults: Options = {
  allowPrivateNetworks: false,
  allowedOrigins: [],
  budgetMillis: 15_000,
  names: Names.defaults
}

/** Maximum length of an answer that is read; only its status matters. */
const maxAnswerBytes = 65_536

export const layer = (options: Options) =>
  Layer.sync(Sender, () => {
    const names = Names.make(options.names)
    const isExempt = (url: URL) => options.allowPrivateNetworks || options.allowedOrigins.includes(url.origin)

    const refusal = (text: string): string | null => {
      const url = new URL(text)
      return isLocal(url) && !isExempt(url) ? sentence(bareHost(url)) : null
    }

    const post = Effect.fn("Sender.post")(function* (sent: WebhookRequest) {
      const refused = refusal(sent.url)
      if (refused !== null) return { _tag: "Refused", reason: refused } satisfies Outcome
      const began = yield* Clock.currentTimeMillis
      const url = new URL(sent.url)
      const answer = yield* Exchange.send({
        method: "POST",
        url,
        headers: sent.headers,
        body: Buffer.from(sent.body),
        maxAnswerBytes,
        lookup: lookupFor(names, isExempt(url))
      }).pipe(
        Effect.timeoutOrElse({
          duration: options.budgetMillis,
          orElse: () =>
            Effect.succeed<Exchange.Answer>({
              _tag: "Unreachable",
              reason: `No answer within ${options.budgetMillis} ms`
            })
        })
      )
      if (answer._tag === "Refused") return answer
      const now = yield* Clock.currentTimeMillis
      const durationMillis = now - began
      if (answer._tag === "Unreachable") return { ...answer, durationMillis } satisfies Outcome
      const { headers, status } = answer
      return {
        _tag: "Answered",
        status,
        retryAfterMillis: waiting.has(status) ? retryAfterMillis(headers, now) : null,
        durationMillis
      } satisfies Outcome
    })

    return Sender.of({ refusal, post })
  })

/** The statuses that define `Retry-After`. */
const waiting = new Set([429, 503])
