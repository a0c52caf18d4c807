/** Converts between the browser state that a credential stores and the state of a session. */
import type { Schema } from "effect"
import * as Session from "../browser/Session.ts"
import * as BrowserLocation from "../vault/BrowserLocation.ts"
import * as Domain from "../vault/site/Domain.ts"
import {
  type BrowserState,
  headerOf,
  type Cookie as KeptCookie,
  type VaultEntry,
  withoutExpired
} from "../vault/VaultEntry.ts"
import * as Json from "../workspace/Json.ts"

/** The parts that a browser changes. */
export const parts = ["cookies", "local_storage", "session_storage"] as const
export type Part = (typeof parts)[number]

/** The setting that enables storing a part. */
const switches = {
  cookies: "persist_cookies",
  local_storage: "persist_local_storage",
  session_storage: "persist_session_storage"
} as const

const isKept = ({ fields }: VaultEntry, part: Part): boolean => fields[switches[part]]

/** Whether any part of a session is stored. */
export const isKeeping = (entry: VaultEntry): boolean => parts.some((part) => isKept(entry, part))

/** The entry at the start of a run: marked as used, without an expired session. */
export const used = (entry: VaultEntry, now: number): VaultEntry => ({ ...withoutExpired(entry, now), lastUsedAt: now })

/**
 * The entry with the sealed parts from the end of a run. `began` is the entry at the start of the run: if the state was
 * cleared since then, nothing is stored. The current settings of the entry decide, and a part that the run does not
 * have stays unchanged.
 *
 * The entry does not count as updated: cached secrets of its provider stay valid, and a failed login stays failed.
 */
export const kept = (
  began: VaultEntry,
  sealed: { readonly [part in Part]?: string | null },
  now: number
): ((entry: VaultEntry) => VaultEntry) => {
  return (entry) => {
    // All keys are parts. The type of `Object.entries` does not express this.
    const wanted = Object.entries(sealed).filter(([part]) => isKept(entry, part as Part))
    const isCleared = (entry.clears ?? 0) !== (began.clears ?? 0)
    return wanted.length === 0 || isCleared ? entry : withParts(entry, Object.fromEntries(wanted), now)
  }
}

const withParts = (
  entry: VaultEntry,
  changed: { readonly [part in Part]?: string | null },
  now: number
): VaultEntry => {
  const fields = { ...entry.fields, ...changed }
  const isEmpty = parts.every((part) => fields[part] === null)
  const isSet = Object.values(changed).some((value) => value !== null)
  return {
    ...entry,
    sessionDataSetAt: isEmpty ? null : isSet ? now : entry.sessionDataSetAt,
    fields
  }
}

/**
 * The contribution of an entry to a session, without its proxy and allowed sites. `state` is the content of its sealed
 * parts.
 */
export const brought = (entry: VaultEntry, state: BrowserState, now: number): Session.Session => {
  const { domain, fields } = entry
  const hostname = Domain.hostnameOf(domain)
  const origins = Domain.originsOf(domain)
  const headers = (state.headers ?? []).map(headerOf)
  return {
    cookies: (state.cookies ?? []).flatMap((cookie) => {
      const one = restored(cookie, hostname)
      const isOver = one === null || (one.expires !== null && one.expires * 1_000 <= now)
      return isOver || (fields.skip_csrf_cookies && guardsForms(one.name)) ? [] : [one]
    }),
    localStorage: byOrigin(state.local_storage, origins),
    sessionStorage: byOrigin(state.session_storage, origins),
    userAgent: fields.user_agent === "" ? null : fields.user_agent,
    headers: headers.length === 0 ? [] : [{ origins, headers }],
    place: (fields.location === null ? null : BrowserLocation.parse(fields.location)) ?? BrowserLocation.nowhere,
    proxy: null,
    allowedSites: []
  }
}

/** Merges sessions. For each property, the first session with a value wins. */
export const join = (sessions: ReadonlyArray<Session.Session>): Session.Session =>
  sessions.reduceRight(
    (rest, first) => ({
      // Of two cookies with the same name, a browser keeps the later one.
      cookies: [...rest.cookies, ...first.cookies],
      localStorage: { ...rest.localStorage, ...first.localStorage },
      sessionStorage: { ...rest.sessionStorage, ...first.sessionStorage },
      userAgent: first.userAgent ?? rest.userAgent,
      headers: [...first.headers, ...rest.headers],
      place: first.place === BrowserLocation.nowhere ? rest.place : first.place,
      proxy: first.proxy ?? rest.proxy,
      allowedSites: rest.allowedSites
    }),
    Session.empty
  )

