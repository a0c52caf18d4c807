/**
 * The service that creates, saves and reads the workflows of a workspace.
 *
 * Every operation is for a caller: what belongs to another workspace is not found, and what the role does not allow fails with
 * `RoleForbids`. The layer needs the stores and `Identifiers`.
 *
 * **Example** (Creating a workflow)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Workflows } from "@sluice/core/workflows"
 * import type { Caller } from "@sluice/core/workspace"
 *
 * const [open, done] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]
 *
 * export const create = (caller: Caller) =>
 *   Effect.gen(function* () {
 *     const { workflow } = yield* (yield* Workflows).create(caller, {
 *       name: "Nightly",
 *       nodes: [{ id: open, name: "Open", action: "START", parameters: { url: "https://example.com" } },
 *         { id: done, name: "Done", action: "END", parameters: {} }],
 *       edges: { [open]: { to: done } }
 *     })
 *     return workflow.id
 *   }).pipe(Effect.catchTag("InvalidWorkflow", ({ problems }) => Effect.succeed(problems)))
 * ```
 */
import { Clock, Context, Effect, Equal, Layer, Result, Schema, Struct } from "effect"
import * as Gate from "../gate/Gate.ts"
import * as GateAudit from "../gate/GateAudit.ts"
import { expectRevision, type WindowConflict, windowConflict } from "../gate/Gates.ts"
import { Signals } from "../runtime/Signals.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "../workspace/audit/Audit.ts"
import { ErrorCodeStore } from "../workspace/ErrorCodes.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import { UserId, VersionId, WorkflowId, type WorkflowNotFound } from "../workspace/Ids.ts"
import * as Json from "../workspace/Json.ts"
import * as Permissions from "../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../workspace/Workspace.ts"
import * as Canary from "./canary/Canary.ts"
import * as CanaryAudit from "./canary/CanaryAudit.ts"
import * as ErrorReferences from "./ErrorReferences.ts"
import type * as FieldLimit from "./FieldLimit.ts"
import * as ModelAvailability from "./ModelAvailability.ts"
import * as SaveBody from "./SaveBody.ts"
import * as WorkflowSettings from "./Settings.ts"
import * as Sandbox from "./sandbox/Sandbox.ts"
import {
  type Content,
  InvalidWorkflow,
  type NameShared,
  type Problem,
  type Settings,
  type WorkflowExists,
  type WorkflowVersion
} from "./Workflow.ts"
import {
  type ListedWorkflow,
  type Page,
  type StoredWorkflow,
  type VersionSummary,
  WorkflowStore
} from "./WorkflowStore.ts"

/** Raised by a save that is based on another version than the latest. */
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

/** Refuses a change of a workflow because of its stored state. */
export type Expectation<E> = (before: StoredWorkflow) => Result.Result<unknown, E>

/** The stored workflow of a saved body, and whether it is new. */
export interface UpsertResult {
  readonly created: boolean
  readonly stored: StoredWorkflow
}

/** The body is based on another version, or another window, than the stored one. */
export type SaveConflict = VersionConflict | WindowConflict

type Refused = InvalidWorkflow | FieldLimit.FieldsTooLarge

