/**
 * Creates or changes a vault entry: the rules that combine its fields.
 */
import { Redacted, Result, type Schema } from "effect"
import type { Caller } from "../workspace/Workspace.ts"
import type { Reading, Sent } from "./EntryBody.ts"
import type { CannotUnseal } from "./keys/Sealing.ts"
import * as Otp from "./otp/Otp.ts"
import * as Proxies from "./Proxies.ts"
import * as Passkey from "./passkey/Passkey.ts"
import * as PasskeySite from "./passkey/PasskeySite.ts"
import {
  browserStateNames,
  credentials,
  type Fields,
  InvalidEntry,
  type Problem,
  provided,
  type SealedField,
  sealedNames,
  type VaultEntry,
  withoutExpired
} from "./VaultEntry.ts"

/** The parsed content of a body. */
export interface Given {
  readonly reading: Reading
  /** The values of the sealed fields of the body, as `sealedIn` names them. */
  readonly opened: { readonly [field in SealedField]?: Result.Result<Redacted.Redacted<Schema.Json>, CannotUnseal> }
  /** The parts of the browser state that the body has, sealed; `null` for those that it removes. */
  readonly browserState: { readonly [part in (typeof browserStateNames)[number]]?: string | null }
  /** Whether the secret provider that the body names is one of the workspace. */
  readonly providerIsKnown: boolean
  /** Whether the `tfa_secret` of the body is the secret of the entry, re-encrypted or not. */
  readonly sameTfaSecret: boolean
  /** The same for the passkey. */
  readonly samePasskey: boolean
}

/** The fields of a body that hold sealed values, with these. `before` are the fields of the entry before the change. */
export const sealedIn = (sent: Sent, before: Fields | null): ReadonlyArray<readonly [SealedField, string]> => {
  return sealedNames(proxyOf(sent, before ?? unset)).flatMap((name) => {
    const value = sent[name]
    return typeof value === "string" && value !== "" ? [[name, value] as const] : []
  })
}

/** The new entry of a pair. `null` in a body is the same as leaving the field out. */
export const create = (
  given: Given,
  { caller, id, now }: { readonly caller: Caller; readonly id: string; readonly now: number }
): Result.Result<VaultEntry, InvalidEntry> =>
  Result.map(settle(given, unset), (fields) => ({
    id,
    workspaceId: caller.workspaceId,
    permissionedUserId: given.reading.sent.permissioned_user_id ?? "",
    domain: given.reading.sent.domain ?? "",
    createdBy: caller.userId,
    createdAt: now,
    updatedAt: now,
    fields,
    sessionDataSetAt: sessionDataSetAt(given, null, fields, now),
    lastUsedAt: null,
    hotpCounter: null
  }))

/** The entry after a change by a body: omitted fields stay, `null` removes a field. The pair does not change. */
export const update =
  (given: Given, now: number) =>
  (kept: VaultEntry): Result.Result<VaultEntry, InvalidEntry> => {
    // An expired value must not become valid again by a change of another one.
    const before = withoutExpired(kept, now)
    const { passkeyCount, ...others } = before
    const isKept = given.reading.sent.passkey === undefined || given.samePasskey
    return Result.map(settle(given, before.fields), (fields) => ({
      ...others,
      ...(isKept && passkeyCount !== undefined ? { passkeyCount } : {}),
      updatedAt: now,
      fields,
      sessionDataSetAt: sessionDataSetAt(given, before.sessionDataSetAt, fields, now),
      hotpCounter: given.reading.sent.tfa_secret === undefined || given.sameTfaSecret ? before.hotpCounter : null
    }))
  }

/**
 * The fields of a body that change where the secrets of an entry come from, where they may be used, or what they pass
 * through on the way. `sameProxy` where the body has the present value of the proxy, re-encrypted or not.
 */
export const ownersFields = (
  sent: Sent,
  before: Fields | null,
  sameProxy: boolean
): ReadonlyArray<"allowed_origins" | "proxy_setting" | "proxy_value" | "secret_provider_id" | "secret_ref"> => {
  const kept = before ?? unset
  const proxy = proxyOf(sent, kept)
  const provider = { ...kept, ...providerOf(sent, kept) }
  const isValue = proxy.proxy_setting === kept.proxy_setting && proxy.proxy_value !== kept.proxy_value && !sameProxy
  return [
    ...(changesOrigins(sent, kept) ? (["allowed_origins"] as const) : []),
    ...(proxy.proxy_setting === kept.proxy_setting ? [] : (["proxy_setting"] as const)),
    ...(isValue ? (["proxy_value"] as const) : []),
    ...(["secret_provider_id", "secret_ref"] as const).filter((name) => provider[name] !== kept[name])
  ]
}

/** No list and an empty one are the same. */
const changesOrigins = ({ allowed_origins }: Sent, before: Fields): boolean => {
  if (allowed_origins === undefined) return false
  const [now, then] = [new Set(allowed_origins ?? []), new Set(before.allowed_origins ?? [])]
  return now.size !== then.size || [...now].some((origin) => !then.has(origin))
}

