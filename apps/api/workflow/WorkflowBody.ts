/**
 * The bodies that create, save, import or copy a workflow, for the description of the interface and the types of
 * its clients. It is checked by the domain, which reports every problem at its path.
 */
import { Schema } from "effect"
import { RunWindow } from "../../../core/window/RunWindow.ts"
import { ComponentData } from "../../../core/workflow/component/Component.ts"
import * as ComponentCheck from "../../../core/workflow/component/ComponentCheck.ts"
import { type ActionName, parameters } from "../../../core/workflow/language/graph/Action.ts"
import * as Expect from "../../../core/workflow/language/graph/Expect.ts"
import * as RunIf from "../../../core/workflow/language/graph/RunIf.ts"
import { SaveBody } from "../../../core/workflow/SaveBody.ts"
import * as Bundle from "../../../core/workflow/transfer/Bundle.ts"
import * as ForkBody from "../../../core/workflow/transfer/ForkBody.ts"
import { optional } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"

const NodeId = Schema.String.check(Schema.isUUID())

/** The fields of every node beside its action and the parameters of that action. */
const common = Schema.Struct({
  id: NodeId,
  name: Schema.String.check(Schema.isMinLength(1)),
  /** The component that the node came from, and its id there. */
  source_component_instance_id: optional(Schema.String),
  source_component_node_id: optional(Schema.String)
})

/** The parameters that some actions may have in addition. */
const condition = Schema.Struct({ run_if: optional(RunIf.RunIf) })

/** The parameters that every action may have in addition. */
const expectation = Schema.Struct({ expect: optional(Expect.Expect) })

/** A node of one action. */
export type WorkflowNodeOf<A extends ActionName> = typeof common.Encoded & {
  readonly action: A
  readonly parameters: (typeof parameters)[A]["Encoded"] &
    typeof expectation.Encoded &
    (A extends RunIf.Conditional ? typeof condition.Encoded : unknown)
}

/** A node of a workflow. */
export type WorkflowNode = { readonly [A in ActionName]: WorkflowNodeOf<A> }[ActionName]

const pascalCase = (action: string): string =>
  action.replace(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase())

const nodeOf = (action: ActionName, { fields }: Schema.Struct<Schema.Struct.Fields>) => {
  const conditions = RunIf.allowed.has(action) ? condition.fields : {}
  const given = Schema.Struct({ ...fields, ...conditions, ...expectation.fields })
  return Schema.Struct({
    ...common.fields,
    action: Schema.Literal(action),
    parameters: Schema.is(given)({}) ? optional(given) : given
  }).annotate({ identifier: `${pascalCase(action)}Node` })
}

// The names of a constant record are its actions. The type of the union is stated, as the one that is inferred from a list
// does not tell which parameters belong to which action.
const WorkflowNode = Schema.Union(
  (Object.keys(parameters) as ReadonlyArray<ActionName>).map((action) => nodeOf(action, parameters[action]))
).annotate({ identifier: "WorkflowNode" }) as unknown as Schema.Codec<WorkflowNode>

const componentNode = ComponentData.fields.nodes.value

/** The content of a component, as it is sent. */
export const ComponentDataToSave = Schema.Struct({
  ...ComponentCheck.Sent.fields,
  nodes: Schema.Array(Schema.Struct({ ...componentNode.fields, workflowNode: WorkflowNode }))
})

/** The content of a saved component. Only valid ones are saved, so its type says more than the schema checks. */
export const SavedComponentData = ComponentData as unknown as Schema.Codec<
  Omit<ComponentData, "nodes"> & Pick<typeof ComponentDataToSave.Encoded, "nodes">
>

const WorkflowEdge = Schema.Union([
  Schema.Struct({ to: NodeId }),
  Schema.Struct({ true: NodeId, false: NodeId }),
  Schema.Struct({ loop_not_done: NodeId, loop_done: NodeId })
]).annotate({ identifier: "WorkflowEdge" })

const graph = {
  nodes: Schema.Array(WorkflowNode),
  edges: Schema.Record(Schema.String, WorkflowEdge)
}

/** The nodes and edges of a saved workflow. Only valid ones are saved, so that what is answered is not checked again. */
export const savedGraph = {
  // The types are those of what a save accepts.
  nodes: Schema.Array(Schema.JsonObject) as unknown as Schema.Codec<typeof graph.nodes.Encoded>,
  // As above.
  edges: Schema.JsonObject as unknown as Schema.Codec<typeof graph.edges.Encoded>
}

const { base_version_id, ...fields } = { ...SaveBody.fields, ...graph, run_window: optional(RunWindow) }

export const WorkflowToSave = Schema.Struct({ ...fields, base_version_id }).annotate({ identifier: "WorkflowToSave" })

/** A workflow to create, or to save as the next version of one. */
export type WorkflowToSave = typeof WorkflowToSave.Encoded

const WorkflowId = optional(Schema.String.check(Schema.isUUID()))

export const WorkflowToUpsert = Schema.Struct({
  ...WorkflowToSave.fields,
  id: WorkflowId,
  workflow_id: WorkflowId
}).annotate({ identifier: "WorkflowToUpsert" })

const BundledComponent = Schema.Struct({
  ref: Schema.String,
  name: Schema.String,
  component_data: ComponentDataToSave
})

/** An exported workflow. */
const WorkflowToImport = Schema.Struct({
  ...fields,
  format: Schema.Literal(Bundle.format),
  format_version: Schema.Literal(Bundle.formatVersion),
  components: optional(Schema.Array(BundledComponent)),
  error_codes: optional(Schema.Array(Bundle.NamedCode))
}).annotate({ identifier: "WorkflowToImport" })

/** The answer of an export. Only valid content is exported, so its type says more than the schema checks. */
export const WorkflowBundle = Schema.JsonObject.annotate({
  identifier: "WorkflowBundle",
  description:
    'An exported workflow: format "sluice.workflow", format_version 1, the fields of a workflow, run_window, and the components that its nodes name'
}) as unknown as Schema.Codec<typeof WorkflowToImport.Encoded>

/** A workflow as it is answered. Its ids are ignored. */
const WorkflowToCopy = Schema.Struct(fields).annotate({ identifier: "WorkflowToCopy" })

/** A bundle or a workflow, or one beside a window that replaces its own. */
export const Import = Schema.Union([
  WorkflowToImport,
  WorkflowToCopy,
  Schema.Struct({ bundle: Schema.Union([WorkflowToImport, WorkflowToCopy]), run_window: optional(RunWindow) })
])

export const WorkflowFork = Schema.Struct({
  ...ForkBody.ForkBody.fields,
  run_window: optional(sent(RunWindow))
}).annotate({ identifier: "WorkflowFork" })
