import { chownSync, statSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { Probe } from "../../adapters/postgres/server/Probe.ts"
import { WriteProbe } from "../../adapters/postgres/server/WriteProbe.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { migratedDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { ownServer, standbyOf, startServer } from "../support/ownServer.ts"
import { smallDisk } from "../support/smallDisk.ts"
import { until } from "../support/waiting.ts"

const sessionOf = (url: string) =>
  Effect.map(Layer.build(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), (services) =>
    Context.get(services, SqlClient.SqlClient)
  )

/** A process on a database: whether it can submit a run, and what its readiness says of writes. */
const processOn = (url: string, connections = 4) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Postgres.layer(Redacted.make(url), connections, 60_000))
    const within = Effect.provideContext(services)
    const made = yield* within(Effect.flatMap(makeWorkspace(), (caller) => makeWorkflow(caller)))
    const submit = within(Effect.flatMap(RunStore, (runs) => Effect.exit(Effect.asVoid(runs.submit(submission(made))))))
    const writes = within(Effect.flatMap(WriteProbe, ({ ask }) => ask))
    const isSilent = within(Effect.flatMap(Probe, (probe) => probe.isSilent))
    /** Uses all connections of the pool at once. */
    const submitAll = Effect.map(
      Effect.replicateEffect(submit, 3 * connections, { concurrency: "unbounded" }),
      (exits) => exits.every(Exit.isSuccess)
    )
    return { submit, submitAll, writes, isSilent }
  })

it.live("a failover to a standby is followed, by writes and by readiness", () =>
  Effect.gen(function* () {
    const primary = yield* ownServer
    const standby = yield* standbyOf(primary)
    const [first, second] = [new URL(primary.url), new URL(standby.url)]
    // The standby stands in front: a process takes the one that accepts writes.
    const both = `postgres://postgres:sluice@${second.host},${first.host}/postgres`
    const { submit, submitAll, writes } = yield* processOn(both)
    assert.isTrue(yield* submitAll)
    assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })
    const copy = yield* sessionOf(standby.url)
    const primarily = yield* sessionOf(primary.url)
    const [at] = yield* primarily<{ readonly lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`
    yield* until(
      "the standby to have all of it",
      copy<{ readonly has: boolean }>`select pg_last_wal_replay_lsn() >= ${at?.lsn ?? ""}::text::pg_lsn as has`,
      ([row]) => row?.has === true
    )
    yield* Effect.promise(primary.stop)
    assert.isTrue(Exit.isFailure(yield* submit))
    assert.notStrictEqual((yield* writes)._tag, "Accepted")
    yield* copy`select pg_promote()`
    yield* until("a write on the promoted standby", submit, Exit.isSuccess)
    assert.isTrue(yield* submitAll)
    assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })
  }).pipe(Effect.scoped)
)

it.live("a process that knows its standby alone waits for the promotion, and then writes", () =>
  Effect.gen(function* () {
    const primary = yield* ownServer
    yield* Effect.scoped(Layer.build(Postgres.layer(Redacted.make(primary.url), 4)))
    const standby = yield* standbyOf(primary)
    const refused = yield* Effect.flip(
      Effect.scoped(Layer.build(Postgres.layer(Redacted.make(`${standby.url}?target_session_attrs=primary`), 4)))
    )
    assert.include(refused.message, "the server accepts no writes")
    yield* (yield* sessionOf(standby.url))`select pg_promote()`
    const { submitAll } = yield* processOn(standby.url)
    assert.isTrue(yield* submitAll)
  }).pipe(Effect.scoped)
)

it.live("sessions that refuse writes are not used again after the server accepts them", () =>
  Effect.gen(function* () {
    const url = yield* migratedDatabase
    const name = new URL(url).pathname.slice(1)
    const { submit, submitAll, writes } = yield* processOn(url)
    assert.isTrue(yield* submitAll)
    const admin = yield* sessionOf(url.replace(name, "postgres"))
    yield* admin.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    yield* admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    yield* until("a write that is refused", submit, Exit.isFailure)
    const said = yield* until("the probe to be refused", writes, ({ _tag }) => _tag === "Refused")
    assert.deepStrictEqual(said, { _tag: "Refused", reason: "the server accepts no writes at present" })
    yield* submitAll
    yield* admin.unsafe(`alter database ${name} reset default_transaction_read_only`)
    yield* until("writes of all sessions", submitAll, (all) => all)
    for (let round = 0; round < 5; round++) assert.isTrue(yield* submitAll)
    assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })
  }).pipe(Effect.scoped)
)

it.live("at the limit of connections of its role, readiness says what the work says", () =>
  Effect.gen(function* () {
    const url = new URL(yield* migratedDatabase)
    const name = url.pathname.slice(1)
    const admin = yield* sessionOf(url.href)
    const role = `r_${name}`
    yield* Effect.acquireRelease(admin.unsafe(`create role ${role} login superuser password 'x'`), () =>
      Effect.orDie(Effect.andThen(admin.unsafe(`drop owned by ${role}`), admin.unsafe(`drop role ${role}`)))
    )
    url.username = role
    url.password = "x"
    yield* Effect.gen(function* () {
      const { isSilent, submit, writes } = yield* processOn(url.href, 3)
      assert.isTrue(Exit.isSuccess(yield* submit))
      // No further connection is granted, and the one that only asks is gone. Limits do not hold for superusers.
      yield* admin.unsafe(`alter role ${role} nosuperuser connection limit 0`)
      yield* admin.unsafe(`grant all on all tables in schema public to ${role}`)
      yield* admin.unsafe(`grant all on all sequences in schema public to ${role}`)
      yield* admin`select pg_terminate_backend(pid) from pg_stat_activity
        where usename = ${role} and query like '%is_read_only%'`
      for (let round = 0; round < 3; round++) {
        assert.isTrue(Exit.isSuccess(yield* submit))
        assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })
        assert.isFalse(yield* isSilent)
      }
      yield* admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`
      yield* until("a write that is refused", submit, Exit.isFailure)
      assert.strictEqual((yield* writes)._tag, "Refused")
    }).pipe(Effect.scoped)
  }).pipe(Effect.scoped)
)

