/**
 * Requests with an `Idempotency-Key` are carried out once; repetitions get the stored answer.
 *
 * An idempotency key belongs to the API key that sent it, with its role at that time: another API key gets 409, never
 * the answer. Answers are stored for a day, except failures of the service (5xx) and refusals by the sender or rate
 * (401, 403, 429). Of an answer with a secret, or with `Cache-Control: no-store`, only the status is stored. Streams
 * are not stored. The stored answer is sealed, and of the request only a fingerprint is stored.
 */
import { Effect, Option, Predicate, Redacted, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Fingerprints } from "../../../core/vault/keys/Fingerprints.ts"
import type { Sealing } from "../../../core/vault/keys/Sealing.ts"
import * as Idempotency from "../../../core/workspace/request/Idempotency.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import type { Endpoint } from "./Endpoints.ts"
import * as Errors from "./Errors.ts"

export interface Sent {
  readonly caller: Caller
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly endpoint: Endpoint
  readonly key: string
  readonly bodyDigest: string
}

/** The store of the answers, and how they are kept. */
export interface Keeping {
  readonly store: Idempotency.IdempotencyStore["Service"]
  readonly sealing: Sealing["Service"]
  readonly fingerprints: Fingerprints["Service"]
}

/** Answers a request under its key. */
export const around =
  ({ fingerprints, sealing, store }: Keeping, sent: Sent) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const key = Idempotency.checkKey(sent.key)
    if (Result.isFailure(key)) return Effect.succeed(refuse(400, key.failure.message))
    const { keyId = "", role, workspaceId } = sent.caller
    const sender = `${workspaceId} ${keyId} ${role}`
    const digest = fingerprints.of("request", `${sender} ${sent.method} ${sent.url}\n${sent.bodyDigest}`)
    const carryOut = sent.endpoint.reachesOut ? store.reserved : store.once
    let unrouted: (() => Effect.Effect<never, E>) | null = null
    const answerOf = (answered: HttpServerResponse.HttpServerResponse | null) =>
      answered === null ? (unrouted?.() ?? Effect.die("A request has no answer")) : Effect.succeed(answered)
    const judged = Effect.gen(function* () {
      // A failure of the router contains the request, and rolling back a transaction would compare it, so the failure
      // is passed as a value.
      const answered = yield* Effect.result(handler)
      if (Result.isFailure(answered)) {
        unrouted = () => Effect.fail(answered.failure)
        return { answered: null, verdict: { _tag: "Undo" } as const }
      }
      const verdict = judge(answered.success, sent.endpoint.tellsSecret)
      if (verdict._tag !== "Keep" || verdict.answer.body === null) return { answered: answered.success, verdict }
      const body = yield* sealing.seal(workspaceId, Redacted.make(verdict.answer.body))
      return { answered: answered.success, verdict: { ...verdict, answer: { ...verdict.answer, body } } }
    })
    const open = ({ body, ...answer }: Idempotency.Answer) =>
      Effect.gen(function* () {
        if (body === null) return replay({ ...answer, body })
        const opened = yield* Effect.option(sealing.unseal(workspaceId, body))
        return Option.match(opened, {
          onNone: () => refuse(409, `This request was answered before with status ${answer.status}. ${lost}`),
          onSome: (text) => replay({ ...answer, body: String(Redacted.value(text)) })
        })
      })
    return carryOut({ workspaceId, key: key.success, digest }, judged, ({ verdict }) => verdict).pipe(
      Effect.flatMap((outcome) => (outcome._tag === "Kept" ? open(outcome.answer) : answerOf(outcome.value.answered))),
      Effect.catchIf(isRefused, ({ message }) => Effect.succeed(refuse(409, message)))
    )
  }

const isRefused = (error: unknown): error is Idempotency.KeyReused | Idempotency.StillAnswering =>
  Predicate.isTagged(error, "KeyReused") || Predicate.isTagged(error, "StillAnswering")

const judge = (response: HttpServerResponse.HttpServerResponse, tells: boolean): Idempotency.Verdict => {
  const { body, status } = response
  if (status >= 500 || status === 401 || status === 403 || status === 429) return { _tag: "Undo" }
  if (body._tag !== "Uint8Array" && body._tag !== "Empty") return { _tag: "Release" }
  const secret = (tells && status < 400) || (response.headers["cache-control"] ?? "").includes("no-store")
  const [contentType, text] =
    body._tag === "Empty" ? ["", ""] : [body.contentType, body.text ?? Buffer.from(body.body).toString("utf8")]
  return { _tag: "Keep", answer: { status, contentType, body: secret ? null : text } }
}

const replay = ({ body, contentType, status }: Idempotency.Answer): HttpServerResponse.HttpServerResponse => {
  if (body === null) {
    return refuse(
      409,
      `This request was answered before with status ${status}. Its answer contained a secret, which is returned only once`
    )
  }
  const headers = { "idempotency-replayed": "true" }
  return contentType === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, contentType, headers })
}

const lost = "The stored answer to this request can no longer be decrypted"

const refuse = (status: 400 | 409, message: string) =>
  HttpServerResponse.jsonUnsafe(Errors.general(status, message), { status })
