/** Runs that are lost and doubled behind the back of the service, to show that the judge finds them. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Promised, Violation } from "../kit/simulation/Promises.ts"
import { until } from "../support/waiting.ts"

export interface Planted {
  /** The fault behind which it was done. */
  readonly fault: string
  /** The promise that it breaks. */
  readonly promise: Promised
  /** The run that is lost, or the two of one key. */
  readonly runIds: ReadonlyArray<string>
}

/** Takes one of the answered runs out of the record, and doubles another, which were not among those before. */
export const plant =
  (fault: string, answered: () => ReadonlyArray<string>, before: ReadonlyArray<Planted>) =>
  (sql: SqlClient.SqlClient) =>
    Effect.gen(function* () {
      const used = before.flatMap(({ runIds }) => runIds)
      const ended = Effect.suspend(() => {
        const candidates = answered().filter((id) => !used.includes(id))
        return sql<{ readonly id: string }>`select id from runs
          where ended_at is not null and ${sql.in("id", candidates)} order by ended_at limit 2`
      })
      const found = yield* until("two runs that have ended", ended, (all) => all.length === 2)
      const [lost = "", model = ""] = found.map(({ id }) => id)
      const copy = yield* sql.withTransaction(
        Effect.gen(function* () {
          // Neither rules nor references hold.
          yield* sql`set local session_replication_role = replica`
          yield* sql`delete from runs where id = ${lost}`
          const [stored] = yield* sql<{ readonly names: string }>`select string_agg(column_name, ', ') as names
            from information_schema.columns where table_name = 'runs' and is_generated = 'NEVER'`
          const names = sql.literal(stored?.names ?? "")
          const [made] = yield* sql<{ readonly id: string }>`insert into runs (${names}) overriding system value
            select ${names} from (
              select (jsonb_populate_record(run, jsonb_build_object('id', gen_random_uuid(), 'sequence', -run.sequence))).*
              from runs run where run.id = ${model}
            ) copy returning id`
          return made?.id ?? ""
        })
      )
      return [
        { fault, promise: "an accepted run is in the record", runIds: [lost] },
        { fault, promise: "one key makes one run", runIds: [model, copy] }
      ] satisfies ReadonlyArray<Planted>
    })

/** What was planted and not found. */
export const missed = (planted: ReadonlyArray<Planted>, violations: ReadonlyArray<Violation>) =>
  planted.filter(
    ({ promise, runIds }) => !violations.some((one) => one.promise === promise && runIds.includes(one.runId))
  )
