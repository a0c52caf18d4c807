/**
 * Maps failures of store statements: a temporary conflict is retried, an unreachable database is `StoreUnavailable`,
 * and everything else is a defect.
 */
import { Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"

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
): Effect.Effect<A, Stored<E>, R> => withoutSqlErrors(sql.withTransaction(effect))

/** Runs a single atomic statement, with the same treatment of failures. */
export const withoutSqlErrors = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Stored<E>, R> =>
  effect.pipe(
    Effect.retry({ while: givesWay, schedule: retries }),
    Effect.catchIf(isSqlError, (error): Effect.Effect<never, StoreUnavailable> => {
      const reason = unavailable(error)
      return reason === null ? Effect.die(error) : Effect.fail(new StoreUnavailable({ reason }))
    })
  ) as Effect.Effect<A, Stored<E>, R>

const isSqlError = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error)

const givesWay = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/** Why the database cannot be reached, in words without a value of a statement; `null` for every other failure. */
const unavailable = ({ reason }: SqlError.SqlError): string | null => {
  if (reason._tag === "ConnectionError") return reason.message
  return endedByServer.has(stateOf(reason.cause)) ? "the server ended the connection, or accepts none at present" : null
}

/** The states of the classes 57P and 53 with which PostgreSQL ends or refuses connections. */
const endedByServer = new Set(["57P01", "57P02", "57P03", "53300"])

const stateOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
