import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Queue, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { page } from "../../../core/event/EventLog.ts"
import { type Batch, EventStreams } from "../../../core/event/stream/EventStreams.ts"
import * as WorkspaceStream from "../../../core/event/stream/WorkspaceStream.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import * as AnnouncedChanges from "../../../core/workspace/audit/AnnouncedChanges.ts"
import { Audit, type Author } from "../../../core/workspace/audit/Audit.ts"
import type { AuditAction } from "../../../core/workspace/audit/AuditAction.ts"
import type { RunId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"

const services = EventStreams.layer.pipe(Layer.provideMerge(Memory.layer))

const provided = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services> | Scope.Scope>) =>
  Effect.scoped(test).pipe(Effect.provide(Layer.fresh(services)))

const kinds = (batch: Batch) => batch.map(({ event }) => event.event)

const setUp = Effect.gen(function* () {
  const runs = yield* RunStore
  const signals = yield* Signals
  const workflow = yield* makeWorkflow(yield* makeWorkspace())
  const clientId = randomUUID()
  const told = <A, E>(effect: Effect.Effect<A, E>) => Effect.tap(effect, signals.publish({ _tag: "events" }))
  const submit = Effect.gen(function* () {
    const sent = submission(workflow, { options: { clientId: clientId } })
    yield* told(runs.submit(sent))
    return sent.id
  })
  const { workspaceId } = workflow.workflow
  const announce = (runId: string) => signals.publish({ _tag: "announced", runId, clientId })
  const interrupt = (runId: RunId) => told(runs.change(workspaceId, runId, Transition.interrupt))
  return { announce, clientId, interrupt, submit, workspaceId }
})

/** Reads a client's stream as fast as it comes; batches wait in a queue. */
const read = (workspaceId: WorkspaceId, clientId: string) =>
  Effect.gen(function* () {
    const batches = yield* Queue.unbounded<Batch>()
    const streams = yield* EventStreams
    yield* Effect.forkScoped(
      Stream.runForEach(streams.ofClient(workspaceId, clientId), (batch) => Queue.offer(batches, batch))
    )
    return batches
  })

it.effect("a workspace's stream has the events its filter takes, and continues after any of them", () =>
  provided(
    Effect.gen(function* () {
      const mine = yield* setUp
      const other = yield* setUp
      const read = (after: string | null) =>
        Effect.gen(function* () {
          const parts = yield* Queue.unbounded<WorkspaceStream.Part>()
          const takes = ({ event }: { readonly event: { readonly event: string } }) =>
            event.event !== "execution.success"
          yield* Effect.forkScoped(
            Stream.runForEach(WorkspaceStream.make(mine.workspaceId, { after, takes, changes: false }), (part) =>
              Queue.offer(parts, part)
            )
          )
          return parts
        })
      const live = yield* read(null)
      assert.deepStrictEqual((yield* Queue.take(live)).events, [])
      yield* other.submit
      const id = yield* mine.submit
      yield* TestClock.adjust("1 second")
      const [queued] = (yield* Queue.take(live)).events
      assert.deepInclude({ run: queued?.runId, event: queued?.event.event }, { run: id, event: "execution.queued" })
      yield* mine.interrupt(id)
      yield* TestClock.adjust("1 second")
      const stopped = yield* Queue.take(live)
      assert.deepStrictEqual(kinds(stopped.events), ["execution.stopped"])
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual((yield* Queue.take(live)).events, [])
      const again = yield* read(queued?.position ?? "")
      yield* Queue.take(again)
      assert.deepStrictEqual(yield* Queue.take(again), stopped)
    })
  )
)

it.effect("a workspace's stream names the kinds of what was changed there, where that is asked for", () =>
  provided(
    Effect.gen(function* () {
      const [audit, signals] = [yield* Audit, yield* Signals]
      const [mine, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const read = (changes: boolean) =>
        Effect.gen(function* () {
          const parts = yield* Queue.unbounded<WorkspaceStream.Part>()
          yield* Effect.forkScoped(
            Stream.runForEach(
              WorkspaceStream.make(mine.workspaceId, { after: null, takes: () => true, changes }),
              (part) => Queue.offer(parts, part)
            )
          )
          yield* Queue.take(parts)
          return parts
        })
      const [asked, notAsked] = [yield* read(true), yield* read(false)]
      const record = (author: Author, action: AuditAction) =>
        audit.record(author, { action, resourceId: null, before: null, after: null })
      yield* record(other, "key.create")
      yield* audit.recording(mine, Effect.void, () => [
        { action: "run_window.set", resourceId: null, before: null, after: null },
        { action: "schedule.create", resourceId: null, before: null, after: null }
      ])
      yield* record(mine, "run_window.remove")
      yield* signals.publish({ _tag: "changed", workspaceId: randomUUID(), kind: "pause" })
      yield* TestClock.adjust("1 second")
      const { changed, events } = yield* Queue.take(asked)
      assert.deepStrictEqual(
        { changed: changed.toSorted(), events },
        { changed: ["run_window", "schedule"], events: [] }
      )
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual((yield* Queue.take(asked)).changed, [])
      assert.deepStrictEqual((yield* Queue.take(notAsked)).changed, [])
    }).pipe(Effect.provide(AnnouncedChanges.layer))
  )
)

it.effect("a stream gives a sign of life at once, and again after each 15 seconds of silence", () =>
  provided(
    Effect.gen(function* () {
      const { clientId, workspaceId } = yield* setUp
      const batches = yield* read(workspaceId, clientId)
      assert.deepStrictEqual(yield* Queue.take(batches), [])
      for (let round = 0; round < 3; round++) {
        yield* TestClock.adjust("14999 millis")
        assert.strictEqual(yield* Queue.size(batches), 0)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Queue.take(batches), [])
      }
    })
  )
)