export class Workflows extends Context.Service<
  Workflows,
  {
    /** Creates a workflow with its first version, and with the window of the body, if any. */
    readonly create: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<StoredWorkflow, Refused | RoleForbids | StoreUnavailable>

    /** Creates a workflow from a body that is already decoded. */
    readonly createFrom: (
      caller: Caller,
      draft: SaveBody.Draft
    ) => Effect.Effect<StoredWorkflow, Refused | RoleForbids | StoreUnavailable>

    /**
     * Stores the next version, if anything that is versioned changes. The window changes only if the body has a
     * `run_window` that differs from it, and `null` removes it; the version and the window change together, or neither
     * does. Without `encrypted_keys`, the former ones are kept.
     *
     * Fails with `WindowConflict` if the body would change a window and names another revision than the stored one, or
     * has a `base_version_id` and names no revision; and as `expect` does, which gets the state that is replaced.
     *
     * Ids that a body repeats from an answer must be those of this workflow.
     */
    readonly save: <E = never>(
      caller: Caller,
      id: WorkflowId,
      body: unknown,
      expect?: Expectation<E>
    ) => Effect.Effect<StoredWorkflow, E | Refused | WorkflowNotFound | SaveConflict | RoleForbids | StoreUnavailable>

    /**
     * Saves the workflow with the id of the body, or creates it with that id. Without an id, saves the workflow with
     * the name and folder of the body, or creates it; of several concurrent requests, one creates and the others save.
     * Fails with `NameShared` if several workflows of the folder have the name.
     */
    readonly upsert: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<
      UpsertResult,
      Refused | WorkflowNotFound | SaveConflict | NameShared | RoleForbids | StoreUnavailable
    >

    /**
     * Deletes a workflow. Its waiting runs never start; its ended runs stay readable. Fails as `expect` does, which gets
     * the state just before.
     */
    readonly remove: <E = never>(
      caller: Caller,
      id: WorkflowId,
      expect?: Expectation<E>
    ) => Effect.Effect<void, E | WorkflowNotFound | RoleForbids | StoreUnavailable>

    readonly get: (caller: Caller, id: WorkflowId) => Effect.Effect<StoredWorkflow, WorkflowNotFound | StoreUnavailable>
    readonly list: (caller: Caller, page?: Page) => Effect.Effect<ReadonlyArray<ListedWorkflow>, StoreUnavailable>
    readonly versions: (
      caller: Caller,
      id: WorkflowId
    ) => Effect.Effect<ReadonlyArray<VersionSummary>, WorkflowNotFound | StoreUnavailable>
    readonly version: (
      caller: Caller,
      id: WorkflowId,
      versionNumber: number
    ) => Effect.Effect<StoredWorkflow, WorkflowNotFound | StoreUnavailable>
  }
