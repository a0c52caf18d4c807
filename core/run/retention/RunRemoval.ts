/**
 * Removing a run that has ended, with everything that it left, at the request of an owner.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import type { RunId, RunNotFound } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { ArtifactFiles } from "../artifact/ArtifactFiles.ts"
import * as Run from "../Run.ts"
import { RunStore } from "../RunStore.ts"
import { RunRemovalStore } from "./RunRemovalStore.ts"

/** Raised for a run that waits or is carried out. */
export class RunNotEnded extends Schema.TaggedError<RunNotEnded>()("RunNotEnded", { sessionId: Schema.String }) {
  override get message() {
    return `Cannot delete run "${this.sessionId}": it has not ended. Interrupt it first`
  }
}

/** Removes runs that have ended: first the bytes of their artifacts, so that none are left without an owner. */
export const removeAll = Effect.fnUntraced(function* (
  ids: ReadonlyArray<RunId>,
  remove: (store: RunRemovalStore["Service"]) => Effect.Effect<number, StoreUnavailable> = (store) => store.remove(ids)
) {
  const store = yield* RunRemovalStore
  const files = yield* ArtifactFiles
  const artifacts = yield* store.artifactsOf(ids)
  if (artifacts.length > 0) yield* files.remove(artifacts)
  return yield* remove(store)
})

export class RunRemoval extends Context.Service<
  RunRemoval,
  {
    /** Removes an ended run: its record, events, deliveries, errors, decisions, evidence and artifacts. */
    readonly remove: (
      caller: Caller,
      id: RunId
    ) => Effect.Effect<void, RunNotFound | RunNotEnded | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/run/retention/RunRemoval") {
  static readonly layer = Layer.effect(
    RunRemoval,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const audit = yield* Audit
      const context = yield* Effect.context<RunRemovalStore | ArtifactFiles>()
      const remove = Effect.fn("RunRemoval.remove")(function* (caller: Caller, id: RunId) {
        const { run } = yield* runs.get(caller.workspaceId, id)
        if (!Run.isEnded(run)) return yield* new RunNotEnded({ sessionId: id })
        const entry: Draft = {
          action: "run.delete",
          resourceId: id,
          before: {
            workflow_id: run.workflowId,
            status: run.status,
            created_at: new Date(run.createdAt).toISOString()
          },
          after: null
        }
        const recorded = (store: RunRemovalStore["Service"]) =>
          audit.recording(caller, store.remove([id]), (removed) => (removed === 0 ? [] : [entry]))
        yield* removeAll([id], recorded).pipe(
          Effect.catchTag("ArtifactsUnavailable", ({ message }) =>
            Effect.fail(new StoreUnavailable({ reason: message }))
          ),
          Effect.provide(context)
        )
      })
      return RunRemoval.of({ remove })
    }).pipe(Permissions.checked<RunRemoval["Service"]>({ remove: "manage" }))
  )
}
