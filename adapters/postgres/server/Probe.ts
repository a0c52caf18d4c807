/**
 * Asks the database whether it answers, and for its time.
 */
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { stateOf } from "../Transaction.ts"

export interface Answer {
  /** The instant of the database, in epoch milliseconds. */
  readonly at: number
  /** The instants of the monotonic clock of this process, in milliseconds, between which it answered. */
  readonly askedAt: number
  readonly answeredAt: number
}

export class Probe extends Context.Service<
  Probe,
  {
    /** Answers within a second; `null` if the database does not. Concurrent calls share one query. */
    readonly ask: Effect.Effect<Answer | null>
    /** Whether the database answers nothing at all within a second. A refusal is an answer. */
    readonly isSilent: Effect.Effect<boolean>
  }
>()("sluice/adapters/postgres/server/Probe") {}

/** The time limit for an answer. A readiness request must be answered within a second. */
export const patience = "800 millis"

/** A probe that queries through a client. The client should have a separate connection. */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const scope = yield* Effect.scope
  let asking: Fiber.Fiber<Answer | typeof refused | null> | null = null
  const question = Effect.gen(function* () {
    const askedAt = performance.now()
    const [row] = yield* sql<{ readonly at: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as at`
    return row === undefined ? null : { at: row.at, askedAt, answeredAt: performance.now() }
  }).pipe(
    Effect.exit,
    Effect.map((exit) => (Exit.isSuccess(exit) ? exit.value : isRefusal(exit.cause) ? refused : null)),
    Effect.ensuring(
      Effect.sync(() => {
        asking = null
      })
    )
  )
  // A question is not interrupted with the one who asked it: the client takes seconds for that when nothing answers.
  const either = Effect.suspend(() =>
    asking === null
      ? Effect.tap(Effect.forkIn(question, scope), (fiber) =>
          Effect.sync(() => {
            if (fiber.pollUnsafe() === undefined) asking = fiber
          })
        )
      : Effect.succeed(asking)
  ).pipe(Effect.flatMap(Fiber.join), Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(null) }))
  return Probe.of({
    ask: Effect.map(either, (answer) => (answer === refused ? null : answer)),
    isSilent: Effect.map(either, (answer) => answer === null)
  })
})

const refused = "refused"

/** Whether the server itself said that it does not answer the question, as at its limit of connections. */
const isRefusal = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return SqlError.isSqlError(error) && /^\d[0-9A-Z]{4}$/.test(stateOf(error.reason.cause))
}

/** A probe by the client of the stores, for a database in this process. */
export const layer = Layer.effect(Probe, Effect.flatMap(SqlClient.SqlClient, make))
