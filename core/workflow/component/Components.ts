/** The service that creates, saves and reads the components of a workspace. */
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import type { AuditAction } from "../../workspace/audit/AuditAction.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { VersionId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as FieldLimit from "../FieldLimit.ts"
import * as ModelAvailability from "../ModelAvailability.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import { type Content, InvalidWorkflow, type Workflow } from "../Workflow.ts"
import type { StoredWorkflow } from "../WorkflowStore.ts"
import {
  type Component,
  type ComponentData,
  ComponentId,
  ComponentNotFound,
  type ComponentVersion,
  InvalidComponent
} from "./Component.ts"
import * as ComponentReading from "./ComponentReading.ts"
import {
  ComponentStore,
  firstVersion,
  type Propagation,
  type StoredComponent,
  type UpdateWorkflow
} from "./ComponentStore.ts"
import * as Instances from "./Instances.ts"
import type * as PropagationRule from "./Propagation.ts"

type Refused = InvalidComponent | FieldLimit.FieldsTooLarge

export class Components extends Context.Service<
  Components,
  {
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Component>, StoreUnavailable>

    /** Creates a component with its first version. */
    readonly create: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<StoredComponent, Refused | RoleForbids | StoreUnavailable>

    /** A component with its latest version. */
    readonly get: (
      caller: Caller,
      id: ComponentId
    ) => Effect.Effect<StoredComponent, ComponentNotFound | StoreUnavailable>

    /**
     * Saves the next version. Unless `propagate` is `false`, every workflow whose latest version contains the
     * component, except `sourceWorkflowId`, gets a next version with it. A workflow that would become invalid is left
     * unchanged and reported.
     */
    readonly save: (
      caller: Caller,
      id: ComponentId,
      body: unknown
    ) => Effect.Effect<StoredComponent & Propagation, Refused | ComponentNotFound | RoleForbids | StoreUnavailable>

    /** Renames a component. This makes no new version. */
    readonly rename: (
      caller: Caller,
      id: ComponentId,
      body: unknown
    ) => Effect.Effect<StoredComponent, Refused | ComponentNotFound | RoleForbids | StoreUnavailable>

    /** Removes a component. The workflows that contain it keep its nodes as their own, in a next version. */
    readonly remove: (
      caller: Caller,
      id: ComponentId
    ) => Effect.Effect<Propagation, ComponentNotFound | RoleForbids | StoreUnavailable>

    /** The versions of a component, newest first. */
    readonly versions: (
      caller: Caller,
      id: ComponentId
    ) => Effect.Effect<ReadonlyArray<ComponentVersion>, ComponentNotFound | StoreUnavailable>

    /** One version of a component. Fails with `ComponentNotFound` for an unknown component or version. */
    readonly version: (
      caller: Caller,
      id: ComponentId,
      versionNumber: number
    ) => Effect.Effect<ComponentVersion, ComponentNotFound | StoreUnavailable>

    /** The workflows whose latest version contains the component. */
    readonly usage: (
      caller: Caller,
      id: ComponentId
    ) => Effect.Effect<ReadonlyArray<Workflow>, ComponentNotFound | StoreUnavailable>
  }
