/**
 * The steps of every request before its handler, in this order: identification of the sender, rate limit, endpoint,
 * checks of the address and the body, idempotency.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Exit, Layer, Option, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { Fingerprints } from "../../../core/vault/keys/Fingerprints.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { inOneSentence } from "../../../core/window/Problems.ts"
import { Asker } from "../../../core/workflow/sandbox/Sandbox.ts"
import { IdempotencyStore } from "../../../core/workspace/request/Idempotency.ts"
import type { Limit } from "../../../core/workspace/request/RateLimit.ts"
import { FailedSignIns } from "../../../core/workspace/signin/FailedSignIns.ts"
import { MaxBody } from "../Annotations.ts"
import * as Identity from "../console/Identity.ts"
import { RequestFacts } from "../log/RequestLog.ts"
import { keyOf, Sender, SessionOpened, unauthorized } from "./Authorization.ts"
import * as Body from "./body/Body.ts"
import * as LargeBody from "./body/LargeBody.ts"
import * as Query from "./body/Query.ts"
import * as Text from "./body/Text.ts"
import * as ClientAddress from "./ClientAddress.ts"
import { EarlyRefusals } from "./EarlyRefusals.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Errors from "./Errors.ts"
import * as Idempotency from "./Idempotency.ts"
import * as IfMatch from "./IfMatch.ts"
import * as Proof from "./Proof.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Refusals from "./Refusals.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Probes from the machine of the service are not counted, and their keys are not looked up. */
const probes = new Set(["/healthz", "/readyz"])

/** Descriptions of the interface cost nothing here. */
export const layer = Layer.succeed(EarlyRefusals, (handler) => handler)

/** Makes the middleware around the router. Each instance has its own rate limit counters. */
export const make = (limits: ReadonlyArray<Limit>) =>
  Effect.gen(function* () {
    const identify = yield* Identity.make
    const keeping = {
      store: yield* IdempotencyStore,
      sealing: yield* Sealing,
      fingerprints: yield* Fingerprints
    }
    const limited = yield* RateLimit.make(limits)
    const failures = yield* FailedSignIns
    const isTrusted = yield* ClientAddress.TrustedProxies

    return <E, R>(answer: Effect.Effect<Response, E, R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { method, url } = request
        const path = url.split("?", 1)[0] ?? ""
        const query = url.slice(path.length + 1)
        // What is neither a path nor an address of HTTP is for a proxy.
        const sent = NodeHttpServerRequest.toIncomingMessage(request).url ?? ""
        const destination = Endpoints.destination(method, sent.startsWith("/") ? path : sent)
        const isProbe = probes.has(path)
        const sender = isProbe ? Option.none() : yield* identify(request)
        const facts = yield* RequestFacts
        if (facts !== null) {
          facts.caller = Option.isSome(sender) ? sender.value.caller : null
          facts.route = routeOf(destination, path)
          facts.sessionId = Endpoints.sessionOf(facts.route, path)
        }

        let isCounted = isProbe
        const count = (name: string) => {
          isCounted = true
          const workspaceId = Option.isSome(sender) ? sender.value.caller.workspaceId : null
          return limited({ name, workspaceId })
        }
        const address = Effect.suspend(() => count(`address ${ClientAddress.of(request, isTrusted)}`))
        const refused = Effect.as(
          keyOf(request.headers) === "" ? Effect.void : failures.noteKey(ClientAddress.of(request, isTrusted)),
          unauthorizedAnswer
        )
        const answered = answerAdmitted(keeping, request, { destination, path, query, sender, answer, refused })
        if (!isCounted && (Option.isSome(sender) || !Proof.mayFollow(method, path))) {
          return (yield* Option.isSome(sender) ? count(sender.value.name) : address) ?? (yield* answered)
        }
        // What proves a secret is counted under it, and everything else by its address afterwards.
        const proved = yield* Effect.provideService(answered, Proof.Proof, count)
        return isCounted ? proved : ((yield* address) ?? proved)
      })
  })

/** A request whose sender and limit were looked at. */
interface Admitted<E, R> {
  readonly destination: Endpoints.Destination
  readonly path: string
  readonly query: string
  readonly sender: Option.Option<Identity.Identified>
  readonly answer: Effect.Effect<Response, E, R>
  /** The answer to a request without a valid key. */
  readonly refused: Effect.Effect<Response, StoreUnavailable>
}

