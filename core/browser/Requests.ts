/**
 * HTTP requests of a run in the session of its page: with its cookies and its proxy.
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
  /** Checks each address that the body or a given header is sent to, redirects included. */
  readonly guard?: Guard | undefined
  /** The maximum size of the answer, both as sent and decompressed. */
  readonly maxBytes: number
  readonly timeoutMillis: number
}

export interface ApiAnswer {
  /** The final address, after redirects. */
  readonly url: string
  readonly status: number
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export const RequestFailureKind = Schema.Literals([
  /** The network policy refuses the address. */
  "forbidden",
  /** The response may not be passed on to this address. */
  "foreign",
  /** The proxy of the session could not be reached, or refused. */
  "proxy",
  /** There was no response in time. */
  "unreachable",
  /** The answer is larger than allowed. */
  "too_large",
  /** It was redirected too often, or to an invalid address. */
  "redirects"
])

/** Raised by a request without a response. */
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
