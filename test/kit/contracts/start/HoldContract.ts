/**
 * The promises of every store of runs about runs that an edit of a gate holds: `announceHolds` and `watch` of `RunStore`,
 * on the data of the stores of gates and workflows.
 *
 * Each promise makes a new workspace and has its own clock, which begins at the epoch. It expects stores without holds
 * that are still to be announced: give each promise new stores, or empty them before it.
 */
import { Clock, Effect, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import type { HoldAnnouncement } from "../../../../core/run/hold/HoldAnnouncement.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkflow, makeWorkspace, newId, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = GateStore | RunStore | WorkflowStore | WorkspaceStore

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `the announcement of holds ${title}`,
    Effect.suspend(() => Effect.provideService(test(), Clock.Clock, SteppingClock.make(0).clock))
  )

/**
 * The announcement of a hold. Each held run of the workflows in `toAll` has its own event; of any other workflow, one
 * event reports all held runs.
 */
const announcement = (...toAll: ReadonlyArray<StoredWorkflow>): HoldAnnouncement => ({
  ofWorkflow: ({ gate, run }, held, now) => [
    {
      event: "workflow.paused",
      runId: run.id,
      workflowId: run.workflowId,
      reason: "manual",
      message: Gate.holds(gate, now)[0]?.reason ?? "",
      nextOpenAt: null,
      heldRuns: held.runs,
      atLeast: held.atLeast
    }
  ],
  ofRun: ({ gate, run }, now) => Transition.pausedEvents(run, gate, now),
  announcesToAll: (_, workflowId) => Effect.succeed(toAll.some(({ workflow }) => workflow.id === workflowId))
})

/** Announces all that is to be announced, in pieces of two runs. */
const announceAll = (...toAll: ReadonlyArray<StoredWorkflow>) =>
  Effect.flatMap(RunStore, (runs) =>
    Effect.repeat(runs.announceHolds(2, announcement(...toAll)), { while: (isMore) => isMore })
  )

const kindsOf = Effect.fnUntraced(function* (id: RunId) {
  return (yield* (yield* RunStore).events(id, 0)).map(({ event }) => event.event)
})

const edit = Effect.fnUntraced(function* (
  caller: Caller,
  { workflow }: StoredWorkflow,
  change: (gate: Gate.Gate) => Gate.Gate
) {
  yield* (yield* GateStore).change(caller.workspaceId, workflow.id, (gate) => Result.succeed(change(gate)))
})

const pause = (caller: Caller, held: StoredWorkflow, reason: string) =>
  edit(caller, held, (gate) => Gate.pause(gate, { at: 0, by: caller.userId }, { reason, until: null }))

/** Submits runs, of which those that name a stream are watched. */
const submitAll = (workflow: StoredWorkflow, count: number, isWatched: boolean) =>
  Effect.forEach(
    Array.from({ length: count }),
    Effect.fnUntraced(function* () {
      const sent = submission(workflow, isWatched ? { options: { clientId: yield* newId } } : {})
      yield* (yield* RunStore).submit(sent)
      return sent.id
    })
  )

const submitOne = (workflow: StoredWorkflow, isWatched: boolean) =>
  Effect.map(submitAll(workflow, 1, isWatched), (all) => all[0] as RunId)

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("tells each watched run that an edit holds once, in pieces, and no other run", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const [held, free] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const waiting = yield* submitAll(held, 5, true)
      const other = yield* submitOne(free, true)
      yield* announceAll()
      yield* pause(caller, held, "Stop")
      const late = yield* submitOne(held, true)
      yield* announceAll()
      // A further hold on a gate that is closed already tells no run.
      yield* pause(caller, held, "Still")
      yield* announceAll()
      for (const id of [...waiting, late]) {
        const kinds = (yield* kindsOf(id)).filter((kind) => kind !== "workflow.paused")
        assert.deepStrictEqual(kinds, ["execution.queued", "execution.paused"])
      }
      assert.deepStrictEqual(yield* kindsOf(other), ["execution.queued"])
      yield* edit(caller, held, Gate.unpause)
      yield* pause(caller, held, "Again")
      yield* edit(caller, held, Gate.unpause)
      yield* announceAll()
      assert.lengthOf(yield* kindsOf(late), 2)
    })
  ),
  promise("tells the workflow once how many runs are held, and a run that is not watched nothing until it is", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const held = yield* makeWorkflow(caller)
      const [first, last] = [yield* submitOne(held, false), yield* submitOne(held, false)]
      yield* pause(caller, held, "Stop")
      yield* announceAll()
      yield* announceAll()
      assert.deepStrictEqual(yield* kindsOf(first), ["execution.queued"])
      assert.deepStrictEqual(yield* kindsOf(last), ["execution.queued", "workflow.paused"])
      const told = (yield* runs.events(last, 0)).at(-1)?.event
      assert.deepInclude(told, { event: "workflow.paused", message: "Stop", heldRuns: 2, atLeast: false })
      const watch = runs.watch(caller.workspaceId, first, announcement().ofRun)
      assert.isTrue(yield* watch)
      assert.isFalse(yield* watch)
      assert.deepStrictEqual(yield* kindsOf(first), ["execution.queued", "execution.paused"])
      yield* edit(caller, held, Gate.unpause)
      yield* pause(caller, held, "Again")
      yield* announceAll()
      assert.lengthOf(yield* kindsOf(first), 3)
      assert.notInclude(yield* kindsOf(last), "execution.paused")
    })
  ),
  promise("watches a run only for its workspace, and changes no run that is not waiting or not held", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const stranger = yield* makeWorkspace()
      const [ended, free] = [yield* submitOne(workflow, false), yield* submitOne(workflow, false)]
      const watch = (id: RunId) => runs.watch(caller.workspaceId, id, announcement().ofRun)
      const foreign = yield* Effect.flip(runs.watch(stranger.workspaceId, free, announcement().ofRun))
      assert.tagged(foreign, "RunNotFound", { sessionId: free })
      yield* runs.change(caller.workspaceId, ended, Transition.interrupt)
      assert.isFalse(yield* watch(free))
      yield* pause(caller, workflow, "Stop")
      assert.isFalse(yield* watch(ended))
      assert.deepStrictEqual(yield* kindsOf(ended), ["execution.queued", "execution.stopped"])
      // It was watched before the edit, so it is announced with the others.
      yield* announceAll()
      assert.deepStrictEqual(
        (yield* kindsOf(free)).filter((kind) => kind !== "workflow.paused"),
        ["execution.queued", "execution.paused"]
      )
    })
  ),
  promise("tells all held runs where it is asked to, and announces to other workflows in between", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const [many, few] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const all = yield* submitAll(many, 7, false)
      const other = yield* submitOne(few, false)
      yield* pause(caller, many, "Stop")
      yield* pause(caller, few, "Stop")
      for (let round = 0; round < 2; round++) yield* runs.announceHolds(2, announcement(many))
      assert.deepStrictEqual(yield* kindsOf(other), ["execution.queued", "workflow.paused"])
      yield* announceAll(many)
      for (const id of all) {
        const kinds = (yield* kindsOf(id)).filter((kind) => kind === "execution.paused")
        assert.lengthOf(kinds, 1)
      }
    })
  )
]
