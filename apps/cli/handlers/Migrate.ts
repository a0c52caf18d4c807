/**
 * What `sluice migrate` does: migrates the database, and creates the first workspace.
 */
import { Console, Effect, Layer, Option } from "effect"
import * as Guards from "../guards/Guards.ts"
import * as FirstWorkspace from "../layers/FirstWorkspace.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"

export const migrate = (settings: StorageSettings & FirstWorkspace.Bootstrap) =>
  Effect.gen(function* () {
    const made = yield* FirstWorkspace.make(settings)
    yield* Console.log("The database has the current schema")
    if (Option.isSome(made))
      yield* Console.log("The first workspace was created; create API keys for it with `sluice keys create`")
  }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))), (work) =>
    Effect.andThen(Guards.check("migrate", settings), work)
  )
