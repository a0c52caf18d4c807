/** Vault entries as they are answered. */
import * as SignInHealth from "../../../core/vault/health/SignInHealth.ts"
import type { EntryView } from "../../../core/vault/Vault.ts"
import type { Fields } from "../../../core/vault/VaultEntry.ts"
import { present } from "../http/body/Fields.ts"
import { iso, isoOrNull } from "../run/RunRecord.ts"
import type { AuthenticationRecord } from "./AuthenticationApi.ts"
import type { HealthRecord, VaultRecord } from "./VaultApi.ts"

export const record = ({
  browserState,
  effectiveExpiresAt,
  entry,
  health,
  proxyString,
  sessionEnd,
  siteIdentifier,
  tfaEmail,
  tfaPhoneNumber
}: EntryView): typeof VaultRecord.Type => ({
  id: entry.id,
  permissioned_user_id: entry.permissionedUserId,
  domain: entry.domain,
  workspace_id: entry.workspaceId,
  organization_id: null,
  user_id: entry.createdBy,
  created_at: iso(entry.createdAt),
  updated_at: iso(entry.updatedAt),
  site_identifier: siteIdentifier,
  ...fieldsOf(entry.fields),
  ...browserState,
  ...present({ tfa_email: tfaEmail, tfa_phone_number: tfaPhoneNumber, proxy_string: proxyString }),
  effective_expires_at: isoOrNull(effectiveExpiresAt),
  session_data_set_at: isoOrNull(entry.sessionDataSetAt),
  health: healthOf({ entry, health, sessionEnd })
})

const healthOf = ({
  entry,
  health,
  sessionEnd
}: Pick<EntryView, "entry" | "health" | "sessionEnd">): typeof HealthRecord.Type => {
  const latest = SignInHealth.current(entry)?.latest ?? null
  return {
    status: health,
    last_success_at: isoOrNull(entry.health?.lastSuccessAt ?? null),
    last_check_at: isoOrNull(entry.lastCheck?.at ?? null),
    session_ends_at: isoOrNull(sessionEnd),
    needs_person: entry.health?.needsPerson ?? false,
    last_result: latest?.result ?? null,
    last_session_id: latest?.runId ?? null,
    failures: SignInHealth.failuresOf(entry).map(({ count, kind, lastAt }) => ({ kind, count, last_at: iso(lastAt) }))
  }
}

/** The same in the older interface. */
export const authentication = ({ browserState, entry }: EntryView): typeof AuthenticationRecord.Type => {
  const { fields } = entry
  return {
    permissioned_user_id: entry.permissionedUserId,
    domain: entry.domain,
    user_id: entry.createdBy,
    user_name: fields.user_name,
    password: fields.password,
    tfa_secret: fields.tfa_secret,
    cookies: browserState.cookies,
    local_storage: browserState.local_storage,
    persist_cookies: fields.persist_cookies,
    persist_local_storage: fields.persist_local_storage,
    persist_session_storage: fields.persist_session_storage,
    allow_multiple_sessions: fields.allow_multiple_sessions,
    created_at: iso(entry.createdAt),
    ...present({
      user_alias: fields.user_alias,
      user_agent: fields.user_agent,
      ip_address: fields.ip_address,
      location: fields.location,
      cookie_domain_to_store: fields.cookie_domain_to_store
    })
  }
}

const fieldsOf = ({
  cookie_domain_to_store,
  ip_address,
  location,
  passkey,
  proxy_setting,
  proxy_value,
  tfa_method,
  user_agent,
  user_alias,
  ...others
}: Fields) => ({
  ...others,
  ...present({
    cookie_domain_to_store,
    ip_address,
    location,
    passkey,
    proxy_setting,
    proxy_value,
    tfa_method,
    user_agent,
    user_alias
  })
})
