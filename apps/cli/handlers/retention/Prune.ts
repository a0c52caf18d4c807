/**
 * What `sluice prune` does: removes the runs and artifacts whose retention is over, or counts them.
 */
import { Clock, Console, Effect } from "effect"
import * as Retention from "../../../../core/run/artifact/Retention.ts"
import * as RunRemoval from "../../../../core/run/retention/RunRemoval.ts"
import type { Keeping } from "../../layers/Scheduler.ts"
import { layerStorage, type StorageSettings } from "../../layers/Storage.ts"

interface PruneSettings extends StorageSettings, Keeping {
  readonly dryRun: boolean
}

export const prune = (settings: PruneSettings) => pruned(settings).pipe(Effect.provide(layerStorage(settings)))

/** Removes, or counts, and prints what it did. */
export const pruned = Effect.fnUntraced(function* ({
  dryRun,
  retentionDays,
  runRetentionDays
}: Keeping & { readonly dryRun: boolean }) {
  if (runRetentionDays === null) {
    yield* Console.log("Runs are kept without limit: SLUICE_RUN_RETENTION_DAYS is not set")
  } else if (dryRun) {
    const counts = yield* RunRemoval.count(runRetentionDays)
    const total = [...counts.values()].reduce((sum, one) => sum + one, 0)
    yield* Console.log(`Would remove ${total} runs that ended more than ${runRetentionDays} days ago`)
    for (const [workspace, count] of counts) yield* Console.log(`  workspace ${workspace}: ${count}`)
  } else {
    yield* Console.log(`Removed ${yield* RunRemoval.sweep(runRetentionDays)} runs`)
  }
  if (dryRun) {
    const now = yield* Clock.currentTimeMillis
    const until = retentionDays === null ? null : new Date(now - retentionDays * 86_400_000).toISOString()
    return yield* Console.log(
      until === null ? "Artifacts are kept without limit" : `Would remove artifacts of runs from before ${until}`
    )
  }
  yield* Console.log(`Removed ${yield* Retention.sweep(retentionDays)} artifacts`)
})
