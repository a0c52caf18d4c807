import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as Bounds from "../../core/run/artifact/ArtifactBounds.ts"
import { ArtifactFiles, ArtifactsUnavailable } from "../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../../core/run/artifact/ArtifactStore.ts"
import * as Retention from "../../core/run/artifact/Retention.ts"
import { NotKept, RunArtifacts } from "../../core/run/artifact/RunArtifacts.ts"
import { WorkspaceStorage } from "../../core/run/artifact/WorkspaceStorage.ts"
import type { DecisionStore } from "../../core/run/evidence/DecisionStore.ts"
import { EvidenceStore } from "../../core/run/evidence/EvidenceStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { SettingNames } from "../../core/runtime/SettingNames.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as ArtifactRecordContract from "../kit/contracts/run/ArtifactRecordContract.ts"
import { recordedOf } from "../kit/contracts/run/EvidenceContract.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

type Stores = ArtifactStore | DecisionStore | EvidenceStore | RunStore | WorkflowStore | WorkspaceStore

const day = 86_400_000
const jpeg = { mediaType: "image/jpeg", fileName: null }
const of = (bytes: number) => ({ ...jpeg, bytes: new Uint8Array(bytes) })

const someRun = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const workflow = yield* makeWorkflow(caller)
  const sent = submission(workflow)
  yield* (yield* RunStore).submit(sent)
  return { id: sent.id, workflowId: sent.workflowId, workspaceId: caller.workspaceId, caller }
})

const writerOf = (run: Parameters<RunArtifacts["Service"]["of"]>[0]) => Effect.map(RunArtifacts, ({ of }) => of(run))

