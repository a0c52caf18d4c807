/**
 * Looks up names without the thread pool of the process.
 *
 * `dns.lookup` blocks one of the four threads, which files and compression also need, until the name servers answer. A
 * page with a few hosts whose name servers do not answer would block the whole process. This module queries name
 * servers over sockets, with a deadline, a bounded number at a time, and caches answers briefly. It uses the hosts
 * file, the search domains and `localhost` of the machine. Names from other sources, such as multicast DNS, are unknown
 * unless a name server answers for them.
 */
import { Resolver } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import { hostname } from "node:os"
import { candidatesOf, type SystemNames, system } from "./SystemNames.ts"

export interface Options {
  /** Maximum number of concurrent lookups. */
  readonly concurrent: number
  /** Maximum number of waiting lookups. Further ones fail at once. */
  readonly waiting: number
  /** Maximum time of a lookup including its wait, in milliseconds. */
  readonly deadlineMillis: number
  /** The time for which a failed lookup is cached, in milliseconds. */
  readonly negativeMillis: number
  /** Maximum time for which addresses are cached, in milliseconds, within the TTL of the name servers. */
  readonly positiveMillis: number
  /** Name servers such as `127.0.0.1:5353`. Default: those of the machine. */
  readonly servers?: ReadonlyArray<string>
  /** The hosts file and the search domains. */
  readonly system: SystemNames
}

export const defaults: Options = {
  concurrent: 64,
  waiting: 1_024,
  deadlineMillis: 5_000,
  negativeMillis: 5_000,
  positiveMillis: 5_000,
  system
}

/** The limits of one browser session: as many connections to hosts as a browser opens through a proxy at once. */
export const forSession: Options = { ...defaults, concurrent: 16, waiting: 256 }

/** A name without an address. The code is the one that `dns.lookup` gives: `ENOTFOUND` or `EAI_AGAIN`. */
export class NotResolved extends Error {
  readonly code: "ENOTFOUND" | "EAI_AGAIN"
  constructor(name: string, code: NotResolved["code"]) {
    super(code === "ENOTFOUND" ? `${name} has no address` : `${name} could not be looked up in time`)
    this.code = code
  }
}

export interface Names {
  /** The addresses of a name, at least one and at most eight of each family. It fails with `NotResolved`. */
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
}

/** Maximum number of cached names. */
const maxRemembered = 1_000

const maxAddresses = 8

/** Maximum additional wait for IPv6 addresses after the IPv4 addresses, in milliseconds. */
const otherFamilyMillis = 250

/** Timeout of the first query to a name server, in milliseconds. */
const questionMillis = 1_500

/** The interval at which the name servers of the machine are read, in milliseconds. */
const serversMillis = 60_000

interface Remembered {
  readonly until: number
  readonly outcome: Found
}

type Found =
  | { readonly _tag: "Addresses"; readonly addresses: ReadonlyArray<string>; readonly ttlMillis: number }
  | { readonly _tag: "Nothing"; readonly code: NotResolved["code"] }

export const make = (options: Options): Names => {
  const known = new Map<string, Remembered>()
  const pending = new Map<string, Promise<Found>>()
  const queue: Array<() => void> = []
  let running = 0
  let resolver: { readonly at: number; readonly one: Resolver } | undefined

  const resolverNow = (): Resolver => {
    const now = performance.now()
    if (resolver !== undefined && now - resolver.at < serversMillis) return resolver.one
    const one = new Resolver({ timeout: questionMillis, tries: 2 })
    if (options.servers !== undefined) one.setServers(options.servers)
    resolver = { at: now, one }
    return one
  }

  const remember = (name: string, outcome: Found): void => {
    const millis =
      outcome._tag === "Addresses" ? Math.min(outcome.ttlMillis, options.positiveMillis) : options.negativeMillis
    known.delete(name)
    known.set(name, { until: performance.now() + millis, outcome })
    for (const oldest of known.keys()) if (known.size > maxRemembered) known.delete(oldest)
  }

  /** Starts waiting lookups up to the limit, and skips those that waited too long. */
  const advance = (): void => {
    while (running < options.concurrent) {
      const begin = queue.shift()
      if (begin === undefined) return
      begin()
    }
  }

  /** Queries the name servers when a slot is free. `late` returns `true` if the caller has stopped waiting. */
  const ask = (name: string, late: () => boolean): Promise<Found> => {
    if (running >= options.concurrent && queue.length >= options.waiting) return Promise.resolve(unanswered)
    return new Promise((resolve) => {
      queue.push(() => {
        if (late()) {
          resolve(unanswered)
          return
        }
        running++
        void questioned(resolverNow(), name, options.system, late).then((found) => {
          running--
          remember(name, found)
          resolve(found)
          advance()
        })
      })
      advance()
    })
  }

  const inTime = async (name: string): Promise<Found> => {
    let isLate = false
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<Found>((resolve) => {
      timer = setTimeout(() => {
        isLate = true
        resolve(unanswered)
      }, options.deadlineMillis)
    })
    const found = await Promise.race([ask(name, () => isLate), deadline])
    clearTimeout(timer)
    if (isLate) remember(name, found)
    return found
  }

  const lookUp = async (name: string): Promise<Found> => {
    const bare = name.endsWith(".") ? name.slice(0, -1) : name
    const own = (await options.system.hosts()).get(bare)
    if (own !== undefined) return { _tag: "Addresses", addresses: own, ttlMillis: 0 }
    if (/(^|\.)localhost$/.test(bare) || bare === ownName) return loopback
    const remembered = known.get(name)
    if (remembered !== undefined && performance.now() < remembered.until) return remembered.outcome
    const asked = pending.get(name) ?? inTime(name).finally(() => pending.delete(name))
    pending.set(name, asked)
    return asked
  }

  return {
    resolve: async (given) => {
      const found = await lookUp(given.toLowerCase())
      if (found._tag === "Nothing") throw new NotResolved(given, found.code)
      return found.addresses
    }
  }
}

