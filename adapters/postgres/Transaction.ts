/**
 * Maps failures of store statements: a temporary conflict is retried, an unreachable database is `StoreUnavailable`,
 * and everything else is a defect.
 */
import { Cause, Context, Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { is as isUnavailable, StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"
import { outage } from "../../core/runtime/Supervisor.ts"

/** Transactions that were chosen to give way to others are repeated so often, with growing pauses. */
const retries = Schedule.exponential("5 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 6 }))

/** The errors of a statement, with `StoreUnavailable` in place of `SqlError`. */
type Stored<E> = Exclude<E, SqlError.SqlError> | StoreUnavailable

/**
 * Runs an effect in one transaction. It must be repeatable: the transaction is taken again when the database made it
 * give way (a deadlock, or a serialization failure). Its own failures roll back and pass through.
 */
export const transaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Stored<E>, R> =>
  Effect.flatMap(Afterwards, (outer) => {
    if (outer !== null) return withoutSqlErrors(rolledBack(sql, effect))
    const afterwards: Array<Effect.Effect<void>> = []
    return withoutSqlErrors(rolledBack(sql, effect)).pipe(
      Effect.provideService(Afterwards, afterwards),
      Effect.ensuring(Effect.suspend(() => Effect.all(afterwards, { discard: true })))
    )
  })

/**
 * Runs an effect in a transaction, and fails as the effect did. Where the connection is lost as well, the rollback fails,
 * and the client makes a defect of both; the server has rolled back then.
 */
const rolledBack = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let failed: Cause.Cause<E> | null = null
    const noted = Effect.onError(effect, (cause) =>
      Effect.sync(() => {
        failed = cause
      })
    )
    return Effect.catchCause(sql.withTransaction(noted), (cause) => Effect.failCause(failed ?? cause))
  })

/** The work that waits for the end of the outermost transaction, where there is one. */
const Afterwards = Context.Reference<Array<Effect.Effect<void>> | null>("sluice/adapters/postgres/Afterwards", {
  defaultValue: () => null
})

/** Whether the fiber is in a transaction, and so holds a connection. */
export const isInTransaction: Effect.Effect<boolean> = Effect.map(Afterwards, (afterwards) => afterwards !== null)

/**
 * Runs an effect now, and again when the outermost transaction has ended. For clearing caches: until then other
 * connections read the former state of the rows.
 */
export const nowAndAfterwards = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Afterwards, (afterwards) => {
    afterwards?.push(effect)
    return effect
  })

/** Runs a single atomic statement, with the same treatment of failures. */
export const withoutSqlErrors = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Stored<E>, R> =>
  // The causes of SQL errors are replaced, so that they are no failures any more.
  effect.pipe(
    Effect.retry({ while: isOutdated, times: mostOutdated }),
    Effect.retry({ while: givesWay, schedule: retries }),
    Effect.catchCause(withoutSqlCause)
  ) as Effect.Effect<A, Stored<E>, R>

/**
 * The cause of a failure, with errors of an outage replaced by `StoreUnavailable`. An interruption and a refusal of the
 * transaction itself stay what they are.
 */
const withoutSqlCause = (cause: Cause.Cause<unknown>) => {
  if (cause.reasons.some((reason) => reason._tag === "Fail" && isWriteRefused(reason.error))) {
    return Effect.andThen(noteRefusal, withoutRefusals(cause))
  }
  return withoutRefusals(cause)
}

/** How often a write was refused because the session or the server is read-only, for the clients of this process. */
export const WriteRefusals = Context.Reference<{ readonly note: () => void; readonly count: () => number }>(
  "sluice/adapters/postgres/WriteRefusals",
  {
    defaultValue: () => {
      let count = 0
      return { note: () => void count++, count: () => count }
    }
  }
)

const noteRefusal = Effect.map(WriteRefusals, ({ note }) => note())

const isWriteRefused = (error: unknown): boolean =>
  SqlError.isSqlError(error) && stateOf(error.reason.cause) === "25006"

