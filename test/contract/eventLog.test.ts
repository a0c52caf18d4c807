import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { mostBytes, mostText } from "../../core/event/EventBounds.ts"
import { type Entry, EventLog, page } from "../../core/event/EventLog.ts"
import type { LoggedEvent, RunEvent } from "../../core/event/RunEvent.ts"
import { ClientProgress } from "../../core/event/stream/ClientProgress.ts"
import type { GateStore } from "../../core/gate/GateStore.ts"
import type { Run } from "../../core/run/Run.ts"
import { history, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
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
  it.layer(layer, { timeout: "60 seconds" })(`the log of events (${name})`, (it) => {
    it.effect("is read from its end on, in pieces, with what the passing on depends on", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        yield* runs.submit(submission(workflow))
        const end = yield* log.end
        assert.deepStrictEqual((yield* log.read(end, 10)).entries, [])
        const clientId = randomUUID()
        const webhook = { metadata: { order: 7 } }
        const sent = submission(workflow, { options: { clientId: clientId, webhook } })
        yield* runs.submit(sent)
        yield* runs.change(sent.workspaceId, sent.id, Transition.interrupt)
        const first = yield* log.read(end, 1)
        assert.deepStrictEqual([kinds(first.entries), first.more], [["execution.queued"], true])
        assert.deepInclude(first.entries[0], {
          runId: sent.id,
          workspaceId: sent.workspaceId,
          clientId,
          webhook,
          notifications: null
        })
        const rest = yield* log.read(first.position, 10)
        assert.deepStrictEqual([kinds(rest.entries), rest.more], [["execution.stopped"], false])
        assert.deepStrictEqual((yield* log.read(rest.position, 10)).entries, [])
      })
    )

    it.effect("gives the history of a run whatever transactions wrote it", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
        const { run } = yield* runs.submit(sent)
        const claimed = yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
        const held = { id: run.id, fence: claimed.find((one) => one.run.id === run.id)?.run.lease?.fence ?? 0 }
        const facts = { runId: run.id, workflowId: run.workflowId, next: null }
        // More than 256 transactions, so that their numbers take every low byte.
        for (let index = 0; index < 300; index++) {
          yield* runs.report(held, {
            events: [{ event: "execution.step", ...facts, step: String(index) }]
          })
        }
        assert.lengthOf(yield* runs.events(run.id, 0), 302)
      })
    )

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

    it.effect("keeps each event within its bounds, whether an attempt, its end or a stop makes it", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const data = { a: "é".repeat(1_000_000) }
        const leftOutOf = (events: ReadonlyArray<LoggedEvent>) => {
          for (const { event } of events) assert.isAtMost(JSON.stringify(event).length, mostBytes)
          return events.flatMap(({ event }) => (event.leftOut === undefined ? [] : [[event.event, ...event.leftOut]]))
        }
        const stopped = submission(workflow, { input: data })
        yield* runs.submit(stopped)
        yield* runs.change(stopped.workspaceId, stopped.id, Transition.interrupt)
        assert.deepStrictEqual(leftOutOf(yield* history(runs, stopped.id)), [["execution.stopped", "inputs"]])

        const { run } = yield* runs.submit(submission(workflow))
        const claimed = yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
        const held = { id: run.id, fence: claimed.find((one) => one.run.id === run.id)?.run.lease?.fence ?? 0 }
        yield* runs.report(held, { events: [stepOf(run, "x".repeat(mostText + 1), false)] })
        yield* runs.settle(held, (locked, at) => Transition.finish(locked, { _tag: "Success", data }, at))
        assert.deepStrictEqual(leftOutOf(yield* history(runs, run.id)), [
          ["execution.step", "step"],
          ["execution.success", "data"]
        ])
        assert.deepStrictEqual((yield* runs.get(run.workspaceId, run.id)).run.data, data)
      })
    )

    it.effect("loses nothing and keeps the order of each run, however many append at once", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const seen = yield* Ref.make<ReadonlyArray<Entry>>([])
        let position = yield* log.end
        const take = Effect.gen(function* () {
          const { entries, position: next } = yield* log.read(position, 7)
          position = next
          yield* Ref.update(seen, (before) => [...before, ...entries])
        })
        const reader = yield* Effect.forkChild(Effect.forever(Effect.andThen(take, Effect.yieldNow)))
        const all = Array.from({ length: 30 }, () => submission(workflow))
        yield* Effect.forEach(
          all,
          (one) =>
            Effect.gen(function* () {
              yield* runs.submit(one)
              yield* runs.change(one.workspaceId, one.id, Transition.interrupt)
            }),
          { concurrency: 10 }
        )
        while ((yield* Ref.get(seen)).length < 60) yield* Effect.yieldNow
        yield* Fiber.interrupt(reader)
        const entries = yield* Ref.get(seen)
        assert.lengthOf(entries, 60)
        for (const { id } of all) {
          assert.deepStrictEqual(kinds(entries.filter(({ runId }) => runId === id)), [
            "execution.queued",
            "execution.stopped"
          ])
        }
      })
    )

    it.effect("remembers the place of a consumer, which moves on only when its entries were handled", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const runs = yield* RunStore
        const consumer = randomUUID()
        const drain = Effect.gen(function* () {
          while (yield* log.consume(consumer, 100, () => Effect.void));
        })
        yield* drain
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const sent = submission(workflow)
        yield* runs.submit(sent)
        assert.strictEqual(yield* Effect.flip(log.consume(consumer, 10, () => Effect.fail("later"))), "later")
        const handled = yield* Ref.make<ReadonlyArray<string>>([])
        const handle = (entries: ReadonlyArray<Entry>) =>
          Ref.update(handled, (before) => [...before, ...entries.map(({ runId }) => runId)])
        assert.isFalse(yield* log.consume(consumer, 10, handle))
        assert.isFalse(yield* log.consume(consumer, 10, handle))
        assert.deepStrictEqual(yield* Ref.get(handled), [sent.id])
      })
    )

    it.effect("passes the events of other workflows on first, where one has many, and each once and in order", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const runs = yield* RunStore
        const consumer = randomUUID()
        const handled: Array<Entry> = []
        const consume = (room?: Effect.Effect<number>) =>
          log.consume(consumer, 8, (entries) => Effect.sync(() => void handled.push(...entries)), room)
        while (yield* consume());
        handled.length = 0
        const caller = yield* makeWorkspace()
        const [many, few] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const all = Array.from({ length: 20 }, () => submission(many))
        const other = submission(few)
        yield* Effect.forEach([...all, other], runs.submit)
        assert.isTrue(yield* consume(Effect.succeed(0)))
        assert.lengthOf(handled, 3)
        assert.strictEqual(handled[2]?.runId, other.id)
        const later = submission(many)
        yield* runs.submit(later)
        assert.isTrue(yield* consume(Effect.succeed(0)))
        assert.lengthOf(handled, 3)
        while (yield* consume(Effect.succeed(3)));
        assert.deepStrictEqual(
          handled.filter(({ runId }) => runId !== other.id).map(({ runId }) => runId),
          [...all, later].map(({ id }) => id)
        )
        assert.lengthOf(handled, 22)
      })
    )

    it.effect("is owed to a client until it was written, and no longer after the last event", () =>
      Effect.gen(function* () {
        const progress = yield* ClientProgress
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const clientId = randomUUID()
        const sent = submission(workflow, { options: { clientId: clientId } })
        const other = submission(workflow, { options: { clientId: randomUUID() } })
        yield* Effect.forEach([sent, other], runs.submit)
        const owed = progress.owed(sent.workspaceId, clientId, 0, 0)
        const [queued] = yield* owed
        assert.deepInclude(queued, { runId: sent.id, clientId })
        const sequence = queued?.sequence ?? 0
        yield* progress.written([{ runId: sent.id, sequence, last: false }])
        assert.deepStrictEqual(yield* owed, [])
        yield* runs.change(sent.workspaceId, sent.id, Transition.interrupt)
        assert.deepStrictEqual(kinds(yield* owed), ["execution.stopped"])
        assert.deepStrictEqual(yield* progress.owed(sent.workspaceId, clientId, Number.MAX_SAFE_INTEGER / 2, 0), [])
        assert.deepStrictEqual(yield* progress.owed((yield* makeWorkspace()).workspaceId, clientId, 0, 0), [])
        yield* progress.written([{ runId: sent.id, sequence: 1, last: true }])
        yield* progress.written([{ runId: sent.id, sequence: 1, last: false }])
        assert.deepStrictEqual(yield* owed, [])
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])

it.layer(databases.postgres[0], { timeout: "60 seconds" })("the log of events (transactions that overtake)", (it) => {
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