>()("sluice/core/workflow/Workflows") {
  static readonly layer = Layer.effect(
    Workflows,
    Effect.gen(function* () {
      const store = yield* WorkflowStore
      const audit = yield* Audit
      const identifiers = yield* Identifiers
      const signals = yield* Signals
      const errorCodes = yield* ErrorCodeStore
      const models = yield* ModelAvailability.ModelAvailability

      /** The content of a body, its references to error codes of the workspace included. */
      const read = Effect.fnUntraced(function* (caller: Caller, body: unknown, now: number) {
        const nodes = typeof body === "object" && body !== null && "nodes" in body ? body.nodes : []
        const known = ErrorReferences.all(nodes).length === 0 ? [] : yield* errorCodes.list(caller.workspaceId)
        return yield* Sandbox.run(caller.workspaceId, "readDraft", {
          body,
          now,
          errorCodes: known.map(({ id }) => id)
        }).pipe(Effect.catchTag("TooCostly", tooCostly))
      })

      const keepNew = Effect.fnUntraced(function* (
        caller: Caller,
        sent: SaveBody.Draft,
        options: { readonly id?: WorkflowId; readonly uniquelyNamed: boolean }
      ) {
        const draft = withProblems(sent, [
          ...ModelAvailability.problems(sent.content.nodes, models),
          ...(sent.canary === null ? [] : [withoutBase])
        ])
        if (SaveBody.isRefusedWithoutSizes(draft)) yield* Effect.fromResult(SaveBody.verdict(draft, null))
        const at = yield* Clock.currentTimeMillis
        const workflowId = options.id ?? WorkflowId.make(yield* identifiers.uuid)
        const stored: StoredWorkflow = {
          workflow: {
            id: workflowId,
            workspaceId: caller.workspaceId,
            name: draft.name,
            description: draft.description,
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
            versionNote: draft.versionNote,
            name: draft.name,
            description: draft.description,
            content: draft.content
          },
          gate: changedGate(Gate.open, draft.window, { at, by: caller.userId }),
          canary: null
        }
        yield* audit.recording(
          caller,
          store.create(stored, (sizes) => SaveBody.verdict(draft, sizes), options),
          () => auditOfCreation(stored)
        )
        yield* signals.publish({ _tag: "due" })
        return stored
      })

      const keepNext = Effect.fnUntraced(function* <E = never>(
        caller: Caller,
        id: WorkflowId,
        sent: SaveBody.Draft,
        expect: Expectation<E> = Result.succeed
      ) {
        const draft = withProblems(sent, ModelAvailability.problems(sent.content.nodes, models))
        if (SaveBody.isRefusedWithoutSizes(draft)) yield* Effect.fromResult(SaveBody.verdict(draft, null))
        const versionId = VersionId.make(yield* identifiers.uuid)
        let former: StoredWorkflow | null = null
        const save = store.save(
          caller.workspaceId,
          id,
          (before, at): Result.Result<StoredWorkflow, E | SaveConflict | Refused> => {
            former = before
            const expected = expect(before)
            if (Result.isFailure(expected)) return Result.fail(expected.failure)
            return draft.baseVersionId !== null && draft.baseVersionId !== before.version.versionId
              ? Result.fail(conflict(before))
              : next(before, draft, versionId, { at, by: caller.userId })
          },
          (sizes) => SaveBody.verdict(draft, sizes)
        )
        const saved = yield* audit.recording(caller, save, (after) =>
          former === null ? [] : auditOfSave(former, after)
        )
        yield* signals.publish({ _tag: "due" })
        yield* signals.publish({ _tag: "work" })
        return saved
      })

      const createFrom = Effect.fn("Workflows.createFrom")((caller: Caller, draft: SaveBody.Draft) =>
        keepNew(caller, draft, { uniquelyNamed: false }).pipe(
          Effect.catchTags({ NameShared: Effect.die, WorkflowExists: Effect.die })
        )
      )

      const create = Effect.fn("Workflows.create")(function* (caller: Caller, body: unknown) {
        return yield* createFrom(caller, yield* read(caller, body, yield* Clock.currentTimeMillis))
      })

      const save = Effect.fn("Workflows.save")(function* <E = never>(
        caller: Caller,
        id: WorkflowId,
        body: unknown,
        expect?: Expectation<E>
      ) {
        yield* store.get(caller.workspaceId, id)
        const draft = yield* read(caller, body, yield* Clock.currentTimeMillis)
        return yield* keepNext(caller, id, withProblems(draft, foreignIds(body, id, caller)), expect)
      })

      const upsert = Effect.fn("Workflows.upsert")(function* (caller: Caller, body: unknown) {
        const target = targetOf(body)
        const draft = withProblems(yield* read(caller, body, yield* Clock.currentTimeMillis), [
          ...target.problems,
          ...foreignIds(body, target.id, caller)
        ])
        const saved = (id: WorkflowId) =>
          Effect.map(keepNext(caller, id, draft), (stored): UpsertResult => ({ created: false, stored }))
        const created = (options: Parameters<typeof keepNew>[2]) =>
          Effect.map(keepNew(caller, draft, options), (stored): UpsertResult => ({ created: true, stored }))
        const { id } = target
        if (id === null) {
          // The workflow with this name may be deleted before it is saved: then the name is free again.
          return yield* created({ uniquelyNamed: true }).pipe(
            Effect.catchTag("WorkflowExists", (inTheWay: WorkflowExists) => saved(inTheWay.workflowId)),
            Effect.retry({ while: (error) => error._tag === "WorkflowNotFound", times: 3 })
          )
        }
        return yield* saved(id).pipe(
          Effect.catchTag("WorkflowNotFound", () => created({ id, uniquelyNamed: false })),
          // Another request created it in between; or it belongs to another workspace, or was deleted, and is not
          // found.
          Effect.catchTag("WorkflowExists", () => saved(id))
        )
      })

      return Workflows.of({
        create,
        createFrom,
        save,
        upsert,
        remove: Effect.fn("Workflows.remove")(function* <E = never>(
          caller: Caller,
          id: WorkflowId,
          expect: Expectation<E> = Result.succeed
        ) {
          const remove = store.get(caller.workspaceId, id).pipe(
            Effect.tap((before) => Effect.fromResult(expect(before))),
            Effect.tap(() => store.remove(caller.workspaceId, id))
          )
          yield* audit.recording(caller, remove, auditOfRemoval)
          yield* signals.publish({ _tag: "due" })
        }),
        get: Effect.fn("Workflows.get")((caller, id) => store.get(caller.workspaceId, id)),
        list: Effect.fn("Workflows.list")((caller, page) => store.list(caller.workspaceId, page)),
        versions: Effect.fn("Workflows.versions")((caller, id) => store.versions(caller.workspaceId, id)),
        version: Effect.fn("Workflows.version")((caller, id, number) => store.version(caller.workspaceId, id, number))
      })
    }).pipe(
      Permissions.checked<Workflows["Service"]>({
        create: "edit",
        createFrom: "edit",
        save: "edit",
        upsert: "edit",
        remove: "edit",
        get: "read",
        list: "read",
        versions: "read",
        version: "read"
      })
    )
  )
}

