/**
 * The promises of every implementation of the stores of runs, workflows and gates: `RunStore`, `WorkflowStore`,
 * `GateStore` and `WorkspaceStore` on the same data.
 *
 * Each promise makes a new workspace and has its own clock, which begins at the epoch. It expects stores without runs
 * that wait: give each promise new stores, or empty them before it.
 */
import { Clock, Effect, Random, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore, mostCounted } from "../../../../core/gate/GateStore.ts"
import type { Run, RunningRun } from "../../../../core/run/Run.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { Turns } from "../../../../core/runtime/Shares.ts"
import type { Signals } from "../../../../core/runtime/Signals.ts"
import { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { daily, makeWorkflow, makeWorkspace, stored, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = GateStore | RunStore | WorkflowStore | WorkspaceStore | Signals

const hour = 3_600_000
const claim = { worker: "w", limit: 10, leaseMillis: 30_000 }
const success = (locked: Transition.LockedRun<RunningRun>, at: number) =>
  Transition.finish(locked, { _tag: "Success", data: { done: true } }, at)

/** A promise that is tested on a separate clock, which begins at the epoch. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    title,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

/** What every implementation of these stores promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("give back a run as it was submitted, odd characters included", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const input = { text: "a\u0000b \ud800 ✓", z: 1, a: { __proto__x: [null, true, 1.5] } }
      const sent = submission(workflow, { input, options: { debug: true } })
      yield* runs.submit(sent)
      const { run } = yield* runs.get(sent.workspaceId, sent.id)
      assert.deepStrictEqual(run.input, input)
      assert.deepStrictEqual(Object.keys(run.input), ["text", "z", "a"])
      assert.deepStrictEqual(run.options, { debug: true })
      assert.strictEqual(run.status, "execution.queued")
    })
  ),
  promise("know nothing of runs and workflows of another workspace", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const stranger = yield* makeWorkspace()
      const sent = submission(workflow)
      yield* runs.submit(sent)
      assert.tagged(yield* Effect.flip(runs.get(stranger.workspaceId, sent.id)), "RunNotFound", { sessionId: sent.id })
      assert.tagged(
        yield* Effect.flip((yield* GateStore).get(stranger.workspaceId, workflow.workflow.id)),
        "WorkflowNotFound",
        { workflowId: workflow.workflow.id }
      )
      assert.tagged(
        yield* Effect.flip((yield* WorkflowStore).get(stranger.workspaceId, workflow.workflow.id)),
        "WorkflowNotFound",
        { workflowId: workflow.workflow.id }
      )
      assert.tagged(
        yield* Effect.flip(runs.submit({ ...submission(workflow), workspaceId: stranger.workspaceId })),
        "WorkflowNotFound",
        { workflowId: workflow.workflow.id }
      )
      assert.deepStrictEqual((yield* runs.list(stranger.workspaceId, { limit: 10 })).runs, [])
    })
  ),
  promise("start runs in the order of their submission, each once, with growing fences", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const sent = [submission(workflow), submission(workflow), submission(workflow)]
      yield* Effect.forEach(sent, runs.submit)
      const first = yield* runs.claim({ ...claim, limit: 2 })
      const second = yield* runs.claim(claim)
      assert.deepStrictEqual(
        [...first, ...second].map(({ run }) => run.id),
        sent.map(({ id }) => id)
      )
      const fences = [...first, ...second].map(({ run }) => run.lease?.fence ?? 0)
      assert.deepStrictEqual(
        [...fences].sort((a, b) => a - b),
        fences
      )
      assert.strictEqual(new Set(fences).size, 3)
      assert.deepStrictEqual(yield* runs.claim(claim), [])
      assert.strictEqual(first[0]?.version.versionId, workflow.version.versionId)
    })
  ),
  promise("let workflows take turns, so that a long queue does not starve a short one", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const [long, short] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      yield* Effect.forEach(
        Array.from({ length: 6 }, () => submission(long)),
        runs.submit
      )
      const late = submission(short)
      yield* runs.submit(late)
      const started = [
        ...(yield* runs.claim({ ...claim, limit: 1 })),
        ...(yield* runs.claim({ ...claim, limit: 1 })),
        ...(yield* runs.claim({ ...claim, limit: 1 }))
      ]
      assert.include(
        started.map(({ run }) => run.id),
        late.id
      )
      yield* Effect.repeat(runs.claim(claim), { while: (claimed) => claimed.length > 0 })
    })
  ),
  promise("let workspaces take turns before their workflows do, and start none of a workspace that is full", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const [many, few] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const submitted = (caller: typeof many) =>
        Effect.gen(function* () {
          for (let time = 0; time < 2; time++) yield* runs.submit(submission(yield* makeWorkflow(caller)))
        })
      yield* submitted(many)
      yield* submitted(many)
      yield* submitted(few)
      const claimedOf = (limit: number, turns: Turns) =>
        Effect.map(runs.claim({ ...claim, limit, turns }), (claimed) =>
          claimed.map(({ run }) => (run.workspaceId === few.workspaceId ? "few" : "many")).toSorted()
        )
      const served = [few.workspaceId, many.workspaceId]
      assert.deepStrictEqual(yield* claimedOf(1, { full: [], served }), ["few"])
      assert.deepStrictEqual(yield* claimedOf(1, { full: [], served: served.toReversed() }), ["many"])
      // Whoever was never served comes first.
      assert.deepStrictEqual(yield* claimedOf(1, { full: [], served: [few.workspaceId] }), ["many"])
      assert.deepStrictEqual(yield* claimedOf(2, { full: [], served: [] }), ["few", "many"])
      assert.deepStrictEqual(yield* claimedOf(10, { full: [many.workspaceId], served }), [])
      assert.deepStrictEqual(yield* claimedOf(10, { full: [few.workspaceId], served }), ["many"])
    })
  ),
  promise("count the runs in progress of each worker, and those of a workspace among them", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const [many, few] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const [workflow, other] = [yield* makeWorkflow(many), yield* makeWorkflow(few)]
      for (const one of [workflow, workflow, other]) yield* runs.submit(submission(one))
      const worker = (name: string) => `${name} ${many.workspaceId}`
      const counted = (caller: typeof many) =>
        Effect.map(runs.inProgress(caller.workspaceId), (all) =>
          ["a", "b"].map((name) => all.find((one) => one.worker === worker(name)) ?? null)
        )
      assert.deepStrictEqual(yield* counted(many), [null, null])
      const turns = { full: [few.workspaceId], served: [] }
      const [first] = yield* runs.claim({ ...claim, worker: worker("a"), limit: 1, turns })
      yield* runs.claim({ ...claim, worker: worker("b") })
      assert.deepStrictEqual(yield* counted(many), [
        { worker: worker("a"), runs: 1, own: 1 },
        { worker: worker("b"), runs: 2, own: 1 }
      ])
      assert.deepStrictEqual(
        (yield* counted(few)).map((one) => one?.own),
        [0, 1]
      )
      if (first === undefined) throw new Error("Nothing was claimed")
      yield* runs.settle({ id: first.run.id, fence: first.run.lease.fence }, success)
      assert.isNull((yield* counted(many))[0])
    })
  ),
  promise("find a run behind many workflows whose runs were taken back", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      for (let index = 0; index < 5; index++) {
        const emptied = submission(yield* makeWorkflow(caller))
        yield* runs.submit(emptied)
        yield* runs.change(caller.workspaceId, emptied.id, Transition.interrupt)
      }
      const sent = submission(yield* makeWorkflow(caller))
      yield* runs.submit(sent)
      assert.deepStrictEqual(
        (yield* runs.claim({ ...claim, limit: 1 })).map(({ run }) => run.id),
        [sent.id]
      )
    })
  ),
  promise("start nothing in a closed window, and everything once it opens by the clock", (time) =>
    Effect.gen(function* () {
      const [gates, runs] = [yield* GateStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const changed = yield* gates.change(caller.workspaceId, workflow.workflow.id, (gate, at) =>
        Result.succeed(Gate.setWindow(gate, daily(9, 17), { at, by: caller.userId }))
      )
      assert.strictEqual(changed.after.revision, 1)
      const sent = submission(workflow)
      const { gate } = yield* runs.submit(sent)
      assert.isFalse(Gate.mayStart(gate, 0))
      assert.deepStrictEqual(yield* runs.claim(claim), [])
      assert.strictEqual(yield* gates.nextDue(0), 9 * hour)
      assert.strictEqual((yield* runs.list(caller.workspaceId, { limit: 1 })).runs[0]?.status, "execution.paused")
      yield* time.set(9 * hour - 1)
      assert.deepStrictEqual(yield* runs.claim(claim), [])
      yield* time.set(9 * hour)
      assert.deepStrictEqual(
        (yield* runs.claim(claim)).map(({ run }) => run.id),
        [sent.id]
      )
    })
  ),
  promise("start nothing after a window has closed, reviewed or not, and find the next opening when reviewed", (time) =>
    Effect.gen(function* () {
      const [gates, runs] = [yield* GateStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      yield* time.set(10 * hour)
      yield* gates.change(caller.workspaceId, workflow.workflow.id, (gate, at) =>
        Result.succeed(Gate.setWindow(gate, daily(9, 17), { at, by: caller.userId }))
      )
      yield* time.set(17 * hour)
      const sent = submission(workflow)
      yield* runs.submit(sent)
      assert.deepStrictEqual(yield* runs.claim(claim), [])
      yield* gates.review(100)
      assert.deepStrictEqual(yield* runs.claim(claim), [])
      assert.strictEqual(yield* gates.nextDue(17 * hour), 33 * hour)
      // The time zone data are still those that the opening was computed with.
      assert.deepStrictEqual(yield* gates.moved(caller.workspaceId, 0, 10), [])
      yield* time.set(33 * hour)
      assert.deepStrictEqual(
        (yield* runs.claim(claim)).map(({ run }) => run.id),
        [sent.id]
      )
    })
  ),
  promise("count the waiting runs that a change releases", () =>
    Effect.gen(function* () {
      const [gates, runs] = [yield* GateStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const sent = Array.from({ length: 3 }, () => submission(workflow))
      yield* Effect.forEach(sent, runs.submit)
      const first = yield* gates.firstWaiting(workflow.workflow.id, 2)
      assert.lengthOf(first, 2)
      assert.includeMembers(
        sent.map(({ id }) => id),
        first.map(({ id }) => id)
      )
      assert.lengthOf(yield* gates.firstWaiting(workflow.workflow.id, 20), 3)
      const three = { runs: 3, atLeast: false }
      assert.deepStrictEqual(yield* gates.countWaiting(workflow.workflow.id), three)
      const counted = (isCounted: boolean) =>
        Effect.map(
          gates.changeAndCount(caller.workspaceId, workflow.workflow.id, Result.succeed, () => isCounted),
          ({ waiting }) => waiting
        )
      assert.deepStrictEqual([yield* counted(true), yield* counted(false)], [3, 0])
      yield* runs.claim(claim)
      assert.deepStrictEqual(yield* gates.countWaiting(workflow.workflow.id), { runs: 0, atLeast: false })
    })
  ),
  promise("count all waiting runs that a change releases, however many they are", () =>
    Effect.gen(function* () {
      const [gates, runs] = [yield* GateStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const { id } = workflow.workflow
      yield* gates.change(caller.workspaceId, id, (gate, at) =>
        Result.succeed(Gate.pause(gate, { at, by: caller.userId }, { reason: "Stop", until: null }))
      )
      const sent = Array.from({ length: mostCounted + 5 }, () => submission(workflow))
      yield* Effect.forEach(sent, runs.submit, { concurrency: 50 })
      assert.deepStrictEqual(yield* gates.countWaiting(id), { runs: mostCounted, atLeast: true })
      const { waiting } = yield* gates.changeAndCount(
        caller.workspaceId,
        id,
        (gate) => Result.succeed(Gate.unpause(gate)),
        () => true
      )
      assert.strictEqual(waiting, sent.length)
    })
  ),
  promise("change nothing when a decision fails", () =>
    Effect.gen(function* () {
      const gates = yield* GateStore
      const caller = yield* makeWorkspace()
      const { workflow } = yield* makeWorkflow(caller)
      const refused = yield* Effect.flip(
        gates.change(caller.workspaceId, workflow.id, () => Result.fail("no" as const))
      )
      assert.strictEqual(refused, "no")
      assert.strictEqual((yield* gates.get(caller.workspaceId, workflow.id)).revision, 0)
    })
  ),
  promise("accept what the holder of a lease brings, and refuse it from any other", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const sent = submission(workflow)
      yield* runs.submit(sent)
      const [claimed] = yield* runs.claim(claim)
      const fence = claimed?.run.lease?.fence ?? 0
      const held = { id: sent.id, fence }
      const step = { runId: sent.id, workflowId: sent.workflowId, step: "Open", next: null }
      const mark = { kind: "acting", node: { id: "n", name: "Open" }, at: 1 } as const
      yield* runs.report(held, { events: [{ event: "execution.step", ...step }], progress: { acted: true, mark } })
      yield* runs.report(held, { events: [], progress: { committed: true } })
      const stale = { id: sent.id, fence: fence - 1 }
      assert.tagged(yield* Effect.flip(runs.report(stale, { events: [] })), "LeaseLost", {
        sessionId: sent.id,
        fence: fence - 1
      })
      assert.tagged(yield* Effect.flip(runs.settle(stale, success)), "LeaseLost", {
        sessionId: sent.id,
        fence: fence - 1
      })
      assert.deepStrictEqual(yield* runs.renew([held, stale], 60_000), [stale])
      yield* runs.settle(held, success)
      assert.tagged(yield* Effect.flip(runs.settle(held, success)), "LeaseLost", { sessionId: sent.id, fence })
      const { run } = yield* runs.get(sent.workspaceId, sent.id)
      assert.strictEqual(run.status, "execution.success")
      assert.deepStrictEqual(run.data, { done: true })
      assert.deepStrictEqual(run.progress, { acted: true, committed: true, mark })
      const kinds = (yield* runs.events(sent.id, 0)).map(({ event }) => event.event)
      assert.deepStrictEqual(kinds, ["execution.queued", "execution.start", "execution.step", "execution.success"])
    })
  ),
  promise("tell again at the end of a run of the files that it brought, in their order", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const [sent, other] = [submission(workflow), submission(workflow)]
      yield* Effect.forEach([sent, other], runs.submit)
      const claimed = yield* runs.claim(claim)
      const file = (name: string) => ({
        id: `id of ${name}`,
        name,
        at: 1_000,
        metadata: { name }
      })
      const names = ["b \u0000.csv", "a.pdf"]
      for (const { run } of claimed) {
        const fence = run.lease?.fence ?? 0
        const told = (run.id === sent.id ? names : []).map((name) => ({
          event: "file.uploaded" as const,
          runId: run.id,
          workflowId: run.workflowId,
          file: file(name)
        }))
        for (const event of told) yield* runs.report({ id: run.id, fence }, { events: [event] })
        yield* runs.settle({ id: run.id, fence }, success)
      }
      const lastOf = (id: typeof sent.id) => Effect.map(runs.events(id, 0), (events) => events.at(-1)?.event)
      assert.deepInclude(yield* lastOf(sent.id), { files: names.map(file) })
      assert.deepInclude(yield* lastOf(other.id), { files: [] })
    })
  ),
  promise("never change a run that has ended", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const sent = submission(workflow)
      yield* runs.submit(sent)
      const interrupt = runs.change(sent.workspaceId, sent.id, Transition.interrupt)
      yield* interrupt
      const before = yield* runs.get(sent.workspaceId, sent.id)
      assert.tagged(yield* Effect.flip(interrupt), "RunEnded", { sessionId: sent.id, status: "execution.stopped" })
      assert.deepStrictEqual(yield* runs.claim(claim), [])
      assert.deepStrictEqual((yield* runs.get(sent.workspaceId, sent.id)).run, before.run)
    })
  ),
  promise("hand over a run whose lease ran out, and not before", (time) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const sent = submission(workflow)
      yield* runs.submit(sent)
      const [first] = yield* runs.claim(claim)
      const reap = runs.reap(10, Transition.reap)
      yield* time.advance(29_999)
      assert.deepStrictEqual(yield* reap, [])
      yield* time.advance(1)
      assert.deepStrictEqual(
        (yield* reap).map((run) => run.status),
        ["execution.requeued"]
      )
      const [second] = yield* runs.claim(claim)
      assert.strictEqual(second?.run.id, sent.id)
      assert.isAbove(second?.run.lease?.fence ?? 0, first?.run.lease?.fence ?? 0)
      yield* runs.settle({ id: sent.id, fence: second?.run.lease?.fence ?? 0 }, success)
    })
  ),
  promise("stop a run that waited too long", (time) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const at = 5 * hour
      const sent = submission(workflow, { expiresAt: at })
      yield* runs.submit(sent)
      assert.isAtMost((yield* runs.nextDue(0)) ?? Infinity, at)
      yield* time.set(at)
      yield* runs.reap(10, Transition.reap)
      const { run } = yield* runs.get(sent.workspaceId, sent.id)
      assert.strictEqual(run.status, "execution.stopped")
      assert.strictEqual(run.errors[0]?.code, "EXPIRED-E0001")
    })
  ),
  promise("keep nothing of a workflow whose sizes are refused", () =>
    Effect.gen(function* () {
      const workflows = yield* WorkflowStore
      const caller = yield* makeWorkspace()
      const refused = yield* Effect.flip(
        workflows.create(stored(caller), (sizes) => (sizes.nodes > 0 ? Result.fail("too large" as const) : Result.void))
      )
      assert.strictEqual(refused, "too large")
      assert.deepStrictEqual(yield* workflows.list(caller.workspaceId), [])
    })
  ),
  promise("number the versions of a workflow, and keep each as it was", () =>
    Effect.gen(function* () {
      const workflows = yield* WorkflowStore
      const caller = yield* makeWorkspace()
      const first = yield* makeWorkflow(caller)
      const id = first.workflow.id
      const { versionId } = stored(caller).version
      yield* workflows.save(
        caller.workspaceId,
        id,
        (before, at) =>
          Result.succeed({
            workflow: { ...before.workflow, name: "Renamed", updatedAt: at },
            version: {
              ...before.version,
              versionId,
              versionNumber: before.version.versionNumber + 1,
              versionNote: "second"
            },
            gate: before.gate,
            canary: before.canary
          }),
        () => Result.void
      )
      assert.strictEqual((yield* workflows.get(caller.workspaceId, id)).workflow.name, "Renamed")
      assert.deepStrictEqual(
        (yield* workflows.versions(caller.workspaceId, id)).map((version) => [
          version.versionNumber,
          version.versionNote
        ]),
        [
          [2, "second"],
          [1, null]
        ]
      )
      assert.deepStrictEqual((yield* workflows.version(caller.workspaceId, id, 1)).version, first.version)
      assert.tagged(yield* Effect.flip(workflows.version(caller.workspaceId, id, 3)), "WorkflowNotFound", {
        workflowId: id
      })
    })
  ),
  promise("refuse an added output that is too large however it is kept, and keep nothing of its run", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      // Eight thousand characters without a pattern, which no compression makes small.
      const incompressible = (yield* Effect.forEach(Array.from({ length: 1_000 }), () =>
        Random.nextIntBetween(0, 2_821_109_907_455)
      ))
        .map((n) => n.toString(36).padStart(8, "0"))
        .join("")
      const made = yield* makeWorkflow(yield* makeWorkspace())
      const sent = submission(made, {
        options: { dryRun: { enabled: true, addToOutput: incompressible } }
      })
      assert.tagged(yield* Effect.flip(runs.submit(sent)), "FieldsTooLarge")
      assert.deepStrictEqual(
        (yield* runs.weigh(sent.workspaceId, incompressible)).map(({ field }) => field),
        ["dry_run.add_to_output"]
      )
      assert.deepStrictEqual(yield* runs.weigh(sent.workspaceId, "a".repeat(4_000)), [])
      assert.deepStrictEqual((yield* runs.list(sent.workspaceId, { limit: 10 })).runs, [])
    })
  ),
  promise("count the runs that a filter finds, by what they are and have", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const [busy, held] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const ended = submission(busy, { tags: ["a", "b"] })
      yield* Effect.forEach([ended, submission(busy, { tags: ["a"] }), submission(held)], runs.submit)
      yield* (yield* GateStore).change(workspaceId, held.workflow.id, (gate, at) =>
        Result.succeed(Gate.pause(gate, { at, by: caller.userId }, { reason: "Holidays", until: null }))
      )
      yield* runs.change(workspaceId, ended.id, Transition.interrupt)
      const exact = (count: number) => ({ count, isExact: true })
      assert.deepStrictEqual(yield* runs.count(workspaceId, {}), exact(3))
      assert.deepStrictEqual(yield* runs.count(workspaceId, { tags: ["a"] }), exact(2))
      assert.deepStrictEqual(yield* runs.count((yield* makeWorkspace()).workspaceId, {}), exact(0))
      const { holds, statuses, total } = yield* runs.counts(workspaceId, {})
      assert.deepStrictEqual(total, exact(3))
      const waiting = new Map(statuses.filter(([, { count }]) => count > 0))
      assert.deepStrictEqual(waiting.get("execution.queued"), exact(1))
      assert.deepStrictEqual(waiting.get("execution.paused"), exact(1))
      assert.deepStrictEqual(waiting.get("execution.stopped"), exact(1))
      assert.deepStrictEqual(new Map(holds).get("manual"), exact(1))
      const tally = yield* runs.tally(workspaceId, {})
      assert.deepStrictEqual([tally.runs, tally.isComplete], [3, true])
      assert.deepStrictEqual(tally.tags, [
        { value: "a", count: 2 },
        { value: "b", count: 1 }
      ])
      assert.deepStrictEqual(
        tally.workflows.map(({ count, id }) => [id, count]),
        [
          [busy.workflow.id, 2],
          [held.workflow.id, 1]
        ]
      )
    })
  ),
  promise("list the runs that refer to a credential, whatever its id is made of", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const referring = (...permissionedUserIds: ReadonlyArray<string>) =>
        submission(workflow, { credentials: [{ alias: "USER", permissionedUserIds, domain: "shop.example" }] })
      const long = "u".repeat(10_000)
      const [one, pool, odd] = [referring("u-1"), referring("u-1", "u-2", long), referring("\u0000 \ud800")]
      yield* Effect.forEach([one, pool, odd, submission(workflow)], runs.submit)
      const list = (...credentials: ReadonlyArray<string>) =>
        Effect.map(runs.list(caller.workspaceId, { credentials, limit: 10 }), (found) => found.runs.map(({ id }) => id))
      assert.deepStrictEqual((yield* list("u-1")).toSorted(), [one.id, pool.id].toSorted())
      assert.deepStrictEqual((yield* list("u-2", "\u0000 \ud800")).toSorted(), [pool.id, odd.id].toSorted())
      assert.deepStrictEqual(yield* list(long), [pool.id])
      assert.deepStrictEqual(yield* list("u-3"), [])
      assert.deepStrictEqual((yield* runs.get(caller.workspaceId, pool.id)).run.credentials, pool.credentials)
      const stranger = yield* makeWorkspace()
      assert.deepStrictEqual((yield* runs.list(stranger.workspaceId, { credentials: ["u-1"], limit: 10 })).runs, [])
    })
  ),
  promise("lose no run between pages, although all were submitted at one instant", (time) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const sent = Array.from({ length: 7 }, () => submission(workflow))
      yield* Effect.forEach(sent.slice(0, 2), runs.submit)
      yield* time.advance(1)
      yield* Effect.forEach(sent.slice(2), runs.submit)
      const found: Array<string> = []
      let before: { readonly at: number; readonly id: Run["id"] } | undefined
      while (true) {
        const { runs: page } = yield* runs.list(caller.workspaceId, {
          limit: 2,
          ...(before === undefined ? {} : { before })
        })
        const last = page.at(-1)
        if (last === undefined) break
        found.push(...page.map(({ id }) => id))
        before = { at: last.createdAt, id: last.id }
      }
      assert.deepStrictEqual(found, sent.map(({ id }) => id).reverse())
      const newest = (yield* runs.list(caller.workspaceId, { limit: 1 })).runs[0]
      const { runs: older } = yield* runs.list(caller.workspaceId, {
        limit: 10,
        before: { at: newest?.createdAt ?? 0 }
      })
      assert.deepStrictEqual(
        older.map(({ id }) => id),
        sent
          .slice(0, 2)
          .map(({ id }) => id)
          .reverse()
      )
    })
  )
]
