/**
 * What `sluice login` does: checks a key with its service, or makes one with an invitation, and keeps both in a profile.
 */
import { Effect, Option, Redacted, Stdio, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Client from "../../../api/Client.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refusalOf, refused } from "../../user/Ending.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as Profiles from "../../user/Profiles.ts"
import * as Secrets from "../../user/Secrets.ts"

const firstLine = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const line = yield* stdin.pipe(Stream.decodeText(), Stream.splitLines, Stream.runHead, Effect.option)
  return Redacted.make(Option.getOrElse(Option.flatten(line), () => ""))
})

/** The key or the token of the settings, else one that is typed without echo, or the first line of standard input. */
const given = Effect.fnUntraced(function* ({ apiKey }: ConnectionSettings) {
  if (Option.isSome(apiKey)) return apiKey.value
  const read = (yield* Secrets.isTerminal)
    ? yield* Secrets.hidden("API key, or the token of an invitation")
    : yield* firstLine
  return Redacted.make(Redacted.value(read).trim())
})

const isInvitation = (secret: Redacted.Redacted<string>): boolean => Redacted.value(secret).startsWith("inv_")

/** Makes the key of an invitation. It is shown by no answer again. */
const accepted = Effect.fnUntraced(function* (url: string, token: Redacted.Redacted<string>) {
  const client = yield* Client.make({ baseUrl: url })
  const made = yield* client.invitations.acceptInvitation({ payload: { token: Redacted.value(token) } })
  return Redacted.make(made.key)
}, Effect.provide(FetchHttpClient.layer))

export const login = Effect.fnUntraced(function* (settings: ConnectionSettings & OutputSettings) {
  if (Option.isNone(settings.url)) {
    return yield* refused(
      "wrong",
      "Expected the address of a service in --url (SLUICE_URL), such as http://127.0.0.1:8787"
    )
  }
  const url = settings.url.value
  const secret = yield* given(settings)
  if (!/^[\x21-\x7e]{1,256}$/.test(Redacted.value(secret))) {
    return yield* refused("wrong", "No key was given: set SLUICE_KEY, or write the key to standard input")
  }
  // An invitation can be accepted once, so check first that the profile can be written.
  yield* Profiles.read
  const isNew = isInvitation(secret)
  const key = isNew ? yield* Effect.mapError(accepted(url, secret), (error) => refusalOf(error, url)) : secret
  const name = Option.getOrElse(settings.profile, () => "default")
  const kept = Effect.gen(function* () {
    const me = yield* connected({ url: settings.url, apiKey: Option.some(key), profile: Option.none() }, (client) =>
      client.workspaces.me()
    )
    return { me, file: yield* Profiles.write(name, { url, key: Redacted.value(key) }) }
  })
  const { file, me } = yield* isNew
    ? Effect.tapError(kept, () =>
        answer(
          settings,
          { key: Redacted.value(key) },
          () => `The key of the invitation is ${Redacted.value(key)}. Store it: it is not shown again`
        )
      )
    : kept
  yield* answer(
    settings,
    { profile: name, url, file, ...me },
    () =>
      `${isNew ? "Accepted the invitation, and signed in" : "Signed in"} to ${url} as ${me.role} of workspace ${me.workspace_id}: profile "${name}" in ${file}`
  )
})
