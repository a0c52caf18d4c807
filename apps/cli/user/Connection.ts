/**
 * The service that a command talks to: named by its flags, by variables, or by a profile.
 */
import { Effect, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import * as Client from "../../api/Client.ts"
import { type Refused, refusalOf, refused } from "./Ending.ts"
import * as Profiles from "./Profiles.ts"

/** The flags of every command that talks to a service. */
export interface ConnectionSettings {
  readonly url: Option.Option<string>
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  readonly profile: Option.Option<string>
  /** The workspace that the key has to be of, where a command names one. */
  readonly workspace?: Option.Option<string>
}

/** The address and the key of a service. */
export interface Target {
  readonly url: string
  readonly key: Redacted.Redacted<string>
}

const howTo = "run sluice login, or set SLUICE_URL and SLUICE_KEY"

/**
 * The service that the settings name. The key of a profile is sent only to the address of that profile: with another
 * address, the key has to be given, too.
 */
export const target = Effect.fnUntraced(function* (settings: ConnectionSettings) {
  const { apiKey, url } = settings
  if (Option.isSome(url) && Option.isSome(apiKey)) return { url: url.value, key: apiKey.value } satisfies Target
  const { current, profiles } = yield* Profiles.read
  const name = Option.getOrElse(settings.profile, () => current)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile === undefined) {
    if (Option.isSome(settings.profile)) {
      const known = Object.keys(profiles)
      return yield* refused(
        "wrong",
        `There is no profile "${name}" (SLUICE_PROFILE): ${known.length === 0 ? "none is stored" : `the profiles are ${known.join(", ")}`}`
      )
    }
    return yield* refused(
      "wrong",
      Option.isSome(url)
        ? `No key for ${url.value} is set (SLUICE_KEY): ${howTo}`
        : `No service is configured (SLUICE_URL): ${howTo}`
    )
  }
  if (Option.isSome(url) && url.value !== profile.url) {
    return yield* refused(
      "wrong",
      `The key of profile "${name}" is for ${profile.url}, not for ${url.value}: set SLUICE_KEY, too`
    )
  }
  return {
    url: profile.url,
    key: Option.getOrElse(apiKey, () => Redacted.make(profile.key))
  } satisfies Target
})

/** A client of the service, which sends these headers, too. */
export const client = (
  { key, url }: Target,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Client.Client> =>
  Client.make({ baseUrl: url, key }).pipe(
    Effect.updateService(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.setHeaders(headers))),
    Effect.provide(FetchHttpClient.layer)
  )

/** Runs a command with a client. Its failures become sentences with their class. */
export const connected = <A, E, R>(
  settings: ConnectionSettings,
  command: (client: Client.Client, target: Target) => Effect.Effect<A, E, R>
): Effect.Effect<A, Refused, R> =>
  Effect.gen(function* () {
    const found = yield* target(settings)
    const commanded = Effect.fnUntraced(function* (made: Client.Client) {
      const named = Option.getOrNull(settings.workspace ?? Option.none())
      const own = named === null ? null : (yield* made.workspaces.me()).workspace_id
      if (own !== named) {
        return yield* refused(
          "wrong",
          `The key is of workspace ${own}, not of ${named}: set SLUICE_KEY to a key of that one`
        )
      }
      return yield* command(made, found)
    })
    return yield* Effect.flatMap(client(found), commanded).pipe(Effect.mapError((error) => refusalOf(error, found.url)))
  })
