/**
 * What happens to every request before its handler sees it, in this order: who sends it, whether it is too much, what
 * its body is, and whether it was carried out before.
 */
import { Effect, Exit, Layer, Option, Redacted, Result } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Fingerprints } from "../../../core/vault/Fingerprints.ts"
import { Sealing } from "../../../core/vault/Sealing.ts"
import { IdempotencyStore } from "../../../core/workspace/Idempotency.ts"
import { Keys } from "../../../core/workspace/Keys.ts"
import type { Limit } from "../../../core/workspace/RateLimit.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { keyOf, Sender, unauthorized } from "./Authorization.ts"
import * as Body from "./Body.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Errors from "./Errors.ts"
import * as Idempotency from "./Idempotency.ts"
import * as RateLimit from "./RateLimit.ts"
import { Surrounded } from "./Surrounded.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Probes of the machine that the service runs on are not counted. */
const uncounted = new Set(["/healthz", "/readyz"])

/** What the description says of it costs nothing here. */
export const layer = Layer.succeed(Surrounded, (handler) => handler)

/** Surrounds what answers requests. Each surrounding counts by itself. */
export const make = (limits: ReadonlyArray<Limit>) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const workspaces = yield* WorkspaceStore
    const keeping = {
      store: yield* IdempotencyStore,
      sealing: yield* Sealing,
      fingerprints: yield* Fingerprints
    }
    const limiter = RateLimit.make(limits)

    const identify = (key: string) =>
      key === ""
        ? Effect.succeedNone
        : Effect.flatMap(keys.hash(Redacted.make(key)), (hash) =>
            Effect.map(
              workspaces.authenticate(hash),
              Option.map((caller) => ({ caller, hash }))
            )
          )

    return <E, R>(answer: Effect.Effect<Response, E, R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { headers, method, url } = request
        const path = url.split("?", 1)[0] ?? ""
        const endpoint = Endpoints.find(method, path)
        const sender = yield* identify(keyOf(headers))
        const handler = Effect.provideService(
          answer,
          Sender,
          Option.map(sender, ({ caller }) => caller)
        )

        if (limiter !== null && !uncounted.has(path)) {
          const name = Option.match(sender, {
            onNone: () => `address ${Option.getOrElse(request.remoteAddress, () => "")}`,
            onSome: ({ hash }) => hash
          })
          const decision = yield* limiter.take(name)
          if (!decision.allowed) return RateLimit.refusal(decision)
          const told = RateLimit.headers(decision)
          yield* HttpEffect.appendPreResponseHandler((_request, response) =>
            Effect.succeed(HttpServerResponse.setHeaders(response, told))
          )
        }

        // Nobody's body is not worth reading.
        if (endpoint?.needsKey === true && Option.isNone(sender)) return unauthorizedAnswer
        // What is brought from outside is mails and forms, which their own routes read.
        if (!Body.mayHaveBody(method) || path.startsWith("/inbound/")) return yield* handler
        const key = headers["idempotency-key"]
        const read = yield* Body.read(request, { path, digested: key !== undefined })
        if (Result.isFailure(read)) return refuse(read.failure)
        const { digest, request: complete } = read.success
        // Nobody else looks at a body that the endpoint does not take.
        if (endpoint?.takesBody === false && Exit.isFailure(yield* Effect.exit(complete.json))) return noJson
        const answered = Effect.provideService(handler, HttpServerRequest.HttpServerRequest, complete)
        if (key === undefined || endpoint === null || Option.isNone(sender)) return yield* answered
        return yield* Idempotency.around(keeping, {
          workspaceId: sender.value.caller.workspaceId,
          method,
          url,
          endpoint: `${endpoint.method} ${endpoint.path}`,
          key,
          bodyDigest: digest
        })(answered)
      })
  })

const noJson = HttpServerResponse.jsonUnsafe(Errors.badRequest("The body is not valid JSON"), { status: 400 })

const unauthorizedAnswer = HttpServerResponse.jsonUnsafe(unauthorized, { status: 401 })

// What is left of a body that was refused is not read.
const refuse = (refusal: Body.Refusal): Response =>
  HttpServerResponse.jsonUnsafe(refusal, { status: refusal.statusCode, headers: { connection: "close" } })
