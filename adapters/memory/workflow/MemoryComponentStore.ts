/** Components and their versions in memory. */
import { Clock, Effect, Layer, Result } from "effect"
import { type Component, type ComponentId, ComponentNotFound } from "../../../core/workflow/component/Component.ts"
import {
  ComponentStore,
  type ContainingUpdate,
  type Propagation,
  type StoredComponent
} from "../../../core/workflow/component/ComponentStore.ts"
import * as Instances from "../../../core/workflow/component/Instances.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import type { StoredSizes } from "../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { gateIn, keepVersion, Tables } from "../Tables.ts"

export const layer = Layer.effect(
  ComponentStore,
  Effect.gen(function* () {
    const tables = yield* Tables

    const find = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: ComponentId) {
      const component = tables.components.get(id)
      const version = tables.componentVersions.get(id)?.at(-1)
      if (component?.workspaceId !== workspaceId || version === undefined) {
        return yield* new ComponentNotFound({ componentId: id })
      }
      return { component, version } satisfies StoredComponent
    })

    const holders = (workspaceId: WorkspaceId, id: ComponentId) =>
      [...tables.workflows.values()]
        .flatMap((workflow) => {
          const gate = gateIn(tables, workspaceId, workflow.id)
          const version = tables.versions.get(workflow.id)?.at(-1)
          const holds = version !== undefined && Instances.components(version.content.nodes).includes(id)
          return gate !== undefined && holds
            ? [{ workflow, version, gate, canary: tables.canaries.get(workflow.id) ?? null }]
            : []
        })
        .sort((a, b) => b.workflow.updatedAt - a.workflow.updatedAt || (a.workflow.id < b.workflow.id ? -1 : 1))

    const carryOn = Effect.fnUntraced(function* (
      workspaceId: WorkspaceId,
      id: ComponentId,
      { except, to }: ContainingUpdate,
      accept: (sizes: StoredSizes) => Result.Result<void, FieldLimit.FieldsTooLarge>,
      at: number
    ) {
      const done = yield* Effect.forEach(
        holders(workspaceId, id).filter(({ workflow }) => workflow.id !== except),
        Effect.fnUntraced(function* (before) {
          const after = yield* Effect.result(to(before, at))
          const fit = Result.flatMap(after, ({ version }) => accept(FieldLimit.rawSizes(version.content)))
          const workflowId = before.workflow.id
          if (Result.isFailure(after)) return { workflowId, reason: after.failure }
          if (Result.isFailure(fit)) return { workflowId, reason: fit.failure }
          tables.workflows.set(workflowId, after.success.workflow)
          keepVersion(tables, after.success.version, after.success.canary, at)
          return { workflowId, reason: null }
        })
      )
      return {
        propagated: done.filter(({ reason }) => reason === null).map(({ workflowId }) => workflowId),
        skipped: done.flatMap(({ reason, workflowId }) => (reason === null ? [] : [{ workflowId, reason }]))
      } satisfies Propagation
    })

    return ComponentStore.of({
      get: Effect.fn("ComponentStore.get")(find),
      list: Effect.fn("ComponentStore.list")((workspaceId) =>
        Effect.sync(() =>
          [...tables.components.values()].filter((component: Component) => component.workspaceId === workspaceId)
        )
      ),
      versions: Effect.fn("ComponentStore.versions")((workspaceId, id) =>
        Effect.map(find(workspaceId, id), () => [...(tables.componentVersions.get(id) ?? [])].reverse())
      ),
      usage: Effect.fn("ComponentStore.usage")((workspaceId, id) =>
        Effect.map(find(workspaceId, id), () => holders(workspaceId, id).map(({ workflow }) => workflow))
      ),
      create: Effect.fn("ComponentStore.create")(({ component, version }) =>
        Effect.sync(() => {
          tables.components.set(component.id, component)
          tables.componentVersions.set(component.id, [version])
        })
      ),
      rename: Effect.fn("ComponentStore.rename")(function* (workspaceId, id, name) {
        const updatedAt = yield* Clock.currentTimeMillis
        const { component, version } = yield* find(workspaceId, id)
        const renamed = { ...component, name, updatedAt }
        tables.components.set(id, renamed)
        return { component: renamed, version }
      }),
      save: Effect.fn("ComponentStore.save")(function* (workspaceId, id, decide, accept) {
        const at = yield* Clock.currentTimeMillis
        const { after, carry } = decide(yield* find(workspaceId, id), at)
        tables.components.set(id, after.component)
        tables.componentVersions.set(id, [...(tables.componentVersions.get(id) ?? []), after.version])
        const propagation =
          carry === null ? { propagated: [], skipped: [] } : yield* carryOn(workspaceId, id, carry, accept, at)
        return { ...after, ...propagation }
      }),
      remove: Effect.fn("ComponentStore.remove")(function* (workspaceId, id, carry) {
        const at = yield* Clock.currentTimeMillis
        yield* find(workspaceId, id)
        tables.components.delete(id)
        tables.componentVersions.delete(id)
        return yield* carryOn(workspaceId, id, { to: carry, except: null }, () => Result.void, at)
      })
    })
  }).pipe(Effect.map(atomicStore))
)