it.effect("the events of a run wait for the answer to its submission, and two seconds at most", () =>
  provided(
    Effect.gen(function* () {
      const { announce, clientId, submit, workspaceId } = yield* setUp
      const batches = yield* read(workspaceId, clientId)
      yield* Queue.take(batches)
      const first = yield* submit
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(yield* Queue.size(batches), 0)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(kinds(yield* Queue.take(batches)), ["execution.queued"])
      const second = yield* submit
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* Queue.size(batches), 0)
      yield* announce(second)
      const [told] = yield* Queue.take(batches)
      assert.strictEqual(told?.runId, second)
      assert.notStrictEqual(first, second)
    })
  )
)

it.effect(
  "what was written counts as received when the connection outlives it, and is owed to the next one otherwise",
  () =>
    provided(
      Effect.gen(function* () {
        const { announce, clientId, interrupt, submit, workspaceId } = yield* setUp
        const run = yield* submit
        yield* announce(run)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const batches = yield* read(workspaceId, clientId)
            yield* Queue.take(batches)
            yield* TestClock.adjust("2 seconds")
            assert.deepStrictEqual(kinds(yield* Queue.take(batches)), ["execution.queued"])
            yield* TestClock.adjust("2500 millis")
            yield* interrupt(run)
            assert.deepStrictEqual(kinds(yield* Queue.take(batches)), ["execution.stopped"])
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const batches = yield* read(workspaceId, clientId)
            yield* Queue.take(batches)
            assert.deepStrictEqual(kinds(yield* Queue.take(batches)), ["execution.stopped"])
            yield* TestClock.adjust("2500 millis")
          })
        )
        const batches = yield* read(workspaceId, clientId)
        yield* Queue.take(batches)
        yield* TestClock.adjust("14 seconds")
        assert.strictEqual(yield* Queue.size(batches), 0)
      })
    )
)

it.effect("a stream that is not read keeps no more than its bound, and misses nothing in the end", () =>
  provided(
    Effect.gen(function* () {
      const { clientId, interrupt, submit, workspaceId } = yield* setUp
      const streams = yield* EventStreams
      const wanted = yield* Queue.unbounded<void>()
      const seen: Array<string> = []
      yield* Effect.forkScoped(
        Stream.runForEach(streams.ofClient(workspaceId, clientId), (batch) =>
          Effect.andThen(
            Effect.sync(() => void seen.push(...batch.map(({ event, runId }) => `${runId} ${event.event}`))),
            Queue.take(wanted)
          )
        )
      )
      yield* TestClock.adjust("1 millis")
      for (let index = 0; index < 1_500; index++) yield* interrupt(yield* submit)
      yield* TestClock.adjust("3 seconds")
      assert.lengthOf(seen, 0)
      for (let round = 0; round < 20; round++) {
        yield* Queue.offer(wanted, undefined)
        yield* TestClock.adjust("1 seconds")
      }
      assert.lengthOf(seen, 3_000)
      assert.strictEqual(new Set(seen).size, 3_000)
    })
  )
)

/** The rest of an event as large as there is. */
const asked = {
  message: "",
  inputs: { a: "x".repeat(1_000_000) },
  screenshotId: null,
  reason: "input_required" as const
}

it.effect("a stream gives what is owed page by page, and then what happened meanwhile, each once and in order", () =>
  provided(
    Effect.gen(function* () {
      const { announce, clientId, interrupt, submit, workspaceId } = yield* setUp
      const runs = yield* RunStore
      const run = yield* submit
      yield* announce(run)
      const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      const held = { id: run, fence: claimed?.run.lease?.fence ?? 0 }
      const ids = { runId: run, workflowId: claimed?.run.workflowId ?? "" }
      const report = (steps: ReadonlyArray<string>) =>
        runs.report(held, {
          events: steps.map((step) =>
            step.startsWith("large")
              ? { event: "execution.input_required", ...ids, step, ...asked }
              : { event: "execution.step", ...ids, step, next: null }
          )
        })
      const owed = Array.from({ length: 2 * page.events }, (_, index) => `owed ${index}`)
      const large = Array.from({ length: (2 * page.characters) / 1_000_000 }, (_, index) => `large ${index}`)
      yield* report([...owed, ...large])
      const streams = yield* EventStreams
      const told: Array<string> = []
      let longest = 0
      let meanwhile = false
      yield* TestClock.adjust("3 seconds")
      for (const read of [
        streams.ofClient(workspaceId, clientId),
        streams.ofRun(workspaceId, run, 0, (after) => runs.events(run, after))
      ]) {
        told.length = 0
        yield* read.pipe(
          Stream.tap((batch) =>
            Effect.gen(function* () {
              longest = Math.max(longest, batch.length)
              for (const { event } of batch) if ("step" in event) told.push(event.step)
              if (batch.length === 0 || meanwhile) return
              // More than a mailbox holds happens while the first page is written.
              meanwhile = true
              yield* Effect.forEach(Array.from({ length: 25 }).keys(), (part) =>
                report(Array.from({ length: 50 }, (_, index) => `new ${part * 50 + index}`))
              )
              yield* interrupt(run)
              yield* TestClock.adjust("10 seconds")
            })
          ),
          Stream.takeUntil((batch) => batch.some(({ event }) => event.event === "execution.stopped")),
          Stream.runDrain
        )
        const expected = [...owed, ...Array.from({ length: 1_250 }, (_, index) => `new ${index}`)]
        assert.deepStrictEqual(
          told.filter((one) => !one.startsWith("large")),
          expected
        )
        assert.lengthOf(told, expected.length + large.length)
      }
      assert.isAtMost(longest, 1_000)
    })
  )
)
