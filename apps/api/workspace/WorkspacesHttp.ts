/** Answers the endpoints of workspaces, their settings and their API keys. */
import { Clock, Effect, Redacted, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { otherwiseDie } from "../../../core/runtime/StoreUnavailable.ts"
import { PhoneNumbers, parse as parseNumber } from "../../../core/vault/otp/PhoneNumbers.ts"
import { type ApiKey, ApiKeys } from "../../../core/workspace/ApiKeys.ts"
import * as RetentionDays from "../../../core/workspace/retention/RetentionDays.ts"
import { type Caller, clampInputRequiredTimeout, type Workspace } from "../../../core/workspace/Workspace.ts"
import { Workspaces } from "../../../core/workspace/Workspaces.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { iso, isoOrNull } from "../run/RunRecord.ts"
import type { ApiKeyRecord, WorkspaceRecord, WorkspaceSettings } from "./WorkspacesApi.ts"

const numberProblems = (written: string | null) => {
  const read = written === null ? Result.succeed("") : parseNumber(written)
  return Result.isFailure(read) ? [{ path: "phone_number", message: read.failure.message }] : []
}

const defaultGraceSeconds = 86_400

export const layer = HttpApiBuilder.group(
  Api,
  "workspaces",
  Effect.fn(function* (handlers) {
    const workspaces = yield* Workspaces
    const apiKeys = yield* ApiKeys
    const phoneNumbers = yield* PhoneNumbers
    const installation = yield* RetentionDays.InstallationRetention
    // The workspace of an authenticated caller exists.
    const mine = (caller: Caller) => otherwiseDie(workspaces.get(caller, caller.workspaceId))
    return handlers.handleAll({
      me: Effect.fn(function* () {
        const { role, userId, workspaceId } = yield* CurrentCaller
        return { user_id: userId, role, workspace_id: workspaceId }
      }),
      myWorkspaces: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        return [record(caller, yield* mine(caller))]
      }),
      listWorkspaces: Effect.fn(function* ({ query }) {
        const caller = yield* CurrentCaller
        const workspace = yield* mine(caller)
        if (query.organization_id !== undefined && query.organization_id !== workspace.id) return []
        if (query.load_members !== "true") return [record(caller, workspace)]
        const members = yield* workspaces.members(caller)
        return [
          { ...record(caller, workspace), members: members.map(({ role, userId }) => ({ user_id: userId, role })) }
        ]
      }),
      getSettings: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const workspace = yield* workspaces.get(caller, params.workspace_id)
        return settings(workspace, yield* phoneNumbers.ownNumberOf(workspace.id), installation)
      }),
      changeSettings: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const {
          input_required_timeout_seconds: timeout,
          name,
          phone_number: number,
          retention_days: days,
          signed_url_ttl_seconds: signed,
          waiting_ttl_seconds: ttl
        } = payload
        const { id } = yield* workspaces.get(caller, params.workspace_id)
        // Checks that may refuse come first: a refusal changes nothing.
        const problems = [...RetentionDays.problemsOf(days ?? {}, installation), ...numberProblems(number ?? null)]
        if (problems.length > 0) return yield* Effect.fail(Errors.invalid(problems))
        if (number !== undefined) {
          yield* phoneNumbers.set(caller, number)
        }
        const changed = yield* workspaces.set(caller, params.workspace_id, {
          ...(name == null ? {} : { name }),
          ...(ttl === undefined ? {} : { waitingTtlMillis: ttl === null ? null : ttl * 1_000 }),
          ...(timeout == null ? {} : { inputRequiredTimeoutSeconds: clampInputRequiredTimeout(timeout) }),
          ...(signed == null ? {} : { signedUrlTtlSeconds: signed }),
          ...(days == null ? {} : { retentionDays: days })
        })

        return settings(changed, yield* phoneNumbers.ownNumberOf(id), installation)
      }),
      listApiKeys: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        return (yield* apiKeys.list(caller)).map(keyRecord)
      }),
      makeApiKey: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { key, stored } = yield* apiKeys.make(caller, {
          role: payload.role,
          name: payload.name ?? null,
          ...(payload.scopes == null ? {} : { scopes: payload.scopes }),
          ...(payload.expires_in_seconds == null
            ? {}
            : { expiresAt: (yield* Clock.currentTimeMillis) + payload.expires_in_seconds * 1_000 })
        })
        return { ...keyRecord(stored), key: Redacted.value(key) }
      }),
      rotateApiKey: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const grace = payload.grace_seconds ?? defaultGraceSeconds
        const { former, key, stored } = yield* apiKeys.rotate(caller, params.api_key_id, grace)
        return { ...keyRecord(stored), key: Redacted.value(key), former: keyRecord(former) }
      }),
      createWorkspace: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { key, owner, workspace } = yield* workspaces.create(caller, payload.name)
        return { ...record(owner, workspace), api_key: { ...keyRecord(owner), key: Redacted.value(key) } }
      }),
      revokeApiKey: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const revoked = yield* apiKeys.revoke(caller, params.api_key_id)
        return keyRecord(revoked)
      })
    })
  })
)

const record = ({ role }: Pick<Caller, "role">, workspace: Workspace): typeof WorkspaceRecord.Type => ({
  id: workspace.id,
  organization_id: workspace.id,
  name: workspace.name,
  created_at: iso(workspace.createdAt),
  role
})

const settings = (
  workspace: Workspace,
  phoneNumber: string | null,
  installation: RetentionDays.Installation
): typeof WorkspaceSettings.Type => ({
  workspace_id: workspace.id,
  name: workspace.name,
  waiting_ttl_seconds: workspace.waitingTtlMillis === null ? null : workspace.waitingTtlMillis / 1_000,
  input_required_timeout_seconds: workspace.inputRequiredTimeoutSeconds,
  signed_url_ttl_seconds: workspace.signedUrlTtlSeconds,
  retention_days: RetentionDays.own(workspace.retentionDays ?? {}),
  retention_days_in_force: RetentionDays.inForce(workspace.retentionDays ?? {}, installation),
  phone_number: phoneNumber
})

export const keyRecord = (key: ApiKey): typeof ApiKeyRecord.Type => ({
  id: key.id,
  name: key.name,
  role: key.role,
  user_id: key.userId,
  created_at: iso(key.createdAt),
  revoked_at: isoOrNull(key.revokedAt),
  scopes: key.scopes ?? null,
  expires_at: isoOrNull(key.expiresAt ?? null),
  last_used_at: isoOrNull(key.lastUsedAt ?? null)
})
