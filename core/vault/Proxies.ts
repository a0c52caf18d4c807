/**
 * The outgoing proxies of browsers: those of the installation, and those of credentials.
 */
import { Context, Redacted, Result } from "effect"
import type { Fields, VaultEntry } from "./VaultEntry.ts"

export interface Proxy {
  readonly scheme: "http" | "https" | "socks5"
  /** A host name or an address, without brackets. */
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: Redacted.Redacted<string>
  /** Whether it is one of the installation, which may have it in a private network. */
  readonly isOwn: boolean
}

/** A proxy of the installation. */
export interface PoolProxy extends Proxy {
  /** The country of the proxy: a code of ISO 3166. */
  readonly country: string | null
  /** The address that sites see, where it is not the host. */
  readonly address: string | null
}

/** The proxies of the installation that credentials and workflows choose from. */
export const ProxyPool = Context.Reference<ReadonlyArray<PoolProxy>>("sluice/core/vault/ProxyPool", {
  defaultValue: () => []
})

/** A proxy in words, without its secrets. */
export const named = ({ host, port }: Pick<Proxy, "host" | "port">): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`

const ports: Readonly<Record<Proxy["scheme"], number>> = { http: 80, https: 443, socks5: 1080 }

/** Reads the URL of a proxy such as `socks5://user:password@host:1080`; `null` for anything else. */
export const parseUrl = (text: string, isOwn = false): Proxy | null => {
  const [, scheme = "", rest = ""] = /^(socks5|https?):\/\/([^\s]+)$/i.exec(text.trim()) ?? []
  // Parse as http, because the URL parser splits other schemes less fully. The port is taken from the text.
  if (rest === "" || URL.parse(`http://${rest}`) === null) return null
  const url = new URL(`http://${rest}`)
  const username = decoded(url.username)
  const password = decoded(url.password)
  const written = /:(\d+)$/.exec(rest.split(/[/?#]/)[0] ?? "")?.[1]
  if (url.hostname === "" || username === null || password === null || Number(written) === 0) return null
  // The pattern above allows these schemes only.
  const kind = scheme.toLowerCase() as Proxy["scheme"]
  return {
    scheme: kind,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: written === undefined ? ports[kind] : Number(written),
    username,
    password: Redacted.make(password),
    isOwn
  }
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Reads the proxies of an installation: URLs with white space or commas between them, each with the known facts about it
 * after a `#`, such as `http://user:password@198.51.100.7:8080#country=DE&ip=203.0.113.9`. A line that begins with `#`
 * is a comment. A failure lists every problem by the number of the proxy, and repeats no secret.
 */
export const parsePool = (text: string): Result.Result<ReadonlyArray<PoolProxy>, ReadonlyArray<string>> => {
  const written = text
    .split(/\r?\n/)
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => line.split(/[\s,]+/))
    .filter((part) => part !== "")
  const problems: Array<string> = []
  const pool: Array<PoolProxy> = []
  for (const [index, one] of written.entries()) {
    const [address = "", known = ""] = one.split("#")
    const proxy = parseUrl(address, true)
    const number = `proxy ${index + 1}`
    if (proxy === null) {
      problems.push(`${number}: expected a URL such as http://user:password@host:8080, https:// or socks5://`)
      continue
    }
    const fields = new URLSearchParams(known)
    const country = fields.get("country")
    const ip = fields.get("ip")
    const unknown = [...fields.keys()].filter((name) => name !== "country" && name !== "ip")
    const place = `${number} (${named(proxy)})`
    if (country !== null && !/^[a-z]{2}$/i.test(country))
      problems.push(`${place}: expected country=DE, a code of two letters`)
    if (ip !== null && !/^[0-9a-f.:]+$/i.test(ip)) problems.push(`${place}: expected ip=203.0.113.9, an address`)
    for (const name of unknown) problems.push(`${place}: expected country and ip, not ${name.slice(0, 32)}`)
    pool.push({ ...proxy, country: country?.toUpperCase() ?? null, address: ip })
  }
  return problems.length === 0 ? Result.succeed(pool) : Result.fail(problems)
}

export type Setting = Pick<Fields, "proxy_value"> & {
  readonly proxy_setting: Exclude<Fields["proxy_setting"], null | "custom">
}

/**
 * The proxy of the pool that a setting selects, or why there is none. The proxy of an address or a country stays the
 * same for `id` as long as the pool has it; `random` chooses any, by a number from 0 to 1.
 */
export const choose = (
  pool: ReadonlyArray<PoolProxy>,
  { proxy_setting, proxy_value }: Setting,
  id: string,
  random: number
): Result.Result<PoolProxy, string> => {
  switch (proxy_setting) {
    case "random":
      return picked(pool[Math.min(Math.floor(random * pool.length), pool.length - 1)], "no proxy")
    case "static": {
      const suitable =
        proxy_value === null ? pool : pool.filter(({ address, host }) => proxy_value === (address ?? host))
      return picked(
        steady(suitable, id),
        proxy_value === null ? "no proxy" : `no proxy with the address ${proxy_value}`
      )
    }
    case "country": {
      const country = proxy_value?.toUpperCase() ?? ""
      return picked(
        steady(
          pool.filter((proxy) => proxy.country === country),
          id
        ),
        `no proxy in the country ${country}`
      )
    }
  }
}

const picked = (proxy: PoolProxy | undefined, missing: string): Result.Result<PoolProxy, string> =>
  proxy === undefined ? Result.fail(`this service has ${missing}`) : Result.succeed(proxy)

/** The proxy that sites see an entry come from, `ip:port`; `null` where none is assigned to it. */
export const assigned = (pool: ReadonlyArray<PoolProxy>, { fields, id }: VaultEntry): string | null => {
  const { proxy_setting, proxy_value } = fields
  if (proxy_setting !== "static" && proxy_setting !== "country") return null
  const proxy = choose(pool, { proxy_setting, proxy_value }, id, 0)
  if (Result.isFailure(proxy)) return null
  const { address, host, port } = proxy.success
  return named({ host: address ?? host, port })
}

/** The same proxy for an id, by rendezvous hashing: adding or removing others changes the choice of few ids. */
const steady = (pool: ReadonlyArray<PoolProxy>, id: string): PoolProxy | undefined =>
  pool
    .map((proxy) => ({ proxy, weight: hash(`${id} ${proxy.username}@${named(proxy)}`) }))
    .reduce<{ proxy?: PoolProxy; weight: number }>((best, one) => (one.weight > best.weight ? one : best), {
      weight: -1
    }).proxy

/** FNV-1a with the last step of MurmurHash3, which spreads similar texts. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
