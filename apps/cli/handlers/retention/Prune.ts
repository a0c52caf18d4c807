/**
 * The handler of `sluice prune`: removes the runs, parts of runs and artifacts whose retention is over, or counts them.
 */
import { Console, Effect } from "effect"
import * as Retention from "../../../../core/run/artifact/Retention.ts"
import * as Sweep from "../../../../core/run/retention/Sweep.ts"
import { Kind } from "../../../../core/workspace/retention/RetentionDays.ts"
import { layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { installationOf, type Keeping } from "./Keeping.ts"

interface PruneSettings extends StorageSettings, Keeping {
  readonly dryRun: boolean
}

export const prune = (settings: PruneSettings) => pruned(settings).pipe(Effect.provide(layerStorage(settings)))

/** Removes, or counts, and prints what it did by workspace and kind. */
export const pruned = Effect.fnUntraced(function* ({ dryRun, ...keeping }: Keeping & { readonly dryRun: boolean }) {
  const installation = installationOf(keeping)
  if (dryRun) {
    const counts = yield* Sweep.count(installation)
    return yield* print("Would remove", counts, [])
  }
  const swept = yield* Sweep.sweep(installation)
  yield* Sweep.unread(installation)
  const artifacts = yield* Retention.sweep(keeping.retentionDays)
  yield* print("Removed", swept, [
    `${artifacts} artifacts beyond the retention of this installation, or of deleted workflows`
  ])
})

const print = Effect.fnUntraced(function* (
  verb: string,
  all: ReadonlyArray<Sweep.SweepResult>,
  further: ReadonlyArray<string>
) {
  const lines = all.flatMap(({ counts, workspaceId }) =>
    Kind.literals.flatMap((kind) => {
      const count = counts[kind] ?? 0
      return count === 0 ? [] : [`  workspace ${workspaceId}: ${count} ${names[kind]}`]
    })
  )
  yield* Console.log(lines.length === 0 ? `${verb} nothing of any workspace` : `${verb}:`)
  for (const line of lines) yield* Console.log(line)
  for (const line of further) yield* Console.log(`${verb} ${line}`)
})

const names: Readonly<Record<Kind, string>> = {
  runs: "whole runs",
  events: "events",
  deliveries: "deliveries",
  errors: "counted errors",
  decisions: "decisions of models",
  artifacts: "artifacts",
  starts: "starts"
}