/** A workflow whose check exceeds a limit is invalid. */
export const tooCostly = Sandbox.refused((message) =>
  Effect.fail(new InvalidWorkflow({ problems: [{ path: "", message }] }))
)

/** The result of a save. */
const next = (
  before: StoredWorkflow,
  draft: SaveBody.Draft,
  versionId: VersionId,
  actor: Gate.Actor
): Result.Result<StoredWorkflow, WindowConflict | InvalidWorkflow> => {
  const gate = savedGate(before.gate, draft, actor)
  if (Result.isFailure(gate)) return Result.fail(gate.failure)
  const version = nextVersion(before.version, draft, versionId, actor)
  const canary =
    draft.canary === null
      ? Result.succeed(Canary.afterSave(before.canary, version, actor.at))
      : Canary.start(before, version, draft.canary, actor)
  if (Result.isFailure(canary)) return Result.fail(canary.failure)
  return Result.succeed({
    workflow: { ...before.workflow, name: draft.name, description: draft.description, updatedAt: actor.at },
    version,
    gate: gate.success,
    canary: canary.success
  })
}

/** The next version, or the stored one if nothing changes. */
const nextVersion = (
  before: WorkflowVersion,
  draft: SaveBody.Draft,
  versionId: VersionId,
  actor: Gate.Actor
): WorkflowVersion => {
  const content = {
    ...draft.content,
    settings: { ...encryptedKeys(before.content.settings), ...draft.content.settings }
  }
  const noted = draft.versionNote !== null && draft.versionNote !== before.versionNote
  const { description, name } = draft
  if (!noted && name === before.name && description === before.description && isSame(content, before.content)) {
    return before
  }
  return {
    versionId,
    workflowId: before.workflowId,
    versionNumber: before.versionNumber + 1,
    createdAt: actor.at,
    createdBy: UserId.make(actor.by),
    versionNote: draft.versionNote,
    name,
    description,
    content
  }
}

/**
 * Compares contents field by field, by their JSON texts: objects whose fields are in another order count as different.
 * A setting that is left out is the same as its default.
 */
const isSame = (one: Content, other: Content): boolean => {
  const { settings: ofOne, ...first } = one
  const { settings: ofOther, ...second } = other
  const isText = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)
  return (
    isText(WorkflowSettings.complete(ofOne), WorkflowSettings.complete(ofOther)) &&
    Struct.keys(first).every((name) => isText(first[name], second[name]))
  )
}

/** The gate after a save. A window equal to the stored one changes nothing, so a lift stays in effect. */
const savedGate = (
  gate: Gate.Gate,
  { baseVersionId, window, windowRevision }: SaveBody.Draft,
  actor: Gate.Actor
): Result.Result<Gate.Gate, WindowConflict> => {
  const after = changedGate(gate, window, actor)
  if (Equal.equals(after.runWindow, gate.runWindow)) return Result.succeed(gate)
  // An edit that is based on something undoes nothing that it has not seen, and a version does not name a window.
  return baseVersionId !== null && windowRevision === null && gate.windowRevision > 0
    ? Result.fail(windowConflict(gate, null))
    : Result.map(expectRevision(gate, { revision: windowRevision }), () => after)
}

