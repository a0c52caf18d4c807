/** Warnings about nodes that probably do not do what their author intends. */
import type { Problem } from "../../Workflow.ts"
import type { Graph, Node, NodeId } from "../graph/Graph.ts"
import * as RunIf from "../graph/RunIf.ts"
import { type DataModel, modelOf } from "../parameters/DataModel.ts"
import * as KeyTokens from "../parameters/KeyTokens.ts"

/** The warnings of a node; `path` is that of its parameters. */
export const ofNode = (node: Node, path: string): ReadonlyArray<Problem> => [
  ...submitsEmptied(node, path),
  ...(node.action === "EXTRACT_DATAMODEL"
    ? pathsOfObjects(node.parameters.extract_data_model, `${path}.extract_data_model`)
    : [])
]

/** Warns about a text of only Enter or arrow keys in a field that is cleared first. */
const submitsEmptied = (node: Node, path: string): ReadonlyArray<Problem> => {
  if (node.action !== "INPUT_TEXT" || !beginsWithEnter(node.parameters.text)) return []
  const { do_not_clear, omit_focus } = node.parameters
  if (do_not_clear === true || omit_focus === true) return []
  const message = `Node "${node.name}" empties the field before it presses Enter: set do_not_clear to true to keep its content`
  return [{ path: `${path}.text`, message }]
}

const beginsWithEnter = (text: string): boolean => {
  const first = KeyTokens.split(text.trimStart()).find(
    (piece) => !(piece._tag === "Key" && piece.key.startsWith("Arrow"))
  )
  return first?._tag === "Key" && first.key === "Enter"
}

/** The paths given to objects in a data model. They have no effect: only the fields of an object have paths. */
const pathsOfObjects = (model: DataModel, at: string): ReadonlyArray<Problem> => {
  const properties = Object.entries(model.properties ?? {})
  const isObject = properties.length > 0
  const own =
    isObject && typeof model.path === "string" && model.path !== ""
      ? [
          {
            path: `${at}.path`,
            message:
              "The path of an object has no effect, as each of its properties has its own: give the whole path to the properties, or make it an array whose items are the rows that this path selects"
          }
        ]
      : []
  return [
    ...own,
    ...properties.flatMap(([name, field]) => pathsOfObjects(modelOf(field), `${at}.properties.${name}`)),
    ...(model.items === undefined || model.items === null ? [] : pathsOfObjects(modelOf(model.items), `${at}.items`))
  ]
}

/** Maximum number of DELAY nodes that are skipped. */
const mostDelays = 5

/** The first node from `id` on that is not a DELAY; `null` after `mostDelays` of them. */
const pastDelays = (graph: Graph, id: NodeId): Node | null => {
  let at = id
  for (let passed = 0; passed <= mostDelays; passed++) {
    const node = graph.nodes.get(at)
    const edge = graph.edges.get(at)
    if (node?.action !== "DELAY" || edge?._tag !== "Next") return node ?? null
    at = edge.to
  }
  return null
}

/** Labels of buttons that submit a code. */
const submits = /submit|verify|verif|confirm|continue|sign.?in|log.?in|send|next|weiter|bestätigen|anmelden/i

/** Warns about clicks after a TFA on a button that submits the code again. */
export const repeatedSubmits = (graph: Graph, pathOf: (id: NodeId) => string): ReadonlyArray<Problem> =>
  [...graph.nodes.values()].flatMap((node) => {
    const edge = graph.edges.get(node.id)
    const isTyped = node.action === "TFA" && !/^(MAGIC_LINK|PASSKEY)$/.test(node.parameters.tfa_type)
    if (!isTyped || edge?._tag !== "Next") return []
    const after = pastDelays(graph, edge.to)
    if (after?.action !== "CLICK" || RunIf.of(after) !== null) return []
    const { prompt, selector } = after.parameters
    if (![after.name, prompt, selector].some((text) => submits.test(text ?? ""))) return []
    const message = `Node "${node.name}" already submits the code, so that the button that node "${after.name}" clicks may be gone: leave this node out, or give it a run_if`
    return [{ path: `${pathOf(after.id)}.parameters`, message }]
  })
