/**
 * What `sluice scheduler` does: opens and closes gates, and ends lost and expired runs, until it is interrupted.
 */
import { Console, Effect, Layer } from "effect"
import * as Ending from "../Ending.ts"
import { type Keeping, layerScheduler } from "../layers/Scheduler.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { untilEnd } from "./AtRest.ts"

export const scheduler = (settings: StorageSettings & Keeping) =>
  Effect.andThen(Console.log("sluice scheduler started"), untilEnd).pipe(
    Effect.provide(
      layerScheduler(settings).pipe(Layer.provide(layerEncryption(settings)), Layer.provide(layerStorage(settings)))
    ),
    Ending.service("scheduler")
  )
