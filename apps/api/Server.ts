/** The HTTP server: its routes, its middlewares and its socket. */
import { createServer } from "node:http"
import * as NodeHttpPlatform from "@effect/platform-node/NodeHttpPlatform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Context, Effect, Layer, References, Schema, type Scope } from "effect"
import {
  type HttpPlatform,
  HttpRouter,
  HttpServer,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { MailsWaiting } from "../../adapters/mail/MailThread.ts"
import { SpendingLimits } from "../../core/agent/spending/SpendingLimits.ts"
import { Builder } from "../../core/builder/Builder.ts"
import { AlertReceivers } from "../../core/event/alert/AlertReceivers.ts"
import { RunSubscriptions } from "../../core/event/notification/RunSubscriptions.ts"
import { EventStreams } from "../../core/event/stream/EventStreams.ts"
import { Webhooks } from "../../core/event/webhook/Webhooks.ts"
import { LiveViews } from "../../core/execution/live/LiveViews.ts"
import { Gates } from "../../core/gate/Gates.ts"
import { OpenedArtifacts } from "../../core/run/artifact/OpenedArtifacts.ts"
import { Canaries } from "../../core/run/canary/Canaries.ts"
import { SignInChecks } from "../../core/run/check/SignInChecks.ts"
import { FileDestinations } from "../../core/run/delivery/FileDestinations.ts"
import { Decisions } from "../../core/run/evidence/Decisions.ts"
import { Evidence } from "../../core/run/evidence/Evidence.ts"
import { Interactions } from "../../core/run/interaction/Interactions.ts"
import { NamedLimits } from "../../core/run/limit/NamedLimits.ts"
import { Runs } from "../../core/run/Runs.ts"
import { RunRemoval } from "../../core/run/retention/RunRemoval.ts"
import { RunVerbs } from "../../core/run/verb/RunVerbs.ts"
import { ClockSkew } from "../../core/runtime/ClockSkew.ts"
import * as StoreUnavailable from "../../core/runtime/StoreUnavailable.ts"
import { Schedules } from "../../core/schedule/Schedules.ts"
import { Receiving } from "../../core/vault/inbox/Receiving.ts"
import { KeyRotation } from "../../core/vault/keys/KeyRotation.ts"
import { PhoneNumbers } from "../../core/vault/otp/PhoneNumbers.ts"
import { TfaCodes } from "../../core/vault/otp/TfaCodes.ts"
import { SecretConnections } from "../../core/vault/providers/SecretConnections.ts"
import { Vault } from "../../core/vault/Vault.ts"
import { Components } from "../../core/workflow/component/Components.ts"
import { Patches } from "../../core/workflow/patch/Patches.ts"
import { SandboxBusy } from "../../core/workflow/sandbox/Sandbox.ts"
import { Transfers } from "../../core/workflow/transfer/Transfers.ts"
import { Workflows } from "../../core/workflow/Workflows.ts"
import { ApiKeys } from "../../core/workspace/ApiKeys.ts"
import * as AnnouncedChanges from "../../core/workspace/audit/AnnouncedChanges.ts"
import { AuditTrail } from "../../core/workspace/audit/AuditTrail.ts"
import { ErrorCodes } from "../../core/workspace/ErrorCodes.ts"
import { Invitations } from "../../core/workspace/invitation/Invitations.ts"
import type * as RateLimit from "../../core/workspace/request/RateLimit.ts"
import { FailedSignIns } from "../../core/workspace/signin/FailedSignIns.ts"
import { OpenSessions } from "../../core/workspace/signin/OpenSessions.ts"
import { SignIns } from "../../core/workspace/signin/SignIns.ts"
import { Workspaces } from "../../core/workspace/Workspaces.ts"
import { Api } from "./Api.ts"
import * as AlertsHttp from "./alert/AlertsHttp.ts"
import * as AuditHttp from "./audit/AuditHttp.ts"
import * as BuilderHttp from "./builder/BuilderHttp.ts"
import * as BundlesHttp from "./bundle/BundlesHttp.ts"
import * as CanariesHttp from "./canary/CanariesHttp.ts"
import * as ComponentsHttp from "./component/ComponentsHttp.ts"
import * as LinksHttp from "./console/LinksHttp.ts"
import * as Pages from "./console/Pages.ts"
import * as SessionRoutes from "./console/SessionRoutes.ts"
import * as DecisionsHttp from "./decision/DecisionsHttp.ts"
import * as BrowserRules from "./delivery/BrowserRules.ts"
import * as CrossOrigin from "./delivery/CrossOrigin.ts"
import * as Delivery from "./delivery/Delivery.ts"
import * as ErrorCodesHttp from "./error-code/ErrorCodesHttp.ts"
import * as EventsHttp from "./event/EventsHttp.ts"
import * as EvidenceHttp from "./evidence/EvidenceHttp.ts"
import * as FileDestinationsHttp from "./file-destination/FileDestinationsHttp.ts"
import * as Guide from "./Guide.ts"
import * as GuideTwins from "./GuideTwins.ts"
import * as GatesHttp from "./gate/GatesHttp.ts"
import * as AfterResponse from "./http/AfterResponse.ts"
import * as Authorization from "./http/Authorization.ts"
import * as SchemaErrors from "./http/body/SchemaErrors.ts"
import * as Unreadable from "./http/body/Unreadable.ts"
import * as Closing from "./http/Closing.ts"
import * as Connections from "./http/Connections.ts"
import * as Endpoints from "./http/Endpoints.ts"
import * as Errors from "./http/Errors.ts"
import { PublicUrl } from "./http/Origin.ts"
import { noEndpoint } from "./http/Refusals.ts"
import * as RequestPipeline from "./http/RequestPipeline.ts"
import * as InboundRoutes from "./inbound/InboundRoutes.ts"
import * as InstallationHttp from "./installation/InstallationHttp.ts"
import * as ZoneReport from "./installation/ZoneReport.ts"
import * as InteractionsHttp from "./interaction/InteractionsHttp.ts"
import * as LimitsHttp from "./limit/LimitsHttp.ts"
import * as LiveHttp from "./live/LiveHttp.ts"
import * as LiveRoutes from "./live/LiveRoutes.ts"
import * as RequestLog from "./log/RequestLog.ts"
import * as McpRoutes from "./McpRoutes.ts"
import * as Needs from "./Needs.ts"
import * as NotificationsHttp from "./notification/NotificationsHttp.ts"
import * as PatchesHttp from "./patch/PatchesHttp.ts"
import { Readiness } from "./Readiness.ts"
import * as Reference from "./Reference.ts"
import * as ArtifactRoutes from "./run/ArtifactRoutes.ts"
import * as RunsHttp from "./run/RunsHttp.ts"
import * as SchedulesHttp from "./schedule/SchedulesHttp.ts"
import * as SpendingHttp from "./spending/SpendingHttp.ts"
import * as StalledConnections from "./stream/StalledConnections.ts"
import { Streams } from "./stream/Streams.ts"
import * as AuthenticationHttp from "./vault/AuthenticationHttp.ts"
import * as EncryptionKeyHttp from "./vault/EncryptionKeyHttp.ts"
import * as NoStore from "./vault/NoStore.ts"
import * as SecretProvidersHttp from "./vault/SecretProvidersHttp.ts"
import * as VaultHttp from "./vault/VaultHttp.ts"
import * as VerbsHttp from "./verb/VerbsHttp.ts"
import * as WebhooksHttp from "./webhook/WebhooksHttp.ts"
import * as WorkflowsHttp from "./workflow/WorkflowsHttp.ts"
import * as InvitationsHttp from "./workspace/InvitationsHttp.ts"
import * as WorkspacesHttp from "./workspace/WorkspacesHttp.ts"

/** Raised if the server cannot listen on the configured address. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot listen on ${this.host}:${this.port}: ${this.reason}`
  }
}

const health = HttpRouter.add("GET", "/healthz", Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "live" })))

const readiness = HttpRouter.add(
  "GET",
  "/readyz",
  Effect.gen(function* () {
    if ((yield* (yield* Closing.Closing).leftAt) !== null) return notReady("This process is shutting down")
    const reasons = yield* (yield* Readiness).reasons
    if (reasons.length > 0) return notReady(reasons.join(". "))
    const clock_skew_ms = yield* (yield* ClockSkew).millis
    return HttpServerResponse.jsonUnsafe({ status: "ready", clock_skew_ms, tz_data: yield* ZoneReport.now })
  })
)

const notReady = (reason: string) => HttpServerResponse.jsonUnsafe(Errors.general(503, reason), { status: 503 })

const vault = Layer.mergeAll(
  VaultHttp.layer,
  AuthenticationHttp.layer,
  SecretProvidersHttp.layer,
  EncryptionKeyHttp.layer
)

const handlers = Layer.mergeAll(
  WorkflowsHttp.layer,
  GatesHttp.layer,
  RunsHttp.layer,
  VerbsHttp.layer,
  SchedulesHttp.layer,
  InteractionsHttp.layer,
  DecisionsHttp.layer,
  EvidenceHttp.layer,
  LiveHttp.layer,
  ComponentsHttp.layer,
  ErrorCodesHttp.layer,
  WorkspacesHttp.layer,
  InvitationsHttp.layer,
  NotificationsHttp.layer,
  EventsHttp.layer,
  vault,
  BuilderHttp.layer,
  WebhooksHttp.layer,
  FileDestinationsHttp.layer,
  CanariesHttp.layer,
  SpendingHttp.layer,
  AlertsHttp.layer,
  LimitsHttp.layer,
  PatchesHttp.layer,
  AuditHttp.layer,
  BundlesHttp.layer,
  InstallationHttp.layer,
  LinksHttp.layer
)

/** Answers requests without a route: an unknown address, or a known one with another method. */
const unrouted = Effect.gen(function* () {
  const { method, url } = yield* HttpServerRequest.HttpServerRequest
  const path = url.split("?")[0] ?? ""
  const methods = Endpoints.methodsAt(path)
  // A known address with a known method has no route if a part of it is longer than any id.
  if (methods.length === 0 || methods.includes(method)) return noEndpoint(method, path)
  return HttpServerResponse.jsonUnsafe(
    Errors.general(405, `Method ${method} is not allowed here: expected ${methods.join(" or ")}`),
    {
      status: 405,
      headers: { allow: methods.join(", ") }
    }
  )
})

const services = Layer.mergeAll(
  Components.layer,
  ApiKeys.layer,
  AuditTrail.layer,
  ErrorCodes.layer,
  EventStreams.layer,
  Decisions.layer,
  Evidence.layer,
  Canaries.layer,
  SpendingLimits.layer,
  Gates.layer,
  Interactions.layer,
  Invitations.layer,
  KeyRotation.layer,
  LiveViews.layer,
  Runs.layer,
  RunVerbs.layer,
  RunRemoval.layer,
  Schedules.layer,
  RunSubscriptions.layer,
  SecretConnections.layer,
  SignInChecks.layer,
  OpenedArtifacts.layer,
  OpenSessions.layer,
  TfaCodes.layer,
  Vault.layer,
  PhoneNumbers.layer,
  Receiving.layer,
  Layer.merge(Transfers.layer, Patches.layer).pipe(Layer.provideMerge(Workflows.layer)),
  Webhooks.layer,
  FileDestinations.layer,
  AlertReceivers.layer,
  NamedLimits.layer,
  Workspaces.layer
)

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide(handlers),
    Layer.provide(Authorization.layer),
    Layer.provide(SchemaErrors.layer),
    Layer.provide(RequestPipeline.layer)
  ),
  Reference.layer,
  Guide.layer(),
  GuideTwins.layer,
  Pages.layer(),
  SessionRoutes.routes,
  ArtifactRoutes.routes,
  LiveRoutes.routes,
  InboundRoutes.routes,
  McpRoutes.routes,
  health,
  readiness
).pipe(
  Layer.provide([Builder.layer, Streams.layer]),
  Layer.provide(services),
  Layer.provide(AnnouncedChanges.layer),
  Layer.provide(NodeHttpServer.layerHttpServices)
)

