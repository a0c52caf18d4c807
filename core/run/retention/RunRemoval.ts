/**
 * Removing runs that have ended, with everything that they left: at the request of an owner, or when their time is over.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type * as Periodic from "../../runtime/Periodic.ts"
import { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import type { RunId, RunNotFound, WorkspaceId } from "../../workspace/Ids.ts"
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

const dayMillis = 86_400_000

/** How many runs one transaction removes. */
const batch = 50

/** The pause after a batch, so that a large removal leaves the database to others. */
const pace = "50 millis"

/** Removes runs that have ended: first the bytes of their artifacts, so that none are left without an owner. */
const removeAll = Effect.fnUntraced(function* (
  ids: ReadonlyArray<RunId>,
  remove: (store: RunRemovalStore["Service"]) => Effect.Effect<number, StoreUnavailable>
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
        const entry = {
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

/** Removes all runs that ended more than so many days ago, and answers how many they were. */
export const sweep = Effect.fn("RunRemoval.sweep")(function* (days: number, only: WorkspaceId | null = null) {
  const store = yield* RunRemovalStore
  const before = (yield* Clock.currentTimeMillis) - days * dayMillis
  let count = 0
  for (
    let ids = yield* store.ended(before, batch, only);
    ids.length > 0;
    ids = yield* store.ended(before, batch, only)
  ) {
    const removed = yield* removeAll(ids, ({ remove }) => remove(ids))
    count += removed
    // There are no more, or another process is removing them.
    if (ids.length < batch || removed === 0) break
    yield* Effect.sleep(pace)
  }
  return count
})

/** How many runs `sweep` would remove now, by workspace. */
export const count = Effect.fn("RunRemoval.count")(function* (days: number) {
  return yield* (yield* RunRemovalStore).countEnded((yield* Clock.currentTimeMillis) - days * dayMillis)
})

/** Removes old runs every ten minutes; none for `null` days. */
export const sweeping = (days: number | null): Periodic.Job<Effect.Services<ReturnType<typeof sweep>>> => ({
  name: "remove old runs",
  every: "10 minutes",
  round:
    days === null
      ? Effect.void
      : sweep(days).pipe(
          Effect.catchTag("ArtifactsUnavailable", ({ message }) =>
            Effect.logWarning(`Could not remove old runs; trying again later: ${message}`)
          )
        )
})
