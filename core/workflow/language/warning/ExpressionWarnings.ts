/** Warnings about valid expressions that probably have no value when they are evaluated. */
import { Result } from "effect"
import { nearest, suggestion } from "../../../window/NearestName.ts"
import type { Problem } from "../../Workflow.ts"
import { functionNames } from "../expression/Builtins.ts"
import * as Template from "../expression/Template.ts"
import * as UnknownFunctions from "../expression/UnknownFunctions.ts"
import * as CredentialUse from "../graph/CredentialUse.ts"
import type { Node } from "../graph/Graph.ts"
import * as NodeExpressions from "../graph/NodeExpressions.ts"

/** What a workflow declares. */
export interface Declared {
  readonly aliases: ReadonlySet<string>
  /** The inputs of its schema; `null` when the schema allows any. */
  readonly inputs: ReadonlySet<string> | null
}

/** The warnings of the expressions of a node; `path` is that of its parameters. */
export const ofNode = (node: Node, path: string, declared: Declared): ReadonlyArray<Problem> => [
  ...unclosed(node, path),
  ...NodeExpressions.of(node, path).flatMap(({ at, read }): ReadonlyArray<Problem> => {
    if (Result.isFailure(read)) return []
    return [
      ...UnknownFunctions.of(read.success).map((name) => ({
        path: at,
        message: `Node "${node.name}" calls $${name}, which does not exist: ${suggested(name)}`
      })),
      ...Template.reads(read.success).flatMap((names) => unknownCredential(node, names, at, declared))
    ]
  })
]

const suggested = (name: string): string => {
  const meant = nearest(name, functionNames)
  return meant === null ? "expected a function of JSONata" : `did you mean $${meant}?`
}

const unclosed = (node: Node, path: string): ReadonlyArray<Problem> =>
  NodeExpressions.texts(node.parameters, path).flatMap(({ at, text }) => {
    const rest = Template.unclosed(text)
    if (rest === null) return []
    const message = `Node "${node.name}" has an expression without an end, which is taken literally: expected }} after ${rest.slice(0, 60)}`
    return [{ path: at, message }]
  })

const secretNames: ReadonlySet<string> = new Set(Object.keys(CredentialUse.fields))

/** A secret of a credential that the workflow does not declare. */
const unknownCredential = (
  node: Node,
  names: ReadonlyArray<string>,
  at: string,
  { aliases, inputs }: Declared
): ReadonlyArray<Problem> => {
  const [root, kind, alias, secret] = names
  if (root !== "context" || kind !== "inputs" || alias === undefined || secret === undefined) return []
  // A closed schema refuses the alias as an unknown input.
  if (!secretNames.has(secret) || aliases.has(alias) || inputs !== null) return []
  const hint = suggestion(alias, aliases, "it has none")
  const message = `Node "${node.name}" reads ${secret} of the credential ${alias}, which is not in vault_schema: ${hint}`
  return [{ path: at, message }]
}