/**
 * Internal errors are written to the log only; the caller gets a plain 500. No answer is sent to a caller that has
 * disconnected, or when the server stops.
 */
const answerMistakes = Effect.catchCause((cause: Cause.Cause<unknown>) =>
  Effect.gen(function* () {
    if (Cause.hasInterrupts(cause)) return yield* Effect.failCause(cause)
    if (cause.reasons.some((reason) => reason._tag === "Fail" && StoreUnavailable.is(reason.error))) {
      return HttpServerResponse.jsonUnsafe(Errors.unavailable, { status: 503 })
    }
    if (cause.reasons.some((reason) => reason._tag === "Die" && reason.defect instanceof SandboxBusy)) {
      return HttpServerResponse.jsonUnsafe(Errors.busy, { status: 503 })
    }
    if (cause.reasons.some((reason) => reason._tag === "Die" && reason.defect instanceof MailsWaiting)) {
      return HttpServerResponse.jsonUnsafe(Errors.mailsWait, { status: 503 })
    }
    const [{ status }] = yield* HttpServerError.causeResponse(cause)
    if (status < 500) return yield* unrouted
    const request = yield* HttpServerRequest.HttpServerRequest
    const route = (yield* RequestLog.RequestFacts)?.route ?? "none"
    yield* Effect.logError(`The request ${request.method} ${route} could not be answered`, cause)
    return HttpServerResponse.jsonUnsafe(Errors.internal, { status: 500 })
  })
)

