/**
 * The client of a PostgreSQL server, with bounded waits for a server that hangs.
 *
 * The server itself ends statements that take too long. A server that does not even do that is noticed by a statement
 * without an answer: then it is asked on a separate connection, and if it does not answer there either, all connections
 * are ended and new ones refused until it answers again. Whatever waits for it fails at once, as it does when the
 * server has stopped.
 */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Context, Duration, Effect, Layer, Redacted, Result, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlError } from "effect/sql"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import * as Migrations from "../Migrations.ts"
import * as Pipeline from "../Pipeline.ts"
import { outageOf, stateOf, WriteRefusals } from "../Transaction.ts"
import * as ConnectionUrl from "./ConnectionUrl.ts"
import * as Hosts from "./Hosts.ts"
import * as Probe from "./Probe.ts"
import * as Sockets from "./Sockets.ts"
import * as Startup from "./Startup.ts"
import * as TransportSecurity from "./TransportSecurity.ts"

export interface Options {
  readonly url: Redacted.Redacted<string>
  /** The maximum number of connections of the client. The pipeline and the probe have one more each. */
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

const defaultSuspectMillis = 3_000

/** The interval of checks. A server that hangs is noticed within it after a suspicion; so is its return. */
const watchEvery = "500 millis"

/** Where and how the clients that work connect. */
class Working extends Context.Service<Working, PgClient.PgPoolConfig>()(
  "sluice/adapters/postgres/server/Client/Working"
) {}

export const layer = ({
  maxConnections,
  maxMessageSize,
  suspectMillis = defaultSuspectMillis,
  url,
  waitMillis = 0
}: Options) => {
  const pooled = (more: PgClient.PgPoolConfig) =>
    Effect.flatMap(Working, (working) => PgClient.make({ ...working, ...more })).pipe(
      Effect.mapError(Migrations.unusable)
    )
  const client = PgClient.layerFrom(pooled({ maxConnections }))
  const pipeline = Layer.effect(Pipeline.Connection, pooled({ maxConnections: 1, multiplex: true })).pipe(
    Layer.provide(Reactivity.layer)
  )
  const link = Layer.effectContext(
    Effect.gen(function* () {
      const read = ConnectionUrl.read(Redacted.value(url))
      if (read._tag === "Problems")
        return yield* new Migrations.DatabaseUnavailable({ reason: read.problems.join("; ") })
      const { target } = read
      const hosts = Hosts.make(target.hosts)
      const secured = TransportSecurity.securities(target.tls, hosts.host)
      if (Result.isFailure(secured)) return yield* new Migrations.DatabaseUnavailable({ reason: secured.failure })
      const [sockets, probing] = [Sockets.make(hosts.host, target), Sockets.make(hosts.host, target)]
      const common = commonOf(target)
      const ways = yield* Effect.forEach(secured.success, (ssl) =>
        Effect.map(PgClient.make({ ...common, ssl, maxConnections: 1, stream: probing.open }), (sql) => ({ ssl, sql }))
      ).pipe(Effect.mapError(Migrations.unavailable))
      const { sql, ssl } = yield* arrival(
        reach({ hosts, probing, ways, isWritable: target.needsWritable }),
        waitMillis
      ).pipe(Effect.mapError(Migrations.unavailable))
      yield* refuseSharedSessions({ ...common, ssl, stream: probing.open })
      const asked = yield* Probe.make(sql)
      const again = (isWritable: boolean) =>
        Effect.isSuccess(
          reach({ hosts, probing, ways: [{ sql, ssl }], isWritable: isWritable || target.needsWritable })
        )
      // The silence of a server passes in real time, also in a program that has swapped its clock.
      const realTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      const refusals = yield* WriteRefusals
      yield* Effect.forkScoped(realTime(watch({ asked, sockets, probing, suspectMillis })))
      yield* Effect.forkScoped(realTime(follow({ again, hosts, sockets, refusals })))
      const working = { ...common, ssl, maxMessageSize, stream: sockets.open, startupParameters: sessionOf(target) }
      return Context.make(Working, working).pipe(Context.add(Probe.Probe, asked))
    })
  ).pipe(Layer.provide(Reactivity.layer))
  return Layer.mergeAll(client, pipeline).pipe(Layer.provideMerge(link))
}

/** What all connections have in common. */
const commonOf = (target: ConnectionUrl.Target) => ({
  host: target.hosts[0].name,
  port: target.hosts[0].port,
  username: target.user,
  database: target.database,
  applicationName: target.applicationName,
  connectTimeout: target.connectTimeoutMillis === 0 ? Duration.infinity : Duration.millis(target.connectTimeoutMillis),
  ...(target.password === null ? {} : { password: target.password }),
  ...(target.options === null ? {} : { startupOptions: target.options })
})

/** The settings of the sessions that work: the time limits of the server, unless the URL sets them itself. */
const sessionOf = ({ options, searchPath }: ConnectionUrl.Target): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(serverTimeouts).filter(([name]) => options?.includes(name) !== true)),
  ...(searchPath === null ? {} : { search_path: searchPath })
})

