import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { Signals } from "../../core/runtime/Signals.ts"
import type { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { RunId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { claim, finish, held, ids, makeEntry, naming, settle, submit } from "../kit/contracts/start/CredentialRuns.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

type Stores = GateStore | RunStore | VaultEntries | WorkflowStore | WorkspaceStore | Signals

/** A window that is closed at the epoch, where the clock of these tests stands. */
const closed = daily(9, 17)

const changeGate = (workflow: StoredWorkflow, change: (gate: Gate.Gate, actor: Gate.Actor) => Gate.Gate) =>
  Effect.flatMap(GateStore, (gates) =>
    gates.change(workflow.workflow.workspaceId, workflow.workflow.id, (gate, at) =>
      Result.succeed(change(gate, { at, by: workflow.workflow.createdBy }))
    )
  )

const pauseIt = (workflow: StoredWorkflow) =>
  changeGate(workflow, (gate, actor) => Gate.pause(gate, actor, { reason: "Stop", until: null }))

/** Runs a test with a new workflow whose window is closed, and whose runs are retried. */
const withHeld = <A, E, R>(test: (caller: Caller, workflow: StoredWorkflow) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller, { maxRetries: 3 })
    yield* changeGate(workflow, (gate, actor) => Gate.setWindow(gate, closed, actor))
    return yield* test(caller, workflow)
  })

const release = (caller: Caller, some: ReadonlyArray<RunId>, pastPause = false, dryRun = false) =>
  Effect.flatMap(RunStore, (runs) =>
    Effect.map(
      runs.changeAll(
        caller.workspaceId,
        some,
        (locked, at) => Transition.release(locked, { at, by: caller.userId }, pastPause),
        { dryRun }
      ),
      (decided) => decided.map((one) => one?.outcome ?? null)
    )
  )

const several = (workflow: StoredWorkflow, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => submit(workflow))

