/**
 * Sends webhooks over HTTP, to public addresses only unless others are allowed.
 */
import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { Clock, Effect, Layer } from "effect"
import type { Outcome } from "../../core/webhook/Delivery.ts"
import { type Post, Sender } from "../../core/webhook/Sender.ts"
import { isPrivate } from "./PrivateAddress.ts"
import { bareHost, PrivateAddress, publicLookup, reasonOf, sentence } from "./Reach.ts"

export interface Options {
  readonly allowPrivateNetworks: boolean
  /** Origins, such as `http://127.0.0.1:4000`, that may be reached all the same. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** How long an attempt may take from the connection to the last byte of the answer, in milliseconds. */
  readonly budgetMillis: number
}

export const defaults: Options = { allowPrivateNetworks: false, allowedOrigins: [], budgetMillis: 15_000 }

/** So much of an answer is read at most; what matters of it is its status. */
const maxAnswerBytes = 65_536

export const layer = (options: Options) =>
  Layer.sync(Sender, () => {
    const isExempt = (url: URL) => options.allowPrivateNetworks || options.allowedOrigins.includes(url.origin)

    const refusal = (text: string): string | null => {
      const url = new URL(text)
      const host = bareHost(url)
      const isLocal = (isIP(host) > 0 && isPrivate(host)) || /(^|\.)localhost$/.test(host)
      return isLocal && !isExempt(url) ? sentence(host) : null
    }

    const post = Effect.fn("Sender.post")(function* (sent: Post) {
      const refused = refusal(sent.url)
      if (refused !== null) return { _tag: "Refused", reason: refused } satisfies Outcome
      const began = yield* Clock.currentTimeMillis
      const answer = yield* exchange(sent, isExempt(new URL(sent.url))).pipe(
        Effect.timeoutOrElse({
          duration: options.budgetMillis,
          orElse: () =>
            Effect.succeed<Answer>({ _tag: "Unreachable", reason: `No answer within ${options.budgetMillis} ms` })
        })
      )
      if (answer._tag === "Refused") return answer
      return { ...answer, durationMillis: (yield* Clock.currentTimeMillis) - began } satisfies Outcome
    })

    return Sender.of({ refusal, post })
  })

type Answer =
  | { readonly _tag: "Answered"; readonly status: number; readonly retryAfterMillis: number | null }
  | { readonly _tag: "Unreachable"; readonly reason: string }
  | { readonly _tag: "Refused"; readonly reason: string }

const exchange = ({ body, headers, url: text }: Post, exempt: boolean): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const url = new URL(text)
    const bytes = Buffer.from(body)
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const outgoing = send(url, {
      method: "POST",
      headers: { ...headers, "Content-Length": bytes.length },
      // A connection of its own for each: an address is judged whenever there is one to connect to.
      agent: false,
      ...(exempt ? {} : { lookup: publicLookup })
    })
    const done = (answer: Answer) => {
      resume(Effect.succeed(answer))
      outgoing.destroy()
    }
    outgoing.on("error", (error) =>
      done(
        error instanceof PrivateAddress
          ? { _tag: "Refused", reason: error.message }
          : { _tag: "Unreachable", reason: reasonOf(error) }
      )
    )
    outgoing.on("response", (incoming) => {
      const answered: Answer = {
        _tag: "Answered",
        status: incoming.statusCode ?? 0,
        retryAfterMillis: retryAfterOf(incoming)
      }
      let read = 0
      incoming.on("data", (chunk: Buffer) => {
        read += chunk.length
        if (read > maxAnswerBytes) done(answered)
      })
      incoming.on("end", () => done(answered))
      incoming.on("error", () => done({ _tag: "Unreachable", reason: "The answer ended before it was complete" }))
    })
    outgoing.end(bytes)
    return Effect.sync(() => void outgoing.destroy())
  })

/** `Retry-After` in seconds, where it means something. */
const retryAfterOf = ({ headers, statusCode }: IncomingMessage): number | null => {
  const given = headers["retry-after"] ?? ""
  return (statusCode === 429 || statusCode === 503) && /^\d{1,9}$/.test(given) ? Number(given) * 1_000 : null
}
