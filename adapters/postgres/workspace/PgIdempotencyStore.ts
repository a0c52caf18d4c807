/** The answers of named requests in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import {
  type Answer,
  type Entry,
  IdempotencyStore,
  type KeyReused,
  lifetimeMillis,
  type NamedRequest,
  type Outcome,
  recall,
  reservedMillis,
  type StillAnswering,
  type Verdict
} from "../../../core/workspace/request/Idempotency.ts"
import * as KeyedMutex from "../../memory/KeyedMutex.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

/** An entry with the request that it is of. */
interface Kept extends Entry {
  readonly named: NamedRequest
}

const column = Table.of<Kept>()

export const table = Table.make(
  "idempotency_keys",
  {
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ named }) => named.workspaceId),
    key: column(Table.text, ({ named }) => named.key),
    digest: column(Table.text, ({ digest }) => digest),
    created_at: column(Table.instant, ({ createdAt }) => createdAt),
    reserved_until: column(Table.instant, ({ reservedUntil }) => reservedUntil),
    status: column(Table.nullable(Table.integer), ({ answer }) => answer?.status ?? null),
    content_type: column(Table.nullable(Table.text), ({ answer }) => answer?.contentType ?? null),
    body: column(Table.nullable(Table.text), ({ answer }) => answer?.body ?? null)
  },
  ["workspace_id", "key"]
)

type Row = Table.Row<typeof table.columns>

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
    const enter = (named: NamedRequest, reservedFor: number): Effect.Effect<Option.Option<Entry>, SqlError.SqlError> =>
      Effect.gen(function* () {
        const { digest, key, workspaceId } = named
        const now = yield* Clock.currentTimeMillis
        const at = new Date(now)
        const entry = { named, digest, createdAt: now, reservedUntil: now + reservedFor, answer: null }
        const entered = yield* sql`
          insert into idempotency_keys as old ${sql.insert(table.encode(entry))}
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

    const settle = ({ key, workspaceId }: NamedRequest, verdict: Verdict) =>
      verdict._tag === "Keep"
        ? sql`update idempotency_keys set status = ${verdict.answer.status},
            content_type = ${verdict.answer.contentType}, body = ${verdict.answer.body}
            where workspace_id = ${workspaceId} and key = ${key}`
        : sql`delete from idempotency_keys where workspace_id = ${workspaceId} and key = ${key}`

    const inTurn = ({ key, workspaceId }: NamedRequest) => turns(`${workspaceId} ${key}`)

    return IdempotencyStore.of({
      once: <A, E, R>(named: NamedRequest, effect: Effect.Effect<A, E, R>, judge: (value: A) => Verdict) =>
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

      reserved: <A, E, R>(named: NamedRequest, effect: Effect.Effect<A, E, R>, judge: (value: A) => Verdict) =>
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

const toEntry = (row: Row): Entry => {
  const { body, content_type, created_at, digest, reserved_until, status } = table.decode(row)
  const answer = status === null || content_type === null ? null : { status, contentType: content_type, body }
  return { digest, createdAt: created_at, reservedUntil: reserved_until, answer }
}
