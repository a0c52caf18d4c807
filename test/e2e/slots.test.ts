import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Scheduler from "../../core/run/Scheduler.ts"
import { makeEntry, naming } from "../kit/contracts/start/CredentialRuns.ts"
import { migratedDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { programOf } from "../support/programs.ts"
import { scale } from "../support/scale.ts"
import { until } from "../support/waiting.ts"

const limits = { one: 1, two: 2, sms1: 1, sms2: 1, bad: 1 }

const worker = (database: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [programOf("slotWorker")], {
        env: { ...process.env, SLUICE_TEST_DATABASE: database, SLUICE_TEST_LIMITS: JSON.stringify(limits) },
        stdio: ["ignore", "ignore", "inherit"]
      })
    ),
    kill
  )

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
  })

const needs = [
  [naming("one")],
  [naming("two")],
  [naming("sms1")],
  [naming("many")],
  [naming(["sms1", "sms2", "nobody"])],
  [naming("one"), naming("two", "OTHER")],
  [naming("two"), naming(["one", "sms2"], "OTHER")],
  [naming("bad")],
  []
]

it.live("workers that are killed leave no slot behind, and no credential is ever used more often than it allows", () =>
  Effect.gen(function* () {
    const database = yield* migratedDatabase
    yield* Effect.gen(function* () {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      yield* sql`create table violations (what text not null)`
      const caller = yield* makeWorkspace()
      const workflows = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      yield* makeEntry(caller, "one")
      yield* makeEntry(caller, "two", {
        allow_multiple_sessions: true,
        max_concurrency: 2,
        prevent_concurrency_during_login: true
      })
      yield* makeEntry(caller, "many", { allow_multiple_sessions: true })
      yield* makeEntry(caller, "sms1", { tfa_method: "SMS" })
      yield* makeEntry(caller, "sms2", { tfa_method: "SMS" })
      yield* makeEntry(caller, "bad")
      const total = 12 * scale * needs.length
      for (let index = 0; index < total; index++) {
        const workflow = workflows[index % 2]
        if (workflow === undefined) continue
        yield* runs.submit(submission(workflow, { credentials: needs[index % needs.length] ?? [] }))
      }

      yield* Effect.forkScoped(Scheduler.run())
      const workers = [yield* worker(database), yield* worker(database), yield* worker(database)]
      const ended = Effect.map(
        sql<{ readonly count: number }>`select count(*)::integer as count from runs where ended_at is not null`,
        ([row]) => row?.count ?? 0
      )
      for (let done = 0, kills = 0; done < total; ) {
        // One is killed, and another takes its place, each time that a part of the work is done.
        if (done > ((kills + 1) * total) / 6 && kills < 4) {
          kills++
          const [oldest] = workers.splice(0, 1)
          if (oldest !== undefined) yield* kill(oldest)
          workers.push(yield* worker(database))
        }
        const before = done
        done = yield* until("the end of another run", ended, (count) => count > before)
      }

      assert.deepStrictEqual(yield* sql`select what from violations`, [])
      const statuses = yield* sql<{ readonly bad: boolean; readonly status: string; readonly again: boolean }>`
          select credentials like '%"bad"%' as bad, status, bool_or(attempts > 1) as again from runs group by 1, 2`
      assert.isTrue(
        statuses.some(({ again }) => again),
        "no process was killed while it worked"
      )
      assert.sameMembers(
        statuses.map(({ bad, status }) => `${bad ? "bad" : "good"} ${status}`),
        ["good execution.success", "bad execution.failed", "bad execution.stopped"]
      )
      assert.deepStrictEqual(yield* sql`select run_id from login_failures`, [])
    }).pipe(Effect.provide(Postgres.layer(Redacted.make(database), 10)))
  }).pipe(Effect.scoped)
)
