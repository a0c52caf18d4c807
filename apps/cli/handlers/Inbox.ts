/**
 * What `sluice inbox` does: receives mail until it is interrupted.
 */
import { Console, Effect, Layer, Option } from "effect"
import * as Ending from "../Ending.ts"
import * as Guards from "../guards/Guards.ts"
import * as Health from "../health/Health.ts"
import * as Inbox from "../layers/Inbox.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { untilEnd } from "./AtRest.ts"

export const inbox = Effect.fnUntraced(function* (
  settings: StorageSettings & Inbox.ReceivingMail & Health.HealthSettings
) {
  yield* Guards.check("inbox", settings)
  if (Option.isNone(settings.smtpPort)) {
    return yield* new Inbox.MailMisconfigured({ reason: "set SLUICE_SMTP_PORT to the port to receive it on" })
  }
  const service = Health.checks.pipe(
    Layer.provideMerge(Inbox.layer(settings)),
    Layer.provide(layerEncryption(settings)),
    Layer.provide(layerStorage(settings)),
    Layer.provide(Health.layer(settings))
  )
  yield* Effect.gen(function* () {
    yield* Console.log(`sluice inbox ready on port ${Option.getOrNull(settings.smtpPort)}`)
    yield* untilEnd
  }).pipe(Effect.provide(service))
}, Ending.service("inbox"))
