/**
 * Edits of parts of a workflow: steps are added, changed, removed and connected by their names or ids. The result is
 * checked as a whole afterwards, by what checks every workflow.
 */
import { Result, Schema } from "effect"
import { edgeNames } from "../../core/workflow/language/graph/GraphCheck.ts"

export interface Step {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** The ends of the edges of a step, by their names: `to`, `true` and `false`, or `loop_not_done` and `loop_done`. */
type Ends = Readonly<Record<string, string>>

export interface Graph {
  readonly nodes: ReadonlyArray<Step>
  readonly edges: Readonly<Record<string, Ends>>
}

const said = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const Edit = Schema.Struct({
  op: Schema.Literals(["add", "change", "remove", "connect"]),
  step: said("Name or id of the step that is changed, removed, or connected from"),
  after: said("add: the step before the new one"),
  branch: said("Edge of `after` or `step`: true, false, loop_not_done or loop_done"),
  to: said("connect: the step it leads to"),
  name: said("add, change: new name"),
  action: said("add, change: action"),
  parameters: Schema.optionalKey(
    Schema.JsonObject.annotate({ description: "add: all; change: those that differ, null removes" })
  )
})
export type Edit = typeof Edit.Type

/** What is wrong with an edit, at its path. */
export interface Problem {
  readonly path: string
  readonly message: string
}

type Edited = Result.Result<Graph, Problem>

const quoted = (names: ReadonlyArray<string>): string =>
  names.length > 30 ? `${names.slice(0, 30).join(", ")} and ${names.length - 30} more` : names.join(", ")

/** The step that a name or an id names. */
const find = (graph: Graph, reference: string | undefined, path: string): Result.Result<Step, Problem> => {
  if (reference === undefined) return Result.fail({ path, message: "Expected the name or the id of a step" })
  const byId = graph.nodes.find(({ id }) => id === reference)
  if (byId !== undefined) return Result.succeed(byId)
  const [found, another] = graph.nodes.filter(({ name }) => name === reference)
  const message =
    found === undefined
      ? `There is no step ${JSON.stringify(reference.slice(0, 200))}: the steps are ${quoted(graph.nodes.map(({ name }) => name))}`
      : another === undefined
        ? null
        : `Several steps have the name ${JSON.stringify(reference.slice(0, 200))}: give the id of one`
  return found === undefined || message !== null ? Result.fail({ path, message: message ?? "" }) : Result.succeed(found)
}

/** The edge of a step that an edit means: its only one, or the branch. */
const edgeOf = ({ action, name }: Step, branch: string | undefined, path: string): Result.Result<string, Problem> => {
  const names = edgeNames(action)
  const [only] = names
  if (only !== undefined && names.length === 1 && (branch === undefined || branch === only)) {
    return Result.succeed(only)
  }
  return branch !== undefined && names.includes(branch)
    ? Result.succeed(branch)
    : Result.fail({ path, message: `Expected the edge of "${name}" as branch: ${names.join(" or ")}` })
}

const withEnd = (graph: Graph, from: string, edge: string, to: string): Graph => ({
  ...graph,
  edges: { ...graph.edges, [from]: { ...graph.edges[from], [edge]: to } }
})

const add = (graph: Graph, edit: Edit, id: string, path: string): Edited =>
  Result.gen(function* () {
    const { action, name } = edit
    if (name === undefined || name === "")
      return yield* Result.fail({ path: `${path}.name`, message: "Expected a name" })
    if (action === undefined) return yield* Result.fail({ path: `${path}.action`, message: "Expected an action" })
    const before = yield* find(graph, edit.after, `${path}.after`)
    const edge = yield* edgeOf(before, edit.branch, `${path}.branch`)
    const next = graph.edges[before.id]?.[edge]
    const step: Step = { id, name, action, parameters: edit.parameters ?? {} }
    const placed = { ...graph, nodes: [...graph.nodes, step] }
    // The body of a new loop is empty: it leads to the loop itself, until a step is added to it.
    const ends = edgeNames(action).map((one) => [one, one === "loop_not_done" ? id : next] as const)
    const own = ends.flatMap(([one, end]) => (end === undefined ? [] : [[one, end] as const]))
    const linked = withEnd(placed, before.id, edge, id)
    return action === "END" ? linked : { ...linked, edges: { ...linked.edges, [id]: Object.fromEntries(own) } }
  })

const change = (graph: Graph, edit: Edit, path: string): Edited =>
  Result.map(find(graph, edit.step, `${path}.step`), (step) => {
    const merged = Object.entries({ ...step.parameters, ...edit.parameters }).filter(
      ([name]) => edit.parameters?.[name] !== null
    )
    const changed = {
      ...step,
      name: edit.name ?? step.name,
      action: edit.action ?? step.action,
      parameters: Object.fromEntries(merged)
    }
    return { ...graph, nodes: graph.nodes.map((one) => (one.id === step.id ? changed : one)) }
  })

const remove = (graph: Graph, edit: Edit, path: string): Edited =>
  Result.gen(function* () {
    const step = yield* find(graph, edit.step, `${path}.step`)
    if (step.action === "START") {
      return yield* Result.fail({ path: `${path}.step`, message: "The START step stays: change it" })
    }
    const next =
      step.action === "END" ? undefined : graph.edges[step.id]?.[yield* edgeOf(step, edit.branch, `${path}.branch`)]
    const target = next === step.id ? undefined : next
    const edges = Object.entries(graph.edges)
      .filter(([from]) => from !== step.id)
      .map(([from, ends]) => {
        const kept = Object.entries(ends).flatMap(([name, end]) =>
          end !== step.id ? [[name, end] as const] : target === undefined ? [] : [[name, target] as const]
        )
        return [from, Object.fromEntries(kept)] as const
      })
    return { nodes: graph.nodes.filter(({ id }) => id !== step.id), edges: Object.fromEntries(edges) }
  })

const connect = (graph: Graph, edit: Edit, path: string): Edited =>
  Result.gen(function* () {
    const from = yield* find(graph, edit.step, `${path}.step`)
    const to = yield* find(graph, edit.to, `${path}.to`)
    return withEnd(graph, from.id, yield* edgeOf(from, edit.branch, `${path}.branch`), to.id)
  })

/** Applies edits in their order. Each may name steps that those before it added. Ids of new steps are from `newId`. */
export const apply = (graph: Graph, edits: ReadonlyArray<Edit>, newId: () => string): Edited => {
  let current = graph
  for (const [at, edit] of edits.entries()) {
    const path = `edits[${at}]`
    const edited =
      edit.op === "add"
        ? add(current, edit, newId(), path)
        : edit.op === "change"
          ? change(current, edit, path)
          : edit.op === "remove"
            ? remove(current, edit, path)
            : connect(current, edit, path)
    if (Result.isFailure(edited)) return edited
    current = edited.success
  }
  return Result.succeed(current)
}

/** The steps of a workflow in the order in which runs reach them, with where each leads by name. */
export const outline = ({ edges, nodes }: Graph) => {
  const nameOf = new Map(nodes.map(({ id, name }) => [id, name]))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ordered = new Set<Step>()
  const waiting = nodes.filter(({ action }) => action === "START")
  while (waiting.length > 0) {
    const step = waiting.shift()
    if (step === undefined || ordered.has(step)) continue
    ordered.add(step)
    waiting.push(...Object.values(edges[step.id] ?? {}).flatMap((id) => byId.get(id) ?? []))
  }
  for (const node of nodes) ordered.add(node)
  return [...ordered].map(({ action, id, name, parameters }) => ({
    name,
    id,
    action,
    ...(parameters === undefined || Object.keys(parameters).length === 0 ? {} : { parameters }),
    leads_to: Object.fromEntries(Object.entries(edges[id] ?? {}).map(([edge, end]) => [edge, nameOf.get(end) ?? end]))
  }))
}
