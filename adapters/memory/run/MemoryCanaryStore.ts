/** The runs of canaries in memory. */
import { Clock, Effect, Layer } from "effect"
import { CanaryStore } from "../../../core/run/canary/CanaryStore.ts"
import type { Canary } from "../../../core/workflow/canary/Canary.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { append, Tables } from "../Tables.ts"

export const layer = Layer.effect(
  CanaryStore,
  Effect.gen(function* () {
    const tables = yield* Tables

    const ended = (workflowId: string, { startedAt }: Canary, versionId: string) => {
      const runs = [...tables.runs.values()].filter(
        (run) => run.workflowId === workflowId && run.versionId === versionId && run.createdAt >= startedAt
      )
      return {
        succeeded: runs.filter(({ status }) => status === "execution.success"),
        failed: runs.filter(({ status }) => status === "execution.failed")
      }
    }

    return CanaryStore.of({
      running: Effect.sync(() =>
        [...tables.canaries].flatMap(([id, canary]) => {
          const workflow = tables.workflows.get(id)
          const isThere = workflow !== undefined && tables.gates.get(id)?.removedAt === null
          return isThere && canary.state === "running"
            ? [{ workspaceId: workflow.workspaceId, workflowId: WorkflowId.make(id), canary }]
            : []
        })
      ),
      evidence: Effect.fn("CanaryStore.evidence")((workflowId, canary) =>
        Effect.sync(() => {
          const base = ended(workflowId, canary, canary.base.versionId)
          const candidate = ended(workflowId, canary, canary.candidate.versionId)
          const counted = ({ failed, succeeded }: typeof base) => ({
            succeeded: succeeded.length,
            failed: failed.length
          })
          const all = [...candidate.succeeded, ...candidate.failed].sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
          return { evidence: { base: counted(base), candidate: counted(candidate) }, last: all.at(-1)?.id ?? null }
        })
      ),
      announce: Effect.fn("CanaryStore.announce")((event) =>
        Effect.map(Clock.currentTimeMillis, (at) => append(tables, event.runId, [event], at))
      )
    })
  }).pipe(Effect.map(atomicStore))
)