/**
 * Fails where a pooler gives the session of one connection to another, as PgBouncer does with `pool_mode = transaction` and
 * `statement`: signals would not arrive, and prepared statements be those of others. It is tried a few times, as the pooler may
 * give another session. At a limit of connections nothing is known, and nothing is refused.
 */
const refuseSharedSessions = (settings: PgClient.PgPoolConfig) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.make({ ...settings, maxConnections: 2, prepare: false })
      const [one, other] = [yield* sql.reserve, yield* sql.reserve]
      for (let round = 0; round < 3; round++) {
        const mark = randomUUID()
        yield* one.executeUnprepared("select set_config('sluice.session', $1, false)", [mark], undefined)
        if (!(yield* Effect.isSuccess(other.executeUnprepared("begin", [], undefined)))) return null
        const seen = yield* other.executeUnprepared(shown, [], undefined)
        const isOwn = seen[0]?.mark !== mark && (yield* one.executeUnprepared(shown, [], undefined))[0]?.mark === mark
        yield* other.executeUnprepared("rollback", [], undefined)
        if (!isOwn) return true
      }
      return false
    })
  ).pipe(
    // With `pool_mode = statement` each transaction ends its connection. A server or a network ends one now and then.
    Effect.repeat({ while: (isShared) => isShared === null, times: 2 }),
    Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.succeed(false) }),
    Effect.catchTag("SqlError", () => Effect.succeed(false)),
    Effect.flatMap((isShared) =>
      isShared === false ? Effect.void : Effect.fail(new Migrations.DatabaseUnavailable({ reason: sharesSessions }))
    )
  )

const shown = "select current_setting('sluice.session', true) as mark"

const sharesSessions =
  "a pooler shares its sessions among connections. PgBouncer needs pool_mode = session for this database; or name the server itself"

/** A client for a way of securing connections. */
interface Way {
  readonly ssl: TransportSecurity.Security
  readonly sql: PgClient.PgClient
}

/**
 * Finds a host that answers, and accepts writes where that is asked for, in each way of securing connections. Fails with the
 * error of the last one.
 */
const reach = Effect.fnUntraced(function* ({
  hosts,
  isWritable,
  probing,
  ways
}: {
  readonly hosts: Hosts.Hosts
  readonly probing: Sockets.Sockets
  readonly ways: ReadonlyArray<Way>
  readonly isWritable: boolean
}) {
  let failed: SqlError.SqlError | null = null
  for (let tried = 0; tried < hosts.count; tried++) {
    for (const way of ways) {
      // A session may be what refuses writes: a new one says how it is now.
      probing.endAll(ended)
      const question = way.sql<{ readonly is_read_only: boolean }>`
        select current_setting('transaction_read_only') = 'on' as is_read_only`
      // The pool may still give the session that was just ended, once.
      const answer = yield* Effect.result(Effect.retry(question, { while: isEnded, times: 1 }))
      if (Result.isFailure(answer)) failed = answer.failure
      else if (isWritable && answer.success[0]?.is_read_only === true) failed = readOnly()
      else return way
    }
    hosts.next()
  }
  return yield* failed ?? readOnly()
})

