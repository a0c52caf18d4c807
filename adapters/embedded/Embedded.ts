/**
 * The stores on a database that runs in a separate process and is stored in a folder: PostgreSQL compiled to WebAssembly
 * (PGlite), with the same statements as on a server.
 *
 * The folder belongs to one process at a time. A write that was answered survives the end of the process, `kill -9`
 * included; it survives the loss of power if the file system has written it.
 */

import * as PgClient from "@effect/sql-pg/PgClient"
import { Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Signals } from "../../core/runtime/Signals.ts"
import * as OwnerOnly from "../files/OwnerOnly.ts"
import { layerSignals } from "../memory/LocalSignals.ts"
import * as MemoryLiveChannel from "../memory/run/MemoryLiveChannel.ts"
import { layerStores, maxMessageSize } from "../postgres/Stores.ts"
import * as Probe from "../postgres/server/Probe.ts"
import * as Startup from "../postgres/server/Startup.ts"
import * as WriteProbe from "../postgres/server/WriteProbe.ts"
import * as Database from "./Database.ts"
import * as Lock from "./Lock.ts"
import * as Room from "./Room.ts"

/** Raised when the folder of the database cannot be used. */
export class CannotOpenData extends Schema.TaggedError<CannotOpenData>()("CannotOpenData", {
  folder: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot open the data folder ${this.folder}: ${this.reason}`
  }
}

/** The client of an embedded database that is open. The database serves one connection at a time. */
export const layerClientOf = (database: Database.Database) =>
  PgClient.layer({
    stream: database.connect,
    username: "postgres",
    database: "postgres",
    // The database answers or is lost, and a connection waits for the one before. No clock decides that.
    connectTimeout: Duration.infinity,
    // The pool holds the one connection, for as long as there is the pool.
    maxMessageSize,
    maxConnections: 1,
    minConnections: 1
  })

/** The client of an embedded database. Without a folder it lives in memory, and is gone with the layer. */
const layerClient = (folder: string | null) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (folder !== null) {
        yield* Lock.acquire(folder)
        // Now, so that nothing in it is within reach while the database is opened.
        OwnerOnly.restrict(folder)
      }
      const services = yield* Effect.context<never>()
      const onRestart = (reason: string): void =>
        void Effect.runForkWith(services)(
          Effect.logWarning(
            `The embedded database ended unexpectedly and is started again with all that was stored: ${reason}`
          )
        )
      const database = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () =>
            Database.open({ folder: folder === null ? null : `${folder}/database`, template: null, onRestart }),
          catch: (error) =>
            new CannotOpenData({
              folder: folder ?? "(memory)",
              reason: error instanceof Error ? error.message : String(error)
            })
        }),
        (open) => Effect.promise(() => open.close())
      ).pipe(Startup.during("it opens its database"))
      // Afterwards, because a new database is unpacked with modes that no umask changes.
      if (folder !== null) yield* restrict(folder)
      return layerClientOf(database)
    })
  )

/**
 * Takes the rights of other users away from a data folder, which an older version or another program may have given. The
 * artifacts keep their modes, as they were always made for their owner only: there may be too many to look at each start.
 */
const restrict = (folder: string) =>
  Effect.suspend(() => {
    const [first, ...more] = [
      ...(OwnerOnly.isOpen(folder) ? [folder] : []),
      ...["database", "lock", "master.key", "master.key.next"].flatMap((name) =>
        OwnerOnly.restrictAll(`${folder}/${name}`)
      )
    ]
    if (first === undefined) return Effect.void
    const others = more.length === 0 ? "" : ` and ${more.length} other files`
    return Effect.logWarning(
      `Other users of this machine have rights to ${first}${others}, and this process may not change their modes. Set folders to 0700 and files to 0600`
    )
  })

/** Signals within this process, each sent after the transaction that it announces. */
const layerSignalsAfterCommit = Layer.effect(
  Signals,
  Effect.gen(function* () {
    const { publish, subscribe } = yield* Signals
    const sql = yield* SqlClient.SqlClient
    return Signals.of({ publish: (signal) => sql.afterCommit(publish(signal)), subscribe })
  })
).pipe(Layer.provide(layerSignals))

/** All stores and signals on the client of an embedded database. */
export const layerOn = <E, R>(client: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, E, R>) =>
  Layer.mergeAll(layerStores, layerSignalsAfterCommit, MemoryLiveChannel.layer, Probe.layer, WriteProbe.layer).pipe(
    Layer.provideMerge(client)
  )

/** All stores and signals on an embedded database. */
export const layer = (folder: string | null) => {
  const opened = layerOn(layerClient(folder))
  const stores = folder === null ? opened : Layer.provideMerge(Room.layer(folder), opened)
  // The type of the layer that fails: the layer in its place has the same services.
  type Stores = Layer.Layer<Layer.Success<typeof stores>>
  return stores.pipe(
    Layer.catchTag("ForeignSchema", ({ reason }) => {
      const failed: Effect.Effect<Stores, CannotOpenData> = new CannotOpenData({
        folder: folder ?? "(memory)",
        reason: `${reason}. Run the version that made it, or move the folder away to start with an empty one`
      })
      return Layer.unwrap(failed)
    })
  )
}
