/**
 * Asks the database whether it answers, and for its time.
 */
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"

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
  }
>()("sluice/adapters/postgres/server/Probe") {}

/** The time limit for an answer. A readiness request must be answered within a second. */
export const patience = "800 millis"

/** A probe that queries through a client. The client should have a separate connection. */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const scope = yield* Effect.scope
  let asking: Fiber.Fiber<Answer | null> | null = null
  const question = Effect.gen(function* () {
    const askedAt = performance.now()
    const [row] = yield* sql<{ readonly at: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as at`
    return row === undefined ? null : { at: row.at, askedAt, answeredAt: performance.now() }
  }).pipe(
    Effect.exit,
    Effect.map((exit) => (Exit.isSuccess(exit) ? exit.value : null)),
    Effect.ensuring(
      Effect.sync(() => {
        asking = null
      })
    )
  )
  // A question is not interrupted with the one who asked it: the client takes seconds for that when nothing answers.
  const ask = Effect.suspend(() =>
    asking === null
      ? Effect.tap(Effect.forkIn(question, scope), (fiber) =>
          Effect.sync(() => {
            if (fiber.pollUnsafe() === undefined) asking = fiber
          })
        )
      : Effect.succeed(asking)
  ).pipe(Effect.flatMap(Fiber.join), Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(null) }))
  return Probe.of({ ask })
})

/** A probe by the client of the stores, for a database in this process. */
export const layer = Layer.effect(Probe, Effect.flatMap(SqlClient.SqlClient, make))
