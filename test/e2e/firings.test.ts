import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Gate from "../../core/gate/Gate.ts"
import * as RunSchedule from "../../core/schedule/RunSchedule.ts"
import { ScheduleStore } from "../../core/schedule/ScheduleStore.ts"
import { migratedDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { dataDir, masterKey, type Process, sluice } from "../support/processes.ts"
import { scale } from "../support/scale.ts"
import { until } from "../support/waiting.ts"

/** How many schedules fire at one instant. */
const total = 150 * scale

/** How often a scheduler is killed while there is something to fire. */
const mostKills = 1 + scale

/** A minute that has just passed. */
const instant = Math.floor(Date.now() / 60_000 - 3) * 60_000

const kill = ({ child, ended }: Process) =>
  Effect.suspend(() => {
    child.kill("SIGKILL")
    return ended
  })

it.live("two schedulers that are killed submit one run for each firing, and leave none out", () =>
  Effect.gen(function* () {
    const database = yield* migratedDatabase
    const settings = {
      DATABASE_URL: database,
      SLUICE_MASTER_KEY: masterKey,
      SLUICE_DATA_DIR: yield* dataDir,
      SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
    }
    yield* Effect.gen(function* () {
      const [schedules, sql] = [yield* ScheduleStore, yield* SqlClient.SqlClient]
      const { workflow } = yield* makeWorkflow(yield* makeWorkspace())
      const terms: RunSchedule.Terms = {
        name: "",
        timing: { kind: "cron", cron: "* * * * *", timeZone: "UTC" },
        input: {},
        overlap: "skip",
        catchUp: "all",
        catchUpLimit: 1,
        jitterSeconds: 0,
        startsAt: instant,
        endsAt: instant
      }
      for (let index = 0; index < total; index++) {
        const id = RunSchedule.ScheduleId.make(randomUUID())
        const { createdBy, workspaceId } = workflow
        const made = { id, workspaceId, workflowId: workflow.id, createdBy, terms }
        yield* schedules.insert(RunSchedule.make(made, Gate.open, instant - 3_600_000))
      }
      const fired = Effect.map(
        sql<{ readonly count: number }>`select count(*)::integer as count from schedule_firings`,
        ([row]) => row?.count ?? 0
      )

      const schedulers = [yield* sluice(["scheduler"], settings), yield* sluice(["scheduler"], settings)]
      let [kills, between] = [0, 0]
      for (let before = 0, done = 0; done < total; ) {
        // The one that has run for longer is killed while the firings are decided, and another takes its place.
        if (done > before && kills < mostKills) {
          before = done
          kills++
          const [oldest] = schedulers.splice(0, 1)
          if (oldest !== undefined) yield* kill(oldest)
          if ((yield* fired) < total) between++
          schedulers.push(yield* sluice(["scheduler"], settings))
        }
        const last = done
        done = yield* until("another firing", fired, (count) => count > last)
      }
      assert.isAbove(between, 0, "no scheduler was killed while there was something left to fire")

      assert.deepStrictEqual(
        yield* sql`select outcome, count(*)::integer as count from schedule_firings group by outcome`,
        [{ outcome: "submitted", count: total }]
      )
      const submitted = yield* sql`
          select count(*)::integer as runs, count(distinct schedule_id)::integer as schedules,
            (select count(*)::integer from runs) as all
          from schedule_firings join runs on runs.id = run_id`
      assert.deepStrictEqual(submitted, [{ runs: total, schedules: total, all: total }])
    }).pipe(Effect.provide(Postgres.layer(Redacted.make(database), 10)))
  }).pipe(Effect.scoped)
)
