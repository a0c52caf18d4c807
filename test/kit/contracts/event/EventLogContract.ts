/**
 * The promises of every implementation of the log of events: `EventLog` and `ClientProgress`, on the data of the stores of
 * runs.
 */
import { Effect, Fiber, Ref } from "effect"
import { mostBytes, mostText } from "../../../../core/event/EventBounds.ts"
import { type Entry, EventLog } from "../../../../core/event/EventLog.ts"
import type { LoggedEvent } from "../../../../core/event/RunEvent.ts"
import { ClientProgress } from "../../../../core/event/stream/ClientProgress.ts"
import type { GateStore } from "../../../../core/gate/GateStore.ts"
import { history, RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = ClientProgress | EventLog | GateStore | RunStore | WorkflowStore | WorkspaceStore

const kinds = (entries: ReadonlyArray<Entry>) => entries.map(({ event }) => event.event)

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`the log of events ${title}`, Effect.suspend(test))

/** The end of a log. It is after the last entry once no earlier transaction is in progress. */
const endOf = Effect.fnUntraced(function* (log: EventLog["Service"]) {
  for (;;) {
    const end = yield* log.end
    if ((yield* log.read(end, 10)).entries.length === 0) return end
  }
})

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("is read from its end on, in pieces, with what the passing on depends on", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      yield* runs.submit(submission(workflow))
      const end = yield* endOf(log)
      const clientId = beside(caller.workspaceId)
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
      const second = yield* log.read(first.position, 10)
      assert.deepStrictEqual(kinds(second.entries), ["execution.stopped"])
      const rest = yield* log.read(second.position, 10)
      assert.deepStrictEqual(rest.entries, [])
    })
  ),
  promise("gives the history of a run whatever transactions wrote it", () =>
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
  ),
  promise("keeps each event within its bounds, whether an attempt, its end or a stop makes it", () =>
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
      const facts = { runId: run.id, workflowId: run.workflowId, next: null }
      yield* runs.report(held, { events: [{ event: "execution.step", ...facts, step: "x".repeat(mostText + 1) }] })
      yield* runs.settle(held, (locked, at) => Transition.finish(locked, { _tag: "Success", data }, at))
      assert.deepStrictEqual(leftOutOf(yield* history(runs, run.id)), [
        ["execution.step", "step"],
        ["execution.success", "data"]
      ])
      assert.deepStrictEqual((yield* runs.get(run.workspaceId, run.id)).run.data, data)
    })
  ),
  promise("loses nothing and keeps the order of each run, however many append at once", () =>
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
  ),
  promise("remembers the place of a consumer, which moves on only when its entries were handled", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const consumer = beside(caller.workspaceId)
      const drain = Effect.gen(function* () {
        while (yield* log.consume(consumer, 100, () => Effect.void));
      })
      yield* drain
      const workflow = yield* makeWorkflow(caller)
      const sent = submission(workflow)
      yield* runs.submit(sent)
      assert.strictEqual(yield* Effect.flip(log.consume(consumer, 10, () => Effect.fail("later"))), "later")
      const handled = yield* Ref.make<ReadonlyArray<string>>([])
      const handle = (entries: ReadonlyArray<Entry>) =>
        Ref.update(handled, (before) => [...before, ...entries.map(({ runId }) => runId)])
      // An entry that another transaction may still precede comes later.
      while (yield* log.consume(consumer, 10, handle));
      assert.isFalse(yield* log.consume(consumer, 10, handle))
      assert.deepStrictEqual(yield* Ref.get(handled), [sent.id])
    })
  ),
  promise("passes the events of other workflows on first, where one has many, and each once and in order", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const consumer = beside(caller.workspaceId)
      const handled: Array<Entry> = []
      const consume = (room?: Effect.Effect<number>) =>
        log.consume(consumer, 8, (entries) => Effect.sync(() => void handled.push(...entries)), room)
      while (yield* consume());
      handled.length = 0
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
  ),
  promise("is owed to a client until it was written, and no longer after the last event", () =>
    Effect.gen(function* () {
      const progress = yield* ClientProgress
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const clientId = beside(caller.workspaceId)
      const sent = submission(workflow, { options: { clientId: clientId } })
      const other = submission(workflow, { options: { clientId: beside(caller.workspaceId) } })
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
]
