/**
 * Marks on the nodes of a workflow that name the component they came from.
 *
 * A node of an instance has `source_component_instance_id`: the id of the component, followed by `:` and a UUID if the
 * workflow contains the component more than once. It also has `source_component_node_id`, the id of the node within the
 * component, if that differs from its own id.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"

/** The meaning of the marks of a node. `instance` is the whole mark, the same on all nodes of one instance. */
export interface Mark {
  readonly component: string
  readonly instance: string
  readonly node: string
}

export const instanceField = "source_component_instance_id"
export const nodeField = "source_component_node_id"

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
const form = new RegExp(`^(${uuid})(:${uuid})?$`, "i")

/** The marks of a node; `null` for a node of no component, and for marks of another form. */
export const markOf = (node: Schema.Json): Mark | null => {
  if (!Json.isObject(node)) return null
  const { id, [instanceField]: instance, [nodeField]: within } = node
  const found = typeof instance === "string" ? form.exec(instance) : null
  const own = typeof within === "string" ? within : id
  if (found === null || typeof instance !== "string" || typeof own !== "string") return null
  return { component: (found[1] ?? "").toLowerCase(), instance, node: own.toLowerCase() }
}

/** The components of which nodes are instances, each once, in the order of the nodes. */
export const components = (nodes: Schema.Json): ReadonlyArray<string> => [
  ...new Set((Array.isArray(nodes) ? nodes : []).flatMap((node: Schema.Json) => markOf(node)?.component ?? []))
]

/** Nodes without the marks of one component. */
export const unlinked = (nodes: ReadonlyArray<Schema.Json>, component: string): ReadonlyArray<Schema.Json> =>
  nodes.map((node) => {
    if (markOf(node)?.component !== component || !Json.isObject(node)) return node
    const { [instanceField]: _instance, [nodeField]: _node, ...rest } = node
    return rest
  })

/** Nodes with each component in their marks replaced by the result of `rename`. */
export const renamed = (
  nodes: ReadonlyArray<Schema.Json>,
  rename: (component: string) => string
): ReadonlyArray<Schema.Json> =>
  nodes.map((node) => {
    const component = referenceOf(node)
    if (component === null || !Json.isObject(node)) return node
    const rest = String(node[instanceField]).slice(component.length)
    return { ...node, [instanceField]: `${rename(component.toLowerCase())}${rest}` }
  })

/** The component that a node names: everything before the `:` of its mark; `null` for a node without a mark. */
export const referenceOf = (node: Schema.Json): string | null => {
  const instance = Json.isObject(node) ? node[instanceField] : null
  return typeof instance === "string" ? instance.replace(/:.*$/s, "") : null
}

/** The marks of a node of an instance. */
export const marks = (instance: string, node: string): Schema.JsonObject => ({
  [instanceField]: instance,
  [nodeField]: node
})