const isThere = (id: string) =>
  Effect.map(
    Effect.flatMap(ArtifactFiles, ({ find }) => find(id)),
    Option.isSome
  )

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  // The stores keep their own time: what they do each second would be done for every second of the days that pass here.
  it.layer(layer, { excludeTestServices: true })(`the artifacts of runs (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores | ArtifactFiles | RunArtifacts>) =>
      it.effect(title, () =>
        Effect.andThen(
          empty,
          test().pipe(
            Effect.provide(RunArtifacts.layer),
            Effect.provide(MemoryArtifacts.layer),
            Effect.provide(Crypto.layer),
            Effect.provide(TestClock.layer())
          )
        )
      )

    promise("are counted, and the videos among them listed, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const run = yield* someRun
        const writer = yield* writerOf(run)
        assert.deepStrictEqual(yield* store.summary(run.id), { videos: [], leftOut: 0, removedAt: null })
        yield* writer.write("screenshot", of(10))
        const snapshot = yield* writer.write("snapshot", of(100))
        assert.strictEqual(yield* writer.write("snapshot", of(50), snapshot), snapshot)
        yield* TestClock.adjust(5)
        const first = yield* writer.writeStream("video", jpeg, Stream.make(new Uint8Array(3), new Uint8Array(4)))
        yield* TestClock.adjust(5)
        const second = yield* writer.write("video", of(1))
        const { videos } = yield* store.summary(run.id)
        assert.deepStrictEqual(
          videos.map(({ id }) => id),
          [first, second]
        )
        assert.deepStrictEqual(yield* store.used(run.id), {
          bytes: 68,
          count: { screenshot: 1, snapshot: 1, video: 2, file: 0 }
        })
      })
    )

    promise("over the share of their workspace are left out and counted, and those of another one are kept", () =>
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const [run, other] = [yield* someRun, yield* someRun]
        const sharing = (one: typeof run) =>
          writerOf(one).pipe(
            Effect.provide(
              RunArtifacts.layer.pipe(
                Layer.fresh,
                Layer.provide(Layer.succeed(WorkspaceStorage, 100)),
                Layer.provide(Layer.succeed(SettingNames, { workspaceStorage: "STORAGE" })),
                Layer.provide(Crypto.layer)
              )
            )
          )
        const writer = yield* sharing(run)
        yield* writer.write("screenshot", of(60))
        const refused = yield* Effect.flip(writer.write("file", of(41)))
        assert.include(
          refused.message,
          "the artifacts of its workspace would be more than 100 bytes together (STORAGE)"
        )
        const streamed = Stream.make(new Uint8Array(30), new Uint8Array(30))
        assert.instanceOf(yield* Effect.flip(writer.writeStream("video", jpeg, streamed)), NotKept)
        yield* writer.write("file", of(40))
        assert.deepInclude(yield* store.summary(run.id), { leftOut: 2 })
        // Another process finds what is there.
        assert.instanceOf(yield* Effect.flip((yield* sharing(run)).write("file", of(1))), NotKept)
        yield* (yield* sharing(other)).write("file", of(100))
        assert.deepStrictEqual(
          [yield* store.usedBy(run.workspaceId), yield* store.usedBy(other.workspaceId)],
          [100, 100]
        )
      })
    )

    promise("over the bounds, or whose store is away, are left out and counted", () =>
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const run = yield* someRun
        const writer = yield* writerOf(run)
        const tooLarge = yield* Effect.flip(writer.write("screenshot", of(Bounds.maxBytes.screenshot + 1)))
        assert.include(tooLarge.message, String(Bounds.maxBytes.screenshot))
        const piece = new Uint8Array(30 * 1_048_576)
        const endless = Stream.fromEffectRepeat(Effect.succeed(piece))
        const tooLong = yield* Effect.flip(writer.writeStream("file", jpeg, endless))
        assert.include(tooLong.message, String(Bounds.maxBytes.file))
        const broken = writer.writeStream("file", jpeg, Stream.fail("the page was left" as const))
        assert.strictEqual(yield* Effect.flip(broken), "the page was left")
        assert.deepInclude(yield* store.summary(run.id), { leftOut: 2 })
        assert.strictEqual((yield* store.used(run.id)).bytes, 0)

        const away = Effect.fail(new ArtifactsUnavailable({ action: "keep", reason: "nobody there" }))
        const files = { ...(yield* ArtifactFiles), put: () => away, putStream: () => away }
        const unlucky = yield* writerOf(run).pipe(
          // A new instance: the present one knows the other files.
          Effect.provide(Layer.fresh(RunArtifacts.layer)),
          Effect.provideService(ArtifactFiles, files),
          Effect.provide(Crypto.layer)
        )
        const failure = yield* Effect.flip(unlucky.write("file", of(1)))
        assert.deepStrictEqual([failure._tag, failure.kind], ["NotKept", "file"])
        assert.include(failure.message, "nobody there")
        assert.deepInclude(yield* store.summary(run.id), { leftOut: 3 })
        assert.strictEqual((yield* store.used(run.id)).count.file, 0)
      })
    )

    promise("go with their evidence when their time is over, and the run says so", () =>
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const evidence = yield* EvidenceStore
        const [old, young] = [yield* someRun, yield* someRun]
        const made = Effect.fnUntraced(function* (run: typeof old) {
          const writer = yield* writerOf(run)
          const id = yield* writer.write("snapshot", of(1))
          const video = yield* writer.write("video", of(1))
          const at = yield* Clock.currentTimeMillis
          yield* evidence.keepSnapshot({ runId: run.id, nodeId: "a", artifactId: id, at })
          yield* evidence.openLog(run.id)
          yield* evidence.log(run.id, [recordedOf("1", at)])
          yield* evidence.closeLog(run.id, false)
          return [id, video]
        })
        yield* TestClock.setTime(100 * day)
        const before = yield* made(old)
        yield* TestClock.adjust(20 * day)
        const later = yield* made(young)
        yield* TestClock.adjust(9 * day)
        assert.strictEqual(yield* Retention.sweep(30), 0)
        yield* TestClock.adjust(2 * day)
        assert.strictEqual(yield* Retention.sweep(null), 0)
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual(yield* Retention.sweep(30), 2)
        for (const id of before) assert.isFalse(yield* isThere(id))
        for (const id of later) assert.isTrue(yield* isThere(id))
        assert.deepStrictEqual(yield* store.summary(old.id), { videos: [], leftOut: 0, removedAt: now })
        assert.deepInclude(yield* store.summary(young.id), { removedAt: null })
        assert.isTrue(Option.isNone(yield* evidence.snapshot(old.id, "a")))
        assert.isTrue(Option.isSome(yield* evidence.snapshot(young.id, "a")))
        const log = (id: typeof old.id) => Effect.map(evidence.network(id), Option.getOrThrow)
        assert.deepStrictEqual(yield* log(old.id), { events: [], open: false, truncated: true })
        assert.lengthOf((yield* log(young.id)).events, 1)
      })
    )

    promise("of a deleted workflow go at once, and what an upload that lost its worker has left a day later", () =>
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        yield* TestClock.setTime(1_000 * day)
        const [deleted, lost] = [yield* someRun, yield* someRun]
        const gone = yield* (yield* writerOf(deleted)).write("file", of(1))
        const kept = yield* (yield* writerOf(lost)).write("file", of(1))
        const half = randomUUID()
        const at = yield* Clock.currentTimeMillis
        yield* store.begin({ id: half, runId: lost.id, workflowId: lost.workflowId, kind: "file", at })
        yield* (yield* WorkflowStore).remove(deleted.caller.workspaceId, deleted.workflowId)
        assert.strictEqual(yield* Retention.sweep(null), 1)
        assert.isFalse(yield* isThere(gone))
        yield* TestClock.adjust(day + 1)
        assert.strictEqual(yield* Retention.sweep(null), 1)
        assert.isTrue(yield* isThere(kept))
        assert.strictEqual((yield* store.used(lost.id)).count.file, 1)
      })
    )

    for (const { keeps, title } of ArtifactRecordContract.promises) {
      it.effect(title, () => Effect.andThen(empty, keeps))
    }
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
