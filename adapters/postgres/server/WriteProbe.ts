/**
 * Asks whether the work of this process could write now, by the connections that the work uses: a row is inserted, and taken
 * back. A server that answers may refuse writes: it is a standby, its disk is full, its sessions are read-only.
 */
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { is as isUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { transaction } from "../Transaction.ts"
import { patience } from "./Probe.ts"

export type Writes =
  | { readonly _tag: "Accepted" }
  /** The database answers that it accepts none. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** It does not answer within a second, or all connections of the process are at work. */
  | { readonly _tag: "Unanswered" }

export class WriteProbe extends Context.Service<
  WriteProbe,
  {
    /** Answers within a second. Concurrent calls share one attempt. */
    readonly ask: Effect.Effect<Writes>
  }
>()("sluice/adapters/postgres/server/WriteProbe") {}

class TakenBack {
  readonly _tag = "TakenBack"
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  let asking: Fiber.Fiber<Writes> | null = null
  // The row has an instant before the start of any process, so that no reader counts it as a running process.
  const attempt = transaction(
    sql,
    Effect.andThen(
      sql`insert into processes (id, part, version, clock_skew_ms, running, browsers, began_at, seen_at)
        values (gen_random_uuid(), 'probe', '', 0, 0, 0, 'epoch', 'epoch')`,
      Effect.fail(new TakenBack())
    )
  ).pipe(
    Effect.exit,
    Effect.map(writesOf),
    Effect.ensuring(
      Effect.sync(() => {
        asking = null
      })
    )
  )
  // As the question of the probe, it is not interrupted with the one who asked it.
  const ask = Effect.suspend(() =>
    asking === null
      ? Effect.tap(Effect.forkIn(attempt, scope), (fiber) =>
          Effect.sync(() => {
            if (fiber.pollUnsafe() === undefined) asking = fiber
          })
        )
      : Effect.succeed(asking)
  ).pipe(
    Effect.flatMap(Fiber.join),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed<Writes>({ _tag: "Unanswered" }) })
  )
  return WriteProbe.of({ ask })
})

const writesOf = (exit: Exit.Exit<never, unknown>): Writes => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  if (error instanceof TakenBack) return { _tag: "Accepted" }
  return { _tag: "Refused", reason: isUnavailable(error) ? error.reason : "a write failed by an internal error" }
}

export const layer = Layer.effect(WriteProbe, make)
