/** The tables of workspaces, of their API keys, and of sign-ins to the console. */
import { Schema } from "effect"
import type { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { OwnDays } from "../../../core/workspace/retention/RetentionDays.ts"
import type { StoredSignIn } from "../../../core/workspace/signin/SignInStore.ts"
import { Role, Scope, type Workspace } from "../../../core/workspace/Workspace.ts"
import type { StoredKey } from "../../../core/workspace/WorkspaceStore.ts"
import * as Table from "./Table.ts"

const column = Table.of<Workspace>()

const changing = {
  name: column(Table.text, ({ name }) => name),
  waiting_ttl_ms: column(Table.nullable(Table.bigint), ({ waitingTtlMillis }) => waitingTtlMillis),
  input_required_timeout_s: column(Table.integer, ({ inputRequiredTimeoutSeconds }) => inputRequiredTimeoutSeconds),
  signed_url_ttl_s: column(Table.integer, ({ signedUrlTtlSeconds }) => signedUrlTtlSeconds),
  retention_days: column(Table.json(OwnDays), ({ retentionDays }) => retentionDays ?? {})
}

/** The columns that a change of a workspace writes. */
export const changes = Table.make("workspaces", changing, [])

export const table = Table.make(
  "workspaces",
  {
    id: column(Table.uuid<WorkspaceId>(), ({ id }) => id),
    created_at: column(Table.instant, ({ createdAt }) => createdAt),
    founding: column(Table.flag, ({ founding }) => founding === true),
    ...changing
  },
  ["id"]
)

export type Row = Table.Row<typeof table.columns>

export const toWorkspace = (row: Row): Workspace => {
  const stored = table.decode(row)
  return {
    id: stored.id,
    name: stored.name,
    createdAt: stored.created_at,
    waitingTtlMillis: stored.waiting_ttl_ms,
    inputRequiredTimeoutSeconds: stored.input_required_timeout_s,
    signedUrlTtlSeconds: stored.signed_url_ttl_s,
    ...(Object.keys(stored.retention_days).length === 0 ? {} : { retentionDays: stored.retention_days }),
    ...(stored.founding ? { founding: true } : {})
  }
}

const isScope = Schema.is(Scope)

const ofKey = Table.of<StoredKey>()

export const keys = Table.make(
  "api_keys",
  {
    id: ofKey(Table.uuid<string>(), ({ id }) => id),
    hash: ofKey(Table.text, ({ hash }) => hash),
    name: ofKey(Table.nullable(Table.text), ({ name }) => name),
    workspace_id: ofKey(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    user_id: ofKey(Table.uuid<UserId>(), ({ userId }) => userId),
    role: ofKey(Table.textOf(Role), ({ role }) => role),
    created_at: ofKey(Table.instant, ({ createdAt }) => createdAt),
    revoked_at: ofKey(Table.nullable(Table.instant), ({ revokedAt }) => revokedAt),
    seals_with: ofKey(Table.nullable(Table.integer), ({ sealsWith }) => sealsWith ?? null),
    scopes: ofKey(Table.nullable(Table.texts), ({ scopes }) => scopes ?? null),
    expires_at: ofKey(Table.nullable(Table.instant), ({ expiresAt }) => expiresAt ?? null),
    last_used_at: ofKey(Table.nullable(Table.instant), ({ lastUsedAt }) => lastUsedAt ?? null)
  },
  ["id"]
)

export type KeyRow = Table.Row<typeof keys.columns>

export const toKey = (row: KeyRow): StoredKey => {
  const stored = keys.decode(row)
  return {
    id: stored.id,
    hash: stored.hash,
    name: stored.name,
    workspaceId: stored.workspace_id,
    userId: stored.user_id,
    role: stored.role,
    createdAt: stored.created_at,
    revokedAt: stored.revoked_at,
    ...(stored.seals_with === null ? {} : { sealsWith: stored.seals_with }),
    ...(stored.scopes === null ? {} : { scopes: stored.scopes.filter(isScope) }),
    ...(stored.expires_at === null ? {} : { expiresAt: stored.expires_at }),
    ...(stored.last_used_at === null ? {} : { lastUsedAt: stored.last_used_at })
  }
}

const ofSignIn = Table.of<StoredSignIn>()

export const signIns = Table.make(
  "sign_ins",
  {
    hash: ofSignIn(Table.text, ({ hash }) => hash),
    kind: ofSignIn(Table.textOf(Schema.Literals(["link", "session"])), ({ kind }) => kind),
    workspace_id: ofSignIn(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    key_id: ofSignIn(Table.uuid<string>(), ({ keyId }) => keyId),
    created_at: ofSignIn(Table.instant, ({ createdAt }) => createdAt),
    expires_at: ofSignIn(Table.instant, ({ expiresAt }) => expiresAt)
  },
  ["hash"]
)

export type SignInRow = Table.Row<typeof signIns.columns>

export const toSignIn = (row: SignInRow): StoredSignIn => {
  const stored = signIns.decode(row)
  return {
    hash: stored.hash,
    kind: stored.kind,
    workspaceId: stored.workspace_id,
    keyId: stored.key_id,
    createdAt: stored.created_at,
    expiresAt: stored.expires_at
  }
}
