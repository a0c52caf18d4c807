/**
 * Requests with an idempotency key of the client, so that a repeated request has one effect.
 *
 * A key belongs to one request of one workspace for a day. During that time the same request with the key gets the
 * stored answer, and a different request is refused.
 */
import { Context, Effect, Result, Schema } from "effect"
import type * as Periodic from "../../runtime/Periodic.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../Ids.ts"

/** How long a key is remembered, in milliseconds. */
export const lifetimeMillis = 86_400_000

/** After this many milliseconds, an attempt that reserved a key without reporting its end counts as dead. */
export const reservedMillis = 300_000

/** A request and the key under which its client sent it. */
export interface NamedRequest {
  readonly workspaceId: WorkspaceId
  readonly key: string
  /** Equal for equal requests: a fingerprint of the method, the address and the body. */
  readonly digest: string
}

/** A stored answer. `body` is sealed; it is `null` if the answer contained a secret that is returned only once. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string | null
}

/** The state of an effect when its answer is ready. */
export type Verdict =
  /** The effect is kept, and so is its answer. */
  | { readonly _tag: "Keep"; readonly answer: Answer }
  /** The effect is kept, but the key is free again. */
  | { readonly _tag: "Release" }
  /** The effect is rolled back if possible, and the key is free again. */
  | { readonly _tag: "Undo" }

/** The result of a request: it was carried out now, or its stored answer was returned. */
export type Outcome<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Kept"; readonly answer: Answer }

/** Raised for a text that is not a valid key. */
export class InvalidKey extends Schema.TaggedError<InvalidKey>()("InvalidKey", { length: Schema.Int }) {
  override get message() {
    return `Idempotency-Key: Expected 1 to 255 visible ASCII characters, got ${this.length} characters`
  }
}

/** Raised when a key belongs to another request. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", { key: Schema.String }) {
  override get message() {
    return `The Idempotency-Key "${this.key}" was used for another request: use a new key, or repeat that request exactly`
  }
}

/** Raised when the first request under a key is still being answered elsewhere. */
export class StillAnswering extends Schema.TaggedError<StillAnswering>()("StillAnswering", { key: Schema.String }) {
  override get message() {
    return `The first request with the Idempotency-Key "${this.key}" is still being answered: repeat it later`
  }
}

/** Reads a key as a client sent it. */
export const checkKey = (text: string): Result.Result<string, InvalidKey> =>
  /^[\x21-\x7e]{1,255}$/.test(text) ? Result.succeed(text) : Result.fail(new InvalidKey({ length: text.length }))

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Carries out a request unless that was done before. The effect and its stored answer are committed together.
     *
     * Of several concurrent requests, in any processes, one is carried out and the others wait for its answer. If the
     * process ends before the answer is stored, the effect is rolled back, if it is in the same database. The effect
     * must wait for nothing else, because it holds a transaction open.
     */
    readonly once: <A, E, R>(
      named: NamedRequest,
      effect: Effect.Effect<A, E | StoreUnavailable, R>,
      judge: (value: A) => Verdict
    ) => Effect.Effect<Outcome<A>, E | KeyReused | StillAnswering | StoreUnavailable, R>

    /**
     * Like `once`, for an effect outside of the database: the key is reserved before the effect, and the answer is
     * stored after it.
     *
     * When the process ends in between, the key stays reserved for five minutes; whether the effect took place is then
     * not known, and a later request carries it out again. Requests that arrive in between fail with `StillAnswering`.
     */
    readonly reserved: <A, E, R>(
      named: NamedRequest,
      effect: Effect.Effect<A, E | StoreUnavailable, R>,
      judge: (value: A) => Verdict
    ) => Effect.Effect<Outcome<A>, E | KeyReused | StillAnswering | StoreUnavailable, R>

    /** Removes expired keys and returns their number. */
    readonly sweep: Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/workspace/request/IdempotencyStore") {}

/** The value of a key. Without an answer it is reserved until an instant. */
export interface Entry {
  readonly digest: string
  readonly createdAt: number
  readonly reservedUntil: number
  readonly answer: Answer | null
}

/** Returns whether an entry no longer blocks a new request. */
export const isOver = (entry: Entry, now: number): boolean =>
  entry.answer === null ? entry.reservedUntil <= now : entry.createdAt + lifetimeMillis <= now

/** The meaning of an unfinished entry for a request. */
export const recall = (
  entry: Entry,
  { digest, key }: NamedRequest
): Result.Result<Answer, KeyReused | StillAnswering> => {
  if (entry.digest !== digest) return Result.fail(new KeyReused({ key }))
  return entry.answer === null ? Result.fail(new StillAnswering({ key })) : Result.succeed(entry.answer)
}

/** Removes expired keys. */
export const forgetting: Periodic.Job<IdempotencyStore> = {
  name: "forget old answers to named requests",
  every: "10 minutes",
  round: Effect.flatMap(IdempotencyStore, ({ sweep }) => sweep)
}
