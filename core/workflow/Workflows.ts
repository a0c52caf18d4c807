/**
 * Creating, saving and reading the workflows of a workspace, as callers do.
 */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { Signals } from "../event/Signals.ts"
import * as Gate from "../gate/Gate.ts"
import { ErrorCodeStore } from "../workspace/ErrorCodes.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import type { Caller } from "../workspace/Workspace.ts"
import * as ErrorReferences from "./ErrorReferences.ts"
import * as FieldLimit from "./FieldLimit.ts"
import * as SaveBody from "./SaveBody.ts"
import { type InvalidWorkflow, VersionId, type Workflow, WorkflowId, type WorkflowNotFound } from "./Workflow.ts"
import { type Stored, type StoredSizes, type VersionSummary, WorkflowStore } from "./WorkflowStore.ts"

/** Raised by a save that was based on another version than the latest. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  latestVersionId: Schema.String,
  latestVersionNumber: Schema.Int,
  latestCreatedBy: Schema.String,
  latestCreatedAt: Schema.Finite,
  latestVersionNote: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return `Cannot save over version ${this.latestVersionNumber}: base_version_id names another version than this latest one`
  }
}

export class Workflows extends Context.Service<
  Workflows,
  {
    /** Keeps a new workflow with its first version, and its window if the body has one. */
    readonly create: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<Stored, InvalidWorkflow | FieldLimit.FieldsTooLarge>

    /**
     * Keeps a next version. The window stays as it is unless the body has `run_window`, and is removed by `null`; the
     * version and the window change together, or neither does.
     */
    readonly save: (
      caller: Caller,
      id: WorkflowId,
      body: unknown
    ) => Effect.Effect<Stored, InvalidWorkflow | FieldLimit.FieldsTooLarge | WorkflowNotFound | VersionConflict>

    readonly get: (caller: Caller, id: WorkflowId) => Effect.Effect<Stored, WorkflowNotFound>
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Workflow>>
    readonly versions: (
      caller: Caller,
      id: WorkflowId
    ) => Effect.Effect<ReadonlyArray<VersionSummary>, WorkflowNotFound>
    readonly version: (caller: Caller, id: WorkflowId, versionNumber: number) => Effect.Effect<Stored, WorkflowNotFound>
  }
>()("sluice/core/workflow/Workflows") {
  static readonly layer = Layer.effect(
    Workflows,
    Effect.gen(function* () {
      const store = yield* WorkflowStore
      const identifiers = yield* Identifiers
      const signals = yield* Signals
      const errorCodes = yield* ErrorCodeStore

      /** What a body says, its references to error codes of the workspace included. */
      const read = Effect.fnUntraced(function* (caller: Caller, body: unknown, now: number) {
        const nodes = typeof body === "object" && body !== null && "nodes" in body ? body.nodes : []
        const known = ErrorReferences.all(nodes).length === 0 ? [] : yield* errorCodes.list(caller.workspaceId)
        return yield* Effect.fromResult(SaveBody.read(body, now, new Set(known.map(({ id }) => id))))
      })

      const create = Effect.fn("Workflows.create")(function* (caller: Caller, body: unknown) {
        const at = yield* Clock.currentTimeMillis
        const accepted = yield* read(caller, body, at)
        const workflowId = WorkflowId.make(yield* identifiers.uuid)
        const stored: Stored = {
          workflow: {
            id: workflowId,
            workspaceId: caller.workspaceId,
            name: accepted.name,
            description: accepted.description,
            createdAt: at,
            updatedAt: at,
            createdBy: caller.userId
          },
          version: {
            versionId: VersionId.make(yield* identifiers.uuid),
            workflowId,
            versionNumber: 1,
            createdAt: at,
            createdBy: caller.userId,
            versionNote: accepted.versionNote,
            content: accepted.content
          },
          gate: changedGate(Gate.open, accepted.window, { at, by: caller.userId })
        }
        yield* store.create(stored, acceptSizes)
        yield* signals.publish({ _tag: "due" })
        return stored
      })

      const save = Effect.fn("Workflows.save")(function* (caller: Caller, id: WorkflowId, body: unknown) {
        yield* store.get(caller.workspaceId, id)
        const accepted = yield* read(caller, body, yield* Clock.currentTimeMillis)
        const versionId = VersionId.make(yield* identifiers.uuid)
        const base = (body as { readonly base_version_id?: unknown }).base_version_id ?? null
        const saved = yield* store.save(
          caller.workspaceId,
          id,
          (before, at): Result.Result<Stored, VersionConflict | FieldLimit.FieldsTooLarge> =>
            base !== null && base !== before.version.versionId
              ? Result.fail(conflict(before))
              : Result.succeed({
                  workflow: {
                    ...before.workflow,
                    name: accepted.name,
                    description: accepted.description,
                    updatedAt: at
                  },
                  version: {
                    versionId,
                    workflowId: id,
                    versionNumber: before.version.versionNumber + 1,
                    createdAt: at,
                    createdBy: caller.userId,
                    versionNote: accepted.versionNote,
                    content: accepted.content
                  },
                  gate: changedGate(before.gate, accepted.window, { at, by: caller.userId })
                }),
          acceptSizes
        )
        yield* signals.publish({ _tag: "due" })
        yield* signals.publish({ _tag: "work" })
        return saved
      })

      return Workflows.of({
        create,
        save,
        get: Effect.fn("Workflows.get")((caller, id) => store.get(caller.workspaceId, id)),
        list: Effect.fn("Workflows.list")((caller) => store.list(caller.workspaceId)),
        versions: Effect.fn("Workflows.versions")((caller, id) => store.versions(caller.workspaceId, id)),
        version: Effect.fn("Workflows.version")((caller, id, number) => store.version(caller.workspaceId, id, number))
      })
    })
  )
}

const acceptSizes = (sizes: StoredSizes): Result.Result<void, FieldLimit.FieldsTooLarge> =>
  FieldLimit.refuse(FieldLimit.overBytes(sizes))

const changedGate = (gate: Gate.Gate, change: SaveBody.WindowChange, actor: Gate.Actor): Gate.Gate => {
  switch (change._tag) {
    case "Keep":
      return gate
    case "Remove":
      return Gate.removeWindow(gate, actor)
    case "Set":
      return Gate.setWindow(gate, change.window, actor)
  }
}

const conflict = ({ version }: Stored): VersionConflict =>
  new VersionConflict({
    latestVersionId: version.versionId,
    latestVersionNumber: version.versionNumber,
    latestCreatedBy: version.createdBy,
    latestCreatedAt: version.createdAt,
    latestVersionNote: version.versionNote
  })
