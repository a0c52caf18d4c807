/** Used time steps in PostgreSQL: a row for each secret, with the last step that was used. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TimeSteps } from "../../../core/vault/otp/TimeSteps.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

/** The last used step of a secret, and the duration of a step. */
interface UsedStep {
  readonly key: string
  readonly step: number
  readonly periodMillis: number
}

const column = Table.of<UsedStep>()

export const table = Table.make(
  "time_steps",
  {
    key: column(Table.text, ({ key }) => key),
    last_step: column(Table.bigint, ({ step }) => step),
    until: column(Table.instant, ({ periodMillis, step }) => (step + 1) * periodMillis)
  },
  ["key"]
)

export const layer = Layer.effect(
  TimeSteps,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const row = (key: string, step: number, periodMillis: number) =>
      sql.insert(table.encode({ key, step, periodMillis }))

    return TimeSteps.of({
      reserve: Effect.fn("TimeSteps.reserve")(function* (key, { from, latest }, periodMillis) {
        if (from > latest) return Option.none()
        // One statement, so that a concurrent caller waits for this one and then continues from its result.
        const [reserved] = yield* sql<{ readonly step: number }>`
          insert into time_steps ${row(key, from, periodMillis)}
          on conflict (key) do update set
            last_step = greatest(time_steps.last_step + 1, excluded.last_step),
            until = to_timestamp(
              (greatest(time_steps.last_step + 1, excluded.last_step) + 1) * ${periodMillis}::double precision / 1000)
          where greatest(time_steps.last_step + 1, excluded.last_step) <= ${latest}::bigint
          returning last_step::double precision as step`.pipe(withoutSqlErrors)
        return Option.map(Option.fromUndefinedOr(reserved), ({ step }) => step)
      }),
      mark: Effect.fn("TimeSteps.mark")((key, step, periodMillis) =>
        withoutSqlErrors(
          Effect.asVoid(
            sql`
              insert into time_steps ${row(key, step, periodMillis)}
              on conflict (key) do update set last_step = excluded.last_step, until = excluded.until
              where time_steps.last_step < excluded.last_step`
          )
        )
      ),
      forgetBefore: Effect.fn("TimeSteps.forgetBefore")((at) =>
        sql`delete from time_steps where until < ${new Date(at)} returning key`.pipe(
          Effect.map((rows) => rows.length),
          withoutSqlErrors
        )
      )
    })
  })
)
