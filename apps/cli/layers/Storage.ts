/**
 * The stores, signals, identifiers and artifacts of a process, and its encryption keys.
 *
 * A database and an artifact store are loaded where the settings name them, since each is large.
 */
import { Effect, Layer, Option, type Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import { WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import * as Artifacts from "./Artifacts.ts"
import * as MasterKeys from "./MasterKeys.ts"

export interface StorageSettings extends MasterKeys.Sources, Artifacts.Settings {}

const layerEmbedded = (folder: string) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../../../adapters/embedded/Embedded.ts")),
      (Embedded) => Embedded.layer(folder)
    )
  )

const layerPostgres = (url: Redacted.Redacted<string>) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../../../adapters/postgres/Stores.ts")),
      (Postgres) => Postgres.layer(url)
    )
  )

/** Stores, signals, identifiers and artifacts. */
export const layerStorage = (settings: StorageSettings) => {
  const stores = Option.match(settings.databaseUrl, {
    onNone: () => Layer.fresh(layerEmbedded(settings.dataDir)),
    onSome: layerPostgres
  })
  return Layer.mergeAll(stores, Artifacts.layer(settings), Crypto.layer)
}

/**
 * The encryption keys of workspaces and what is sealed with them, on the stores. It does not build with a wrong master
 * key: every service that reads or writes secrets is built on it.
 */
export const layerEncryption = (settings: StorageSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = yield* (yield* WrappedKeys).list
      const { present, previous } = yield* MasterKeys.read(settings, { mayMake: known.length === 0 })
      return Encryption.layer(present, previous)
    })
  )
