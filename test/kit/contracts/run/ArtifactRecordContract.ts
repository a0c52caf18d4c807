/**
 * The promises of every store of what is known of artifacts: `ArtifactStore`, on the data of the stores of runs. Their bytes
 * are in `ArtifactFiles`, which has its own contract.
 *
 * They expect a store without artifacts: give each promise a new store, or empty it before.
 */
import { Clock, Effect, Option } from "effect"
import { ArtifactStore, type Kind, nothing, removalMillis } from "../../../../core/run/artifact/ArtifactStore.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = ArtifactStore | RunStore | WorkflowStore | WorkspaceStore

/** The time at which every promise begins. */
const start = Date.parse("2026-01-12T10:00:00Z")

/** A promise that is tested on a separate clock. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `the record of artifacts ${title}`,
    Effect.suspend(() => {
      const time = SteppingClock.make(start)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

const someRun = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const sent = submission(yield* makeWorkflow(caller))
  yield* (yield* RunStore).submit(sent)
  return { id: sent.id, workflowId: sent.workflowId, caller }
})

type SomeRun = Effect.Success<typeof someRun>

/** Begins an upload now, and answers its id. */
const begun = Effect.fnUntraced(function* (run: SomeRun, kind: Kind) {
  const id = beside(run.id)
  const at = yield* Clock.currentTimeMillis
  yield* (yield* ArtifactStore).begin({ id, runId: run.id, workflowId: run.workflowId, kind, at })
  return id
})

/** Keeps an artifact of so many bytes now, and answers its id. */
const kept = Effect.fnUntraced(function* (run: SomeRun, kind: Kind, bytes: number) {
  const id = yield* begun(run, kind)
  yield* (yield* ArtifactStore).finish(id, bytes, yield* Clock.currentTimeMillis)
  return id
})

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("says to which workspace and run an artifact belongs, and of no other id anything", () =>
    Effect.gen(function* () {
      const store = yield* ArtifactStore
      const run = yield* someRun
      const id = yield* kept(run, "video", 1)
      const { workspaceId } = run.caller
      assert.deepStrictEqual(yield* store.ownerOf(id), Option.some({ kind: "video", runId: run.id, workspaceId }))
      assert.deepStrictEqual(yield* store.ownerOf(beside(id)), Option.none())
    })
  ),
  promise("counts those of a run, lists its videos oldest first, and forgets uploads that failed", (time) =>
    Effect.gen(function* () {
      const store = yield* ArtifactStore
      const [run, other] = [yield* someRun, yield* someRun]
      assert.deepStrictEqual(yield* store.used(run.id), nothing)
      assert.deepStrictEqual(yield* store.summary(run.id), { videos: [], leftOut: 0, removedAt: null })
      yield* kept(run, "screenshot", 10)
      const first = yield* kept(run, "video", 3)
      yield* time.advance(5)
      const second = yield* kept(run, "video", 4)
      yield* kept(other, "file", 100)
      yield* store.forget(yield* begun(run, "snapshot"))
      yield* store.leaveOut(run.id)
      yield* store.leaveOut(run.id)
      assert.deepStrictEqual(yield* store.summary(run.id), {
        videos: [
          { id: first, at: start },
          { id: second, at: start + 5 }
        ],
        leftOut: 2,
        removedAt: null
      })
      assert.deepStrictEqual(yield* store.used(run.id), {
        bytes: 17,
        count: { screenshot: 1, snapshot: 0, video: 2, file: 0 }
      })
      assert.strictEqual(yield* store.usedBy(run.caller.workspaceId), 17)
      assert.strictEqual(yield* store.usedBy((yield* makeWorkspace()).workspaceId), 0)
    })
  ),
  promise("gives each that is to be removed to one of many, and to another when that one is lost", (time) =>
    Effect.gen(function* () {
      const store = yield* ArtifactStore
      const run = yield* someRun
      const ids = yield* Effect.forEach(Array.from({ length: 30 }), () => begun(run, "screenshot"))
      const expiry = { before: start + 1, unfinishedBefore: 0 }
      const taken = yield* Effect.all(
        Array.from({ length: 8 }, () => store.takeExpired(expiry, 10)),
        { concurrency: "unbounded" }
      )
      const all = taken.flat()
      assert.strictEqual(new Set(all).size, all.length)
      const rest = yield* store.takeExpired(expiry, 100)
      assert.deepStrictEqual([...all, ...rest].sort(), ids.toSorted())
      assert.deepStrictEqual(yield* store.takeExpired(expiry, 100), [])
      yield* store.removed(ids.slice(0, 5))
      assert.strictEqual((yield* store.summary(run.id)).removedAt, start)
      yield* time.advance(removalMillis)
      assert.lengthOf(yield* store.takeExpired(expiry, 100), 25)
    })
  ),
  promise("gives away what is old, uploads that never ended, and all of deleted workflows", (time) =>
    Effect.gen(function* () {
      const store = yield* ArtifactStore
      const [run, deleted] = [yield* someRun, yield* someRun]
      const old = yield* kept(run, "file", 1)
      const half = yield* begun(run, "file")
      yield* time.advance(1_000)
      const young = yield* kept(run, "file", 1)
      const gone = yield* kept(deleted, "file", 1)
      yield* (yield* WorkflowStore).remove(deleted.caller.workspaceId, deleted.workflowId)
      const take = (before: number, unfinishedBefore: number) => store.takeExpired({ before, unfinishedBefore }, 100)
      assert.deepStrictEqual(yield* take(0, 0), [gone])
      assert.deepStrictEqual(yield* take(0, start + 1), [half])
      assert.deepStrictEqual(yield* take(start + 1, 0), [old])
      assert.deepStrictEqual(yield* take(start + 1_001, 0), [young])
    })
  )
]
