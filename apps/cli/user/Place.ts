/** Whether an operator's command works over HTTP at a service, or in the stores of an installation. */
import { existsSync } from "node:fs"
import { Effect, Option, type Redacted } from "effect"
import * as Lock from "../../../adapters/embedded/Lock.ts"
import type { ConnectionSettings } from "./Connection.ts"
import { refused } from "./Ending.ts"
import * as Profiles from "./Profiles.ts"

interface Stored {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
}

interface Settings extends ConnectionSettings, Stored {}

/**
 * The settings with which a command talks to a service; `null` where it works in the stores.
 *
 * It is for a service if an address or a profile is named; or if a process uses the embedded database, which serves no
 * second one; or if a profile is stored, and neither a database is named nor the folder of an installation is here.
 */
export const serviceOf = Effect.fnUntraced(function* <S extends Settings>(settings: S) {
  const { dataDir, databaseUrl, profile, url } = settings
  if (Option.isSome(url) || Option.isSome(profile)) return settings
  if (Option.isSome(databaseUrl)) return null
  const process = Lock.inUse(dataDir)
  if (process !== null) return yield* servedBy(settings, process)
  if (existsSync(dataDir)) return null
  const { current, profiles } = yield* Profiles.read
  return Object.hasOwn(profiles, current) ? settings : null
})

/** With the address of a process, and the key that is set or that of a profile of this address. */
const servedBy = Effect.fnUntraced(function* <S extends Settings>(
  settings: S,
  { address, pid }: { readonly pid: number; readonly address: string | null }
) {
  const uses = `Process ${pid} uses the data folder ${settings.dataDir}`
  if (address === null) {
    return yield* refused("unavailable", `${uses} and does not serve yet: run the command again in a moment`)
  }
  if (Option.isSome(settings.apiKey)) return { ...settings, url: Option.some(address) }
  const { current, profiles } = yield* Profiles.read
  const names = [current, ...Object.keys(profiles)]
  const name = names.find((one) => Object.hasOwn(profiles, one) && isSame(profiles[one]?.url ?? "", address))
  if (name !== undefined) return { ...settings, profile: Option.some(name) }
  return yield* refused(
    "wrong",
    `${uses} and serves at ${address}: set SLUICE_KEY to a key of its workspace, or run sluice login --url ${address}`
  )
})

/** Whether two addresses are the same place: this machine has several names for itself. */
const isSame = (one: string, other: string): boolean => {
  const [a, b] = [placeOf(one), placeOf(other)]
  return a !== null && a === b
}

const placeOf = (address: string): string | null => {
  if (URL.parse(address) === null) return null
  const { host, hostname, pathname, port, protocol } = new URL(address)
  if (pathname !== "/") return null
  return `${protocol}//${ownNames.has(hostname) ? `localhost:${port}` : host}`
}

const ownNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"])

/**
 * Refuses a command that needs the stores while a process uses the embedded database; `why` is the first part of the
 * message.
 */
export const unusedStores = Effect.fnUntraced(function* ({ dataDir, databaseUrl }: Stored, why: string) {
  const process = Option.isSome(databaseUrl) ? null : Lock.inUse(dataDir)
  if (process === null) return
  return yield* refused("conflict", `${why}: stop process ${process.pid}, which uses the data folder ${dataDir}, first`)
})
