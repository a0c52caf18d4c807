/** Answers the endpoints of components. */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  type Component,
  ComponentId,
  ComponentNotFound,
  type ComponentVersion
} from "../../../core/workflow/component/Component.ts"
import type { StoredComponent, UpdateRefusal } from "../../../core/workflow/component/ComponentStore.ts"
import { Components } from "../../../core/workflow/component/Components.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import type { SavedComponentData } from "../workflow/WorkflowBody.ts"
import { versionNumber } from "../workflow/WorkflowsHttp.ts"
import { reference } from "../workflow/WorkflowView.ts"
import type { ComponentItem, ComponentVersionView, ComponentView } from "./ComponentsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "workflow components",
  Effect.fn(function* (handlers) {
    const components = yield* Components
    return handlers.handleAll({
      listComponents: Effect.fn(function* () {
        return (yield* components.list(yield* CurrentCaller)).map(item)
      }),
      createComponent: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return view(yield* components.create(caller, payload))
      }),
      getComponent: Effect.fn(function* ({ params }) {
        const id = yield* componentId(params.component_id)
        return view(yield* components.get(yield* CurrentCaller, id))
      }),
      saveComponent: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* componentId(params.component_id)
        const saved = yield* components.save(caller, id, payload)
        return {
          version_number: saved.version.versionNumber,
          propagated: saved.propagated,
          skipped: saved.skipped.map(({ reason, workflowId }) => ({
            workflow_id: workflowId,
            problems: problemsOf(reason)
          }))
        }
      }),
      renameComponent: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* componentId(params.component_id)
        return view(yield* components.rename(caller, id, payload))
      }),
      removeComponent: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = yield* componentId(params.component_id)
        yield* components.remove(caller, id)
      }),
      componentVersions: Effect.fn(function* ({ params }) {
        const id = yield* componentId(params.component_id)
        const versions = yield* components.versions(yield* CurrentCaller, id)
        return versions.map(versionView)
      }),
      componentVersion: Effect.fn(function* ({ params }) {
        const id = yield* componentId(params.component_id)
        const number = yield* versionNumber(params.version_number)
        return versionView(
          yield* components
            .version(yield* CurrentCaller, id, number)
            .pipe(
              Effect.catchTag("ComponentNotFound", () =>
                Effect.fail(Errors.general(404, `Version ${number} of component "${id}" not found`))
              )
            )
        )
      }),
      componentUsage: Effect.fn(function* ({ params }) {
        const id = yield* componentId(params.component_id)
        const workflows = yield* components.usage(yield* CurrentCaller, id)
        return workflows.map(reference)
      })
    })
  })
)

/** A component id from a path. A text that is not a UUID matches no component. */
const componentId = (text: string) =>
  Schema.decodeUnknownEffect(ComponentId)(text.toLowerCase()).pipe(
    Effect.mapError(() => new ComponentNotFound({ componentId: text }))
  )

const problemsOf = (reason: UpdateRefusal) =>
  reason._tag === "InvalidWorkflow" ? reason.problems : FieldLimit.asProblems(reason.fields)

const item = (component: Component): typeof ComponentItem.Type => ({
  id: component.id,
  name: component.name,
  created_at: iso(component.createdAt),
  updated_at: iso(component.updatedAt),
  created_by: component.createdBy
})

const view = ({ component, version }: StoredComponent): typeof ComponentView.Type => ({
  ...item(component),
  workspace_id: component.workspaceId,
  component_data: dataOf(version),
  version_number: version.versionNumber,
  version_note: version.versionNote
})

const versionView = (version: ComponentVersion): typeof ComponentVersionView.Type => ({
  id: version.id,
  component_id: version.componentId,
  version_number: version.versionNumber,
  component_data: dataOf(version),
  created_at: iso(version.createdAt),
  version_note: version.versionNote,
  created_by: version.createdBy
})

/** A save takes nothing else for the nodes of a component. */
const dataOf = ({ data }: ComponentVersion) => data as typeof SavedComponentData.Type
