/**
 * Requests that a run makes itself, in the session of its page: with its cookies, and by the way that its pages take.
 */
import { type Effect, Schema } from "effect"
import type { Guard } from "./element/ElementQuery.ts"

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Uint8Array | null
  /** Whether cookies of the session are sent and kept: always, only to the origin of the page, or never. */
  readonly credentials: "include" | "same-origin" | "omit"
  /** Whether a redirect is followed or returned. */
  readonly redirects: "follow" | "manual"
  /** Asked of each address that the body, or a header that was given, is sent to: redirects included. */
  readonly guard?: Guard | undefined
  /** The maximum size of the answer, both as sent and decompressed. */
  readonly maxBytes: number
  readonly timeoutMillis: number
}

export interface ApiAnswer {
  /** The address that answered in the end. */
  readonly url: string
  readonly status: number
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export const RequestFailureKind = Schema.Literals([
  /** The address is one that workflows may not reach. */
  "forbidden",
  /** The response may not be passed on to this address. */
  "foreign",
  /** The proxy of the session could not be reached, or refused. */
  "proxy",
  /** There was no answer, or not in time. */
  "unreachable",
  /** The answer is larger than allowed. */
  "too_large",
  /** It was redirected too often, or to what is no address. */
  "redirects"
])

/** Raised by a request without an answer. */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  kind: RequestFailureKind,
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface Requests {
  /** Sends a request and reads the whole answer. Its cookies are set in the session of the pages. */
  readonly request: (asked: ApiRequest) => Effect.Effect<ApiAnswer, RequestFailed>
}
