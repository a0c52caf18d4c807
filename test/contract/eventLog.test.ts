import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type Entry, EventLog, page } from "../../core/event/EventLog.ts"
import type { RunEvent } from "../../core/event/RunEvent.ts"
import { ClientProgress } from "../../core/event/stream/ClientProgress.ts"
import type { GateStore } from "../../core/gate/GateStore.ts"
import type { Run } from "../../core/run/Run.ts"
import { history, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as EventLogContract from "../kit/contracts/event/EventLogContract.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

type Needed = ClientProgress | EventLog | GateStore | RunStore | WorkflowStore | WorkspaceStore

type Told = Pick<Entry, "event" | "sequence">

const kinds = (entries: ReadonlyArray<Entry>) => entries.map(({ event }) => event.event)

/** An event of a step, or one with inputs of a million characters that a step asks for. */
const stepOf = ({ id, workflowId }: Run, step: string, large: boolean): RunEvent => {
  const ids = { runId: id, workflowId }
  return large
    ? {
        event: "execution.input_required",
        ...ids,
        step,
        message: "",
        inputs: million,
        screenshotId: null,
        reason: "input_required"
      }
    : { event: "execution.step", ...ids, step, next: null }
}

const million = { a: "x".repeat(1_000_000) }

/** The promises of every implementation of the log of events. */
const suite = <E, R>(name: string, layer: Layer.Layer<Needed | R, E>) =>
  it.layer(layer)(`the log of events (${name})`, (it) => {
    for (const { keeps, title } of EventLogContract.promises) it.effect(title, () => keeps)

    it.effect("gives many large events page by page, each once and in their order", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const progress = yield* ClientProgress
        const runs = yield* RunStore
        const clientId = randomUUID()
        const sent = submission(yield* makeWorkflow(yield* makeWorkspace()), { options: { clientId } })
        let position = yield* log.end
        const { run } = yield* runs.submit(sent)
        const claimed = yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
        const held = { id: run.id, fence: claimed.find((one) => one.run.id === run.id)?.run.lease?.fence ?? 0 }
        // Three pages by characters, of events as large as there are, and one by number.
        const large = Array.from({ length: (3 * page.characters) / 1_000_000 + 1 }, (_, index) => `large ${index}`)
        const small = Array.from({ length: page.events }, (_, index) => String(index))
        // A row that is larger than a page, as events were before they had bounds.
        const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
        const unbounded = Option.isSome(sql) ? ["unbounded"] : []
        if (Option.isSome(sql)) {
          const facts = JSON.stringify({ runId: run.id, workflowId: run.workflowId, step: "unbounded", next: null })
          yield* sql.value`
            insert into run_events (run_id, at, event, payload)
            values (${run.id}, now(), 'execution.step', ${facts} || repeat(' ', ${2 * page.characters}::integer))`
        }
        const steps = [...unbounded, ...large, ...small]
        yield* runs.report(held, {
          events: [...large.map((step) => stepOf(run, step, true)), ...small.map((step) => stepOf(run, step, false))]
        })
        const pagesOf = Effect.fnUntraced(function* (
          read: (after: number) => Effect.Effect<ReadonlyArray<Told>, unknown>
        ) {
          const pages: Array<ReadonlyArray<Told>> = []
          for (;;) {
            const one = yield* read(pages.at(-1)?.at(-1)?.sequence ?? 0)
            if (one.length === 0) return pages
            pages.push(one)
          }
        })
        const fromLog: Array<ReadonlyArray<Told>> = []
        for (let more = true; more; ) {
          const read = yield* log.read(position, page.events)
          more = read.more
          position = read.position
          if (read.entries.length > 0) fromLog.push(read.entries)
        }
        for (const pages of [
          yield* pagesOf((after) => runs.events(run.id, after)),
          yield* pagesOf((after) => progress.owed(sent.workspaceId, clientId, 0, after)),
          fromLog
        ]) {
          const told = pages.flat().flatMap(({ event }) => ("step" in event ? event.step : []))
          assert.isTrue(told.length === steps.length && told.every((one, index) => one === steps[index]))
          assert.isAtLeast(pages.length, 4)
          for (const one of pages) {
            const sizes = one.map(({ event }) => JSON.stringify({ ...event, event: undefined }).length)
            assert.isAtMost(sizes.length, page.events)
            assert.isBelow(
              sizes.slice(0, -1).reduce((sum, size) => sum + size, 0),
              page.characters
            )
          }
        }
        assert.lengthOf(yield* history(runs, run.id), steps.length + 2)
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])

it.layer(databases.postgres[0])("the log of events (transactions that overtake)", (it) => {
  it.effect("shows nothing before what is still to come, and a run's events in their order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const sent = submission(workflow)
      yield* runs.submit(sent)
      const position = (yield* log.read(yield* log.end, 10)).position
      const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // The transaction that gets its number first writes last.
      const early = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select pg_current_xact_id()::text`
            yield* Deferred.succeed(began, undefined)
            yield* Deferred.await(go)
            yield* sql`insert into run_events (run_id, at, event, payload)
              values (${sent.id}, now(), 'execution.start', ${JSON.stringify({ runId: sent.id, workflowId: "w" })})`
          })
        )
      )
      yield* Deferred.await(began)
      yield* runs.change(sent.workspaceId, sent.id, Transition.interrupt)
      const meanwhile = yield* log.read(position, 10)
      assert.deepStrictEqual([meanwhile.entries, meanwhile.more], [[], true])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(early)
      assert.deepStrictEqual(kinds((yield* log.read(position, 10)).entries), ["execution.stopped", "execution.start"])
      const first = yield* log.read(position, 1)
      assert.deepStrictEqual(kinds(first.entries), ["execution.stopped"])
    })
  )

  it.effect("does not wait for transactions of other databases of the server", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const elsewhere = yield* Effect.forkChild(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select pg_current_xact_id()::text`
              yield* Deferred.succeed(began, undefined)
              yield* Deferred.await(go)
            })
          )
        }).pipe(Effect.provide(Layer.fresh(databases.postgresLayer)))
      )
      yield* Deferred.await(began)
      const position = yield* log.end
      yield* runs.submit(submission(workflow))
      assert.deepStrictEqual(kinds((yield* log.read(position, 10)).entries), ["execution.queued"])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(elsewhere)
    })
  )
})