>()("sluice/core/workflow/component/Components") {
  static readonly layer = Layer.effect(
    Components,
    Effect.gen(function* () {
      const store = yield* ComponentStore
      const identifiers = yield* Identifiers
      const audit = yield* Audit
      const models = yield* ModelAvailability.ModelAvailability

      /** Refuses nodes that need an unavailable model, before the component is propagated to workflows. */
      const served = <A extends { readonly data: ComponentData }>(sent: A): Effect.Effect<A, InvalidComponent> => {
        const nodes = sent.data.nodes.map(({ workflowNode }) => workflowNode)
        const pathOf = (index: number) => `componentData.nodes[${index}].workflowNode`
        const problems = ModelAvailability.problems(nodes, models, pathOf)
        return problems.length === 0 ? Effect.succeed(sent) : Effect.fail(new InvalidComponent({ problems }))
      }

      const create = Effect.fn("Components.create")(function* (caller: Caller, body: unknown) {
        const { data, name, versionNote } = yield* Effect.flatMap(ComponentReading.readCreate(caller, body), served)
        const at = yield* Clock.currentTimeMillis
        const id = ComponentId.make(yield* identifiers.uuid)
        const versionId = yield* identifiers.uuid
        const stored = firstVersion(caller, { id, versionId, name, data, versionNote }, at)
        yield* audit.recording(caller, store.create(stored), () => [auditOf("component.create", null, stored)])
        return stored
      })

      /** The next version of a workflow after a change of a component. */
      const followed = (
        caller: Caller,
        note: string,
        change: (content: Content) => Effect.Effect<Content, InvalidWorkflow>
      ): UpdateWorkflow =>
        Effect.fnUntraced(function* (before: StoredWorkflow, at: number) {
          const content = yield* change(before.version.content)
          return {
            workflow: { ...before.workflow, updatedAt: at },
            version: {
              versionId: VersionId.make(yield* identifiers.uuid),
              workflowId: before.workflow.id,
              versionNumber: before.version.versionNumber + 1,
              createdAt: at,
              createdBy: caller.userId,
              versionNote: note,
              name: before.workflow.name,
              description: before.workflow.description,
              content
            },
            gate: before.gate,
            canary: before.canary
          } satisfies StoredWorkflow
        })

      const save = Effect.fn("Components.save")(function* (caller: Caller, id: ComponentId, body: unknown) {
        const former = yield* store.get(caller.workspaceId, id)
        const sent = yield* Effect.flatMap(ComponentReading.readSave(caller, body), served)
        const versionId = yield* identifiers.uuid
        const save = store.save(
          caller.workspaceId,
          id,
          (before, at) => {
            const versionNumber = before.version.versionNumber + 1
            const carried = { component: id, before: before.version.data, after: sent.data }
            const note = `Version ${versionNumber} of the component "${before.component.name}"`
            const carry = followed(caller, note, (content) => carriedOver(caller, content, carried))
            return {
              after: {
                component: { ...before.component, updatedAt: at },
                version: {
                  id: versionId,
                  componentId: id,
                  versionNumber,
                  data: sent.data,
                  createdAt: at,
                  createdBy: caller.userId,
                  versionNote: sent.versionNote
                }
              },
              carry: sent.propagate ? { to: carry, except: sent.source } : null
            }
          },
          (sizes) => FieldLimit.refuse(FieldLimit.overBytes(sizes))
        )
        return yield* audit.recording(caller, save, (saved) => [auditOf("component.save", former, saved, saved)])
      })

      const rename = Effect.fn("Components.rename")(function* (caller: Caller, id: ComponentId, body: unknown) {
        const former = yield* store.get(caller.workspaceId, id)
        const name = yield* Effect.fromResult(ComponentReading.readName(body))
        return yield* audit.recording(caller, store.rename(caller.workspaceId, id, name), (renamed) => [
          auditOf("component.rename", former, renamed)
        ])
      })

      const remove = Effect.fn("Components.remove")(function* (caller: Caller, id: ComponentId) {
        const former = yield* store.get(caller.workspaceId, id)
        const note = `The component "${former.component.name}" was deleted`
        const carry = followed(caller, note, (content) =>
          // The nodes of a saved version are a list.
          Effect.succeed({ ...content, nodes: Instances.unlinked(content.nodes as ReadonlyArray<Schema.Json>, id) })
        )
        return yield* audit.recording(caller, store.remove(caller.workspaceId, id, carry), () => [
          auditOf("component.delete", former, null)
        ])
      })

      const version = Effect.fn("Components.version")(function* (
        caller: Caller,
        id: ComponentId,
        versionNumber: number
      ) {
        const versions = yield* store.versions(caller.workspaceId, id)
        const found = versions.find((one) => one.versionNumber === versionNumber)
        return found ?? (yield* new ComponentNotFound({ componentId: id }))
      })

      return Components.of({
        create,
        save,
        rename,
        remove,
        version,
        list: Effect.fn("Components.list")((caller) => store.list(caller.workspaceId)),
        get: Effect.fn("Components.get")((caller, id) => store.get(caller.workspaceId, id)),
        versions: Effect.fn("Components.versions")((caller, id) => store.versions(caller.workspaceId, id)),
        usage: Effect.fn("Components.usage")((caller, id) => store.usage(caller.workspaceId, id))
      })
    }).pipe(
      Permissions.checked<Components["Service"]>({
        list: "read",
        create: "edit",
        get: "read",
        save: "edit",
        rename: "edit",
        remove: "edit",
        versions: "read",
        version: "read",
        usage: "read"
      })
    )
  )
}

/** The content of a workflow with a new version of a component. Fails if that content is invalid. */
const carriedOver = Effect.fnUntraced(function* (
  caller: Caller,
  content: Content,
  carried: PropagationRule.ComponentChange
) {
  const result = yield* Sandbox.run(caller.workspaceId, "carry", { content, carried }).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.succeed({ failure: [{ path: "", message }] }))
    )
  )
  return "success" in result ? result.success : yield* new InvalidWorkflow({ problems: result.failure })
})

/** The audit entry of a change of a component. It names the version instead of repeating its content. */
const auditOf = (
  action: AuditAction,
  before: StoredComponent | null,
  after: StoredComponent | null,
  carried?: Propagation
): Draft => ({
  action,
  resourceId: (after ?? before)?.component.id ?? null,
  resourceName: (after ?? before)?.component.name ?? null,
  before: before === null ? null : audited(before),
  after:
    after === null
      ? null
      : { ...audited(after), ...(carried === undefined ? {} : { workflows_changed: carried.propagated.length }) }
})

const audited = ({ component, version }: StoredComponent) => ({
  name: component.name,
  version_id: version.id,
  version_number: version.versionNumber
})
