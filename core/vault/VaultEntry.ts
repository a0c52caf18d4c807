/**
 * A vault entry: the credentials and settings of one user on one site, and how runs may use them.
 *
 * Secrets are sealed when they arrive and stay so. The stored state of a browser for a site (cookies, storage, headers)
 * gives access like a password does: it is kept sealed as well.
 */

import { Effect, Redacted, Schema } from "effect"
import { inOneSentence } from "../window/Problems.ts"
import * as TextLength from "../window/TextLength.ts"
import { UserId, WorkspaceId } from "../workspace/Ids.ts"
import { Role } from "../workspace/Workspace.ts"
import { SignInState } from "./health/SignInReport.ts"
import * as Interval from "./Interval.ts"
import type { Cipher } from "./keys/Sealing.ts"

export const TfaMethod = Schema.Literals(["AUTHENTICATOR", "EMAIL", "MAGIC_LINK", "SMS"])
export type TfaMethod = typeof TfaMethod.Type

/** `custom` is a proxy of the user; the others select one of the proxies of the installation. */
export const ProxySetting = Schema.Literals(["random", "static", "country", "custom"])
export type ProxySetting = typeof ProxySetting.Type

const text = Schema.NullOr(Schema.String)
const whole = Schema.NullOr(Schema.Int)

/** A cookie as browsers export it. */
export const Cookie = Schema.Struct({
  name: Schema.String.check(TextLength.atMost(4_096)),
  value: Schema.String.check(TextLength.atMost(65_536)),
  domain: Schema.optionalKey(Schema.NullOr(Schema.String.check(TextLength.atMost(2_048)))),
  path: Schema.optionalKey(Schema.NullOr(Schema.String.check(TextLength.atMost(2_048)))),
  expirationDate: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  httpOnly: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  hostOnly: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  secure: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  session: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  storeId: Schema.optionalKey(Schema.NullOr(Schema.String.check(TextLength.atMost(256)))),
  sameSite: Schema.optionalKey(Schema.NullOr(Schema.String.check(TextLength.atMost(32))))
}).annotate({ identifier: "Cookie" })
export type Cookie = typeof Cookie.Type

/** A header that the browser sends with each request to the site. */
export const Header = Schema.Struct({ name: Schema.String, value: Schema.String }).annotate({ identifier: "Header" })
export type Header = typeof Header.Type

/** The same with the names of older clients. */
export const NamedHeader = Schema.Struct({ header_name: Schema.String, header_value: Schema.String }).annotate({
  identifier: "NamedHeader"
})

/** A header in the form in which it was written, which is the form in which it is answered. */
export type WrittenHeader = Header | typeof NamedHeader.Type

/** A header, in either of its written forms. */
export const headerOf = (written: WrittenHeader): Header =>
  "header_name" in written ? { name: written.header_name, value: written.header_value } : written

/** The stored state of a browser for a site. */
export interface BrowserState {
  readonly cookies: ReadonlyArray<Cookie> | null
  readonly local_storage: Schema.JsonObject | null
  readonly session_storage: Schema.JsonObject | null
  readonly headers: ReadonlyArray<WrittenHeader> | null
}

/** The secrets that a secret provider supplies instead of the vault. */
export const provided = ["user_name", "password", "tfa_secret"] as const

/** The sealed values of a credential, including those that no secret provider supplies. */
export const credentials = [...provided, "passkey"] as const

/** A field in which callers keep a sealed value. */
export type SealedField = (typeof credentials)[number] | "proxy_value"

/** The fields in which callers keep sealed values. */
export const sealedNames = ({ proxy_setting }: Pick<Fields, "proxy_setting">): ReadonlyArray<SealedField> =>
  proxy_setting === "custom" ? [...credentials, "proxy_value"] : credentials

/** The parts of the browser state, each sealed separately. */
export const browserStateNames = ["cookies", "local_storage", "session_storage", "headers"] as const

/**
 * The fields that callers set, under the names of the interface. `null` is what was never set, or was removed. The
 * first fields and those of the browser state are sealed values; `proxy_value` is one when the setting is `custom`.
 */
