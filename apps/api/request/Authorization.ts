/**
 * Who a request speaks for: the API key in the header `cc-key`.
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { Keys } from "../../../core/workspace/Keys.ts"
import { type Ability, allows, type Caller, RoleForbids } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as Errors from "./Errors.ts"

/** The caller of the request that is being answered. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("sluice/apps/api/CurrentCaller") {}

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "sluice/apps/api/Authorization",
  {
    security: { "cc-key": HttpApiSecurity.apiKey({ key: "cc-key", in: "header" }) },
    error: Errors.Unauthorized,
    requiredForClient: true
  }
) {}

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const keys = yield* Keys
    const workspaces = yield* WorkspaceStore
    return Authorization.of({
      "cc-key": Effect.fn("Authorization")(function* (httpEffect, { credential }) {
        const hash = yield* keys.hash(credential)
        const caller = yield* workspaces.authenticate(hash)
        if (Redacted.value(credential) === "" || Option.isNone(caller)) {
          return yield* Effect.fail(unauthorized)
        }
        return yield* Effect.provideService(httpEffect, CurrentCaller, caller.value)
      })
    })
  })
)

/** What is answered to whoever has no valid key. */
export const unauthorized = Errors.general(
  401,
  "Invalid or missing authentication: expected a valid API key in the header cc-key"
)

/** The caller, if their role includes what is asked. */
export const callerWho = Effect.fnUntraced(function* (ability: Ability) {
  const caller = yield* CurrentCaller
  if (allows(caller.role, ability)) return caller
  return yield* Effect.fail(Errors.forbidden(new RoleForbids({ role: caller.role, ability })))
})
