/** Answers the older endpoints of credentials. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Vault } from "../../../core/vault/Vault.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { asked } from "./VaultHttp.ts"
import { authentication } from "./VaultRecord.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "authentication",
  Effect.fn(function* (handlers) {
    const vault = yield* Vault

    /** The entry of a user on a site, or the first that the user has. */
    const one = Effect.fnUntraced(function* (permissionedUserId: string, domain: string | undefined) {
      const caller = yield* CurrentCaller
      if (domain !== undefined) return yield* vault.get(caller, { permissionedUserId, domain })
      const [first] = yield* vault.list(caller, { permissionedUserId })
      return (
        first ??
        (yield* Effect.fail(
          Errors.general(404, `Credential of "${permissionedUserId.slice(0, 256)}" not found in this workspace`)
        ))
      )
    })

    return handlers.handleAll({
      listAuthentication: Effect.fn(function* ({ query }) {
        const filter = asked(query)
        if (filter.permissionedUserId !== undefined && filter.domain !== undefined) {
          return authentication(yield* one(filter.permissionedUserId, filter.domain))
        }
        return (yield* vault.list(yield* CurrentCaller, filter)).map(authentication)
      }),
      getAuthentication: Effect.fn(function* ({ params, query }) {
        return authentication(yield* one(params.permissioned_user_id, query.domain))
      }),
      createAuthentication: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return authentication(yield* vault.create(caller, payload))
      }),
      updateAuthentication: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { entry } = yield* vault.update(caller, payload)
        return {
          message: "Authentication details successfully updated",
          permissioned_user_id: entry.permissionedUserId
        }
      })
    })
  })
)
