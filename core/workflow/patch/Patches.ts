/** The service that offers, lists, applies and dismisses patches of workflows. */
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { isOther, otherwiseDie, type StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkflowId, WorkflowNotFound, WorkspaceId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import type * as FieldLimit from "../FieldLimit.ts"
import type { InvalidWorkflow } from "../Workflow.ts"
import { type StoredWorkflow, WorkflowStore } from "../WorkflowStore.ts"
import { type SaveConflict, Workflows } from "../Workflows.ts"
import * as Patch from "./Patch.ts"
import { PatchStore } from "./PatchStore.ts"
import type { PlainForm } from "./PlainForm.ts"

/** Maximum number of different patches of one workflow. Further ones are not stored. */
export const mostPatches = 200

export interface AppliedPatch {
  readonly patch: Patch.Patch
  readonly stored: StoredWorkflow
}

export class Patches extends Context.Service<
  Patches,
  {
    /**
     * Stores a change that a run suggests, or counts one more run that suggests it. Does nothing for a deleted
     * workflow.
     */
    readonly offer: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      offer: Patch.Offer,
      runId: string
    ) => Effect.Effect<void, StoreUnavailable>

    /** The plain forms that earlier runs of a workflow offer, and nobody has applied or dismissed. */
    readonly plainForms: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId
    ) => Effect.Effect<ReadonlyArray<PlainForm>, StoreUnavailable>

    /** Takes back the offer of a plain form that failed in a run. It may be offered again. */
    readonly withdraw: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      form: PlainForm
    ) => Effect.Effect<void, StoreUnavailable>

    /** The patches of a workflow, oldest first, without plain forms of nodes that have changed. */
    readonly list: (
      caller: Caller,
      workflowId: WorkflowId
    ) => Effect.Effect<ReadonlyArray<Patch.Patch>, WorkflowNotFound | StoreUnavailable>

    /**
     * Saves the workflow with a patch applied as its next version, with the same checks as any save. The run window
     * does not change. Fails with `PatchOutdated` if the target has changed since the patch was offered.
     */
    readonly apply: (
      caller: Caller,
      workflowId: WorkflowId,
      id: string
    ) => Effect.Effect<
      AppliedPatch,
      | WorkflowNotFound
      | Patch.PatchNotFound
      | Patch.PatchSettled
      | Patch.PatchOutdated
      | SaveConflict
      | InvalidWorkflow
      | FieldLimit.FieldsTooLarge
      | RoleForbids
      | StoreUnavailable
    >

    /** Dismisses a patch. It is not offered again. */
    readonly dismiss: (
      caller: Caller,
      workflowId: WorkflowId,
      id: string
    ) => Effect.Effect<
      Patch.Patch,
      WorkflowNotFound | Patch.PatchNotFound | Patch.PatchSettled | RoleForbids | StoreUnavailable
    >
  }
