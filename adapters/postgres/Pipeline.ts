/**
 * Transactions in two round trips: `begin` goes to the server together with the first statement, and `commit` together
 * with the last one.
 *
 * A pipeline is a connection on which statements are sent before earlier ones are answered. It belongs to one transaction
 * at a time. Without one, as on the embedded database, the same statements go in a usual transaction.
 */
import { Context, Effect, References, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"
import { transaction, withoutSqlErrors } from "./Transaction.ts"

type Statement<A> = Effect.Effect<A, SqlError.SqlError>

/** A transaction. Every statement of it goes through `sql`, one after the other. */
export interface Steps {
  readonly sql: SqlClient.SqlClient
  /** Sends the first statement, with the begin of the transaction. */
  readonly first: <A>(statement: Statement<A>) => Statement<A>
  /**
   * Sends the last statement, with the commit. It must be one statement, and must change nothing outside of the
   * transaction in which `inside` was answered: a connection that was lost meanwhile is replaced without notice. What
   * statements between the first and the last one change must do no harm outside of the transaction.
   */
  readonly last: <A>(statement: Statement<A>) => Statement<A>
}

/** The id of the current transaction, for a first statement to answer. It is decimal digits. */
export const inside = "pg_current_xact_id()::text"

/** Carries out transactions one after the other, each of which must be repeatable. */
export type Transact = <A, E>(
  body: (steps: Steps) => Effect.Effect<A, E | SqlError.SqlError>
) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreUnavailable>

/** The client with one connection on which statements are sent before earlier ones are answered, where there is one. */
export const Connection = Context.Reference<SqlClient.SqlClient | null>(
  "sluice/adapters/postgres/Pipeline/Connection",
  {
    defaultValue: () => null
  }
)

/** Transactions on the pipeline of the process, or by its usual client. */
export const make: Effect.Effect<Transact, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pipeline = yield* Connection
  const alone: Transact = (body) =>
    transaction(sql, body({ sql, first: (statement) => statement, last: (statement) => statement }))
  return pipeline === null ? alone : pipelined(pipeline)
})

const pipelined = (sql: SqlClient.SqlClient): Transact => {
  const turn = Semaphore.makeUnsafe(1)
  const begin = Effect.asVoid(sql`begin`)
  const commit = Effect.asVoid(sql`commit`)
  const rollback = Effect.ignore(sql`rollback`)
  let usedAt = Number.NEGATIVE_INFINITY
  /** Opens the connection where it may be closed: what the transaction reads before its first statement stays recent. */
  const opened = Effect.suspend(() => {
    const isOpen = performance.now() < usedAt + closedAfterMillis
    usedAt = performance.now()
    return isOpen ? Effect.void : Effect.asVoid(sql`select 1`)
  })
  return (body) =>
    Effect.suspend(() => {
      let isOpen = false
      let hasCommitted = false
      const first = <A>(statement: Statement<A>): Statement<A> => {
        isOpen = true
        return Effect.map(together(begin, statement), ([, answer]) => answer)
      }
      const steps: Steps = {
        sql,
        first,
        last: (statement) =>
          Effect.map(together(statement, commit), ([answer]) => {
            hasCommitted = true
            return answer
          })
      }
      return Effect.andThen(opened, body(steps)).pipe(
        Effect.tap(() => (isOpen && !hasCommitted ? commit : Effect.void)),
        // After a commit that failed there is no transaction, and the server only warns.
        Effect.onError(() => (isOpen ? rollback : Effect.void))
      )
    }).pipe(
      // The server would still carry out a statement whose fiber was interrupted.
      Effect.uninterruptible,
      turn.withPermit,
      withoutSqlErrors
    )
}

/** A connection that was unused for this time may be closed, in milliseconds. The pool closes it after a minute. */
const closedAfterMillis = 30_000

/**
 * Sends one statement, and then another before the first one is answered. Each is sent before its fiber gives way, and so
 * in this order.
 */
const together = <A, B>(one: Statement<A>, other: Statement<B>) =>
  Effect.all([one, other], { concurrency: 2 }).pipe(
    Effect.provideService(References.MaxOpsBeforeYield, Number.POSITIVE_INFINITY)
  )
