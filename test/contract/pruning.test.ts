import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { pruned } from "../../apps/cli/handlers/retention/Prune.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

const layer = Layer.orDie(databases.memory[0])

it.effect("pruning counts or removes the runs that ended so many days ago, and leaves all others", () =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    const [old, recent, waiting] = [submission(workflow), submission(workflow), submission(workflow)]
    yield* runs.submit(old)
    yield* runs.submit(waiting)
    yield* runs.change(caller.workspaceId, old.id, Transition.interrupt)
    yield* TestClock.adjust("31 days")
    yield* runs.submit(recent)
    yield* runs.change(caller.workspaceId, recent.id, Transition.interrupt)

    const lines: Array<string> = []
    const console = { ...globalThis.console, log: (line: string) => void lines.push(line) }
    const run = (dryRun: boolean, runRetentionDays: number | null) =>
      pruned({ dryRun, retentionDays: null, runRetentionDays }).pipe(
        Effect.provideService(Console.Console, console as Console.Console)
      )
    yield* run(true, 30)
    yield* run(false, null)
    assert.lengthOf((yield* runs.list(caller.workspaceId, { limit: 10 })).runs, 3)
    yield* run(false, 30)
    assert.deepStrictEqual(
      (yield* runs.list(caller.workspaceId, { limit: 10 })).runs.map(({ id }) => id),
      [recent.id, waiting.id]
    )
    assert.deepStrictEqual(lines, [
      "Would remove 1 runs that ended more than 30 days ago",
      `  workspace ${caller.workspaceId}: 1`,
      "Artifacts are kept without limit",
      "Runs are kept without limit: SLUICE_RUN_RETENTION_DAYS is not set",
      "Removed 0 artifacts",
      "Removed 1 runs",
      "Removed 0 artifacts"
    ])
  }).pipe(Effect.provide(layer))
)
