/**
 * What `sluice worker` does: executes runs until it is interrupted.
 */
import { Console, Effect, Layer } from "effect"
import * as Ending from "../Ending.ts"
import * as Guards from "../guards/Guards.ts"
import * as Health from "../health/Health.ts"
import * as Installation from "../health/Installation.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { layerWorker, presence, type WorkerLayerSettings } from "../layers/Worker.ts"
import { untilEnd } from "./AtRest.ts"

export const worker = (settings: StorageSettings & WorkerLayerSettings & Health.HealthSettings) => {
  const own = presence(settings)
  return Effect.andThen(Console.log("sluice worker started"), untilEnd).pipe(
    Effect.provide(
      Health.checks.pipe(
        Layer.provideMerge(layerWorker(settings, own)),
        Layer.provideMerge(Installation.layer("worker", own)),
        Layer.provide(layerEncryption(settings)),
        Layer.provide(layerStorage(settings)),
        Layer.provide(Health.layer(settings))
      )
    ),
    (work) => Effect.andThen(Guards.check("worker", settings), work),
    Ending.service("worker")
  )
}
