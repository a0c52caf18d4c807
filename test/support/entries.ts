/** A vault entry of which nothing is said but what a test says. */
import { randomUUID } from "node:crypto"
import type { Fields, VaultEntry } from "../../core/vault/VaultEntry.ts"
import { UserId, WorkspaceId } from "../../core/workspace/Workspace.ts"

export const entryOf = (fields: Partial<Fields> = {}, more: Partial<Omit<VaultEntry, "fields">> = {}): VaultEntry => ({
  id: randomUUID(),
  workspaceId: WorkspaceId.make(randomUUID()),
  permissionedUserId: "robot",
  domain: "https://app.example.com",
  createdBy: UserId.make(randomUUID()),
  createdAt: 0,
  updatedAt: 0,
  sessionDataSetAt: null,
  lastUsedAt: null,
  hotpCounter: null,
  ...more,
  fields: {
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
    secret_cache_ttl_seconds: null,
    ...fields
  }
})
