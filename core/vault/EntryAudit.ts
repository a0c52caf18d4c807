/**
 * The audit entries of credentials. A secret is never in one, sealed or not: an entry names the fields of the secrets that
 * are set, and of those that changed.
 */
import { Struct } from "effect"
import type { Draft } from "../workspace/audit/Audit.ts"
import type { AuditAction } from "../workspace/audit/AuditAction.ts"
import { effectiveTfaMethod, type Fields, type VaultEntry } from "./VaultEntry.ts"

/** The fields that are shown unchanged. Every other field is treated as a secret. */
const shown = [
  "user_alias",
  "tfa_method",
  "persist_local_storage",
  "persist_cookies",
  "persist_session_storage",
  "skip_csrf_cookies",
  "cookie_domain_to_store",
  "allow_multiple_sessions",
  "max_concurrency",
  "prevent_concurrency_during_login",
  "expiry_time_from_last_use",
  "expiry_time_from_session_data_set",
  "location",
  "proxy_setting",
  "secret_provider_id",
  "secret_cache_ttl_seconds",
  "allowed_origins"
] as const satisfies ReadonlyArray<keyof Fields>

type Secret = Exclude<keyof Fields, (typeof shown)[number]>

const isSecret = (name: keyof Fields): name is Secret => !shown.some((one) => one === name)

export const ofCreation = (after: VaultEntry): Draft => draft("credential.create", after, null, after)
export const ofChange = (before: VaultEntry, after: VaultEntry): Draft =>
  draft("credential.change", after, before, after)
export const ofClearing = (before: VaultEntry, after: VaultEntry): Draft =>
  draft("credential.clear_session", after, before, after)
export const ofRemoval = (before: VaultEntry): Draft => draft("credential.delete", before, before, null)

/** A one-time code that was returned. The entry has neither the code nor anything of its secret. */
export const ofCode = (entry: VaultEntry): Draft => ({
  action: "credential.read_code",
  resourceId: entry.id,
  resourceName: nameOf(entry),
  before: null,
  after: { tfa_method: effectiveTfaMethod(entry) }
})

/** A credential that a conversation of the builder opened to sign in with. */
export const ofBuilder = (entry: VaultEntry, conversationId: string): Draft => ({
  action: "credential.open_in_builder",
  resourceId: entry.id,
  resourceName: nameOf(entry),
  before: null,
  after: { conversation_id: conversationId }
})

const nameOf = ({ domain, permissionedUserId }: VaultEntry) => `${permissionedUserId} on ${domain}`

const draft = (action: AuditAction, entry: VaultEntry, before: VaultEntry | null, after: VaultEntry | null): Draft => ({
  action,
  resourceId: entry.id,
  resourceName: nameOf(entry),
  before: before === null ? null : json(before),
  after: after === null ? null : { ...json(after), secrets_changed: changedSecrets(before, after) }
})

const json = ({ domain, fields, permissionedUserId }: VaultEntry) => ({
  permissioned_user_id: permissionedUserId,
  domain,
  ...Struct.pick(fields, shown),
  secrets_set: Struct.keys(fields).filter((name) => isSecret(name) && fields[name] !== null)
})

const changedSecrets = (before: VaultEntry | null, after: VaultEntry) =>
  Struct.keys(after.fields).filter((name) => isSecret(name) && (before?.fields[name] ?? null) !== after.fields[name])
