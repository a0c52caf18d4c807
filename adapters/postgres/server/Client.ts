/**
 * The client of a PostgreSQL server, with bounded waits for a server that hangs.
 *
 * The server itself ends statements that take too long. A server that does not even do that is noticed by a statement
 * without an answer: then it is asked on a separate connection, and if it does not answer there either, all connections
 * are ended and new ones refused until it answers again. Whatever waits for it fails at once, as it does when the
 * server has stopped.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Effect, Layer, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import * as Migrations from "../Migrations.ts"
import { outageOf, stateOf } from "../Transaction.ts"
import * as Probe from "./Probe.ts"
import * as Sockets from "./Sockets.ts"
import * as Startup from "./Startup.ts"

export interface Options {
  readonly url: Redacted.Redacted<string>
  /** The maximum number of connections of the client. The probe has one more. */
  readonly maxConnections: number
  /** The longest row that is read, in bytes. */
  readonly maxMessageSize: number
  /** The time to wait for an unreachable server when the layer is built, in milliseconds; 0 fails at once. */
  readonly waitMillis?: number
  /** The time that a statement waits before the client probes the server, in milliseconds. */
  readonly suspectMillis?: number
}

/** The time limits of the server for one statement, and for a transaction in which nothing happens. */
const serverTimeouts = { statement_timeout: "30s", idle_in_transaction_session_timeout: "60s" }

/** The time limit for opening a connection. */
const connectTimeout = "5 seconds"

const defaultSuspectMillis = 3_000

/** The interval of checks. A server that hangs is noticed within it after a suspicion; so is its return. */
const watchEvery = "500 millis"

export const layer = ({
  maxConnections,
  maxMessageSize,
  suspectMillis = defaultSuspectMillis,
  url,
  waitMillis = 0
}: Options) => {
  const sockets = Sockets.make(Redacted.value(url))
  const probing = Sockets.make(Redacted.value(url))
  const common = { url, connectTimeout, applicationName: "sluice" } as const
  const client = PgClient.layerFrom(
    PgClient.make({
      ...common,
      maxConnections,
      maxMessageSize,
      stream: sockets.open,
      startupParameters: timeoutsFor(Redacted.value(url))
    }).pipe(Effect.mapError(Migrations.unavailable))
  )
  const probe = Layer.effect(
    Probe.Probe,
    Effect.gen(function* () {
      if (URL.parse(Redacted.value(url)) === null)
        return yield* new Migrations.DatabaseUnavailable({ reason: "it is no URL" })
      const sql = yield* PgClient.make({ ...common, maxConnections: 1, stream: probing.open }).pipe(
        Effect.tap((made) => arrival(made, waitMillis)),
        Effect.mapError(Migrations.unavailable)
      )
      const asked = yield* Probe.make(sql)
      // The silence of a server passes in real time, also in a program that has swapped its clock.
      const realTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      yield* Effect.forkScoped(realTime(watch({ asked, sockets, probing, suspectMillis })))
      return asked
    })
  ).pipe(Layer.provide(Reactivity.layer))
  return client.pipe(Layer.provideMerge(probe))
}

/** Waits until the server can be used, up to a limit in milliseconds, and logs this every ten seconds. */
const arrival = Effect.fnUntraced(function* (sql: PgClient.PgClient, waitMillis: number) {
  const began = performance.now()
  let sayAt = began
  const isAway = (error: SqlError.SqlError) =>
    !isMisconfigured(error) && outageOf(error) !== null && performance.now() < began + waitMillis
  const tried = sql`select 1`.pipe(
    Effect.tapError((error) => {
      const now = performance.now()
      if (!isAway(error) || now < sayAt) return Effect.void
      sayAt = now + waitingLineMillis
      return Effect.logWarning(`Waiting for the database at DATABASE_URL: ${Migrations.unavailable(error).reason}`)
    })
  )
  const since = new Date(yield* Clock.currentTimeMillis).toISOString()
  yield* Effect.retry(tried, { while: isAway, schedule: Schedule.spaced("500 millis") }).pipe(
    Startup.during(`it waits for its database since ${since}`)
  )
})

/** Whether the server refuses the user, the password or the database of the URL, so that waiting is useless. */
const isMisconfigured = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "AuthenticationError" || reason._tag === "AuthorizationError" || stateOf(reason.cause) === "3D000"

/** The interval at which a process logs that it waits, in milliseconds. */
const waitingLineMillis = 10_000

/** Ends and refuses the connections to a server that hangs. */
const watch = Effect.fnUntraced(function* ({
  asked,
  probing,
  sockets,
  suspectMillis
}: {
  readonly asked: Probe.Probe["Service"]
  readonly sockets: Sockets.Sockets
  readonly probing: Sockets.Sockets
  readonly suspectMillis: number
}) {
  const answers = Effect.map(asked.ask, (answer) => {
    // The next question opens a connection, which a server that is back accepts.
    if (answer === null) probing.endAll()
    return answer !== null
  })
  while (true) {
    yield* Effect.sleep(watchEvery)
    yield* Gauges.setConnections(sockets.count(), sockets.longestWait())
    // Two questions, as a process that was busy itself may find the answer to the first one too late.
    if (sockets.longestWait() < suspectMillis || (yield* answers) || (yield* answers)) continue
    sockets.refuse(true)
    sockets.endAll()
    while (!(yield* answers)) yield* Effect.sleep(watchEvery)
    sockets.refuse(false)
  }
})

/** The timeouts of the server, unless the URL sets some itself. */
const timeoutsFor = (url: string) => (url.includes("_timeout") ? {} : serverTimeouts)
