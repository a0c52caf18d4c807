/**
 * Components: parts of graphs that several workflows use, in numbered versions that never change.
 */
import { Schema } from "effect"
import { inOneSentence } from "../../window/Problems.ts"
import type { UserId, WorkspaceId } from "../../workspace/Ids.ts"
import { Problem } from "../Workflow.ts"

export const ComponentId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ComponentId"))
export type ComponentId = typeof ComponentId.Type

/** The identity of a component. Several may have the same name. Instants are epoch milliseconds. */
export interface Component {
  readonly id: ComponentId
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly createdAt: number
  /** Changes with every version and every change of the name. */
  readonly updatedAt: number
  readonly createdBy: UserId
}

/** The content of a component. The names are those of the interface. */
export const ComponentData = Schema.Struct({
  nodes: Schema.Array(
    Schema.Struct({
      workflowNode: Schema.JsonObject,
      /** The position of the node in an editor. */
      position: Schema.optionalKey(Schema.Struct({ x: Schema.Finite, y: Schema.Finite }))
    })
  ),
  /** The edges of nodes within the component. Edges that lead out of it are left out, or `null`. */
  workflowEdges: Schema.JsonObject,
  reactFlowEdges: Schema.Array(Schema.JsonObject),
  vault_schema: Schema.JsonObject
}).annotate({ identifier: "ComponentData" })
export type ComponentData = typeof ComponentData.Type

/** One version of a component. `versionNumber` counts from 1. */
export interface ComponentVersion {
  readonly id: string
  readonly componentId: ComponentId
  readonly versionNumber: number
  readonly data: ComponentData
  readonly createdAt: number
  readonly createdBy: UserId
  readonly versionNote: string | null
}

/** Raised for a component, or a version of one, that does not exist in the workspace. */
export class ComponentNotFound extends Schema.TaggedError<ComponentNotFound>()("ComponentNotFound", {
  componentId: Schema.String
}) {
  override get message() {
    return `Component "${this.componentId}" not found in this workspace`
  }
}

/** Raised for a component that cannot be saved. It lists every problem. */
export class InvalidComponent extends Schema.TaggedError<InvalidComponent>()("InvalidComponent", {
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}
