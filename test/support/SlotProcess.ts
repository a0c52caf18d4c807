/**
 * A worker in a separate process, whose runs only use their credentials. For each act with a limit of concurrent runs, a
 * run takes an advisory lock of the database, which ends with the process, and records a violation when all are taken.
 * `test/e2e/slots.test.ts` starts it.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { chosen } from "../../core/run/CredentialReferences.ts"
import { Executor } from "../../core/run/Executor.ts"
import type { Outcome } from "../../core/run/Transition.ts"
import * as Worker from "../../core/run/Worker.ts"

const url = Redacted.make(process.env.SLUICE_TEST_DATABASE ?? "")
const limits = JSON.parse(process.env.SLUICE_TEST_LIMITS ?? "{}") as Readonly<Record<string, number>>

/** The duration of each part of a run. */
const pieces = ["3 millis", "11 millis", "6 millis", "23 millis"] as const
let turn = 0
const piece = Effect.suspend(() => Effect.sleep(pieces[turn++ % pieces.length] ?? "5 millis"))

const executor = Layer.effect(
  Executor,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A session can take its own lock again, so the process tracks its own locks here.
    const mine = new Set<string>()

    const mark = Effect.fnUntraced(function* (name: string) {
      if (mine.has(name)) return false
      mine.add(name)
      const [row] = yield* sql<{ readonly taken: boolean }>`
        select pg_try_advisory_lock(hashtextextended(${name}, 1)) as taken`
      if (row?.taken !== true) mine.delete(name)
      return row?.taken === true
    })
    const unmark = (name: string) =>
      sql`select pg_advisory_unlock(hashtextextended(${name}, 1))`.pipe(
        Effect.andThen(Effect.sync(() => mine.delete(name)))
      )

    /** Takes one of the `limit` places of a name. It must never happen that all are taken. */
    const place = (name: string, limit: number) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          for (let index = 0; index < limit; index++) {
            if (yield* mark(`${name} ${index}`)) return `${name} ${index}`
          }
          yield* sql`insert into violations (what) values (${name})`
          return null
        }),
        (taken) => (taken === null ? Effect.void : Effect.orDie(unmark(taken)))
      )

    return Executor.of({
      execute: ({ run }, reporter) =>
        Effect.gen(function* () {
          const used = run.credentials.filter(({ slot }) => slot !== undefined)
          for (const user of new Set(used.map((credential) => chosen(credential) ?? ""))) {
            const limit = limits[user]
            if (limit !== undefined) yield* place(`run of ${user}`, limit)
          }
          for (const { alias, slot } of used) {
            const signIn = slot?.login == null ? piece : Effect.andThen(place(`sign in: ${slot.login}`, 1), piece)
            yield* Effect.scoped(signIn)
            const user = run.credentials.find((credential) => credential.alias === alias)?.chosen
            if (user === "bad") {
              return { _tag: "Failed", data: {}, errors: [], failedLogin: alias } satisfies Outcome
            }
            yield* reporter.loggedIn(alias)
          }
          yield* piece
          return { _tag: "Success", data: {} } satisfies Outcome
        }).pipe(
          Effect.scoped,
          Effect.catchTag("SqlError", (error) => Effect.die(error))
        )
    })
  })
).pipe(Layer.provide(PgClient.layer({ url, maxConnections: 1 })))

const worker = Worker.run({ name: `slots-${process.pid}`, capacity: 6, leaseMillis: 3_000, graceMillis: 0 })

await Effect.runPromise(worker.pipe(Effect.provide(executor), Effect.provide(Postgres.layer(url, 6)), Effect.orDie))
