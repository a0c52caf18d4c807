/** The questions of runs in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { InteractionStore } from "../../../core/run/interaction/InteractionStore.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Evidence from "../tables/Evidence.ts"

export const layer = Layer.effect(
  InteractionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return InteractionStore.of({
      put: Effect.fn("InteractionStore.put")((interaction) => {
        const { run_id, ...rest } = Evidence.interactions.encode(interaction)
        return sql`
          insert into interactions ${sql.insert({ run_id, ...rest })}
          on conflict (run_id) do update set ${sql.update(rest)}
            where interactions.fence <= excluded.fence`.pipe(Effect.asVoid, withoutSqlErrors)
      }),
      get: Effect.fn("InteractionStore.get")((workspaceId, runId) =>
        sql<Evidence.InteractionRow>`select * from interactions where run_id = ${runId} and workspace_id = ${workspaceId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), Evidence.toInteraction)),
          withoutSqlErrors
        )
      ),
      change: Effect.fn("InteractionStore.change")((runId, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] =
              yield* sql<Evidence.InteractionRow>`select * from interactions where run_id = ${runId} for update`
            if (row === undefined) return Option.none()
            const before = Evidence.toInteraction(row)
            const after = yield* Effect.fromResult(decide(before, yield* Clock.currentTimeMillis))
            if (after !== before) {
              yield* sql`
                update interactions set ${sql.update(Evidence.answers.encode(after))} where run_id = ${runId}`
            }
            return Option.some({ before, after })
          })
        )
      ),
      forget: Effect.fn("InteractionStore.forget")((before) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const forgotten = yield* sql`
            update interactions set answer = null, closed_at = ${now}
            where answer is not null and expires_at < ${new Date(before)} returning run_id`
          return forgotten.length
        }).pipe(withoutSqlErrors)
      )
    })
  })
)