>()("sluice/core/workflow/patch/Patches") {
  static readonly layer = Layer.effect(
    Patches,
    Effect.gen(function* () {
      const store = yield* PatchStore
      const workflows = yield* Workflows
      const kept = yield* WorkflowStore
      const identifiers = yield* Identifiers
      const audit = yield* Audit

      const find = Effect.fnUntraced(function* (caller: Caller, workflowId: WorkflowId, id: string) {
        const stored = yield* workflows.get(caller, workflowId)
        const found = Option.getOrNull(yield* store.get(caller.workspaceId, id))
        if (found === null || found.workflowId !== stored.workflow.id) return yield* new Patch.PatchNotFound({ id })
        return { patch: found, stored }
      })

      /** Decides about a patch. Of several concurrent decisions, only the first succeeds. */
      const settle = Effect.fnUntraced(function* (
        caller: Caller,
        id: string,
        state: "applied" | "dismissed",
        version: number | null
      ) {
        const at = yield* Clock.currentTimeMillis
        const change = store.change(caller.workspaceId, id, (before) =>
          Patch.settled(before, state, caller.userId, version, at)
        )
        const changed = yield* audit
          .recording(caller, change, (after) => (Option.isNone(after) ? [] : [auditOf(after.value)]))
          .pipe(Effect.catchTag("KeyTaken", Effect.die))
        return yield* Option.match(changed, {
          onNone: () => Effect.fail(new Patch.PatchNotFound({ id })),
          onSome: Effect.succeed
        })
      })

      const offer = Effect.fn("Patches.offer")(function* (
        workspaceId: WorkspaceId,
        workflowId: WorkflowId,
        offered: Patch.Offer,
        runId: string
      ) {
        if (Option.isNone(yield* Effect.option(kept.get(workspaceId, workflowId)))) return
        const at = yield* Clock.currentTimeMillis
        const known = yield* store.find(workspaceId, Patch.keyOf(workflowId, offered))
        if (Option.isSome(known)) {
          yield* store.change(workspaceId, known.value.id, (before) =>
            Result.succeed(Patch.confirmed(before, runId, at))
          )
          return
        }
        const others = yield* store.ofWorkflow(workspaceId, workflowId)
        const former = others.filter((one) => Patch.replaces(offered, one))
        yield* Effect.forEach(former, ({ id }) => store.remove(workspaceId, id), { discard: true })
        if (others.length - former.length >= mostPatches) return
        yield* store.insert(workspaceId, {
          ...offered,
          id: yield* identifiers.uuid,
          workflowId,
          state: "offered",
          firstRunId: runId,
          lastRunId: runId,
          confirmations: 1,
          createdAt: at,
          updatedAt: at,
          decidedBy: null,
          appliedVersion: null
        })
      })

      return Patches.of({
        // If two runs suggest the same change at once, the second retries and confirms it.
        offer: (...offered) => offer(...offered).pipe(Effect.retry({ times: 3, while: isOther }), otherwiseDie),
        plainForms: Effect.fn("Patches.plainForms")(function* (workspaceId, workflowId) {
          const all = yield* store.ofWorkflow(workspaceId, workflowId)
          return all.flatMap((patch) => (patch.state === "offered" ? (Patch.plainFormOf(patch) ?? []) : []))
        }),
        withdraw: Effect.fn("Patches.withdraw")(function* (workspaceId, workflowId, form) {
          const key = Patch.keyOf(workflowId, Patch.offerOf(form, null, ""))
          const found = Option.getOrNull(yield* store.find(workspaceId, key))
          if (found?.state === "offered") yield* store.remove(workspaceId, found.id)
        }),
        list: Effect.fn("Patches.list")(function* (caller, workflowId) {
          const { version } = yield* workflows.get(caller, workflowId)
          const all = yield* store.ofWorkflow(caller.workspaceId, workflowId)
          return all.filter((patch) => Patch.isCurrent(patch, version.content))
        }),
        apply: Effect.fn("Patches.apply")(function* (caller, workflowId, id) {
          const { patch, stored: before } = yield* find(caller, workflowId, id)
          if (patch.state !== "offered") return yield* new Patch.PatchSettled({ id, state: patch.state })
          const { content, versionId } = before.version
          const { settings, ...changed } = {
            ...content,
            ...(yield* Effect.fromResult(Patch.appliedTo(patch, content)))
          }
          const stored = yield* workflows.save(caller, workflowId, {
            ...settings,
            ...changed,
            name: before.workflow.name,
            description: before.workflow.description,
            version_note: noteOf(patch),
            base_version_id: versionId
          })
          return { patch: yield* settle(caller, id, "applied", stored.version.versionNumber), stored }
        }),
        dismiss: Effect.fn("Patches.dismiss")(function* (caller, workflowId, id) {
          yield* find(caller, workflowId, id)
          return yield* settle(caller, id, "dismissed", null)
        })
      })
    }).pipe(Permissions.checked<Patches["Service"]>({ list: "read", apply: "edit", dismiss: "edit" }))
  )
}

/** The audit entry of a decision about a patch. The change itself is in the version that was created. */
const auditOf = ({ appliedVersion, id, kind, nodeName, parameter, state, workflowId }: Patch.Patch): Draft => ({
  action: state === "applied" ? "patch.apply" : "patch.dismiss",
  resourceId: id,
  resourceName: nodeName,
  before: { workflow_id: workflowId, kind, parameter, state: "offered" },
  after: { workflow_id: workflowId, kind, parameter, state, version_number: appliedVersion }
})

const noteOf = ({ kind, nodeName, parameter }: Patch.Patch): string =>
  kind === "popup_xpath"
    ? "Applied a patch: a pop-up to dismiss"
    : kind === "plain_form"
      ? `Applied a patch: "${(nodeName ?? "").slice(0, 200)}" without a model`
      : `Applied a patch: ${parameter} of "${(nodeName ?? "").slice(0, 200)}"`
