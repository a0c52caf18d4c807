/** Snapshots and network logs in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as NetworkEventJson from "../../../core/browser/NetworkEventJson.ts"
import { bounds, EvidenceStore } from "../../../core/run/evidence/EvidenceStore.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import { exchanges, logs, snapshots, toSnapshot } from "../tables/Evidence.ts"
import type * as Table from "../tables/Table.ts"

export const layer = Layer.effect(
  EvidenceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return EvidenceStore.of({
      keepSnapshot: Effect.fn("EvidenceStore.keepSnapshot")((snapshot) =>
        sql`
          insert into run_snapshots ${sql.insert(snapshots.encode(snapshot))}
          on conflict (run_id, node_id) do update set artifact_id = excluded.artifact_id, at = excluded.at`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      snapshot: Effect.fn("EvidenceStore.snapshot")((runId, nodeId) =>
        sql<Table.Row<typeof snapshots.columns>>`
          select * from run_snapshots where run_id = ${runId} and node_id = ${nodeId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toSnapshot)),
          withoutSqlErrors
        )
      ),
      openLog: Effect.fn("EvidenceStore.openLog")((runId) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* sql`
              insert into network_logs ${sql.insert(logs.encode({ runId, open: true, truncated: false }))}
              on conflict (run_id) do update
              set open = true, truncated = network_logs.truncated or network_logs.open`
            const [kept] = yield* sql<{ readonly events: bigint; readonly characters: bigint }>`
              select count(*) as events, coalesce(sum(body_characters), 0) as characters
              from network_events where run_id = ${runId}`
            return {
              events: Math.max(bounds.events - Number(kept?.events ?? 0), 0),
              bodyCharacters: Math.max(bounds.bodyCharacters - Number(kept?.characters ?? 0), 0)
            }
          })
        )
      ),
      log: Effect.fn("EvidenceStore.log")((runId, events) => {
        const [first, ...rest] = events.map((exchange) => exchanges.encode({ runId, exchange }))
        return first === undefined
          ? Effect.void
          : sql`insert into network_events ${sql.insert([first, ...rest])}`.pipe(Effect.asVoid, withoutSqlErrors)
      }),
      closeLog: Effect.fn("EvidenceStore.closeLog")((runId, truncated) =>
        sql`update network_logs set open = false, truncated = truncated or ${truncated} where run_id = ${runId}`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      network: Effect.fn("EvidenceStore.network")((runId) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Table.Row<typeof logs.columns>>`
              select * from network_logs where run_id = ${runId} for share`
            if (row === undefined) return Option.none()
            const { open, truncated } = logs.decode(row)
            const rows = yield* sql<Table.Row<typeof exchanges.columns>>`
              select * from network_events where run_id = ${runId} order by started_at, id`
            return Option.some({
              open,
              truncated,
              events: rows.map((row) => NetworkEventJson.read(exchanges.decode(row).body))
            })
          })
        )
      ),
      expire: Effect.fn("EvidenceStore.expire")((before, limit) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const old = new Date(before)
            const pages = yield* sql`
              delete from run_snapshots where (run_id, node_id) in
                (select run_id, node_id from run_snapshots where at < ${old}
                  order by at limit ${limit} for update skip locked) returning 1`
            const events = yield* sql<{ readonly run_id: string }>`
              delete from network_events where (run_id, id) in
                (select run_id, id from network_events where started_at < ${old}
                  order by started_at limit ${limit} for update skip locked) returning run_id`
            const runs = [...new Set(events.map(({ run_id }) => run_id))]
            if (runs.length > 0) yield* sql`update network_logs set truncated = true where ${sql.in("run_id", runs)}`
            return Math.max(pages.length, events.length)
          })
        )
      )
    })
  })
)
