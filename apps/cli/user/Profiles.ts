/**
 * The profiles of a user: named pairs of the address of a service and a key, in a file that only this user may read.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { Config, Effect, Option, Result, Schema } from "effect"
import { type Refused, refused } from "./Ending.ts"

const Profile = Schema.Struct({ url: Schema.String, key: Schema.String })
export type Profile = typeof Profile.Type

const Stored = Schema.fromJsonString(
  Schema.Struct({ current: Schema.String, profiles: Schema.Record(Schema.String, Profile) })
)
export type Stored = typeof Stored.Type

const text = (name: string) =>
  Config.String(name).pipe(
    Config.option,
    Effect.map(Option.filter((value) => value !== "")),
    Effect.orElseSucceed(() => Option.none<string>())
  )

/** The home folder of a user without `HOME`, by the system's list of users. */
const listed = Effect.try({
  try: homedir,
  catch: () =>
    refused(
      "wrong",
      "Your user has no home folder to keep profiles in: set HOME or XDG_CONFIG_HOME to a folder of yours"
    )
})

/** The file of the profiles: in `XDG_CONFIG_HOME`, or else in `.config` of the home folder. */
export const file: Effect.Effect<string, Refused> = Effect.gen(function* () {
  const config = yield* text("XDG_CONFIG_HOME")
  if (Option.isSome(config)) return join(config.value, "sluice", "profiles.json")
  const home = yield* text("HOME")
  return join(Option.isSome(home) ? home.value : yield* listed, ".config", "sluice", "profiles.json")
})

const decode = Schema.decodeUnknownResult(Stored)

/** The stored profiles; none where the file is missing. A file that others may read is refused: it holds keys. */
export const read: Effect.Effect<Stored, Refused> = Effect.gen(function* () {
  const path = yield* file
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode === undefined) return { current: "default", profiles: {} }
  if ((mode & 0o077) !== 0) {
    return yield* refused("wrong", `Other users may read ${path}, which holds keys: run chmod 600 ${path}`)
  }
  const stored = yield* Effect.try({
    try: () => decode(readFileSync(path, "utf8")),
    catch: () => refused("wrong", `Cannot read the profiles in ${path}`)
  })
  if (Result.isFailure(stored)) {
    return yield* refused("wrong", `${path} does not contain readable profiles: remove it, and run sluice login`)
  }
  return stored.success
})

/** Stores a profile, and makes it the current one. Answers the file. */
export const write = Effect.fnUntraced(function* (name: string, profile: Profile) {
  const path = yield* file
  const stored = yield* read
  const next: Stored = { current: name, profiles: { ...stored.profiles, [name]: profile } }
  yield* Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Renamed atomically, so that no reader sees a partial file.
      const draft = `${path}.${process.pid}`
      writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
      chmodSync(draft, 0o600)
      renameSync(draft, path)
    },
    catch: (cause) =>
      refused("failed", `Cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  return path
})