export const Fields = Schema.Struct({
  user_name: text,
  password: text,
  tfa_secret: text,
  /** A passkey as JSON, sealed. Entries that were kept before have none. */
  passkey: text.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  cookies: text,
  local_storage: text,
  session_storage: text,
  headers: text,
  user_alias: text,
  tfa_method: Schema.NullOr(TfaMethod),
  user_agent: text,
  persist_local_storage: Schema.Boolean,
  persist_cookies: Schema.Boolean,
  persist_session_storage: Schema.Boolean,
  skip_csrf_cookies: Schema.Boolean,
  cookie_domain_to_store: text,
  allow_multiple_sessions: Schema.Boolean,
  max_concurrency: whole,
  prevent_concurrency_during_login: Schema.Boolean,
  expiry_time_from_last_use: text,
  expiry_time_from_session_data_set: text,
  ip_address: text,
  location: text,
  proxy_setting: Schema.NullOr(ProxySetting),
  proxy_value: text,
  secret_provider_id: text,
  secret_ref: text,
  secret_cache_ttl_seconds: whole,
  /** Origins beside the site itself on which the secrets may be used. Entries that were kept before have none. */
  allowed_origins: Schema.NullOr(Schema.Array(Schema.String)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})
export type Fields = typeof Fields.Type

export const VaultEntry = Schema.Struct({
  id: Schema.String,
  workspaceId: WorkspaceId,
  /** The user; with the domain the key of the entry. Neither changes. */
  permissionedUserId: Schema.String,
  domain: Schema.String,
  createdBy: UserId,
  createdAt: Schema.Finite,
  /** When a user last changed it; updates by runs do not count. */
  updatedAt: Schema.Finite,
  fields: Fields,
  /** When cookies or storage were last given; `null` when there are none. */
  sessionDataSetAt: Schema.NullOr(Schema.Finite),
  lastUsedAt: Schema.NullOr(Schema.Finite),
  /**
   * How often a user cleared its browser state; absent means never. A run that began before the last clearing stores
   * nothing.
   */
  clears: Schema.optionalKey(Schema.Int),
  /** How often the passkey was given out for a login, from the sign count that it came with; absent before the first. */
  passkeyCount: Schema.optionalKey(Schema.Int),
  /** The counter of the next code, where the secret counts and has made one. */
  hotpCounter: Schema.NullOr(Schema.Int),
  /** What runs found out about signing in with it; absent before the first. */
  health: Schema.optionalKey(SignInState),
  /** The last check of signing in with it, and the run that makes it; absent before the first. */
  lastCheck: Schema.optionalKey(Schema.Struct({ at: Schema.Finite, runId: Schema.String }))
})
export type VaultEntry = typeof VaultEntry.Type

/** The key of an entry: the user, and a domain that means its site. */
export interface Pair {
  readonly permissionedUserId: string
  readonly domain: string
}

/**
 * When the session data of an entry expires: the earlier end of its two intervals; `null` without intervals or session
 * data. Data that was never used counts as used when it was set.
 */
export const effectiveExpiresAt = ({ fields, lastUsedAt, sessionDataSetAt }: VaultEntry): number | null => {
  if (sessionDataSetAt === null) return null
  const ends = [
    [fields.expiry_time_from_session_data_set, sessionDataSetAt] as const,
    [fields.expiry_time_from_last_use, Math.max(lastUsedAt ?? sessionDataSetAt, sessionDataSetAt)] as const
  ].flatMap(([written, from]) => {
    const interval = written === null ? null : Interval.parse(written)
    return interval === null ? [] : [Interval.after(from, interval)]
  })
  return ends.length === 0 ? null : Math.min(...ends)
}

/** The entry at an instant, without expired session data, even if that is still stored. */
export const withoutExpired = (entry: VaultEntry, now: number): VaultEntry => {
  const end = effectiveExpiresAt(entry)
  return end === null || end > now
    ? entry
    : {
        ...entry,
        sessionDataSetAt: null,
        fields: { ...entry.fields, cookies: null, local_storage: null, session_storage: null }
      }
}

/** The method by which codes for the site arrive: the entry sets it, or else its secret or provider does. */
export const effectiveTfaMethod = ({ fields }: VaultEntry): TfaMethod | null =>
  fields.tfa_method ?? (fields.tfa_secret === null && fields.secret_provider_id === null ? null : "AUTHENTICATOR")

/** The entry after its browser state was cleared. Runs that are in progress do not write it back. */
export const withoutBrowserState = (entry: VaultEntry, now: number): VaultEntry => ({
  ...entry,
  updatedAt: now,
  clears: (entry.clears ?? 0) + 1,
  sessionDataSetAt: null,
  fields: { ...entry.fields, cookies: null, local_storage: null, session_storage: null }
})

/** The empty browser state. */
export const noBrowserState: BrowserState = { cookies: null, local_storage: null, session_storage: null, headers: null }

/**
 * Opens the browser state of an entry, each part of which is sealed separately. A value that does not open was changed
 * by another program, which is a defect.
 */
export const openBrowserState = Effect.fnUntraced(function* (cipher: Cipher, { fields }: VaultEntry) {
  const state: Record<string, unknown> = { ...noBrowserState }
  for (const name of browserStateNames) {
    const sealed = fields[name]
    if (sealed !== null) state[name] = Redacted.value(yield* Effect.orDie(cipher.unseal(sealed)))
  }
  // Each part was validated before this service sealed it, and only this service can seal.
  return state as unknown as BrowserState
})

/** A problem of what was sent, and where it lies, such as `cookies[2].name`. */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type

/** Raised for an invalid entry. It lists every problem, and repeats no value. */
export class InvalidEntry extends Schema.TaggedError<InvalidEntry>()("InvalidEntry", {
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}

/** Raised when a caller other than an Owner tries to change where the secrets of a credential may be used. */
export class OriginsForOwners extends Schema.TaggedError<OriginsForOwners>()("OriginsForOwners", {
  role: Role,
  fields: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Cannot change ${this.fields.join(" and ")} with the role ${this.role}: the role Owner is needed, as this decides where the secrets of the credential come from and go`
  }
}

/** Raised for a pair without an entry in the workspace. */
export class EntryNotFound extends Schema.TaggedError<EntryNotFound>()("EntryNotFound", {
  permissionedUserId: Schema.String,
  domain: Schema.String
}) {
  override get message() {
    return `Credential of "${this.permissionedUserId.slice(0, 256)}" for "${this.domain.slice(0, 256)}" not found in this workspace`
  }
}

/** Raised when a new entry has the pair of an existing one. */
export class EntryTaken extends Schema.TaggedError<EntryTaken>()("EntryTaken", {
  permissionedUserId: Schema.String,
  domain: Schema.String
}) {
  override get message() {
    return `Cannot create the credential: there is one of "${this.permissionedUserId}" for "${this.domain}" already. Change it with PUT`
  }
}
