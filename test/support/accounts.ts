/**
 * Credentials as a run uses them, with secrets that are written down.
 */
import { Effect, Redacted } from "effect"
import type { Account, LoginSecrets } from "../../core/vault/Account.ts"
import type { Fields, VaultEntry } from "../../core/vault/VaultEntry.ts"
import { UserId, WorkspaceId } from "../../core/workspace/Workspace.ts"

const id = "00000000-0000-4000-8000-0000000000aa"

export const fields: Fields = {
  user_name: null,
  password: null,
  tfa_secret: null,
  cookies: null,
  local_storage: null,
  session_storage: null,
  headers: null,
  user_alias: null,
  tfa_method: null,
  user_agent: null,
  persist_local_storage: false,
  persist_cookies: false,
  persist_session_storage: false,
  skip_csrf_cookies: false,
  cookie_domain_to_store: null,
  allow_multiple_sessions: false,
  max_concurrency: null,
  prevent_concurrency_during_login: false,
  expiry_time_from_last_use: null,
  expiry_time_from_session_data_set: null,
  ip_address: null,
  location: null,
  proxy_setting: null,
  proxy_value: null,
  secret_provider_id: null,
  secret_ref: null,
  secret_cache_ttl_seconds: null
}

export const entry: VaultEntry = {
  id,
  workspaceId: WorkspaceId.make(id),
  permissionedUserId: "robot",
  domain: "https://bank.example",
  createdBy: UserId.make(id),
  createdAt: 0,
  updatedAt: 0,
  fields,
  sessionDataSetAt: null,
  lastUsedAt: null,
  hotpCounter: null
}

/** A credential with these secrets. */
export const account = (
  alias: string,
  secrets: { readonly [Name in keyof LoginSecrets]?: string },
  of: VaultEntry = entry
): Account => {
  const redacted = (value: string | undefined) => (value === undefined ? null : Redacted.make(value))
  return {
    alias,
    entry: of,
    secrets: Effect.succeed({
      userName: redacted(secrets.userName),
      password: redacted(secrets.password),
      tfaSecret: redacted(secrets.tfaSecret)
    })
  }
}
