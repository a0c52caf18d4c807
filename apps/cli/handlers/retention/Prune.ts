/**
 * The handler of `sluice prune`: removes the runs, parts of runs and artifacts whose retention is over, or counts them.
 */
import { Effect } from "effect"
import * as Retention from "../../../../core/run/artifact/Retention.ts"
import * as Sweep from "../../../../core/run/retention/Sweep.ts"
import { Kind } from "../../../../core/workspace/retention/RetentionDays.ts"
import { layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { installationOf, type Keeping } from "./Keeping.ts"

interface PruneSettings extends StorageSettings, Keeping, OutputSettings {
  readonly dryRun: boolean
}

export const prune = (settings: PruneSettings) => pruned(settings).pipe(Effect.provide(layerStorage(settings)))

/** Removes, or counts, and prints what it did by workspace and kind. */
export const pruned = Effect.fnUntraced(function* ({
  dryRun,
  json,
  ...keeping
}: Keeping & OutputSettings & { readonly dryRun: boolean }) {
  const installation = installationOf(keeping)
  if (dryRun) {
    const counts = yield* Sweep.count(installation)
    return yield* print({ json }, "Would remove", counts, null)
  }
  const swept = yield* Sweep.sweep(installation)
  yield* Sweep.unread(installation)
  const artifacts = yield* Retention.sweep(keeping.retentionDays)
  yield* print({ json }, "Removed", swept, artifacts)
})

const print = (
  settings: OutputSettings,
  verb: "Would remove" | "Removed",
  all: ReadonlyArray<Sweep.SweepResult>,
  artifacts: number | null
) => {
  const workspaces = all.map(({ counts, workspaceId }) => ({ workspace_id: workspaceId, counts }))
  return answer(
    settings,
    { removed: verb === "Removed", workspaces, ...(artifacts === null ? {} : { artifacts }) },
    () => {
      const lines = workspaces.flatMap(({ counts, workspace_id }) =>
        Kind.literals.flatMap((kind) => {
          const count = counts[kind] ?? 0
          return count === 0 ? [] : [`  workspace ${workspace_id}: ${count} ${names[kind]}`]
        })
      )
      const beyond = "beyond the retention of this installation, or of deleted workflows"
      return [
        lines.length === 0 ? `${verb} nothing of any workspace` : `${verb}:`,
        ...lines,
        ...(artifacts === null ? [] : [`${verb} ${artifacts} artifacts ${beyond}`])
      ].join("\n")
    }
  )
}

const names: Readonly<Record<Kind, string>> = {
  runs: "whole runs",
  events: "events",
  deliveries: "deliveries",
  errors: "counted errors",
  decisions: "decisions of models",
  artifacts: "artifacts",
  starts: "starts"
}
