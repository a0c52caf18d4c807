/**
 * How statements of the stores fail: what passes by itself is tried again, all else is a defect.
 */
import { Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** Transactions that were chosen to give way to others are repeated so often, with growing pauses. */
const retries = Schedule.exponential("5 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 6 }))

/**
 * Runs an effect in one transaction. It must be repeatable: the transaction is taken again when the database made it
 * give way (a deadlock, or a serialization failure). Its own failures roll back and pass through.
 */
export const transaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> => withoutSqlErrors(sql.withTransaction(effect))

/** Runs a statement that is atomic by itself, with the same treatment of failures. */
export const withoutSqlErrors = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  effect.pipe(
    Effect.retry({ while: givesWay, schedule: retries }),
    Effect.catchIf(isSqlError, Effect.die)
  ) as Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>

const isSqlError = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error)

const givesWay = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")
