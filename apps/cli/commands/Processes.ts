/**
 * `sluice api`, `sluice scheduler`, `sluice worker` and `sluice migrate`: one part of the service each. Any number of
 * them, on any machines, work together on one `DATABASE_URL`.
 */
import { Console, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as Server from "../../api/Server.ts"
import * as BrowserSettings from "../BrowserSettings.ts"
import * as Ending from "../Ending.ts"
import * as Assembly from "../layers/Assembly.ts"
import * as FirstWorkspace from "../layers/FirstWorkspace.ts"
import * as Inbox from "../layers/Inbox.ts"
import * as Settings from "../Settings.ts"

export const api = Command.make(
  "api",
  {
    ...Settings.storage,
    ...Settings.listening,
    ...Settings.model,
    ...Settings.vault,
    ...Settings.inbox,
    ...Settings.inbound
  },
  Effect.fn(function* (settings) {
    const service = Layer.merge(Assembly.layerApi(settings), Inbox.layer(settings)).pipe(
      Layer.provideMerge(Assembly.layerEncryption(settings)),
      Layer.provideMerge(Assembly.layerStorage(settings))
    )
    yield* Effect.gen(function* () {
      yield* Console.log(`sluice ready ${yield* Server.address}`)
      yield* Effect.never
    }).pipe(Ending.leaving, Effect.provide(service))
  }, Ending.service)
).pipe(Command.withDescription("Serve the HTTP interface"))

export const inbox = Command.make(
  "inbox",
  { ...Settings.storage, ...Settings.vault, ...Settings.inbox },
  Effect.fn(function* (settings) {
    if (Option.isNone(settings.smtpPort)) {
      return yield* new Inbox.MailMisconfigured({ reason: "set SLUICE_SMTP_PORT to the port to receive it on" })
    }
    const service = Inbox.layer(settings).pipe(
      Layer.provide(Assembly.layerEncryption(settings)),
      Layer.provide(Assembly.layerStorage(settings))
    )
    yield* Effect.gen(function* () {
      yield* Console.log(`sluice inbox ready on port ${Option.getOrNull(settings.smtpPort)}`)
      yield* Effect.never
    }).pipe(Effect.provide(service))
  }, Ending.service)
).pipe(Command.withDescription("Receive mail with one-time codes and links"))

export const scheduler = Command.make(
  "scheduler",
  { ...Settings.storage, ...Settings.keeping },
  Effect.fn(function* (settings) {
    const running = Assembly.layerScheduler(settings).pipe(
      Layer.provide(Assembly.layerEncryption(settings)),
      Layer.provide(Assembly.layerStorage(settings))
    )
    yield* Effect.andThen(Console.log("sluice scheduler started"), Effect.never).pipe(Effect.provide(running))
  }, Ending.service)
).pipe(Command.withDescription("Open and close gates on time, and end lost or expired runs"))

export const worker = Command.make(
  "worker",
  { ...Settings.storage, ...Settings.working, ...Settings.model, ...BrowserSettings.browsers, ...Settings.vault },
  Effect.fn(function* (settings) {
    const running = Assembly.layerWorker(settings).pipe(
      Layer.provide(Assembly.layerEncryption(settings)),
      Layer.provide(Assembly.layerStorage(settings))
    )
    yield* Effect.andThen(Console.log("sluice worker started"), Effect.never).pipe(Effect.provide(running))
  }, Ending.service)
).pipe(Command.withDescription("Execute runs in a browser"))

export const migrate = Command.make(
  "migrate",
  {
    ...Settings.storage,
    bootstrapKey: Settings.bootstrap.bootstrapKey,
    bootstrapEncryptionKey: Settings.bootstrap.bootstrapEncryptionKey
  },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const made = yield* FirstWorkspace.make(settings)
      yield* Console.log("The database has the current schema")
      if (Option.isSome(made))
        yield* Console.log("The first workspace was created; create API keys for it with `sluice keys create`")
    }).pipe(
      Effect.provide(Assembly.layerEncryption(settings).pipe(Layer.provideMerge(Assembly.layerStorage(settings))))
    )
  })
).pipe(Command.withDescription("Migrate the database to the current schema, and create the first workspace"))
