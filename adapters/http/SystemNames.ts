/**
 * The name settings of this machine: its hosts file, and the search domains for short names.
 */
import { readFile, stat } from "node:fs/promises"
import { isIP } from "node:net"
import { join } from "node:path"

/** The addresses of each name in a hosts file, by the name in lower case. */
export type Hosts = ReadonlyMap<string, ReadonlyArray<string>>

/** The search settings of the resolver. */
export interface Search {
  readonly domains: ReadonlyArray<string>
  /** A name with at least this many dots is first queried unchanged. */
  readonly ndots: number
}

export interface SystemNames {
  readonly hosts: () => Promise<Hosts>
  readonly search: () => Promise<Search>
}

const recheckMillis = 5_000

/** Names and domains beyond these bounds are ignored. Resolvers of operating systems have similar bounds. */
const maxDomains = 6
const maxNdots = 15

export const parseHosts = (text: string): Hosts => {
  const hosts = new Map<string, Array<string>>()
  for (const line of text.split("\n")) {
    const comment = line.indexOf("#")
    const [address = "", ...names] = (comment < 0 ? line : line.slice(0, comment)).trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, "")
      const known = hosts.get(key)
      if (known === undefined) hosts.set(key, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return hosts
}

export const parseSearch = (text: string): Search => {
  let domains: ReadonlyArray<string> = []
  let ndots = 1
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line.trim().split(/\s+/)
    if (keyword === "search" || keyword === "domain") domains = values.slice(0, maxDomains)
    if (keyword !== "options") continue
    for (const value of values) {
      if (/^ndots:\d{1,2}$/.test(value)) ndots = Math.min(Number(value.slice("ndots:".length)), maxNdots)
    }
  }
  return { domains, ndots }
}

/** The names to query in turn. A name that ends with a dot is queried unchanged. */
export const candidatesOf = (name: string, { domains, ndots }: Search): ReadonlyArray<string> => {
  if (name.endsWith(".")) return [name.slice(0, -1)]
  const within = domains.map((domain) => `${name}.${domain.replace(/^\.|\.$/g, "")}`)
  return name.split(".").length > ndots ? [name, ...within] : [...within, name]
}

/** Caches a parsed file. It is checked at most every five seconds, and read again if it changed. */
const reading = <A>(path: string, parse: (text: string) => A): (() => Promise<A>) => {
  let checkedAt = Number.NEGATIVE_INFINITY
  let version = ""
  let value = parse("")
  const refresh = async (): Promise<void> => {
    const { mtimeMs, size } = await stat(path)
    if (`${mtimeMs} ${size}` === version) return
    value = parse(await readFile(path, "utf8"))
    version = `${mtimeMs} ${size}`
  }
  return async () => {
    if (performance.now() - checkedAt > recheckMillis) {
      checkedAt = performance.now()
      // If the file cannot be read, the former value stays.
      await refresh().catch(() => undefined)
    }
    return value
  }
}

export const make = (hostsPath: string, resolverPath: string): SystemNames => ({
  hosts: reading(hostsPath, parseHosts),
  search: reading(resolverPath, parseSearch)
})

/** The files of this machine, shared by all lookups. */
export const system: SystemNames = make(
  process.platform === "win32"
    ? join(process.env.SystemRoot ?? "C:\\Windows", "System32", "drivers", "etc", "hosts")
    : "/etc/hosts",
  "/etc/resolv.conf"
)