/** Every route with the middlewares. They complete before the answer is sent, so an answered change is committed. */
const served = (limits: ReadonlyArray<RateLimit.Limit>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const surround = yield* RequestPipeline.make(limits)
      const routed = yield* Effect.provideService(
        HttpRouter.toHttpEffect(routes),
        HttpRouter.RouterConfig,
        Endpoints.strict
      )
      const answered = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(AfterResponse.of(request), (after) =>
          Effect.provideService(surround(routed), AfterResponse.AfterResponse, after)
        )
      )
      const { leftAt } = yield* Closing.Closing
      // Otherwise the client would reuse the connection after the server has closed.
      const lastOnConnection = Effect.flatMap((response: HttpServerResponse.HttpServerResponse) =>
        Effect.map(leftAt, (at) =>
          at === null ? response : HttpServerResponse.setHeader(response, "connection", "close")
        )
      )
      const withRules = BrowserRules.on(yield* PublicUrl)
      const complete = withRules(lastOnConnection(withRetryAfter(answerMistakes(Effect.interruptible(answered)))))
      const crossOrigin = CrossOrigin.allow(yield* CrossOrigin.AllowedOrigins)
      const delivered = crossOrigin(Delivery.prepared(NoStore.marked(complete)))
      return Layer.effectDiscard(lean(HttpServer.serveEffect(RequestLog.logged(delivered))))
    })
  )

