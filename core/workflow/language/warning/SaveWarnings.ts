/** Warnings about a valid workflow: probable mistakes of its author, each at its path. */
import type { Content, Problem } from "../../Workflow.ts"
import * as GraphCheck from "../graph/GraphCheck.ts"
import * as Variables from "../graph/Variables.ts"
import * as ExpectWarnings from "./ExpectWarnings.ts"
import * as ExpressionWarnings from "./ExpressionWarnings.ts"
import * as ListWarnings from "./ListWarnings.ts"
import * as NodeWarnings from "./NodeWarnings.ts"
import * as SelectorWarnings from "./SelectorWarnings.ts"
import * as UnknownNames from "./UnknownNames.ts"

/** All warnings. `inputs` are the inputs that expressions may read; `null` when the schema allows any. */
export const of = (content: Content, inputs: ReadonlySet<string> | null): ReadonlyArray<Problem> => {
  const { graph, pathOf } = GraphCheck.examine(content.nodes, content.edges)
  if (graph === null) return []
  const declared = { aliases: new Set(Object.keys(content.vault_schema)), inputs }
  return [
    ...UnknownNames.warnings(content.nodes),
    ...[...graph.nodes.values()].flatMap((node) => {
      const path = `${pathOf(node.id)}.parameters`
      return [
        ...SelectorWarnings.ofNode(node, path),
        ...NodeWarnings.ofNode(node, path),
        ...ListWarnings.ofNode(node, path, content.output_schema),
        ...ExpectWarnings.ofNode(node, path),
        ...ExpressionWarnings.ofNode(node, path, declared)
      ]
    }),
    ...NodeWarnings.repeatedSubmits(graph, pathOf),
    ...(content.settings.popup_xpaths ?? []).flatMap((selector, index) => {
      const message = SelectorWarnings.meantAsCss(selector)
      return message === null ? [] : [{ path: `popup_xpaths[${index}]`, message }]
    }),
    ...Variables.check(graph, inputs, pathOf).warnings
  ]
}