/** Whether a cookie is a CSRF token. With an old one, the site would refuse its forms. */
const guardsForms = (name: string): boolean =>
  /csrf|xsrf|requestverificationtoken|authenticity[-_.]?token|anti-?forgery/i.test(name)

/** A cookie in the form that browsers accept; `null` for a cookie without a host. */
const restored = (cookie: KeptCookie, hostname: string | null): Session.Cookie | null => {
  const written = cookie.domain ?? ""
  const host = (written === "" ? hostname : written.replace(/^\.+/, ""))?.toLowerCase() ?? ""
  if (host === "") return null
  const hostOnly = cookie.hostOnly ?? !written.startsWith(".")
  const isSession = cookie.session === true || cookie.expirationDate == null
  const secure = cookie.secure === true
  return {
    name: cookie.name,
    value: cookie.value,
    domain: hostOnly || Domain.isAddress(host) ? host : `.${host}`,
    path: cookie.path == null || cookie.path === "" ? "/" : cookie.path,
    expires: isSession ? null : (cookie.expirationDate ?? null),
    httpOnly: cookie.httpOnly === true,
    secure,
    sameSite: sameSiteOf(cookie.sameSite ?? "", secure)
  }
}

/** Browsers refuse `None` without `secure`. A cookie stored that way came from a browser that did not enforce this. */
const sameSiteOf = (written: string, secure: boolean): Session.Cookie["sameSite"] => {
  switch (written.toLowerCase()) {
    case "strict":
      return "Strict"
    case "lax":
      return "Lax"
    case "none":
    case "no_restriction":
      return secure ? "None" : null
    default:
      return null
  }
}

/** Whether storage is stored by origin: all keys are origins, and all values are objects. */
const isByOrigin = (value: Schema.JsonObject): boolean =>
  Object.keys(value).length > 0 &&
  Object.entries(value).every(
    ([key, one]) =>
      /^https?:\/\//.test(key) &&
      URL.parse(key) !== null &&
      new URL(key).origin === key.replace(/\/$/, "") &&
      Json.isObject(one)
  )

const byOrigin = (value: Schema.JsonObject | null, origins: ReadonlyArray<string>): Session.Storage => {
  if (value === null || Object.keys(value).length === 0) return {}
  if (!isByOrigin(value)) return Object.fromEntries(origins.map((origin) => [origin, texts(value)]))
  return Object.fromEntries(
    Object.entries(value).map(([origin, stored]) => [new URL(origin).origin, texts(Json.objectOf(stored))])
  )
}

/** Browser storage contains only texts. Other values are converted as a page would convert them. */
const texts = (stored: Schema.JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(stored).flatMap(([key, value]) =>
      value === null || value === undefined ? [] : [[key, typeof value === "string" ? value : JSON.stringify(value)]]
    )
  )

/** Returns the origins whose storage an entry keeps: those of its site, and those with stored data. */
export const keepsOrigin = (entry: VaultEntry, state: BrowserState): ((origin: string) => boolean) => {
  if (!isKept(entry, "local_storage") && !isKept(entry, "session_storage")) return () => false
  const hostname = Domain.hostnameOf(entry.domain)
  const known = [state.local_storage, state.session_storage].flatMap((value) => Object.keys(byOrigin(value, [])))
  return (origin) => known.includes(origin) || (hostname !== null && isOfSite(new URL(origin).hostname, hostname))
}

/** Whether two hosts are equal, or one is a subdomain of the other. */
const isOfSite = (hostname: string, site: string): boolean =>
  Domain.isWithin(hostname, site) || Domain.isWithin(site, hostname)

/**
 * The parts of an entry that must be stored because they have changed and their setting is enabled. `state` is the
 * state that the session started with; a part without content is `null`.
 */
export const left = (
  entry: VaultEntry,
  state: BrowserState,
  remembered: Session.StoredState,
  now: number
): { readonly [part in Part]?: BrowserState[part] } => {
  const isOwn = keepsOrigin(entry, state)
  const storageOf = (part: "local_storage" | "session_storage", storage: Session.Storage) =>
    changedStorage(state[part], storage, isOwn, Domain.originsOf(entry.domain))
  const changed = {
    cookies: isKept(entry, "cookies") ? changedCookies(entry, state.cookies ?? [], remembered.cookies, now) : undefined,
    local_storage: isKept(entry, "local_storage") ? storageOf("local_storage", remembered.localStorage) : undefined,
    session_storage: isKept(entry, "session_storage")
      ? storageOf("session_storage", remembered.sessionStorage)
      : undefined
  }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
}

