/** Ends the canary of a workflow, in one transaction with its audit entries and its event. */
import { Effect, Result, Schema } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import type { Canary } from "../../workflow/canary/Canary.ts"
import * as CanaryAudit from "../../workflow/canary/CanaryAudit.ts"
import type { WorkflowVersion } from "../../workflow/Workflow.ts"
import { type StoredWorkflow, WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Audit, type Author } from "../../workspace/audit/Audit.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { UserId, VersionId, type WorkflowId } from "../../workspace/Ids.ts"
import { CanaryStore } from "./CanaryStore.ts"

/** Raised for a workflow that has never had a canary. */
export class CanaryNotFound extends Schema.TaggedError<CanaryNotFound>()("CanaryNotFound", {
  workflowId: Schema.String
}) {
  override get message() {
    return `Workflow "${this.workflowId}" has no canary: save it with "canary" to begin one`
  }
}

/** Raised by ending a canary that is not running. */
export class CanaryEnded extends Schema.TaggedError<CanaryEnded>()("CanaryEnded", {
  state: Schema.String,
  versionNumber: Schema.Int
}) {
  override get message() {
    return `The canary of version ${this.versionNumber} is not running any more: it is ${this.state}`
  }
}

export interface Ending {
  readonly to: "promoted" | "stopped"
  readonly reason: string
}

export const make = Effect.gen(function* () {
  const workflows = yield* WorkflowStore
  const canaries = yield* CanaryStore
  const identifiers = yield* Identifiers
  const audit = yield* Audit
  const signals = yield* Signals

  return Effect.fnUntraced(function* (author: Author, workflowId: WorkflowId, seen: Canary, { reason, to }: Ending) {
    const { workspaceId } = author
    const { evidence, last } = yield* canaries.evidence(workflowId, seen)
    const restored =
      to === "promoted" ? null : (yield* workflows.version(workspaceId, workflowId, seen.base.versionNumber)).version
    const versionId = VersionId.make(yield* identifiers.uuid)
    let former: StoredWorkflow | null = null
    const decide = (before: StoredWorkflow, at: number): Result.Result<StoredWorkflow, CanaryEnded> => {
      former = before
      const { canary } = before
      if (canary?.state !== "running" || canary.startedAt !== seen.startedAt) {
        const { candidate, state } = canary ?? seen
        return Result.fail(new CanaryEnded({ state, versionNumber: candidate.versionNumber }))
      }
      const end = { at, by: author.userId ?? null, reason, evidence, restored: null }
      if (restored === null) return Result.succeed({ ...before, canary: { ...canary, state: to, end } })
      const version = rollback(before.version, restored, {
        versionId,
        reason,
        at,
        by: author.userId ?? canary.startedBy
      })
      const { description, name } = version
      return Result.succeed({
        ...before,
        workflow: { ...before.workflow, name, description, updatedAt: at },
        version,
        canary: { ...canary, state: to, end: { ...end, restored: version.versionNumber } }
      })
    }
    const ended = Effect.gen(function* () {
      const saved = yield* workflows.save(workspaceId, workflowId, decide, () => Result.void)
      const { base, candidate, end } = saved.canary ?? seen
      if (last !== null) {
        yield* canaries.announce({
          event: "workflow.canary",
          runId: last,
          workflowId,
          state: to,
          reason,
          version: candidate.versionNumber,
          base: base.versionNumber,
          restored: end?.restored ?? null
        })
      }
      return saved
    })
    const after = yield* audit.recording(author, ended, (saved) =>
      former === null ? [] : CanaryAudit.of(former, saved)
    )
    yield* signals.publish({ _tag: "work" })
    yield* signals.publish({ _tag: "events" })
    return after.canary ?? seen
  })
})

/** The next version, with the content of a former one. */
const rollback = (
  latest: WorkflowVersion,
  restored: WorkflowVersion,
  { at, by, reason, versionId }: { versionId: VersionId; reason: string; at: number; by: string }
): WorkflowVersion => ({
  ...restored,
  versionId,
  versionNumber: latest.versionNumber + 1,
  createdAt: at,
  createdBy: UserId.make(by),
  versionNote:
    `Version ${restored.versionNumber} again. The canary of version ${latest.versionNumber} was stopped. ${reason}`.slice(
      0,
      500
    )
})
