/** The owners of artifacts, in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { ArtifactStore, nothing, removalMillis } from "../../../core/run/artifact/ArtifactStore.ts"
import { atomicStore } from "../Atomic.ts"
import { type KeptArtifact, Tables } from "../Tables.ts"

const none = { leftOut: 0, removedAt: null }

export const layer = Layer.effect(
  ArtifactStore,
  Effect.map(Tables, ({ artifacts, artifactTotals, gates, snapshots, workflows }) => {
    const ofRun = (runId: string) => [...artifacts.values()].filter((one) => one.runId === runId)
    const change = (id: string, by: Partial<KeptArtifact>) => {
      const before = artifacts.get(id)
      if (before !== undefined) artifacts.set(id, { ...before, ...by })
    }
    return ArtifactStore.of({
      begin: (artifact) =>
        Effect.sync(() => {
          const { bytes = 0, finishedAt = null } = artifacts.get(artifact.id) ?? {}
          artifacts.set(artifact.id, { ...artifact, bytes, finishedAt, takenAt: null })
        }),
      finish: (id, bytes, at) => Effect.sync(() => change(id, { bytes, finishedAt: at })),
      ownerOf: (id) =>
        Effect.sync(() => {
          const { kind, runId, workflowId } = artifacts.get(id) ?? {}
          const workspaceId = workflowId === undefined ? undefined : workflows.get(workflowId)?.workspaceId
          return kind === undefined || runId === undefined || workspaceId === undefined
            ? Option.none()
            : Option.some({ kind, runId, workspaceId })
        }),
      forget: (id) => Effect.sync(() => void artifacts.delete(id)),
      leaveOut: (runId) =>
        Effect.sync(() => {
          const before = artifactTotals.get(runId) ?? none
          artifactTotals.set(runId, { ...before, leftOut: before.leftOut + 1 })
        }),
      used: (runId) =>
        Effect.sync(() =>
          ofRun(runId).reduce(
            ({ bytes, count }, one) => ({
              bytes: bytes + one.bytes,
              count: { ...count, [one.kind]: count[one.kind] + 1 }
            }),
            nothing
          )
        ),
      usedBy: (workspaceId) =>
        Effect.sync(() =>
          [...artifacts.values()]
            .filter((one) => workflows.get(one.workflowId)?.workspaceId === workspaceId)
            .reduce((sum, { bytes }) => sum + bytes, 0)
        ),
      summary: (runId) =>
        Effect.sync(() => ({
          videos: ofRun(runId)
            .flatMap(({ finishedAt, id, kind }) =>
              kind === "video" && finishedAt !== null ? [{ id, at: finishedAt }] : []
            )
            .sort((a, b) => a.at - b.at),
          ...(artifactTotals.get(runId) ?? none)
        })),
      takeExpired: Effect.fnUntraced(function* ({ before, unfinishedBefore }, limit) {
        const now = yield* Clock.currentTimeMillis
        const taken = [...artifacts.values()]
          .filter(
            ({ at, finishedAt, takenAt, workflowId }) =>
              (at < before ||
                (finishedAt === null && at < unfinishedBefore) ||
                (gates.get(workflowId)?.removedAt ?? null) !== null) &&
              (takenAt === null || takenAt <= now - removalMillis)
          )
          .sort((a, b) => a.at - b.at)
          .slice(0, limit)
        for (const { id } of taken) change(id, { takenAt: now })
        return taken.map(({ id }) => id)
      }),
      removed: Effect.fnUntraced(function* (ids) {
        const now = yield* Clock.currentTimeMillis
        for (const id of ids) {
          const runId = artifacts.get(id)?.runId
          if (runId !== undefined) artifactTotals.set(runId, { ...(artifactTotals.get(runId) ?? none), removedAt: now })
          artifacts.delete(id)
          for (const [key, { artifactId }] of snapshots) if (artifactId === id) snapshots.delete(key)
        }
      })
    })
  }).pipe(Effect.map(atomicStore))
)
