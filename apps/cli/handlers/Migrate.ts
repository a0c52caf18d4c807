/**
 * What `sluice migrate` does: migrates the database, and creates the first workspace.
 */
import { Effect, Layer, Option } from "effect"
import * as Migrations from "../../../adapters/postgres/Migrations.ts"
import * as Guards from "../guards/Guards.ts"
import * as FirstWorkspace from "../layers/FirstWorkspace.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { answer, type OutputSettings } from "../user/Output.ts"

export const migrate = (settings: StorageSettings & FirstWorkspace.Bootstrap & OutputSettings) =>
  Effect.gen(function* () {
    const made = yield* FirstWorkspace.make(settings)
    const isFirst = Option.isSome(made)
    yield* answer(settings, { migration: Migrations.newest, created_first_workspace: isFirst }, () =>
      [
        "The database has the current schema",
        ...(isFirst ? ["The first workspace was created; create API keys for it with `sluice keys create`"] : [])
      ].join("\n")
    )
  }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))), (work) =>
    Effect.andThen(Guards.check("migrate", settings), work)
  )