/**
 * Restricts the context of requests to the services that they need, because each step that adds a service copies the
 * context. Also disables the spans of Effect: no exporter reads them, and recording them takes a fifth of the time of a
 * short request.
 */
const lean = (serving: Effect.Effect<void, never, Serving>) =>
  serving.pipe(
    Effect.updateContext((all: Context.Context<Serving>) => Context.omit(...Needs.ofMaking)(all)),
    Effect.provideService(References.TracerEnabled, false)
  )

type Serving =
  | Context.Service.Identifier<(typeof Needs.ofRequests)[number]>
  | Closing.Closing
  | HttpPlatform.HttpPlatform
  | HttpServer.HttpServer
  | Scope.Scope

/** The `Retry-After` of answers with status 503, in seconds. */
const retryAfterSeconds = "5"

const withRetryAfter = Effect.map((response: HttpServerResponse.HttpServerResponse) =>
  response.status === 503 ? HttpServerResponse.setHeader(response, "retry-after", retryAfterSeconds) : response
)

const signIns = Layer.mergeAll(SignIns.layer, FailedSignIns.layer).pipe(Layer.provide(AnnouncedChanges.layer))

/**
 * Serves the interface. On shutdown it reports that it is not ready, serves for a grace period, ends its streams, stops
 * accepting connections, and answers pending requests. `port` 0 selects a free port. Without `rateLimits`, requests are
 * not limited.
 */
export const layer = (options: {
  readonly host: string
  readonly port: number
  readonly rateLimits?: ReadonlyArray<RateLimit.Limit>
  /** The time after which the connection of a client that reads nothing is closed, in seconds. */
  readonly stalledSeconds?: number
  /** The time that it continues to serve after its shutdown began, in milliseconds. */
  readonly graceMillis?: Effect.Effect<number>
}): Layer.Layer<HttpServer.HttpServer | Closing.Closing, CannotListen, Needs.Needs> =>
  Closing.atRelease(options.graceMillis ?? Effect.succeed(0)).pipe(
    Layer.provideMerge(served(options.rateLimits ?? []).pipe(Layer.provide(signIns))),
    Layer.provideMerge(Closing.Closing.layer),
    Layer.provideMerge(
      listening(options).pipe(
        Layer.catch((error) =>
          Layer.effect(HttpServer.HttpServer, Effect.fail(new CannotListen({ ...options, reason: reasonOf(error) })))
        )
      )
    ),
    Layer.provide(NodeHttpPlatform.layer)
  )

/** The server behind the interface. It closes the connections of clients that do not read. */
const listening = (options: { readonly host: string; readonly port: number; readonly stalledSeconds?: number }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // A client that sends slowly occupies only a socket, for at most this time.
      const server = createServer({ requestTimeout: 60_000, headersTimeout: 15_000, keepAliveTimeout: 65_000 })
      server.on("clientError", Unreadable.answer)
      Closing.afterWhatArrived(server)
      Connections.takeAbsoluteForms(server)
      Connections.answerHalfClosed(server)
      yield* StalledConnections.watch(server, options.stalledSeconds ?? StalledConnections.defaultSeconds)
      return NodeHttpServer.layerServer(() => server, {
        port: options.port,
        host: options.host,
        // With the 511 of Node, a burst of clients loses handshakes; those come back too late for `headersTimeout`.
        backlog: 4_096,
        gracefulShutdownTimeout: "5 seconds"
      })
    })
  )

const reasonOf = (error: { readonly cause?: unknown }): string => {
  const { cause } = error
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null
  if (code === "EADDRINUSE") return "the port is in use. Stop what uses it, or choose another one with PORT"
  if (code === "EACCES") return "it is not allowed. Choose a port above 1023 with PORT"
  if (code === "EADDRNOTAVAIL") return "this machine has no such address. Choose another one with HOST"
  return cause instanceof Error ? cause.message : String(cause)
}

/** The address that the server listens on, such as `http://127.0.0.1:8787`. */
export const address = Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))
