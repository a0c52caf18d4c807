/**
 * What `sluice scheduler` does: opens and closes gates, and ends lost and expired runs, until it is interrupted.
 */
import { Console, Effect, Layer } from "effect"
import * as Ending from "../Ending.ts"
import * as Guards from "../guards/Guards.ts"
import * as Health from "../health/Health.ts"
import * as Installation from "../health/Installation.ts"
import { layerScheduler } from "../layers/Scheduler.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { untilEnd } from "./AtRest.ts"
import type { Keeping } from "./retention/Keeping.ts"

export const scheduler = (settings: StorageSettings & Keeping & Health.HealthSettings) =>
  Effect.andThen(Console.log("sluice scheduler started"), untilEnd).pipe(
    Effect.provide(
      Health.checks.pipe(
        Layer.provideMerge(layerScheduler(settings)),
        Layer.provideMerge(Installation.layer("scheduler")),
        Layer.provide(layerEncryption(settings)),
        Layer.provide(layerStorage(settings)),
        Layer.provide(Health.layer(settings))
      )
    ),
    (work) => Effect.andThen(Guards.check("scheduler", settings), work),
    Ending.service("scheduler")
  )
