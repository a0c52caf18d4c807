/** The answers of named requests in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import {
  type Answer,
  type Entry,
  IdempotencyStore,
  type KeyReused,
  lifetimeMillis,
  type Named,
  type Outcome,
  recall,
  reservedMillis,
  type StillAnswering,
  type Verdict
} from "../../../core/workspace/request/Idempotency.ts"
import * as KeyedMutex from "../../memory/KeyedMutex.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly digest: string
  readonly created_at: Date
  readonly reserved_until: Date
  readonly status: number | null
  readonly content_type: string | null
  readonly body: string | null
}

/** Raised to roll back the transaction; carries the result to return. */
class Undone<A> {
  readonly value: A
  constructor(value: A) {
    this.value = value
  }
}

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Equal requests of this process wait here, and not each with a connection of the pool.
    const turns = yield* KeyedMutex.make

    /** Enters a key, or returns its entry. Waits for another transaction that is about to enter it. */
    const enter = (named: Named, reservedFor: number): Effect.Effect<Option.Option<Entry>, SqlError.SqlError> =>
      Effect.gen(function* () {
        const { digest, key, workspaceId } = named
        const now = yield* Clock.currentTimeMillis
        const at = new Date(now)
        const entered = yield* sql`
          insert into idempotency_keys as old (workspace_id, key, digest, created_at, reserved_until)
          values (${workspaceId}, ${key}, ${digest}, ${at}, ${new Date(now + reservedFor)})
          on conflict (workspace_id, key) do update set digest = excluded.digest, created_at = excluded.created_at,
            reserved_until = excluded.reserved_until, status = null, content_type = null, body = null
          where case when old.status is null then old.reserved_until <= ${at}
            else old.created_at <= ${new Date(now - lifetimeMillis)} end
          returning key`
        if (entered.length > 0) return Option.none<Entry>()
        const [row] = yield* sql<Row>`
          select * from idempotency_keys where workspace_id = ${workspaceId} and key = ${key}`
        // The conflicting row may have been removed since.
        return row === undefined ? yield* enter(named, reservedFor) : Option.some(toEntry(row))
      })

    const settle = ({ key, workspaceId }: Named, verdict: Verdict) =>
      verdict._tag === "Keep"
        ? sql`update idempotency_keys set status = ${verdict.answer.status},
            content_type = ${verdict.answer.contentType}, body = ${verdict.answer.body}
            where workspace_id = ${workspaceId} and key = ${key}`
        : sql`delete from idempotency_keys where workspace_id = ${workspaceId} and key = ${key}`

    const inTurn = ({ key, workspaceId }: Named) => turns(`${workspaceId} ${key}`)

    return IdempotencyStore.of({
      once: <A, E, R>(named: Named, effect: Effect.Effect<A, E, R>, judge: (value: A) => Verdict) =>
        // The compiler does not see that `Undone` is caught, whose value is of this call.
        transaction(
          sql,
          Effect.gen(function* () {
            const entry = yield* enter(named, 0)
            if (Option.isSome(entry)) return kept(yield* Effect.fromResult(recall(entry.value, named)))
            const value = yield* effect
            const verdict = judge(value)
            if (verdict._tag === "Undo") return yield* Effect.fail(new Undone(value))
            yield* settle(named, verdict)
            return done(value)
          })
        ).pipe(
          Effect.catch((error) =>
            // Raised above, with a value of this type.
            error instanceof Undone ? Effect.succeed(done(error.value as A)) : Effect.fail(error)
          ),
          inTurn(named)
        ) as Effect.Effect<Outcome<A>, E | KeyReused | StillAnswering, R>,

      reserved: <A, E, R>(named: Named, effect: Effect.Effect<A, E, R>, judge: (value: A) => Verdict) =>
        Effect.gen(function* () {
          const entry = yield* withoutSqlErrors(enter(named, reservedMillis))
          if (Option.isSome(entry)) return kept(yield* Effect.fromResult(recall(entry.value, named)))
          const value = yield* Effect.onError(effect, () =>
            Effect.ignore(withoutSqlErrors(settle(named, { _tag: "Release" })))
          )
          yield* withoutSqlErrors(settle(named, judge(value)))
          return done(value)
        }).pipe(inTurn(named)),

      sweep: Effect.gen(function* () {
        const before = new Date((yield* Clock.currentTimeMillis) - lifetimeMillis)
        const swept = yield* sql`delete from idempotency_keys where created_at <= ${before} returning key`
        return swept.length
      }).pipe(withoutSqlErrors)
    })
  })
)

const done = <A>(value: A): Outcome<A> => ({ _tag: "Done", value })

const kept = (answer: Answer): Outcome<never> => ({ _tag: "Kept", answer })

const toEntry = (row: Row): Entry => ({
  digest: row.digest,
  createdAt: row.created_at.getTime(),
  reservedUntil: row.reserved_until.getTime(),
  answer:
    row.status === null || row.content_type === null
      ? null
      : { status: row.status, contentType: row.content_type, body: row.body }
})
