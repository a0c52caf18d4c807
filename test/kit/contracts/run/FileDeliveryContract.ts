/**
 * The promises of every store of deliveries of files: `FileDeliveries`, on the data of the stores of runs.
 *
 * They expect a store without deliveries: give each promise a new store, or empty it before.
 */
import { Effect, Option } from "effect"
import { FileDeliveries } from "../../../../core/run/delivery/FileDeliveries.ts"
import * as FileDelivery from "../../../../core/run/delivery/FileDelivery.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkflow, makeWorkspace, newId, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = FileDeliveries | RunStore | WorkflowStore | WorkspaceStore

/** A delivery of a new run of a workspace, due at `dueAt`, which is stored. */
const makeIn = Effect.fnUntraced(function* (
  caller: Caller,
  dueAt: number,
  after: (made: FileDelivery.FileDelivery) => FileDelivery.FileDelivery = (made) => made
) {
  const sent = submission(yield* makeWorkflow(caller))
  yield* (yield* RunStore).submit(sent)
  const delivery: FileDelivery.FileDelivery = {
    id: yield* newId,
    workspaceId: caller.workspaceId,
    workflowId: sent.workflowId,
    runId: sent.id,
    destination: "Accounting",
    file: { id: yield* newId, name: "report.pdf" },
    path: "Nightly/report.pdf",
    sha256: null,
    bytes: null,
    status: "pending",
    attempts: 0,
    nextAttemptAt: dueAt,
    errors: [],
    createdAt: 1_000,
    deliveredAt: null
  }
  yield* (yield* FileDeliveries).append([after(delivery)])
  return delivery
})

/** The same in a new workspace. */
const makeFileDelivery = (dueAt: number) => Effect.flatMap(makeWorkspace(), (caller) => makeIn(caller, dueAt))

/** A delivery of a workspace that has failed. */
export const makeFailed = (caller: Caller) => makeIn(caller, 1_000, (made) => FileDelivery.failed(made, "gone", 1_500))

const promise = <A, E>(title: string, test: (store: FileDeliveries["Service"]) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`deliveries of files ${title}`, Effect.flatMap(FileDeliveries, test))

