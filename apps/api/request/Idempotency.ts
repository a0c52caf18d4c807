/**
 * Requests with an `Idempotency-Key`: carried out once, and answered as often as they are sent.
 *
 * The answer is kept for a day, except one that tells of a failure of the service (5xx) or that the request was not
 * looked at (401, 429). Of an answer that holds a secret, or that its handler marks `Cache-Control: no-store`, only the
 * status is kept. A streamed answer is not kept.
 */
import { createHash } from "node:crypto"
import { Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Idempotency from "../../../core/workspace/Idempotency.ts"
import type { WorkspaceId } from "../../../core/workspace/Workspace.ts"
import * as Errors from "./Errors.ts"

/** Endpoints that talk to other hosts before they answer. They are not carried out within a transaction. */
const reachesOut = new Set(["POST /webhooks/:session_id/replay", "POST /webhook-endpoints/:webhook_id/test"])

/** Endpoints whose success tells a secret that is told once. Whatever else is secret in answers is sealed. */
const tellsSecret = new Set(["POST /api-keys", "POST /webhook-endpoints"])

export interface Sent {
  readonly workspaceId: WorkspaceId
  readonly method: string
  /** With its query. */
  readonly url: string
  /** The described endpoint, such as `POST /run`. */
  readonly endpoint: string
  readonly key: string
  readonly bodyDigest: string
}

/** Answers a request under its key. */
export const around =
  (store: Idempotency.IdempotencyStore["Service"], sent: Sent) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const key = Idempotency.checkKey(sent.key)
    if (Result.isFailure(key)) return Effect.succeed(refuse(400, key.failure.message))
    const digest = createHash("sha256").update(`${sent.method} ${sent.url}\n${sent.bodyDigest}`).digest("hex")
    const named = { workspaceId: sent.workspaceId, key: key.success, digest }
    const carryOut = reachesOut.has(sent.endpoint) ? store.reserved : store.once
    return carryOut(named, handler, (response) => judge(response, tellsSecret.has(sent.endpoint))).pipe(
      Effect.map((outcome) => (outcome._tag === "Done" ? outcome.value : replay(outcome.answer))),
      Effect.catch((error) =>
        error instanceof Idempotency.KeyReused || error instanceof Idempotency.StillAnswering
          ? Effect.succeed(refuse(409, error.message))
          : Effect.fail(error)
      )
    )
  }

const judge = (response: HttpServerResponse.HttpServerResponse, tells: boolean): Idempotency.Verdict => {
  const { body, status } = response
  if (status >= 500 || status === 401 || status === 429) return { _tag: "Undo" }
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
      `This request was answered before with status ${status}. Its answer held a secret, which was told that one time only`
    )
  }
  const headers = { "idempotency-replayed": "true" }
  return contentType === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, contentType, headers })
}

const refuse = (status: 400 | 409, message: string) =>
  HttpServerResponse.jsonUnsafe(Errors.general(status, message), { status })