/** The promises of the stores about runs that are released past what holds them. */
const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`released runs (${name})`, (it) => {
    const promise = <A, F>(
      title: string,
      test: (caller: Caller, workflow: StoredWorkflow) => Effect.Effect<A, F, Stores>
    ) => it.effect(title, () => Effect.andThen(empty, withHeld(test)))

    promise("exactly those start in a closed window, say so, and the others stay held", (caller, workflow) =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const all = yield* several(workflow, 6)
        assert.deepStrictEqual(yield* claim(), [])
        const some = [all[4], all[1]].flatMap((id) => id ?? [])
        const stranger = yield* makeWorkspace()
        assert.deepStrictEqual(yield* release(stranger, some), [null, null])
        assert.deepStrictEqual(yield* release(caller, some, false, true), ["released", "released"])
        assert.deepStrictEqual(yield* claim(), [])
        assert.deepStrictEqual(yield* release(caller, some), ["released", "released"])
        assert.deepStrictEqual(yield* release(caller, some), ["already_released", "already_released"])
        const { runs: listed } = yield* runs.list(caller.workspaceId, { limit: 10, statuses: ["execution.queued"] })
        assert.deepStrictEqual(listed.map(({ id }) => id).toSorted(), some.toSorted())
        for (const filter of [{ holds: ["run_window"] as const }, { statuses: ["execution.paused"] as const }]) {
          const others = yield* runs.list(caller.workspaceId, { limit: 10, ...filter })
          assert.deepStrictEqual(
            others.runs.map(({ id }) => id).toSorted(),
            all.filter((id) => !some.includes(id)).toSorted()
          )
        }
        const started = yield* claim()
        assert.deepStrictEqual(ids(started), [all[1], all[4]])
        assert.deepStrictEqual(started[0]?.run.release, { at: 0, by: caller.userId, pause: null })
        assert.deepStrictEqual(yield* release(caller, some), ["not_waiting", "not_waiting"])
        yield* finish(started[0])
        assert.deepStrictEqual(yield* release(caller, some), ["not_waiting", "not_waiting"])
        assert.deepStrictEqual(yield* claim(), [])
        const told = yield* runs.events(all[1] as RunId, 0)
        assert.deepStrictEqual(
          told.map(({ event }) => event.event),
          ["execution.queued", "execution.paused", "execution.released", "execution.start", "execution.success"]
        )
        assert.strictEqual((yield* runs.get(caller.workspaceId, all[1] as RunId)).run.release?.by, caller.userId)
      })
    )

    promise("take turns with the runs of other workflows, and come in the order of submission", (caller, workflow) =>
      Effect.gen(function* () {
        const open = yield* makeWorkflow(caller)
        const all = yield* several(workflow, 4)
        yield* several(open, 4)
        yield* release(caller, all.slice(1).toReversed())
        const started = yield* Effect.forEach([2, 2, 2], claim)
        for (const some of started) {
          assert.strictEqual(some.filter(({ run }) => run.workflowId === open.workflow.id).length, 1)
        }
        assert.deepStrictEqual(
          ids(started.flat().filter(({ run }) => run.workflowId === workflow.workflow.id)),
          all.slice(1)
        )
      })
    )

    promise("pass a manual pause if asked, and not one that is set later", (caller, workflow) =>
      Effect.gen(function* () {
        const [first, second] = yield* several(workflow, 2)
        const both = [first as RunId, second as RunId]
        yield* pauseIt(workflow)
        assert.deepStrictEqual(yield* release(caller, both), ["held_by_pause", "held_by_pause"])
        assert.deepStrictEqual(yield* release(caller, [both[0] as RunId], true), ["released"])
        const started = yield* claim()
        assert.deepStrictEqual(ids(started), [first])
        yield* changeGate(workflow, Gate.unpause)
        yield* release(caller, [both[1] as RunId])
        yield* TestClock.adjust(1_000)
        yield* pauseIt(workflow)
        assert.deepStrictEqual(yield* claim(), [])
        assert.deepStrictEqual(yield* claim(), [])
        const { runs: read } = yield* (yield* RunStore).list(caller.workspaceId, {
          limit: 1,
          statuses: ["execution.paused"]
        })
        assert.deepStrictEqual(
          read.map(({ id }) => id),
          [second]
        )
        yield* changeGate(workflow, Gate.unpause)
        assert.deepStrictEqual(ids(yield* claim()), [second])
      })
    )

    promise("start again after their worker was lost, and after the window was edited", (caller, workflow) =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const [id] = yield* several(workflow, 2)
        yield* release(caller, [id as RunId])
        const [started] = yield* claim()
        if (started === undefined) throw new Error("Nothing was claimed")
        assert.deepStrictEqual(yield* claim(), [])
        yield* changeGate(workflow, (gate, actor) => Gate.setWindow(gate, daily(10, 11), actor))
        yield* runs.settle(held(started), Transition.abandon)
        const again = yield* claim()
        assert.deepStrictEqual(ids(again), [id])
        yield* settle(again[0], { _tag: "Failed", data: {}, errors: [], retry: { times: null, delayMillis: 60_000 } })
        assert.deepStrictEqual(yield* claim(), [])
        // It is put off no longer either.
        assert.deepStrictEqual(yield* release(caller, [id as RunId]), ["released"])
        const third = yield* claim()
        assert.deepStrictEqual(ids(third), [id])
        yield* settle(third[0], { _tag: "Failed", data: {}, errors: [], retry: { times: null, delayMillis: 60_000 } })
        assert.deepStrictEqual(yield* claim(), [])
        yield* TestClock.adjust(60_000)
        assert.deepStrictEqual(ids(yield* claim()), [id])
      })
    )

    promise("wait for their credential like others, and start once it is free", (caller, workflow) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "a")
        yield* makeEntry(caller, "b")
        const [a1, a2] = [yield* submit(workflow, naming("a")), yield* submit(workflow, naming("a"))]
        const b = yield* submit(workflow, naming("b"))
        yield* submit(workflow, naming("b"))
        yield* release(caller, [a1, a2])
        const first = yield* claim()
        assert.deepStrictEqual(ids(first), [a1])
        assert.deepStrictEqual(yield* claim(), [])
        // The claim above has settled that nothing can start; a release makes it look again, and so does the end of a run.
        yield* release(caller, [b])
        assert.deepStrictEqual(ids(yield* claim()), [b])
        assert.deepStrictEqual(yield* claim(), [])
        yield* finish(first[0])
        assert.deepStrictEqual(ids(yield* claim()), [a2])
      })
    )

    promise("each start once, whatever claims, releases, pauses and interrupts come together", (caller, workflow) =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const all = yield* several(workflow, 24)
        const started: Array<RunId> = []
        const claims = Effect.forEach(Array.from({ length: 12 }), () =>
          Effect.map(claim(3), (some) => started.push(...some.map(({ run }) => run.id)))
        )
        const releases = Effect.forEach([0, 1, 2, 3], (part) =>
          release(caller, [...all.slice(part * 6, part * 6 + 6), ...all.slice(0, 2)])
        )
        const pauses = Effect.forEach(Array.from({ length: 4 }), () =>
          Effect.andThen(pauseIt(workflow), changeGate(workflow, Gate.unpause))
        )
        const interrupts = runs.changeAll(
          caller.workspaceId,
          all.slice(4, 8),
          (locked, at) => ({ change: Result.getOrElse(Transition.interrupt(locked, at), () => null) }),
          { dryRun: false }
        )
        const [outcomes] = yield* Effect.all([releases, claims, pauses, interrupts], { concurrency: "unbounded" })
        for (let some = yield* claim(); some.length > 0; some = yield* claim())
          started.push(...some.map(({ run }) => run.id))
        assert.lengthOf(new Set(started), started.length, "started twice")
        const told = new Map(all.map((id) => [id, 0]))
        for (const id of all) {
          const events = (yield* runs.events(id, 0)).map(({ event }) => event.event)
          const count = (kind: string) => events.filter((one) => one === kind).length
          told.set(id, count("execution.released"))
          assert.isAtMost(count("execution.released"), 1, id)
          assert.strictEqual(count("execution.start"), started.includes(id) ? 1 : 0, id)
          if (started.includes(id)) assert.strictEqual(count("execution.released"), 1, id)
        }
        // What the callers were answered is what the events say.
        const answered = new Map<string, number>()
        for (const [part, some] of outcomes.entries()) {
          const asked = [...all.slice(part * 6, part * 6 + 6), ...all.slice(0, 2)]
          for (const [index, outcome] of some.entries()) {
            const id = String(asked[index])
            answered.set(id, (answered.get(id) ?? 0) + (outcome === "released" ? 1 : 0))
          }
        }
        for (const [id, count] of told) {
          // The first two were asked for twice in the first call: one decision answers both places.
          assert.strictEqual((answered.get(id) ?? 0) > 0, count === 1, id)
        }
      })
    )

    promise(
      "of retries and interrupts that come together with others one counts, and each is told so",
      (caller, held) =>
        Effect.gen(function* () {
          const runs = yield* RunStore
          yield* changeGate(held, Gate.removeWindow)
          yield* several(held, 6)
          const claimed = yield* claim(6)
          const some = claimed.map(({ run }) => run.id)
          const interrupt = runs.changeAll(
            caller.workspaceId,
            some,
            (locked, at) => ({ change: Result.getOrElse(Transition.interrupt(locked, at), () => null) }),
            { dryRun: false }
          )
          const [interrupted, ends] = yield* Effect.all(
            [interrupt, Effect.forEach(claimed, (one) => Effect.result(finish(one)), { concurrency: "unbounded" })],
            { concurrency: "unbounded" }
          )
          for (const [index, id] of some.entries()) {
            const wasInterrupted = interrupted[index]?.change !== null
            assert.strictEqual(ends[index]?._tag, wasInterrupted ? "Failure" : "Success")
            const { run } = yield* runs.get(caller.workspaceId, id)
            assert.strictEqual(run.status, wasInterrupted ? "execution.stopped" : "execution.success")
          }
          const id = some[0] as RunId
          const retry = (reason: string | null, version = held) =>
            runs.retry(
              { ...submission(version), retry: { of: id, by: caller.userId, reason } },
              { isLatest: version === held }
            )
          const retries = yield* Effect.forEach([1, 2, 3, 4], () => Effect.result(retry(null)), {
            concurrency: "unbounded"
          })
          const accepted = retries.flatMap((one) => (one._tag === "Success" ? [one.success.run.id] : []))
          assert.lengthOf(accepted, 1)
          for (const one of retries) {
            if (one._tag === "Success") continue
            assert.strictEqual(one.failure._tag, "AlreadyRetried")
            assert.include(one.failure.message, String(accepted[0]))
          }
          const forced = yield* retry("Again")
          assert.deepStrictEqual(forced.run.retry, { of: id, by: caller.userId, reason: "Again" })
          assert.deepStrictEqual(
            (yield* runs.retriesOf([id])).map((one) => one.retry),
            [...accepted, forced.run.id]
          )
          const { run } = yield* runs.get(caller.workspaceId, forced.run.id)
          assert.deepStrictEqual(run.retry, forced.run.retry)
          const tags = (dryRun: boolean) =>
            runs.changeTags(caller.workspaceId, [id, forced.run.id], (before) => [...before, "a", "b\u{1f680}"], {
              dryRun
            })
          for (const dryRun of [true, false, true]) yield* tags(dryRun)
          for (const one of [id, forced.run.id]) {
            assert.deepStrictEqual((yield* runs.get(caller.workspaceId, one)).run.tags, ["a", "b\u{1f680}"])
          }
          assert.deepStrictEqual(
            (yield* tags(true)).map((one) => one?.before.length),
            [2, 2]
          )
          const gone = { of: RunId.make(randomUUID()), by: caller.userId, reason: null }
          const refused = yield* Effect.flip(runs.retry({ ...submission(held), retry: gone }, { isLatest: true }))
          assert.strictEqual(refused._tag, "RunNotFound")
        })
    )
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)
