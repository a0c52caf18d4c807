/**
 * The stores, signals, identifiers and artifacts of a process, and its encryption keys.
 *
 * A database and an artifact store are loaded where the settings name them, since each is large.
 */
import { Effect, Layer, Option, type Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as RunLog from "../../../core/run/RunLog.ts"
import { WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import * as Artifacts from "./Artifacts.ts"
import * as MasterKeys from "./MasterKeys.ts"

export interface StorageSettings extends MasterKeys.Sources, Artifacts.Settings {
  readonly databaseConnections: number
  /** The time to wait for an unreachable database; none: without limit. */
  readonly waitSeconds: Option.Option<number>
  /** Whether Owners may move the time of the installation. */
  readonly testClock: boolean
}

/** The clock of an installation for tests, on the stores; nothing for others. */
const layerTestClock = (testClock: boolean) =>
  testClock
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../../adapters/postgres/server/TestClock.ts")),
          (TestClock) => Layer.merge(TestClock.layer, Layer.effectDiscard(Effect.logWarning(movable)))
        )
      )
    : Layer.empty

const movable = "Owners may move the time of this installation (SLUICE_TEST_CLOCK): it is for tests only"

const layerEmbedded = ({ dataDir, testClock }: StorageSettings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../../../adapters/embedded/Embedded.ts")),
      (Embedded) => Layer.provideMerge(Layer.merge(RunLog.layer, layerTestClock(testClock)), Embedded.layer(dataDir))
    )
  )

const layerPostgres = (
  url: Redacted.Redacted<string>,
  { databaseConnections, testClock, waitSeconds }: StorageSettings
) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() =>
        Promise.all([
          import("../../../adapters/postgres/Stores.ts"),
          import("../../../adapters/postgres/server/DatabaseClock.ts")
        ])
      ),
      ([Postgres, DatabaseClock]) => {
        const waitMillis = Option.getOrElse(waitSeconds, () => Number.POSITIVE_INFINITY) * 1_000
        return Layer.merge(RunLog.layer, layerTestClock(testClock)).pipe(
          Layer.provideMerge(DatabaseClock.layer),
          Layer.provideMerge(Postgres.layer(url, databaseConnections, waitMillis))
        )
      }
    )
  )

/** Stores, signals, identifiers and artifacts. */
export const layerStorage = (settings: StorageSettings) => {
  const stores = Option.match(settings.databaseUrl, {
    onNone: () => Layer.fresh(layerEmbedded(settings)),
    onSome: (url) => layerPostgres(url, settings)
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