const unanswered: Found = { _tag: "Nothing", code: "EAI_AGAIN" }
const ownName = hostname().toLowerCase()
const loopback: Found = { _tag: "Addresses", addresses: ["127.0.0.1", "::1"], ttlMillis: 0 }

/** Queries a name in each of its search domains in turn. Never fails. */
const questioned = async (
  resolver: Resolver,
  name: string,
  { search }: SystemNames,
  late: () => boolean
): Promise<Found> => {
  let found: Found = unanswered
  for (const candidate of candidatesOf(name, await search())) {
    if (late()) return found
    found = await bothFamilies(resolver, candidate)
    if (found._tag === "Addresses") return found
  }
  return found
}

/** IPv4 addresses come first, and are enough if the query for IPv6 addresses is not answered soon. */
const bothFamilies = async (resolver: Resolver, name: string): Promise<Found> => {
  const six = oneFamily(() => resolver.resolve6(name, { ttl: true }))
  const v4 = await oneFamily(() => resolver.resolve4(name, { ttl: true }))
  const v6 = await (v4._tag === "Addresses" ? within(otherFamilyMillis, six) : six)
  const answered = [v4, v6].filter((one) => one._tag === "Addresses")
  if (answered.length === 0) {
    const isAbsent = [v4, v6].every((one) => one._tag === "Nothing" && one.code === "ENOTFOUND")
    return { _tag: "Nothing", code: isAbsent ? "ENOTFOUND" : "EAI_AGAIN" }
  }
  return {
    _tag: "Addresses",
    addresses: answered.flatMap(({ addresses }) => addresses),
    ttlMillis: Math.min(...answered.map(({ ttlMillis }) => ttlMillis))
  }
}

const oneFamily = async (
  ask: () => Promise<ReadonlyArray<{ readonly address: string; readonly ttl: number }>>
): Promise<Found> => {
  try {
    const records = await ask()
    if (records.length === 0) return { _tag: "Nothing", code: "ENOTFOUND" }
    return {
      _tag: "Addresses",
      addresses: records.slice(0, maxAddresses).map(({ address }) => address),
      ttlMillis: Math.min(...records.map(({ ttl }) => ttl)) * 1_000
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return { _tag: "Nothing", code: absences.has(code) ? "ENOTFOUND" : "EAI_AGAIN" }
  }
}

/** The codes of name servers and of the resolver for names that have no address or cannot be names. */
const absences: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME", "EBADQUERY", "ENONAME"])

/** The addresses that are found within some milliseconds. */
const within = async (millis: number, found: Promise<Found>): Promise<Found> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Found>((resolve) => {
    timer = setTimeout(resolve, millis, unanswered)
  })
  return Promise.race([found, late]).finally(() => clearTimeout(timer))
}

/** The reason why addresses must not be connected to; `null` if they may. */
export type Judge = (host: string, addresses: ReadonlyArray<string>) => Error | null

/** A lookup function for a connection. It connects to the checked addresses, without a second lookup. */
export const lookupOf =
  (names: Names, judge: Judge = () => null): LookupFunction =>
  (host, options, answer) => {
    const answered = async (): Promise<() => void> => {
      const addresses = await names.resolve(host)
      const refused = judge(host, addresses)
      if (refused !== null) return () => answer(refused, "", 0)
      const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
      const wanted = all.filter(
        ({ family }) => (options.family !== 4 && options.family !== 6) || family === options.family
      )
      const [first] = wanted
      if (first === undefined) return () => answer(new NotResolved(host, "ENOTFOUND"), "", 0)
      return options.all === true ? () => answer(null, wanted) : () => answer(null, first.address, first.family)
    }
    // An exception of the connection must not become a failure of the lookup.
    void answered()
      .catch((error: Error) => () => answer(error, "", 0))
      .then((tell) => setImmediate(tell))
  }
