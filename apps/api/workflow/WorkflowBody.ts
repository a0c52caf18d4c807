/**
 * The body that creates or saves a workflow, for the description of the interface. It is checked by the domain, which
 * reports every problem at its path.
 */
import { Schema } from "effect"
import { RunWindow } from "../../../core/window/RunWindow.ts"
import { type ActionName, parameters } from "../../../core/workflow/language/graph/Action.ts"
import { SaveBody } from "../../../core/workflow/SaveBody.ts"
import { optional } from "../http/body/Fields.ts"

const NodeId = Schema.String.check(Schema.isUUID())

const pascalCase = (action: string): string =>
  action.replace(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase())

const nodeOf = (action: string, given: Schema.Top) =>
  Schema.Struct({
    id: NodeId,
    name: Schema.String.check(Schema.isMinLength(1)),
    action: Schema.Literal(action),
    parameters: given
  }).annotate({ identifier: `${pascalCase(action)}Node` })

const Node = Schema.Union(
  (Object.keys(parameters) as ReadonlyArray<ActionName>).map((action) => nodeOf(action, parameters[action]))
).annotate({ identifier: "WorkflowNode" })

const Edge = Schema.Union([
  Schema.Struct({ to: NodeId }),
  Schema.Struct({ true: NodeId, false: NodeId }),
  Schema.Struct({ loop_not_done: NodeId, loop_done: NodeId })
]).annotate({ identifier: "WorkflowEdge" })

export const WorkflowBody = Schema.Struct({
  ...SaveBody.fields,
  nodes: Schema.Array(Node),
  edges: Schema.Record(Schema.String, Edge),
  run_window: optional(RunWindow)
}).annotate({ identifier: "WorkflowToSave" })
