/** What goes wrong with a database as a whole. Each fault ends by itself, also where it is interrupted. */
import { chownSync, statfsSync, statSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnServer, standbyOf, startServer } from "../support/ownServer.ts"
import { resize, smallDisk } from "../support/smallDisk.ts"
import { until } from "../support/waiting.ts"

/** Uses the database past everything that goes wrong. */
export const withDatabase = <A, E>(database: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(database), maxConnections: 1 })),
    Effect.orDie
  )

/** Ends all other sessions of the database. */
export const endSessions = (sql: SqlClient.SqlClient) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`

const nameOf = (database: string) => new URL(database).pathname.slice(1)

/** Changes a setting that new sessions take, ends the others, and takes the change back after a while. */
const altered = (database: string, to: string, back: string, millis: number) =>
  withDatabase(database, (sql) =>
    Effect.acquireUseRelease(
      sql.unsafe(`alter database ${nameOf(database)} ${to}`),
      () => Effect.andThen(endSessions(sql), Effect.sleep(millis)),
      () => Effect.orDie(sql.unsafe(`alter database ${nameOf(database)} ${back}`))
    )
  )

/** Sessions accept no writes, as after a failover, and those that began meanwhile never will. */
export const readOnly = (database: string, millis: number) =>
  altered(database, "set default_transaction_read_only = on", "reset default_transaction_read_only", millis)

/** No more than `most` sessions are granted, except to superusers. */
export const sessionLimit = (database: string, most: number, millis: number) =>
  altered(database, `connection limit ${most}`, "connection limit -1", millis)

/** A transaction sees the database as it was when it began. Another fault may end it. */
export const oldSnapshot = (database: string, millis: number) =>
  Effect.ignore(
    withDatabase(database, (sql) =>
      Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set transaction isolation level repeatable read`
            yield* sql`select count(*) from runs`
            yield* Effect.sleep(millis)
          })
        )
      )
    )
  )

/** Moves the tables of a database, which nobody uses, to a disk. */
export const moveTo = (database: string, folder: string) => {
  const server = new URL(database)
  server.pathname = "/postgres"
  return withDatabase(server.href, (sql) =>
    Effect.andThen(
      sql.unsafe(`create tablespace small location '${folder}'`),
      sql.unsafe(`alter database ${nameOf(database)} set tablespace small`)
    )
  )
}

/** The size of the disk while it is not full, in MB. */
const diskMegabytes = 400

/** The disk has no space left. */
export const fullDisk = (folder: string, millis: number) =>
  Effect.acquireUseRelease(
    // It grows between the look and the change.
    until(
      "a full disk",
      Effect.sync(() => {
        const { bfree, blocks, bsize } = statfsSync(folder)
        return resize(folder, (blocks - bfree) * bsize)
      }),
      (isDone) => isDone
    ),
    () => Effect.sleep(millis),
    () => Effect.sync(() => resize(folder, diskMegabytes * 1_024 ** 2))
  )

/** What a server needs whose place a standby takes while it works. */
const serverSettings = ["max_connections=200", "wal_keep_size=256MB"]

/** A server that nobody else uses, and a disk that it may write to: `null` where this user may mount none. */
export const ownServerWithDisk = Effect.gen(function* () {
  const { folder, isMounted } = yield* smallDisk(diskMegabytes)
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => startServer(serverSettings)),
    ({ stop }) => Effect.promise(stop)
  )
  const { gid, uid } = statSync(server.folder)
  chownSync(folder, uid, gid)
  return { server, disk: isMounted ? folder : null }
})

/**
 * Makes a standby that has every commit before it is answered, ends the server at once, and promotes the standby, which is
 * answered.
 */
export const failover = (server: OwnServer, millis: number) =>
  Effect.gen(function* () {
    const standby = yield* standbyOf(server, serverSettings)
    yield* withDatabase(server.url, (sql) =>
      Effect.gen(function* () {
        yield* sql`alter system set synchronous_standby_names = '*'`
        yield* sql`select pg_reload_conf()`
        const follows = sql<{ readonly state: string }>`select sync_state as state from pg_stat_replication`
        yield* until("commits to wait for the standby", follows, (all) => all.some(({ state }) => state === "sync"))
        const [now] = yield* sql<{ readonly lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`
        yield* until(
          "the standby to have what was committed before",
          sql<{
            readonly has: boolean
          }>`select flush_lsn >= ${now?.lsn ?? ""}::text::pg_lsn as has from pg_stat_replication`,
          (all) => all.some(({ has }) => has)
        )
      })
    )
    yield* Effect.sleep(millis)
    yield* Effect.promise(server.crash)
    yield* withDatabase(standby.url, (sql) => sql`select pg_promote()`)
    return standby
  })
