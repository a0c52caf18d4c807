/**
 * What `sluice worker` does: executes runs until it is interrupted.
 */
import { Console, Effect, Layer } from "effect"
import * as Ending from "../Ending.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { layerWorker, type Working } from "../layers/Worker.ts"
import { untilEnd } from "./AtRest.ts"

export const worker = (settings: StorageSettings & Working) =>
  Effect.andThen(Console.log("sluice worker started"), untilEnd).pipe(
    Effect.provide(
      layerWorker(settings).pipe(Layer.provide(layerEncryption(settings)), Layer.provide(layerStorage(settings)))
    ),
    Ending.service("worker")
  )
