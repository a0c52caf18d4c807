/**
 * The failures that the nodes of a workflow declare: by the id of an error code, or by a literal text.
 */
import type { Schema } from "effect"
import * as Json from "../workspace/Json.ts"
import type { Problem } from "./Workflow.ts"

/** The parameters in which nodes declare a failure. */
export const fields = ["selector_error_message", "error_on_false_message", "error_message"] as const

/** The id of an error code that a node names. */
export interface Reference {
  readonly path: string
  readonly id: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The id of an error code in lower case, if the text is a UUID; `null` for a literal text. */
export const idIn = (text: string): string | null => (uuid.test(text.trim()) ? text.trim().toLowerCase() : null)

/** Every reference in the nodes of a workflow, even if they have other problems. */
export const all = (nodes: unknown): ReadonlyArray<Reference> =>
  (Array.isArray(nodes) ? nodes : []).flatMap((node: unknown, index) => {
    const parameters = Json.isObject(node) && Json.isObject(node.parameters) ? node.parameters : {}
    return fields.flatMap((field) => {
      const text = parameters[field]
      const id = typeof text === "string" ? idIn(text) : null
      return id === null ? [] : [{ path: `nodes[${index}].parameters.${field}`, id }]
    })
  })

/** The nodes with each reference replaced by the result of `rename`; `null` removes the reference. */
export const renamed = (
  nodes: ReadonlyArray<Schema.Json>,
  rename: (text: string) => string | null
): ReadonlyArray<Schema.Json> =>
  nodes.map((node) => {
    if (!Json.isObject(node) || !Json.isObject(node.parameters)) return node
    const { parameters } = node
    const changed = fields.flatMap((field) => {
      const text = parameters[field]
      const next = typeof text === "string" ? rename(text) : undefined
      return next === undefined || next === text ? [] : [[field, next] as const]
    })
    return changed.length === 0 ? node : { ...node, parameters: { ...parameters, ...Object.fromEntries(changed) } }
  })

/** A problem for each reference that matches no known code. */
export const problems = (nodes: unknown, known: ReadonlySet<string>): ReadonlyArray<Problem> =>
  all(nodes)
    .filter(({ id }) => !known.has(id))
    .map(({ id, path }) => ({ path, message: `No error code of this workspace has the id ${id}` }))
