import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { pruned } from "../../apps/cli/handlers/retention/Prune.ts"
import { ArtifactFiles } from "../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../../core/run/artifact/ArtifactStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { RetentionStore } from "../../core/run/retention/RetentionStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { OwnDays } from "../../core/workspace/retention/RetentionDays.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

const layer = Layer.orDie(databases.memory[0])

/** A workspace with a run that ended 31 days ago, one that ended now, and one that waits. */
const prepared = (days: OwnDays) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const caller = yield* makeWorkspace()
    yield* (yield* WorkspaceStore).change(caller.workspaceId, (before) => ({ ...before, retentionDays: days }))
    const workflow = yield* makeWorkflow(caller)
    const [old, recent, waiting] = [submission(workflow), submission(workflow), submission(workflow)]
    yield* runs.submit(old)
    yield* runs.submit(waiting)
    yield* runs.change(caller.workspaceId, old.id, Transition.interrupt)
    yield* TestClock.adjust("31 days")
    yield* runs.submit(recent)
    yield* runs.change(caller.workspaceId, recent.id, Transition.interrupt)
    return { caller, old: old.id, recent: recent.id, waiting: waiting.id }
  })

/** Prunes, and answers what it printed. */
const printed = Effect.fnUntraced(function* (dryRun: boolean, runRetentionDays: number | null) {
  const lines: Array<string> = []
  const console = { ...globalThis.console, log: (line: string) => void lines.push(...line.split("\n")) }
  yield* pruned({ dryRun, json: false, retentionDays: null, runRetentionDays }).pipe(
    Effect.provideService(Console.Console, console as Console.Console)
  )
  return lines
})

const left = Effect.fnUntraced(function* ({ workspaceId }: Caller) {
  return (yield* (yield* RunStore).list(workspaceId, { limit: 10 })).runs.map(({ id }) => id)
})

const artifacts = "Removed 0 artifacts beyond the retention of this installation, or of deleted workflows"

it.effect("pruning counts or removes the runs that ended so many days ago, and leaves all others", () =>
  Effect.gen(function* () {
    const { caller, recent, waiting } = yield* prepared({})
    const line = `  workspace ${caller.workspaceId}: 1 whole runs`
    assert.deepStrictEqual(yield* printed(true, 30), ["Would remove:", line])
    assert.deepStrictEqual(yield* printed(false, null), ["Removed nothing of any workspace", artifacts])
    assert.lengthOf(yield* left(caller), 3)
    assert.deepStrictEqual(yield* printed(false, 30), ["Removed:", line, artifacts])
    assert.deepStrictEqual(yield* left(caller), [recent, waiting])
    assert.deepStrictEqual(yield* printed(true, 30), ["Would remove nothing of any workspace"])
  }).pipe(Effect.provide(layer))
)

it.effect("pruning keeps each kind as its workspace says, and never longer than the installation", () =>
  Effect.gen(function* () {
    const { caller, old, recent } = yield* prepared({ artifacts: 7, events: 7, errors: 90, runs: 60 })
    const runs = yield* RunStore
    const [kept, files] = [yield* ArtifactStore, yield* ArtifactFiles]
    const file = { mediaType: "image/png", fileName: null, bytes: new Uint8Array([1]) }
    for (const runId of [old, recent]) {
      const { workflowId } = (yield* runs.get(caller.workspaceId, runId)).run
      yield* kept.begin({ id: runId, runId, workflowId, kind: "screenshot", at: 0 })
      yield* files.put(runId, file)
      yield* kept.finish(runId, 1, 0)
    }
    const lines = ["2 events", "1 artifacts"].map((what) => `  workspace ${caller.workspaceId}: ${what}`)
    assert.deepStrictEqual(yield* printed(true, null), ["Would remove:", ...lines])
    assert.deepStrictEqual(yield* printed(false, null), ["Removed:", ...lines, artifacts])
    assert.isTrue(Option.isNone(yield* files.find(old)))
    assert.isTrue(Option.isSome(yield* files.find(recent)))
    assert.deepStrictEqual(yield* runs.events(old, 0), [])
    assert.lengthOf(yield* runs.events(recent, 0), 2)
    assert.lengthOf(yield* left(caller), 3)
    const parts = yield* RetentionStore
    assert.deepStrictEqual(yield* parts.expired(caller.workspaceId, "events", 4e12, 10), [recent])
    assert.deepStrictEqual(yield* printed(true, null), ["Would remove nothing of any workspace"])
    assert.include((yield* printed(true, 30)).join(), "1 whole runs")
  }).pipe(Effect.provide(layer))
)
