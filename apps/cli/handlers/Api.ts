/**
 * What `sluice api` does: serves the HTTP interface until it is interrupted.
 */
import { Console, Effect, Layer } from "effect"
import { leaving } from "../../api/http/Closing.ts"
import * as Server from "../../api/Server.ts"
import * as Ending from "../Ending.ts"
import * as Guards from "../guards/Guards.ts"
import * as Health from "../health/Health.ts"
import * as Installation from "../health/Installation.ts"
import { layerApi, type Serving } from "../layers/Api.ts"
import * as Inbox from "../layers/Inbox.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { untilEnd } from "./AtRest.ts"

export const api = Effect.fnUntraced(function* (
  settings: StorageSettings & Serving & Inbox.ReceivingMail & Health.HealthSettings
) {
  yield* Guards.check("api", settings)
  const service = Health.checks.pipe(
    Layer.provideMerge(Layer.merge(layerApi(settings), Inbox.layer(settings))),
    Layer.provideMerge(Installation.layer("api")),
    Layer.provideMerge(layerEncryption(settings)),
    Layer.provideMerge(layerStorage(settings)),
    Layer.provide(Health.layer(settings))
  )
  yield* Effect.gen(function* () {
    yield* Console.log(`sluice ready ${yield* Server.address}`)
    yield* untilEnd
  }).pipe(leaving, Effect.provide(service))
}, Ending.service("api"))