const encryptedKeys = ({ encrypted_keys }: Settings): Pick<Settings, "encrypted_keys"> =>
  encrypted_keys === undefined ? {} : { encrypted_keys }

/** The problem of a canary in a body that creates a workflow. */
const withoutBase: Problem = {
  path: "canary",
  message: "Expected no canary for a new workflow: it has no version before to compare with"
}

const withProblems = (draft: SaveBody.Draft, problems: ReadonlyArray<Problem>): SaveBody.Draft =>
  problems.length === 0 ? draft : { ...draft, problems: [...problems, ...draft.problems] }

/** Problems of ids in a body that differ from those of the saved workflow. `id` is `null` if any id is accepted. */
const foreignIds = (body: unknown, id: WorkflowId | null, caller: Caller): ReadonlyArray<Problem> => {
  const expected = { id, workflow_id: id, workspace_id: caller.workspaceId }
  return Object.entries(expected).flatMap(([path, own]) => {
    const sent = fieldOf(body, path)
    return own === null || sent === null || (typeof sent === "string" && sent.toLowerCase() === own.toLowerCase())
      ? []
      : [{ path, message: `Expected ${own}, the one that is saved, or nothing` }]
  })
}

/** The id in a body; `null` if it has none or an invalid one. */
const targetOf = (body: unknown): { readonly id: WorkflowId | null; readonly problems: ReadonlyArray<Problem> } => {
  const sent = ["id", "workflow_id"].flatMap((path) => {
    const value = fieldOf(body, path)
    return value === null ? [] : [{ path, value }]
  })
  const isId = Schema.is(WorkflowId)
  const problems = sent.flatMap(({ path, value }) =>
    isId(value) ? [] : [{ path, message: "Expected the UUID of a workflow" }]
  )
  const [first] = sent
  return { id: first !== undefined && isId(first.value) ? WorkflowId.make(first.value.toLowerCase()) : null, problems }
}

const fieldOf = (body: unknown, name: string): unknown => (Json.isObject(body) ? (body[name] ?? null) : null)

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

const conflict = ({ version }: StoredWorkflow): VersionConflict =>
  new VersionConflict({
    latestVersionId: version.versionId,
    latestVersionNumber: version.versionNumber,
    latestCreatedBy: version.createdBy,
    latestCreatedAt: version.createdAt,
    latestVersionNote: version.versionNote
  })

/**
 * The audit entries of a new workflow and of its window. An entry names the version instead of repeating its content,
 * because versions never change.
 */
const auditOfCreation = (after: StoredWorkflow): ReadonlyArray<Draft> => [
  { action: "workflow.create", ...resource(after), before: null, after: versionJson(after) },
  ...GateAudit.ofWindow(after.workflow.id)({
    workflowName: after.workflow.name,
    before: Gate.open,
    after: after.gate
  })
]

/** The audit entries of a save: one for a new version, one for a changed window. */
const auditOfSave = (before: StoredWorkflow, after: StoredWorkflow): ReadonlyArray<Draft> => [
  ...(before.version.versionId === after.version.versionId
    ? []
    : [
        {
          action: "workflow.save" as const,
          ...resource(after),
          reason: after.version.versionNote,
          before: versionJson(before),
          after: versionJson(after)
        }
      ]),
  ...CanaryAudit.of(before, after),
  ...GateAudit.ofWindow(after.workflow.id)({
    workflowName: after.workflow.name,
    before: before.gate,
    after: after.gate
  })
]

/** The audit entry of a deleted workflow. */
const auditOfRemoval = (before: StoredWorkflow): ReadonlyArray<Draft> => [
  { action: "workflow.delete", ...resource(before), before: versionJson(before), after: null }
]

const resource = ({ workflow }: StoredWorkflow) => ({ resourceId: workflow.id, resourceName: workflow.name })

const versionJson = ({ version }: StoredWorkflow) => ({
  name: version.name,
  description: version.description,
  version_id: version.versionId,
  version_number: version.versionNumber
})
