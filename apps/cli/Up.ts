/**
 * `sluice up`: everything in one process, and the demo when the data is empty.
 */
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import * as Server from "../api/Server.ts"
import * as Demo from "../demo/Demo.ts"
import * as Site from "../demo/Site.ts"
import * as Terminal from "../demo/Terminal.ts"
import * as Assembly from "./Assembly.ts"
import * as FirstWorkspace from "./FirstWorkspace.ts"
import * as Settings from "./Settings.ts"

export const up = Command.make(
  "up",
  {
    ...Settings.storage,
    ...Settings.listening,
    ...Settings.working,
    ...Settings.vault,
    ...Settings.inbox,
    ...Settings.inbound,
    ...Settings.bootstrap
  },
  Effect.fn(function* (settings) {
    const withDemo = settings.demo && Option.isNone(settings.databaseUrl)
    const site = withDemo ? Option.some(yield* Site.serve(settings.port === 0 ? 0 : settings.port + 1)) : Option.none()
    const service = Layer.mergeAll(
      Assembly.layerApi(settings),
      Assembly.layerInbox(settings),
      Assembly.layerScheduler,
      Assembly.layerWorker(settings, Option.toArray(site))
    ).pipe(Layer.provideMerge(Assembly.layerEncryption(settings)), Layer.provideMerge(Assembly.layerStorage(settings)))

    yield* Effect.gen(function* () {
      const made = yield* FirstWorkspace.make(settings)
      const api = yield* Server.address
      if (Option.isSome(made)) yield* Console.log(welcome(api, made.value))
      if (Option.isSome(site)) yield* Console.log(`Demo site   ${site.value}/login`)
      yield* Console.log(`sluice ready ${api}`)
      if (Option.isSome(made) && Option.isSome(site)) {
        yield* Demo.run(
          { api, key: made.value.key, encryptionKey: made.value.encryptionKey, site: site.value },
          terminal()
        ).pipe(
          Effect.provide(FetchHttpClient.layer),
          Effect.matchEffect({
            onFailure: (error) => Console.error(error.message),
            onSuccess: (id) => Console.log(`\nThat was workflow ${id}. The service goes on; Ctrl-C ends it.`)
          })
        )
      }
      yield* Effect.never
    }).pipe(Effect.provide(service))
  }, Effect.scoped)
).pipe(Command.withDescription("Run the API, the scheduler and a worker in one process"))

const welcome = (api: string, { encryptionKey, key }: FirstWorkspace.Made): string =>
  [
    "A first workspace was made. Its owner's API key is shown this once, and the key that its credentials are sealed",
    "with; `sluice keys encryption` shows that one again:",
    "",
    `  API key          ${Redacted.value(key)}`,
    `  Encryption key   ${Redacted.value(encryptionKey)}`,
    "",
    `Interface   ${api}`,
    `Reference   ${api}/docs`
  ].join("\n")

const terminal = () =>
  Terminal.report((line) => process.stdout.write(`${line}\n`), {
    colours: process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === ""
  })
