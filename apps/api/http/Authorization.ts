/**
 * Finds the caller of a request by its API key in the header `cc-key`, or in `Authorization: Bearer` if that header is
 * missing.
 *
 * A key belongs to one workspace. A request that names another workspace in the header `x-workspace-id` is answered
 * with 404.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import * as Permissions from "../../../core/workspace/Permissions.ts"
import { freshMillis, SignInAgain } from "../../../core/workspace/signin/SignIns.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { WorkspaceNotFound } from "../../../core/workspace/Workspaces.ts"
import { Needs, NeedsFreshSignIn } from "../Annotations.ts"
import * as Errors from "./Errors.ts"

/** The caller of the request that is being answered. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("sluice/apps/api/http/CurrentCaller") {}

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "sluice/apps/api/http/Authorization",
  {
    security: {
      "cc-key": HttpApiSecurity.apiKey({ key: "cc-key", in: "header" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key of a workspace")
      ),
      bearer: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "The same API key, read where the header cc-key is missing")
      )
    },
    error: [Errors.Unauthorized, Errors.Forbidden, Errors.NotFound],
    requiredForClient: true
  }
) {}

/** The caller of the current request; none when it has no valid key. */
export const Sender: Context.Reference<Option.Option<Caller>> = Context.Reference("sluice/apps/api/http/Sender", {
  defaultValue: () => Option.none<Caller>()
})

/** When the session of the current request was opened, in epoch milliseconds; `null` for a request with an API key. */
export const SessionOpened: Context.Reference<number | null> = Context.Reference("sluice/apps/api/http/SessionOpened", {
  defaultValue: (): number | null => null
})

const requireFresh = Effect.gen(function* () {
  const openedAt = yield* SessionOpened
  const now = yield* Clock.currentTimeMillis
  if (openedAt !== null && now - openedAt > freshMillis) return yield* new SignInAgain()
})

// The schemes are tried in turn. Each looks at the whole request, so that what one refuses no other lets in.
const identify = Effect.gen(function* () {
  const sender = yield* Sender
  if (Option.isNone(sender)) return yield* Effect.fail(unauthorized)
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const workspaceId = headers["x-workspace-id"] ?? ""
  if (workspaceId !== "" && workspaceId.toLowerCase() !== sender.value.workspaceId) {
    return yield* new WorkspaceNotFound({ workspaceId: workspaceId.slice(0, 80) })
  }
  return sender.value
})

/** Provides the caller to the handler of an endpoint, if their role includes what the endpoint needs. */
const authorize = <A, E, R>(
  httpEffect: Effect.Effect<A, E, R>,
  { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
) =>
  Effect.gen(function* () {
    const caller = yield* identify
    yield* Permissions.require(caller, Context.get(endpoint.annotations, Needs))
    if (Context.get(endpoint.annotations, NeedsFreshSignIn)) yield* requireFresh
    return yield* Effect.provideService(httpEffect, CurrentCaller, caller)
  })

export const layer = Layer.succeed(Authorization, Authorization.of({ "cc-key": authorize, bearer: authorize }))

/** The key that a request presents: in the header `cc-key`, or else as a bearer token. Empty when there is none. */
export const keyOf = (headers: Readonly<Record<string, string | undefined>>): string =>
  headers["cc-key"] ?? /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? ""

/** The answer to a request without a valid key. */
export const unauthorized = Errors.general(
  401,
  "Invalid or missing authentication: expected a valid API key in the header cc-key"
)
