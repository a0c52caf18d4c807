/**
 * What `sluice login` does: checks a key with its service, and keeps both in a profile.
 */
import { Effect, Option, Redacted, Stdio, Stream } from "effect"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { answer, type OutputSettings, progress } from "../../user/Output.ts"
import * as Profiles from "../../user/Profiles.ts"

const firstLine = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const line = yield* stdin.pipe(Stream.decodeText(), Stream.splitLines, Stream.runHead, Effect.option)
  return Option.flatten(line).pipe(Option.map((text) => text.trim()))
})

export const login = Effect.fnUntraced(function* (settings: ConnectionSettings & OutputSettings) {
  if (Option.isNone(settings.url)) {
    return yield* refused("wrong", "Which service? Name it with --url (SLUICE_URL), such as http://127.0.0.1:8787")
  }
  const url = settings.url.value
  if (Option.isNone(settings.apiKey)) yield* progress(settings, "Paste an API key, and press Enter:")
  const read = Option.isSome(settings.apiKey) ? settings.apiKey : Option.map(yield* firstLine, Redacted.make)
  const key = Option.getOrElse(read, () => Redacted.make(""))
  if (!/^[\x21-\x7e]{1,256}$/.test(Redacted.value(key))) {
    return yield* refused("wrong", "No key was given: set SLUICE_KEY, or write the key to standard input")
  }
  const name = Option.getOrElse(settings.profile, () => "default")
  const me = yield* connected({ url: settings.url, apiKey: Option.some(key), profile: Option.none() }, (client) =>
    client.workspaces.me()
  )
  const file = yield* Profiles.write(name, { url, key: Redacted.value(key) })
  yield* answer(
    settings,
    { profile: name, url, file, ...me },
    () => `Signed in to ${url} as ${me.role} of workspace ${me.workspace_id}: profile "${name}" in ${file}`
  )
})
