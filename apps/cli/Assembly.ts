/**
 * Puts the layers of a process together from its settings.
 */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as ArtifactFolder from "../../adapters/files/ArtifactFolder.ts"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Host from "../../core/builder/Host.ts"
import * as Asking from "../../core/interaction/Asking.ts"
import * as Scheduler from "../../core/run/Scheduler.ts"
import * as Worker from "../../core/run/Worker.ts"
import * as LiveTickets from "../api/live/LiveTickets.ts"
import * as ArtifactLinks from "../api/run/ArtifactLinks.ts"
import * as Server from "../api/Server.ts"
import * as AgentExecutor from "../worker/AgentExecutor.ts"

export interface Storage {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly masterKey: Option.Option<Redacted.Redacted<string>>
}

export interface Working {
  readonly concurrency: number
  readonly builderSessions: number
  readonly chromium: Option.Option<string>
  readonly allowPrivateNetworks: boolean
  readonly graceSeconds: number
}

/** Raised when processes share a database but were given no key to share. */
export class NoMasterKey extends Schema.TaggedError<NoMasterKey>()("NoMasterKey", {}) {
  override get message() {
    return "Cannot start without a master key: with DATABASE_URL, set SLUICE_MASTER_KEY to 64 hexadecimal digits, the same for every process"
  }
}

/** Raised when there is no browser to be found. */
export class NoChromium extends Schema.TaggedError<NoChromium>()("NoChromium", {}) {
  override get message() {
    return "Cannot run workflows without Chromium: none was found in the usual places. Install it, or set SLUICE_CHROMIUM to the program"
  }
}

/** Stores, signals, identifiers and artifacts. */
export const layerStorage = (settings: Storage) => {
  const artifacts = ArtifactFolder.layer(`${settings.dataDir}/artifacts`)
  const stores = Option.match(settings.databaseUrl, {
    onNone: () => Layer.fresh(Embedded.layer(settings.dataDir)),
    onSome: (url) => Postgres.layer(url)
  })
  return Layer.mergeAll(stores, artifacts, Crypto.layer)
}

/** The HTTP interface, on the stores. */
export const layerApi = (settings: Storage & { readonly host: string; readonly port: number }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const masterKey = yield* masterKeyOf(settings)
      return Server.layer({ host: settings.host, port: settings.port }).pipe(
        Layer.provide([layerReadiness, ArtifactLinks.layer(masterKey), LiveTickets.layer(masterKey)])
      )
    })
  )

/** The scheduler, running for as long as the layer lives. */
export const layerScheduler = Layer.effectDiscard(
  Effect.andThen(Effect.forkScoped(Scheduler.run()), Effect.forkScoped(Asking.sweep()))
)

/**
 * A worker with its browser, which carries out runs and hosts conversations for as long as the layer lives; its release is
 * the orderly shutdown.
 */
export const layerWorker = (settings: Working, allowedOrigins: ReadonlyArray<string> = []) => {
  const name = `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`
  const worker = Layer.effectDiscard(
    Effect.forkScoped(
      Worker.run({
        name,
        capacity: settings.concurrency,
        leaseMillis,
        graceMillis: settings.graceSeconds * 1_000
      })
    )
  ).pipe(Layer.provide(AgentExecutor.layer))
  const host = Layer.effectDiscard(
    Effect.forkScoped(Host.run({ name, capacity: settings.builderSessions, leaseMillis }))
  )
  return Layer.mergeAll(worker, host).pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.gen(function* () {
          const executablePath = PlaywrightBrowser.findExecutable(settings.chromium, existsSync)
          if (Option.isNone(executablePath)) return yield* new NoChromium()
          return PlaywrightBrowser.layer({
            ...PlaywrightBrowser.defaults,
            executablePath: executablePath.value,
            allowPrivateNetworks: settings.allowPrivateNetworks,
            allowedOrigins
          })
        })
      )
    )
  )
}

/** How long a lease lasts without being renewed. */
const leaseMillis = 30_000

const layerReadiness = Layer.effect(
  Server.Readiness,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Server.Readiness.of({
      ready: sql`select 1`.pipe(
        Effect.timeout("2 seconds"),
        Effect.as(true),
        Effect.catchCause(() => Effect.succeed(false))
      )
    })
  )
)

/** The given master key, or else the one that belongs to the embedded data, made when there is none yet. */
const masterKeyOf = (settings: Storage) =>
  Effect.gen(function* () {
    if (Option.isSome(settings.masterKey)) return settings.masterKey.value
    if (Option.isSome(settings.databaseUrl)) return yield* new NoMasterKey()
    const file = `${settings.dataDir}/master.key`
    if (!existsSync(file)) {
      mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
      writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" })
    }
    return Redacted.make(readFileSync(file, "utf8").trim())
  })
