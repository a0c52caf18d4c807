/**
 * The uses of credentials in a graph: nodes that read a secret of one, as `{{context.inputs.ALIAS.PASSWORD}}`, and
 * nodes that type its codes.
 */
import { Result, type Schema } from "effect"
import type { Problem } from "../../Workflow.ts"
import * as Expression from "../expression/Expression.ts"
import type { Graph, Node, NodeId } from "./Graph.ts"
import * as NodeExpressions from "./NodeExpressions.ts"

/** The readable fields of a credential, each with the name that it has in an account. */
export const fields = { USER_NAME: "userName", PASSWORD: "password", TFA_SECRET: "tfaSecret" } as const

export type SecretName = keyof typeof fields

export const isSecretName = (name: string): name is SecretName => Object.hasOwn(fields, name)

/** The alias and the field of a credential that a path reads; `null` for any other path. */
export const readBy = (
  path: ReadonlyArray<string>,
  isAlias: (name: string) => boolean
): { readonly alias: string; readonly name: string } | null => {
  const [root, inputs, alias, name] = path
  if (root !== "context" || inputs !== "inputs" || alias === undefined || name === undefined) return null
  return isAlias(alias) ? { alias, name } : null
}

/** The aliases whose secrets a node uses. */
export const usedBy = (node: Node, isAlias: (name: string) => boolean): ReadonlySet<string> => {
  const used = new Set<string>()
  for (const path of NodeExpressions.reads(node)) {
    const read = readBy(path, isAlias)
    if (read !== null && isSecretName(read.name)) used.add(read.alias)
  }
  if (node.action === "TFA" && isAlias(node.parameters.credential)) used.add(node.parameters.credential)
  return used
}

/** The parameters that are sent to a model. */
const modelPrompts = new Set(["prompt", "target_description", "container_description"])

/**
 * Whether an expression derives a value from a secret. In a prompt for a model, a secret may only be referenced as a
 * whole.
 */
const exposes = (expression: Expression.Expression, isAlias: (name: string) => boolean): boolean => {
  const isAlone = Expression.isPath(expression)
  return Expression.reads(expression).some((path) => readBy(path, isAlias) !== null && !(isAlone && path.length === 4))
}

/**
 * A problem for each credential that is not in the vault schema, each unknown field of a credential, and each
 * expression that would send a value derived from a secret to a model.
 */
export const problems = (
  graph: Graph,
  vaultSchema: Schema.JsonObject,
  pathOf: (id: NodeId) => string
): ReadonlyArray<Problem> => {
  const aliases = Object.keys(vaultSchema)
  const isAlias = (name: string) => Object.hasOwn(vaultSchema, name)
  return [...graph.nodes.values()].flatMap((node) => {
    const parameters = `${pathOf(node.id)}.parameters`
    const unknown = NodeExpressions.reads(node).flatMap((path) => {
      const read = readBy(path, isAlias)
      if (read === null || isSecretName(read.name)) return []
      const message = `Node "${node.name}" reads "${read.name}" of the credential ${read.alias}: expected one of ${Object.keys(fields).join(", ")}`
      return [{ path: parameters, message }]
    })
    const exposed = NodeExpressions.of(node, parameters).flatMap(({ at, read }) => {
      if (!modelPrompts.has(at.slice(parameters.length + 1)) || Result.isFailure(read)) return []
      if (!exposes(read.success, isAlias)) return []
      const message = `Node "${node.name}" would send a value derived from a secret to a model: expected the secret alone, such as {{context.inputs.ALIAS.PASSWORD}}`
      return [{ path: at, message }]
    })
    const found = [...unknown, ...exposed]
    if (node.action !== "TFA" || isAlias(node.parameters.credential)) return found
    const expected = aliases.length === 0 ? "it has none" : `expected one of ${aliases.join(", ")}`
    const message = `Node "${node.name}" signs in with the credential "${node.parameters.credential}", which is not in vault_schema: ${expected}`
    return [...found, { path: `${parameters}.credential`, message }]
  })
}