it.live("a full disk refuses writes, for the work and for readiness, until there is space again", () =>
  Effect.gen(function* () {
    const { folder, isMounted } = yield* smallDisk(24)
    if (!isMounted) return
    const server = yield* Effect.acquireRelease(
      Effect.promise(() =>
        startServer(["fsync=off"], (data) => {
          const { gid, uid } = statSync(data)
          chownSync(folder, uid, gid)
        })
      ),
      ({ stop }) => Effect.promise(stop)
    )
    const admin = yield* sessionOf(server.url)
    yield* admin.unsafe(`create tablespace small location '${folder}'`)
    yield* admin.unsafe("create database small tablespace small")
    const url = server.url.replace(/\/postgres$/, "/small")
    const { submit, writes } = yield* processOn(url)
    assert.isTrue(Exit.isSuccess(yield* submit))
    const inside = yield* sessionOf(url)
    yield* inside`create table filler (text text)`
    const filling = inside`insert into filler select repeat('x', 1500) from generate_series(1, 100)`
    yield* until("a full disk", Effect.exit(filling), Exit.isFailure)
    // A page that has room takes a few more rows.
    yield* until("a write that is refused", submit, Exit.isFailure)
    const said = yield* until("the probe to be refused", writes, ({ _tag }) => _tag === "Refused")
    assert.deepStrictEqual(said, { _tag: "Refused", reason: "no space left on the disk of the database" })
    yield* inside`drop table filler`
    yield* until("a write", submit, Exit.isSuccess)
    assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })
  }).pipe(Effect.scoped)
)