/** Checks the address and the body of a request, and answers it. */
const answerAdmitted = Effect.fnUntraced(function* <E, R>(
  keeping: Idempotency.Keeping,
  request: HttpServerRequest.HttpServerRequest,
  { answer, destination, path, query, refused, sender }: Admitted<E, R>
) {
  const { headers, method, url } = request
  if (destination._tag === "Nowhere") return noAddress(method, path)
  if (destination._tag === "Redirect") return moved(method, destination.path, query)
  const endpoint = destination._tag === "Endpoint" ? destination.endpoint : null
  // The body of a request without a valid key is not read.
  const needsKey = endpoint?.needsKey ?? path === Endpoints.mcp
  if (needsKey && Option.isNone(sender)) return yield* refused
  const inAddress =
    endpoint === null
      ? []
      : [...Text.problemsOfAddress(endpoint.path, path, query), ...Query.unknownNames(query, endpoint.query)]
  const isTagged = endpoint?.takesTags === false && Body.mayHaveBody(method) && IfMatch.tagsOf(headers) !== null
  const handler =
    inAddress.length > 0 || isTagged
      ? Effect.succeed(inAddress.length > 0 ? Refusals.invalidAddress(inAddress) : Refusals.takesNoTags)
      : answer.pipe(
          Effect.provideService(
            Sender,
            Option.map(sender, ({ caller }) => caller)
          ),
          Effect.provideService(Asker, Option.match(sender, { onNone: () => "", onSome: ({ name }) => name })),
          Effect.provideService(
            SessionOpened,
            Option.match(sender, { onNone: () => null, onSome: ({ openedAt }) => openedAt })
          )
        )
  // Messages from outside are mails and forms, which their routes read.
  if (!Body.mayHaveBody(method) || path.startsWith("/inbound/")) return yield* handler
  const key = headers["idempotency-key"]
  const maxBytes = endpoint?.maxBody ?? MaxBody.defaultValue()
  const takesForm = endpoint?.takesForm ?? false
  const read = yield* Body.read(request, { maxBytes, digested: key !== undefined, takesForm })
  if (Result.isFailure(read)) return refuse(read.failure)
  // From here on, the request provides the parsed body.
  const { digest, parsed, problems } = read.success
  if (problems.length > 0) {
    const all = [...inAddress, ...problems]
    return Refusals.invalidBody(endpoint, inOneSentence(all), all)
  }
  // An endpoint without a body ignores it.
  if (endpoint?.takesBody === false && Exit.isFailure(yield* Effect.exit(request.json))) return noJson
  const answered = parsed === null ? handler : Effect.provideService(handler, LargeBody.Parsed, parsed)
  if (key === undefined || endpoint === null || Option.isNone(sender)) return yield* answered
  return yield* Idempotency.around(keeping, {
    caller: sender.value.caller,
    method,
    url,
    endpoint,
    key,
    bodyDigest: digest
  })(answered)
})

const routeOf = (destination: Endpoints.Destination, path: string): string => {
  if (destination._tag === "Endpoint") return destination.endpoint.path
  return destination._tag === "Undescribed" ? Endpoints.undescribedRoute(path) : "none"
}

/** The rest of the body of a request to no address is not read. */
const noAddress = (method: string, path: string): Response => {
  const refusal = Refusals.noEndpoint(method, path)
  return Body.mayHaveBody(method) ? HttpServerResponse.setHeader(refusal, "connection", "close") : refusal
}

/** A relative address, so that the path stays under which a proxy publishes the service. The body is not read. */
const moved = (method: string, to: string, query: string): Response => {
  const last = to.endsWith("/") ? `${to.split("/").at(-2)}/` : `../${to.split("/").at(-1)}`
  const location = query === "" ? last : `${last}?${query}`
  const response = HttpServerResponse.empty({ status: 308, headers: { location } })
  return Body.mayHaveBody(method) ? HttpServerResponse.setHeader(response, "connection", "close") : response
}

const noJson = HttpServerResponse.jsonUnsafe(Errors.badRequest("The body is not valid JSON"), { status: 400 })

const unauthorizedAnswer = HttpServerResponse.jsonUnsafe(unauthorized, { status: 401 })

// The rest of a refused body is not read.
const refuse = (refusal: Body.Refusal): Response =>
  HttpServerResponse.jsonUnsafe(refusal, { status: refusal.statusCode, headers: { connection: "close" } })