/** Browsers shorten the lifetime of cookies to 400 days, so a longer stored lifetime is not a change. */
const longestSeconds = 399 * 86_400

const changedCookies = (
  entry: VaultEntry,
  before: ReadonlyArray<KeptCookie>,
  cookies: ReadonlyArray<Session.Cookie>,
  now: number
): ReadonlyArray<KeptCookie> | null | undefined => {
  const hostname = Domain.hostnameOf(entry.domain)
  const known = new Map(
    before.flatMap((cookie) => {
      const one = restored(cookie, hostname)
      return one === null ? [] : [[identityOf(one), { cookie, one }] as const]
    })
  )
  const asLongAs = (one: Session.Cookie, other: Session.Cookie) => {
    if (one.expires === null || other.expires === null) return one.expires === other.expires
    const farAway = now / 1_000 + longestSeconds
    return Math.abs(one.expires - other.expires) < 1 || (one.expires > farAway && other.expires > farAway)
  }
  const isSame = (one: Session.Cookie, other: Session.Cookie) =>
    one.value === other.value &&
    one.httpOnly === other.httpOnly &&
    one.secure === other.secure &&
    (one.sameSite ?? "Lax") === (other.sameSite ?? "Lax") &&
    asLongAs(one, other)
  let isChanged = false
  const after = cookies.filter(isOfEntry(entry)).map((cookie) => {
    const was = known.get(identityOf(cookie))
    if (was !== undefined && isSame(was.one, cookie)) return was.cookie
    isChanged = true
    return asKept(cookie, was?.cookie.storeId ?? null)
  })
  if (!isChanged && after.length === before.length) return undefined
  return after.length === 0 ? null : after
}

/** Browsers identify a cookie by name, host and path. */
const identityOf = ({ domain, name, path }: Session.Cookie): string => JSON.stringify([domain, path, name])

const isOfEntry = ({ domain, fields }: VaultEntry): ((cookie: Session.Cookie) => boolean) => {
  const wanted = fields.cookie_domain_to_store?.trim().toLowerCase().replace(/^\.+/, "") ?? ""
  const above = wanted === "" ? null : (Domain.hostnameOf(wanted) ?? wanted)
  const hostname = Domain.hostnameOf(domain) ?? ""
  return (cookie) => {
    const host = cookie.domain.replace(/^\./, "")
    return above === null ? isOfSite(host, hostname) : Domain.isWithin(host, above)
  }
}

const spellings = { None: "no_restriction", Lax: "lax", Strict: "strict" } as const

const asKept = (cookie: Session.Cookie, storeId: string | null): KeptCookie => ({
  name: cookie.name,
  value: cookie.value,
  domain: cookie.domain,
  path: cookie.path,
  ...(cookie.expires === null ? {} : { expirationDate: cookie.expires }),
  httpOnly: cookie.httpOnly,
  hostOnly: !cookie.domain.startsWith("."),
  secure: cookie.secure,
  session: cookie.expires === null,
  ...(storeId === null ? {} : { storeId }),
  sameSite: cookie.sameSite === null ? "unspecified" : spellings[cookie.sameSite]
})

/**
 * Storage in its former shape. Without a former state, it is that of the site if only the site stored values, otherwise
 * by origin.
 */
const changedStorage = (
  before: Schema.JsonObject | null,
  storage: Session.Storage,
  isOwn: (origin: string) => boolean,
  origins: ReadonlyArray<string>
): Schema.JsonObject | null | undefined => {
  const found = Object.entries(storage).filter(([origin, stored]) => isOwn(origin) && Object.keys(stored).length > 0)
  const flat = found.find(([origin]) => origins.includes(origin))?.[1]
  const wasEmpty = before === null || Object.keys(before).length === 0
  const isFlat = wasEmpty ? found.every(([origin]) => origins.includes(origin)) : !isByOrigin(before)
  const after = isFlat ? (flat ?? {}) : Object.fromEntries(found)
  if (sorted(byOrigin(after, origins)) === sorted(byOrigin(before, origins))) return undefined
  return Object.keys(after).length === 0 ? null : after
}

const sorted = (storage: Session.Storage): string =>
  JSON.stringify(
    Object.entries(storage)
      .map(([origin, stored]) => [origin, Object.entries(stored).sort(byKey)] as const)
      .sort(byKey)
  )

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : one > other ? 1 : 0
