/** The ledger of starts in memory. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Place, StartLedger } from "../../../core/run/start/StartLedger.ts"
import type { ValidRunWindow } from "../../../core/window/RunWindow.ts"
import * as MemoryRetentionStore from "../run/retention/MemoryRetentionStore.ts"
import { Tables } from "../Tables.ts"

/** The SHA-256 of the definition of a window; `null` for none. */
export const hashOf = (window: ValidRunWindow | null): string | null =>
  window === null ? null : createHash("sha256").update(JSON.stringify(window)).digest("hex")

export const layer = Layer.effect(
  StartLedger,
  Effect.map(Tables, (tables) =>
    StartLedger.of({
      ofRun: (workspaceId, runId) =>
        Effect.sync(() => tables.starts.filter((one) => one.runId === runId && one.workspaceId === workspaceId)),
      page: (workspaceId, { after, from, limit, to }) =>
        Effect.sync(() =>
          tables.starts
            .filter((one) => one.workspaceId === workspaceId && one.at >= from && one.at < to)
            .toSorted(compare)
            .filter((one) => after === null || compare(one, after) > 0)
            .slice(0, limit)
        ),
      windows: (workflowIds) =>
        Effect.sync(() =>
          workflowIds.flatMap((workflowId) =>
            (tables.runWindows.get(workflowId) ?? []).map(({ revision, setAt, window }) => ({
              workflowId,
              revision,
              definition: window === null ? null : JSON.stringify(window),
              hash: hashOf(window),
              setAt
            }))
          )
        ),
      logged: (runIds) =>
        Effect.sync(() =>
          tables.events.flatMap(({ at, event, runId }) =>
            (event.event === "execution.start" || event.event === "execution.released") && runIds.includes(runId)
              ? [{ runId, at, event: event.event }]
              : []
          )
        ),
      missing: (workspaceId, { from, limit, to }) =>
        Effect.sync(() =>
          [...tables.runs.values()]
            .filter((run) => run.workspaceId === workspaceId && run.startedAt !== null)
            .filter((run) => (run.startedAt ?? 0) >= from && (run.startedAt ?? 0) < to)
            .filter((run) => !MemoryRetentionStore.isPassed(tables, "starts", run))
            .filter((run) => !tables.starts.some((start) => start.runId === run.id && start.attempt === 1))
            .slice(0, limit)
            .map(({ id }) => id)
        )
    })
  )
)

const compare = (one: Place, other: Place): number =>
  one.at - other.at || (one.runId < other.runId ? -1 : one.runId > other.runId ? 1 : one.attempt - other.attempt)
