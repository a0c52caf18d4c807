/** The cost of a tick over many schedules of which none or few are due, on a real PostgreSQL server. */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as ScheduleTables from "../../adapters/postgres/schedule/ScheduleTables.ts"
import * as Gate from "../../core/gate/Gate.ts"
import * as Firing from "../../core/schedule/Firing.ts"
import * as RunSchedule from "../../core/schedule/RunSchedule.ts"
import { ScheduleStore } from "../../core/schedule/ScheduleStore.ts"
import type { StoredWorkflow } from "../../core/workflow/WorkflowStore.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { median, millis, type Row } from "./Row.ts"

const count = 100_000
const ticks = 20

const made = ({ workflow }: StoredWorkflow, cron: string, at: number, only: number | null = null) =>
  RunSchedule.make(
    {
      id: RunSchedule.ScheduleId.make(randomUUID()),
      workspaceId: workflow.workspaceId,
      workflowId: workflow.id,
      createdBy: workflow.createdBy,
      terms: {
        name: "",
        timing: { kind: "cron", cron, timeZone: "UTC" },
        input: {},
        overlap: "skip",
        catchUp: "last",
        catchUpLimit: 100,
        jitterSeconds: 0,
        startsAt: only,
        endsAt: only
      }
    },
    Gate.open,
    at
  )

/** Daily schedules of 50 workflows, each at its own minute. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const caller = yield* makeWorkspace()
  const workflows = yield* Effect.forEach(Array.from({ length: 50 }), () => makeWorkflow(caller))
  const now = Date.now()
  for (let from = 0; from < count; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const workflow = workflows[(from + index) % workflows.length] as StoredWorkflow
      const minute = (Math.floor(now / 60_000) + 10 + ((from + index) % 1_400)) % 1_440
      return ScheduleTables.schedules.encode(made(workflow, `${minute % 60} ${Math.floor(minute / 60)} * * *`, now))
    })
    yield* sql`insert into schedules ${sql.insert(rows as never)}`
  }
  yield* sql`vacuum analyze schedules`
  return workflows[0] as StoredWorkflow
})

const timedTicks = <E, R>(prepare: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    for (let index = 0; index < ticks; index++) {
      yield* prepare
      const began = performance.now()
      yield* Firing.tick()
      yield* (yield* ScheduleStore).nextDue
      times.push(performance.now() - began)
    }
    return median(times)
  })

export const schedules = async (): Promise<ReadonlyArray<Row>> => {
  const layer = Layer.unwrap(
    Effect.map(freshDatabase, (url) =>
      // Filling the table takes longer than the service gives a statement.
      Layer.merge(Postgres.layer(Redacted.make(`${url}?options=-c%20statement_timeout%3D0`), 10), Crypto.layer)
    )
  )
  const runtime = ManagedRuntime.make(layer)
  try {
    return await runtime.runPromise(
      Effect.gen(function* () {
        const workflow = yield* filled
        const idle = yield* timedTicks(Effect.void)
        const one = yield* timedTicks(
          Effect.suspend(() => {
            const minute = Math.floor(Date.now() / 60_000) * 60_000
            return Effect.flatMap(ScheduleStore, (store) =>
              store.insert(made(workflow, "* * * * *", minute - 1, minute))
            )
          })
        )
        const row = (name: string, took: number): Row => ({
          name,
          value: millis(took),
          reference: "50 ms",
          ratio: took / 50,
          target: "<= 1",
          ok: took <= 50
        })
        return [row(`tick over ${count} schedules, none due`, idle), row(`tick over ${count} schedules, one due`, one)]
      })
    )
  } finally {
    await runtime.dispose()
  }
}