const settle = (given: Given, before: Fields): Result.Result<Fields, InvalidEntry> => {
  const fields = merge(given, before)
  const { problems, sent } = given.reading
  const broken = (name: string) => problems.some(({ path }) => path.split(/[.[]/)[0] === name)
  const found = [
    ...sealedProblems(given),
    ...tfaProblems(given, fields),
    ...passkeyProblems(given, fields),
    ...proxyProblems(given, fields),
    ...providerProblems(given, fields)
  ]
  const all = [...problems, ...found.filter(({ path }) => !broken(path))]
  return all.length === 0 && sent.permissioned_user_id !== undefined && sent.domain !== undefined
    ? Result.succeed(fields)
    : Result.fail(new InvalidEntry({ problems: all }))
}

/** An entry without any set field. */
export const unset: Fields = {
  user_name: null,
  password: null,
  tfa_secret: null,
  passkey: null,
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
  allowed_origins: null
}

/** Fields that are simply replaced by what is sent. */
const plain = [
  "user_alias",
  "tfa_method",
  "user_agent",
  "cookie_domain_to_store",
  "max_concurrency",
  "expiry_time_from_last_use",
  "expiry_time_from_session_data_set",
  "ip_address",
  "location",
  "allowed_origins"
] as const

/** Fields that are never `null`: there `null` changes nothing. */
const switches = [
  "persist_local_storage",
  "persist_cookies",
  "persist_session_storage",
  "skip_csrf_cookies",
  "allow_multiple_sessions",
  "prevent_concurrency_during_login"
] as const

const merge = (given: Given, before: Fields): Fields => {
  const { sent } = given.reading
  return {
    ...before,
    ...defined(plain, (name) => sent[name]),
    ...defined(switches, (name) => sent[name] ?? undefined),
    ...given.browserState,
    ...proxyOf(sent, before),
    ...providerOf(sent, before),
    ...defined(credentials, (name) => (holdsNothing(given, name) ? null : sent[name]))
  }
}

/** Some clients send an empty text in clear, or a sealed `null`, for an absent value. */
const holdsNothing = ({ opened, reading }: Given, name: (typeof credentials)[number]): boolean => {
  const result = opened[name]
  return (
    reading.sent[name] === "" ||
    (result !== undefined && Result.isSuccess(result) && Redacted.value(result.success) === null)
  )
}

const defined = <Name extends keyof Fields>(
  names: ReadonlyArray<Name>,
  read: (name: Name) => Fields[Name] | undefined
): Partial<Fields> =>
  Object.fromEntries(names.map((name) => [name, read(name)]).filter(([, value]) => value !== undefined))

/** The proxy that follows from a body. A value of another setting is dropped. */
function proxyOf(sent: Sent, before: Fields): Pick<Fields, "proxy_setting" | "proxy_value"> {
  const { proxy_setting, proxy_value } = sent
  if (proxy_setting === undefined && proxy_value === undefined && sent.proxy != null) {
    const { enable, target_ip } = sent.proxy
    if (enable === false) return { proxy_setting: null, proxy_value: null }
    if (target_ip != null && target_ip !== "") return { proxy_setting: "static", proxy_value: target_ip }
    if (enable === true) return { proxy_setting: "random", proxy_value: null }
  }
  const setting = proxy_setting === undefined ? before.proxy_setting : proxy_setting
  const kept = setting === before.proxy_setting ? before.proxy_value : null
  return { proxy_setting: setting, proxy_value: proxy_value === undefined ? kept : proxy_value }
}

/** The binding to a secret provider. A new binding replaces the secrets; removing it removes them too. */
const providerOf = (sent: Sent, before: Fields): Partial<Fields> => {
  const { secret_cache_ttl_seconds, secret_provider_id, secret_ref } = sent
  const id = secret_provider_id === undefined ? before.secret_provider_id : secret_provider_id
  const kept = id === null ? unset : before
  const binding = {
    secret_provider_id: id,
    secret_ref: secret_ref === undefined ? kept.secret_ref : secret_ref,
    secret_cache_ttl_seconds:
      secret_cache_ttl_seconds === undefined ? kept.secret_cache_ttl_seconds : secret_cache_ttl_seconds
  }
  const isNew = typeof secret_provider_id === "string"
  return isNew ? { user_name: null, password: null, tfa_secret: null, ...binding } : binding
}

const sessionDataSetAt = (given: Given, before: number | null, fields: Fields, now: number): number | null => {
  const parts = browserStateNames.filter((name) => name !== "headers")
  if (parts.every((name) => fields[name] === null)) return null
  return parts.some((name) => typeof given.browserState[name] === "string") ? now : before
}

/** A credential is a text or a number, or nothing. */
const isScalar = (value: Schema.Json): boolean =>
  value === null || typeof value === "string" || typeof value === "number"

const sealedProblems = ({ opened }: Given): ReadonlyArray<Problem> =>
  Object.entries(opened).flatMap(([path, result]) => {
    if (Result.isFailure(result)) return [{ path, message: result.failure.message }]
    return isScalar(Redacted.value(result.success)) ? [] : [{ path, message: "Expected a sealed text" }]
  })

/** The text that a sealed field of the body holds, or the digits of its number; `null` when it holds neither. */
const textOf = (given: Given, field: SealedField): Redacted.Redacted<string> | null => {
  const opened = given.opened[field]
  if (opened === undefined || Result.isFailure(opened)) return null
  const value = Redacted.value(opened.success)
  return value === null || value === "" || !isScalar(value) ? null : Redacted.make(String(value))
}

const tfaProblems = (given: Given, fields: Fields): ReadonlyArray<Problem> => {
  const { sent } = given.reading
  const secret = textOf(given, "tfa_secret")
  if (secret !== null) {
    const read = Otp.parse(secret)
    return Result.isFailure(read) ? [{ path: "tfa_secret", message: read.failure.message }] : []
  }
  const opened = given.opened.tfa_secret
  if (opened !== undefined && Result.isFailure(opened)) return []
  const touched =
    sent.tfa_method !== undefined || sent.tfa_secret !== undefined || sent.secret_provider_id !== undefined
  const missing = fields.tfa_secret === null || opened !== undefined
  return touched && fields.tfa_method === "AUTHENTICATOR" && missing && fields.secret_provider_id === null
    ? [{ path: "tfa_secret", message: "Expected the secret of the authenticator, as tfa_method is AUTHENTICATOR" }]
    : []
}

/** A passkey is of the site of its credential. */
const passkeyProblems = (given: Given, fields: Fields): ReadonlyArray<Problem> => {
  const text = textOf(given, "passkey")
  if (text === null) return []
  const read = Passkey.parse(text)
  if (Result.isFailure(read)) return [{ path: "passkey", message: read.failure.message }]
  const { domain } = given.reading.sent
  if (domain === undefined || PasskeySite.isOf(read.success, { domain, fields })) return []
  return [{ path: "passkey", message: `Expected a passkey for ${domain}; this one is for ${read.success.rpId}` }]
}

const proxyProblems = (given: Given, { proxy_setting, proxy_value }: Fields): ReadonlyArray<Problem> => {
  const { sent } = given.reading
  if (sent.proxy_setting === undefined && sent.proxy_value === undefined && sent.proxy === undefined) return []
  const path = sent.proxy_value === undefined && sent.proxy_setting === undefined ? "proxy.target_ip" : "proxy_value"
  const refuse = (message: string) => [{ path, message }]
  switch (proxy_setting) {
    case null:
      return proxy_value === null
        ? []
        : [{ path: "proxy_setting", message: "Expected static, country or custom, as there is a proxy_value" }]
    case "random":
      return proxy_value === null ? [] : refuse("Expected none, as proxy_setting is random")
    case "static":
      return proxy_value === null || isAddress(proxy_value)
        ? []
        : refuse("Expected an IP address, as proxy_setting is static")
    case "country":
      return proxy_value !== null && /^[a-z]{2}$/i.test(proxy_value)
        ? []
        : refuse("Expected a country code of two letters, as proxy_setting is country")
    case "custom":
      return proxy_value === null || typeof sent.proxy_value === "string" ? customProblems(given, proxy_value) : []
  }
}

const customProblems = (given: Given, sealed: string | null): ReadonlyArray<Problem> => {
  const opened = given.opened.proxy_value
  if (sealed !== null && opened !== undefined && Result.isFailure(opened)) return []
  const url = textOf(given, "proxy_value")
  return url !== null && Proxies.parseUrl(Redacted.value(url)) !== null
    ? []
    : [
        {
          path: "proxy_value",
          message: "Expected a sealed URL such as socks5://user:password@host:1080, as proxy_setting is custom"
        }
      ]
}

const isAddress = (text: string): boolean =>
  /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/.test(text) ||
  (/^[0-9a-f:.]+$/i.test(text) && text.includes(":") && URL.parse(`http://[${text}]`) !== null)

const providerProblems = (given: Given, fields: Fields): ReadonlyArray<Problem> => {
  const { sent } = given.reading
  const { secret_cache_ttl_seconds, secret_provider_id, secret_ref } = fields
  const problems: Array<Problem> = []
  if (secret_provider_id === null) {
    if (secret_ref !== null) problems.push({ path: "secret_provider_id", message: "Expected one beside secret_ref" })
    if (secret_cache_ttl_seconds !== null) {
      problems.push({
        path: "secret_cache_ttl_seconds",
        message: "Expected none without secret_provider_id and secret_ref"
      })
    }
    return problems
  }
  if (secret_ref === null) problems.push({ path: "secret_ref", message: "Expected one beside secret_provider_id" })
  if (typeof sent.secret_provider_id === "string" && !given.providerIsKnown) {
    problems.push({ path: "secret_provider_id", message: "Expected a secret provider of this workspace" })
  }
  for (const path of provided) {
    if (fields[path] !== null) problems.push({ path, message: "Expected none beside secret_provider_id" })
  }
  return problems
}