const takenId = (taken: Option.Option<{ readonly delivery: { readonly id: string } }>) =>
  Option.match(taken, { onNone: () => null, onSome: ({ delivery }) => delivery.id })

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are handed out once, longest due first, and again when their time is over", (store) =>
    Effect.gen(function* () {
      const later = yield* makeFileDelivery(3_000)
      const first = yield* makeFileDelivery(2_000)
      assert.isNull(takenId(yield* store.take(1_999, 9_000)))
      assert.strictEqual(takenId(yield* store.take(5_000, 9_000)), first.id)
      assert.strictEqual(takenId(yield* store.take(5_000, 10_000)), later.id)
      assert.isNull(takenId(yield* store.take(5_000, 9_000)))
      assert.strictEqual(takenId(yield* store.take(9_500, 20_000)), first.id)
    })
  ),
  promise("tell when the next one can be taken, those that are taken included, and none that has ended", (store) =>
    Effect.gen(function* () {
      assert.isNull(yield* store.nextDue)
      yield* makeFileDelivery(3_000)
      yield* makeFileDelivery(2_000)
      assert.strictEqual(yield* store.nextDue, 2_000)
      const first = Option.getOrThrow(yield* store.take(2_000, 9_000))
      const second = Option.getOrThrow(yield* store.take(3_000, 8_000))
      assert.strictEqual(yield* store.nextDue, 8_000)
      yield* store.settle(second, FileDelivery.failed(second.delivery, "gone", 3_500))
      assert.strictEqual(yield* store.nextDue, 9_000)
      yield* store.settle(first, FileDelivery.failed(first.delivery, "gone", 3_500))
      assert.isNull(yield* store.nextDue)
    })
  ),
  promise("drop the result of an attempt when another process has taken them since", (store) =>
    Effect.gen(function* () {
      const { id, workspaceId } = yield* makeFileDelivery(1_000)
      const dead = Option.getOrThrow(yield* store.take(1_000, 2_000))
      const alive = Option.getOrThrow(yield* store.take(2_000, 3_000))
      yield* store.settle(dead, FileDelivery.failed(dead.delivery, "late", 2_500))
      const done = FileDelivery.attempted(alive.delivery, { _tag: "Stored", wasThere: false }, 2_600, 0)
      yield* store.settle(alive, done)
      yield* store.settle(alive, FileDelivery.failed(alive.delivery, "twice", 2_700))
      assert.deepStrictEqual(
        (yield* store.list(workspaceId, { limit: 10 })).map(({ delivery }) => delivery),
        [done]
      )
      assert.strictEqual(done.id, id)
      assert.isNull(takenId(yield* store.take(99_000, 99_999)))
    })
  ),
  promise("are made once for a file of a run", (store) =>
    Effect.gen(function* () {
      const delivery = yield* makeFileDelivery(1_000)
      yield* store.append([{ ...delivery, id: yield* newId, path: "other" }, { ...delivery }])
      yield* store.append([])
      const kept = yield* store.list(delivery.workspaceId, { limit: 10 })
      assert.deepStrictEqual(
        kept.map((one) => one.delivery),
        [delivery]
      )
    })
  ),
  promise("are listed newest first, by workspace, run, status and page", (store) =>
    Effect.gen(function* () {
      const one = yield* makeFileDelivery(1_000)
      const others = yield* Effect.forEach(["b", "c"], () =>
        Effect.map(Effect.all([newId, newId]), ([id, fileId]) => ({ ...one, id, file: { id: fileId, name: "x" } }))
      )
      yield* store.append(others)
      const stranger = yield* makeFileDelivery(1_000)
      const ids = (filter: object) =>
        Effect.map(store.list(one.workspaceId, { limit: 10, ...filter }), (all) =>
          all.map(({ delivery }) => delivery.id)
        )
      const newestFirst = [one, ...others].map(({ id }) => id).reverse()
      assert.deepStrictEqual(yield* ids({}), newestFirst)
      assert.deepStrictEqual(yield* ids({ limit: 2 }), newestFirst.slice(0, 2))
      const second = (yield* store.list(one.workspaceId, { limit: 2 }))[1]
      assert.deepStrictEqual(yield* ids({ before: second?.position ?? 0 }), newestFirst.slice(2))
      assert.deepStrictEqual(yield* ids({ runId: stranger.runId }), [])
      assert.deepStrictEqual(yield* ids({ status: "failed" }), [])
      assert.deepStrictEqual(yield* ids({ status: "pending", runId: one.runId }), newestFirst)
      assert.deepStrictEqual(yield* store.ofRun(one.workspaceId, one.runId), [one, ...others])
      assert.deepStrictEqual(yield* store.ofRun(stranger.workspaceId, one.runId), [])
    })
  ),
  promise("are retried when they have failed, by their workspace alone", (store) =>
    Effect.gen(function* () {
      const { id, workspaceId } = yield* makeFileDelivery(1_000)
      const stranger = yield* makeWorkspace()
      const early = yield* Effect.flip(store.retry(workspaceId, id, 1_500))
      assert.strictEqual(early._tag, "FileDeliveryNotFailed")
      const taken = Option.getOrThrow(yield* store.take(1_000, 2_000))
      yield* store.settle(taken, FileDelivery.failed(taken.delivery, "gone", 1_600))
      for (const [workspace, name] of [
        [stranger.workspaceId, id],
        [workspaceId, yield* newId],
        [workspaceId, "no id"]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(store.retry(workspace, name, 5_000)))._tag, "FileDeliveryNotFound")
      }
      const again = yield* store.retry(workspaceId, id, 5_000)
      assert.deepInclude(again, { status: "pending", attempts: 0, nextAttemptAt: 5_000 })
      assert.lengthOf(again.errors, 1)
      assert.isNull(takenId(yield* store.take(4_999, 6_000)))
      assert.strictEqual(takenId(yield* store.take(5_000, 6_000)), id)
    })
  )
]
