/**
 * Sends HTTP requests to secret stores: with limits of time and size, one retry, and only to networks that the
 * installation allows.
 */
import { isIP, type LookupFunction } from "node:net"
import { Clock, Effect } from "effect"
import { type Connection, MalformedAnswer, SourceUnavailable } from "../../core/vault/providers/SecretSource.ts"
import * as Json from "../../core/workspace/Json.ts"
import * as Exchange from "../http/Exchange.ts"
import * as Names from "../http/Names.ts"
import { isPrivate } from "../http/PrivateAddress.ts"
import { bareHost, isLocal, lookupFor, PrivateAddress } from "../http/Reach.ts"
import { retryAfterMillis } from "../http/RetryAfter.ts"

export interface Options {
  /** Lets every connection reach private and loopback addresses. */
  readonly allowPrivateNetworks: boolean
  /** Private origins that may be reached, such as `http://10.0.0.5:8200`. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Maximum time of a lookup, from the first connection to the last answer, in milliseconds. */
  readonly budgetMillis: number
  /** The delay before the retry of a request, in milliseconds. */
  readonly retryMillis: number
}

export const defaults: Options = {
  allowPrivateNetworks: false,
  allowedOrigins: [],
  budgetMillis: 10_000,
  retryMillis: 250
}

/** Maximum length of an answer: a list of many thousand items has several megabytes. */
const maxAnswerBytes = 16_777_216

export interface SecretStoreCall {
  readonly method: "GET" | "POST"
  /** The complete address, with its parts encoded. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Reply {
  readonly status: number
  /** `undefined` when the body is not JSON. */
  readonly json: unknown
}

type Outcome =
  | (Reply & { readonly _tag: "Replied"; readonly retryAfterMillis: number })
  | { readonly _tag: "Unreachable" | "Refused" | "TooLarge"; readonly reason: string }

/** Statuses of temporary failures; 412 is a replica that lags behind. */
const passing = new Set([408, 412, 429, 500, 502, 503, 504])

/** The longest `Retry-After` after which a request is still repeated, in milliseconds. */
const patienceMillis = 2_000

export const make = (options: Options) => {
  const names = Names.make(Names.defaults)
  const isExempt = (url: URL) => options.allowPrivateNetworks || options.allowedOrigins.includes(url.origin)

  const refusal = (text: string): string | null => {
    const url = new URL(text)
    const host = bareHost(url)
    if (isLocal(url) && !isExempt(url)) return privateRefused(host)
    if (url.protocol === "http:" && isIP(host) > 0 && !isLocal(url)) return clearRefused(host)
    return url.protocol === "http:" && !isExempt(url) ? clearRefused(host) : null
  }

  /** Plain HTTP is allowed only to private addresses, because it sends the access token unencrypted. */
  const lookupOf = (url: URL): LookupFunction =>
    isExempt(url) && url.protocol === "http:" ? Names.lookupOf(names, judgePrivate) : lookupFor(names, isExempt(url))

  const send = Effect.fnUntraced(function* ({
    body,
    headers,
    method,
    url: text
  }: SecretStoreCall): Effect.fn.Return<Outcome> {
    const url = new URL(text)
    const answer = yield* Exchange.send({
      method,
      url,
      headers: {
        Accept: "application/json",
        ...headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" })
      },
      maxAnswerBytes,
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
      lookup: lookupOf(url)
    })
    if (answer._tag !== "Answered") return answer
    if (answer.isCut) return { _tag: "TooLarge", reason: `the answer has more than ${maxAnswerBytes} bytes` }
    return {
      _tag: "Replied",
      status: answer.status,
      json: jsonOf(answer.body),
      retryAfterMillis: retryAfterMillis(answer.headers, yield* Clock.currentTimeMillis) ?? 0
    }
  })

  const retried = (request: SecretStoreCall) =>
    options.retryMillis === 0 ? send(request) : Effect.delay(send(request), options.retryMillis)

  const mayPass = (outcome: Outcome): boolean =>
    outcome._tag === "Unreachable" ||
    (outcome._tag === "Replied" && passing.has(outcome.status) && outcome.retryAfterMillis <= patienceMillis)

  /**
   * The answer of the provider to a request, with any status except redirects and failures of the provider itself. A
   * GET that fails temporarily is retried once.
   */
  const ask = Effect.fnUntraced(function* ({ name: provider }: Connection, request: SecretStoreCall) {
    const refused = refusal(request.url)
    if (refused !== null) return yield* new SourceUnavailable({ provider, reason: refused })
    const first = yield* send(request)
    const again = request.method === "GET" && mayPass(first)
    const outcome = again ? yield* retried(request) : first
    if (outcome._tag === "TooLarge") return yield* new MalformedAnswer({ provider, reason: outcome.reason })
    if (outcome._tag !== "Replied") return yield* new SourceUnavailable({ provider, reason: outcome.reason })
    const { json, status } = outcome
    if (status === 429)
      return yield* new SourceUnavailable({ provider, reason: "it limits the rate of requests (status 429)" })
    if (passing.has(status) || status >= 500) {
      return yield* new SourceUnavailable({
        provider,
        reason: isSealed(json) ? "it is sealed" : `it cannot answer at present (status ${status})`
      })
    }
    if (status >= 300 && status < 400) {
      const reason = `it answered with a redirect (status ${status}), and none is followed. Give the address itself`
      return yield* new MalformedAnswer({ provider, reason })
    }
    if (json === undefined && status !== 401 && status !== 403) {
      return yield* new MalformedAnswer({ provider, reason: `the answer is not JSON (status ${status})` })
    }
    return { status, json } satisfies Reply
  })

  /** Limits the time of a whole lookup. */
  const inTime =
    ({ name: provider }: Connection) =>
    <A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E | SourceUnavailable> =>
      Effect.timeoutOrElse(question, {
        duration: options.budgetMillis,
        orElse: () =>
          Effect.fail(new SourceUnavailable({ provider, reason: `no answer within ${options.budgetMillis} ms` }))
      })

  return { ask, inTime, refusal }
}

export type SecretStoreClient = ReturnType<typeof make>

/** The name of an item, a key or a path, encoded for an address. */
export const encoded = (path: string): string =>
  path
    .replace(/\p{Cs}/gu, "\ufffd")
    .split("/")
    .map(encodeURIComponent)
    .join("/")

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch {
    return undefined
  }
}

/** Whether the answer is that of a sealed store. */
const isSealed = (json: unknown): boolean => {
  const { errors } = Json.objectOf(json)
  return Array.isArray(errors) && errors.some((error) => /sealed/i.test(String(error)))
}

/** Refuses a name unless all of its addresses are private. */
const judgePrivate: Names.Judge = (host, addresses) =>
  addresses.every(isPrivate) ? null : new PrivateAddress(clearRefused(host))

const privateRefused = (host: string): string =>
  `${host} is at a private or loopback address; SLUICE_SECRET_PROVIDER_ORIGINS names those that may be reached`

const clearRefused = (host: string): string =>
  `an access token goes to ${host} by https only; http is for private addresses that SLUICE_SECRET_PROVIDER_ORIGINS names`
