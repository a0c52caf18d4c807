/** Answers the endpoints of vault entries and their one-time codes. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SignInChecks } from "../../../core/run/check/SignInChecks.ts"
import { type TfaCode, TfaCodes } from "../../../core/vault/otp/TfaCodes.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { InvalidEntry } from "../../../core/vault/VaultEntry.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import { record } from "./VaultRecord.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "vault",
  Effect.fn(function* (handlers) {
    const codes = yield* TfaCodes
    const checks = yield* SignInChecks
    const vault = yield* Vault
    return handlers.handleAll({
      listEntries: Effect.fn(function* ({ query }) {
        const caller = yield* CurrentCaller
        const filter = asked(query)
        if (filter.permissionedUserId !== undefined && filter.domain !== undefined) {
          const { domain, permissionedUserId } = filter
          return record(yield* vault.get(caller, { permissionedUserId, domain }))
        }
        return (yield* vault.list(caller, filter)).map(record)
      }),
      createEntry: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return record(yield* vault.create(caller, payload))
      }),
      updateEntry: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return record(yield* vault.update(caller, payload))
      }),
      removeEntry: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return record(yield* vault.remove(caller, payload))
      }),
      clearBrowserState: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        yield* vault.clearBrowserState(caller, payload)
        return { success: true }
      }),
      checkEntry: Effect.fn(function* ({ payload }) {
        const run = yield* checks.check(yield* CurrentCaller, payload)
        return { session_id: run.id, workflow_id: run.workflowId }
      }),
      // A code opens an account for a moment, so to see it takes the role that may change the credential.
      tfaCode: Effect.fn(function* ({ query }) {
        const caller = yield* CurrentCaller
        const pair = yield* whole(query)
        return codeJson(yield* codes.current(caller, pair, { uncertain: query.uncertain === "true" }))
      })
    })
  })
)

interface Query {
  readonly permissioned_user_id?: string
  readonly domain?: string
}

/** The pair that an address names, or a problem for each part that it leaves out. */
const whole = ({ domain = "", permissioned_user_id = "" }: Query) => {
  const problems = Object.entries({ permissioned_user_id, domain })
    .filter(([, value]) => value === "")
    .map(([path]) => ({ path, message: "Expected some text" }))
  return problems.length === 0
    ? Effect.succeed({ permissionedUserId: permissioned_user_id, domain })
    : Effect.fail(new InvalidEntry({ problems }))
}

/** The filters of a query, without those that it leaves out. */
export const asked = (query: Query) => ({
  ...(query.permissioned_user_id === undefined ? {} : { permissionedUserId: query.permissioned_user_id }),
  ...(query.domain === undefined ? {} : { domain: query.domain })
})

const codeJson = (code: TfaCode) =>
  code._tag === "Email"
    ? {
        type: "email" as const,
        code: Redacted.value(code.code),
        received_at: iso(code.receivedAt),
        ...(code.candidates === null ? {} : { candidates: code.candidates.map(Redacted.value) })
      }
    : {
        type: "authenticator" as const,
        code: Redacted.value(code.code),
        ...(code.expiresInSeconds === null ? {} : { expires_in_seconds: code.expiresInSeconds })
      }