const ended = "the session was ended, to look for a server that accepts writes"

const isEnded = (error: SqlError.SqlError): boolean => Migrations.unavailable(error).reason === ended

const readOnly = () =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: undefined,
      message: "the server accepts no writes",
      operation: "connect"
    })
  })

/** Waits until the server can be used, up to a limit in milliseconds, and logs this every ten seconds. */
const arrival = Effect.fnUntraced(function* <A>(reaching: Effect.Effect<A, SqlError.SqlError>, waitMillis: number) {
  const began = performance.now()
  let sayAt = began
  const isAway = (error: SqlError.SqlError) =>
    !isMisconfigured(error) && outageOf(error) !== null && performance.now() < began + waitMillis
  const tried = reaching.pipe(
    Effect.tapError((error) => {
      const now = performance.now()
      if (!isAway(error) || now < sayAt) return Effect.void
      sayAt = now + waitingLineMillis
      return Effect.logWarning(`Waiting for the database at DATABASE_URL: ${Migrations.unavailable(error).reason}`)
    })
  )
  const since = new Date(yield* Clock.currentTimeMillis).toISOString()
  return yield* Effect.retry(tried, { while: isAway, schedule: Schedule.spaced("500 millis") }).pipe(
    Startup.during(`it waits for its database since ${since}`)
  )
})

/** Whether the server refuses the user, the password, the database or the TLS of the URL, so that waiting is useless. */
const isMisconfigured = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "AuthenticationError" ||
  reason._tag === "AuthorizationError" ||
  /^3D000$|CERT|SIGNATURE|ISSUER/.test(stateOf(reason.cause)) ||
  (reason._tag === "ConnectionError" && reason.message.includes("refused TLS"))

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
  const answers = Effect.map(asked.isSilent, (isSilent) => {
    // The next question opens a connection, which a server that is back accepts.
    if (isSilent) probing.endAll(silence)
    return !isSilent
  })
  while (true) {
    yield* Effect.sleep(watchEvery)
    yield* Gauges.setConnections(sockets.count(), sockets.longestWait())
    // Two questions, as a process that was busy itself may find the answer to the first one too late.
    if (sockets.longestWait() < suspectMillis || (yield* answers) || (yield* answers)) continue
    sockets.refuse(true)
    sockets.endAll(silence)
    while (!(yield* answers)) yield* Effect.sleep(watchEvery)
    sockets.refuse(false)
  }
})

const silence = "the server does not answer"

/**
 * Leaves the host that is away or accepts no writes any more, for one that does. A session on which a write was refused may
 * stay as it is after the server accepts writes again: all sessions are then closed and opened again.
 */
const follow = Effect.fnUntraced(function* ({
  again,
  hosts,
  refusals,
  sockets
}: {
  readonly again: (isWritable: boolean) => Effect.Effect<boolean>
  readonly hosts: Hosts.Hosts
  readonly refusals: { readonly count: () => number }
  readonly sockets: Sockets.Sockets
}) {
  let [refused, failures] = [refusals.count(), sockets.failures()]
  while (true) {
    yield* Effect.sleep(watchEvery)
    const [refusedNow, failuresNow] = [refusals.count(), sockets.failures()]
    const hasRefused = refusedNow > refused
    if (!hasRefused && (hosts.count === 1 || failuresNow === failures)) continue
    const before = hosts.host()
    if (!(yield* again(hasRefused))) continue
    if (hasRefused || hosts.host() !== before) sockets.endAll("the server accepts writes again, or another one does")
    ;[refused, failures] = [refusedNow, failuresNow]
  }
})