const withoutRefusals = (cause: Cause.Cause<unknown>) => {
  const outages = cause.reasons.map((reason) =>
    reason._tag === "Interrupt" ? null : outageOf(reason._tag === "Fail" ? reason.error : reason.defect)
  )
  const others = cause.reasons.filter((_, index) => outages[index] === null)
  const reason = outages.find((one) => one !== null)
  if (reason !== undefined && others.every(isSqlFailure)) return Effect.fail(new StoreUnavailable({ reason }))
  return Effect.failCause(
    Cause.fromReasons(others.map((one) => (isSqlFailure(one) ? Cause.makeDieReason(one.error) : one)))
  )
}

const isSqlFailure = (reason: Cause.Reason<unknown>): reason is Cause.Fail<SqlError.SqlError> =>
  reason._tag === "Fail" && SqlError.isSqlError(reason.error)

const givesWay = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/**
 * Whether an error, or one of its causes, says that a statement gave way to others: it may succeed when it is taken again.
 */
export const isHeldUp = (error: unknown): boolean => {
  let one: unknown = error
  for (let depth = 0; depth < deepestCause && one instanceof Error; depth += 1) {
    if (SqlError.isSqlError(one)) return givesWay(one) || one.reason._tag === "LockTimeoutError"
    one = one.cause
  }
  return false
}

/**
 * Whether a statement was prepared before a migration changed its columns, as when the next version migrates the database
 * of this one. The client has forgotten it by then, and prepares it again outside of a transaction itself.
 */
const isOutdated = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  stateOf(error.reason.cause) === "0A000" &&
  /cached plan/.test(messageOf(error.reason.cause))

const messageOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "message" in cause ? String(cause.message) : ""

/** Each connection of a pool may have a few such statements for one transaction. */
const mostOutdated = 100

/** The reason of an outage, if an error or one of its causes is one, without values of statements; otherwise `null`. */
export const outageOf = (error: unknown): string | null => {
  let one: unknown = error
  for (let depth = 0; depth < deepestCause; depth += 1) {
    if (Cause.isCause(one)) one = Cause.squash(one)
    if (isUnavailable(one)) return one.reason
    if (SqlError.isSqlError(one)) return reasonOf(one)
    if (!(one instanceof Error)) return null
    one = one.cause
  }
  return null
}

/** Libraries wrap the errors of the database a few times. */
const deepestCause = 5

const reasonOf = ({ reason }: SqlError.SqlError): string | null => {
  if (reason._tag === "ConnectionError") return reason.message
  if (reason._tag === "StatementTimeoutError") return "a statement took longer than the server allows"
  if (reason.operation === "connect") return `a connection is refused: ${reason.message}`
  const state = stateOf(reason.cause)
  return refusedByServer.get(state) ?? refusedByServer.get(state.slice(0, 2)) ?? null
}

/** The meaning of each SQLSTATE, or class of them, with which PostgreSQL ends connections or accepts no work. */
const refusedByServer = new Map([
  ["57P01", "the server ended the connection, or accepts none at present"],
  ["57P02", "the server ended the connection, or accepts none at present"],
  ["57P03", "the server ended the connection, or accepts none at present"],
  ["57P05", "the server ended a connection that was idle"],
  ["25P03", "the server ended a transaction that was idle"],
  ["25006", "the server accepts no writes at present"],
  ["53100", "no space left on the disk of the database"],
  ["53200", "the server is out of memory"],
  ["53300", "the server accepts no more connections"],
  ["53", "the server lacks space, memory or connections"]
])

/** The state of PostgreSQL in the cause of an error, such as `57P01`; empty where there is none. */
export const stateOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** Logs the failure of an operation that is retried, as part of an outage if it belongs to one. */
export const logFailure =
  (line: string) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const reason = outageOf(cause)
    return reason === null ? Effect.logWarning(line, cause) : outage(`${line}: ${reason}`)
  }
