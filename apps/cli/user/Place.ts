/**
 * Where a command of keys and workspaces does its work: at a service over HTTP, or in the stores of an installation.
 */
import { existsSync } from "node:fs"
import { Effect, Option, type Redacted } from "effect"
import type { ConnectionSettings } from "./Connection.ts"
import * as Profiles from "./Profiles.ts"

interface Settings extends ConnectionSettings {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
}

/**
 * Whether a command is for a service: an address or a profile is named; or a profile is stored, and neither a database is
 * named nor the folder of an installation is here.
 */
export const isService = Effect.fnUntraced(function* ({ dataDir, databaseUrl, profile, url }: Settings) {
  if (Option.isSome(url) || Option.isSome(profile)) return true
  if (Option.isSome(databaseUrl) || existsSync(dataDir)) return false
  const { current, profiles } = yield* Profiles.read
  return Object.hasOwn(profiles, current)
})
