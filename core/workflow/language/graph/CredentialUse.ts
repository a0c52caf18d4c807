/**
 * The uses of credentials in a graph: nodes that read a secret of one, as `{{context.inputs.ALIAS.PASSWORD}}`, and
 * nodes that type its codes.
 */
import { Result, type Schema } from "effect"
import type { Problem } from "../../Workflow.ts"
import * as Derivation from "../expression/Derivation.ts"
import * as Expression from "../expression/Expression.ts"
import * as Expect from "./Expect.ts"
import type { Graph, Node, NodeId } from "./Graph.ts"
import * as NodeExpressions from "./NodeExpressions.ts"
import * as RunIf from "./RunIf.ts"

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

/** The places where what the step does next would tell what a secret is. */
const telling = (action: Node["action"], place: string): boolean =>
  /(^|_)(selector|xpath)$|^comparison_value_\d$|^(run_if|expect)\.|^variable_over$/.test(place) ||
  (action === "EXTRACT_NETWORK" && place === "url")

/** The places of texts for people, in which `[secret]` takes the place of an expression with a secret, whatever it is. */
const isHidden = (place: string): boolean => /^(server_message$|metadata|approval\.show\[)|description$/.test(place)

/** Whether a comparison asks no more than whether a credential has a secret. */
const asksWhetherThere = (node: Node, place: string): boolean => {
  const { action, parameters } = node
  const [, list, index = ""] = /^(run_if|expect)\.conditions\[(\d+)\]\.field$/.exec(place) ?? []
  const condition = (list === "run_if" ? RunIf.of(node) : Expect.of(node))?.conditions[Number(index)]
  const operator =
    action === "BOOL_CONDITION" && place.startsWith("comparison_value_")
      ? parameters.comparison_operator
      : list !== undefined && condition !== undefined && "operator" in condition
        ? condition.operator
        : null
  return operator?.endsWith("_NULL") === true
}

/** Why a run would refuse an expression for the secrets that it reads; `null` where it may not. */
const refusal = (
  node: Node,
  place: string,
  expression: Expression.Expression,
  isAlias: (name: string) => boolean
): string | null => {
  const found = Derivation.of(expression).filter(({ path }) => {
    const read = readBy(path, isAlias)
    return read !== null && isSecretName(read.name) && read.name !== "USER_NAME"
  })
  if (found.length === 0 || modelPrompts.has(place)) return null
  if (Expression.isPath(expression) && asksWhetherThere(node, place)) return null
  const named = `Node "${node.name}" reads ${found.map(({ path }) => path.slice(2).join(".")).join(" and ")}`
  if (telling(node.action, place)) {
    return `${named} here, where what the step does next would tell what it is: expected a text that is typed, sent or opened, a value of TRANSFORM, or to ask by IS_NULL or IS_NOT_NULL whether it is there`
  }
  if (!isHidden(place) && found.some(({ way }) => way === "decides")) {
    return `${named} in a way that tells more of it than its text: expected it joined ($join, &), cut ($substring, $split) or encoded ($base64encode, $encodeUrlComponent)`
  }
  return null
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
    const refused = NodeExpressions.of(node, parameters).flatMap(({ at, read }) => {
      const message = Result.isFailure(read)
        ? null
        : refusal(node, at.slice(parameters.length + 1), read.success, isAlias)
      return message === null ? [] : [{ path: at, message }]
    })
    const found = [...unknown, ...exposed, ...refused]
    if (node.action !== "TFA" || isAlias(node.parameters.credential)) return found
    const expected = aliases.length === 0 ? "it has none" : `expected one of ${aliases.join(", ")}`
    const message = `Node "${node.name}" signs in with the credential "${node.parameters.credential}", which is not in vault_schema: ${expected}`
    return [...found, { path: `${parameters}.credential`, message }]
  })
}
