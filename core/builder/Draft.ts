/**
 * The workflow that a conversation builds: always one that could be saved, with a place where the next step goes.
 */
import { Effect, Schema } from "effect"
import * as Position from "../agent/Position.ts"
import * as FieldLimit from "../workflow/FieldLimit.ts"
import type { Graph, Node, NodeId } from "../workflow/language/graph/Graph.ts"
import * as SavedGraph from "../workflow/SavedGraph.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import { Content, InvalidWorkflow, type Settings } from "../workflow/Workflow.ts"
import * as Json from "../workspace/Json.ts"
import type { Candidate } from "./Command.ts"

/** A place between two nodes: behind `after`, on one of the ways that lead on from it. */
export const Cursor = Schema.Struct({
  after: Schema.String,
  way: Schema.Literals(["to", "true", "false", "loop_not_done", "loop_done"])
})
export type Cursor = typeof Cursor.Type

/** How a change of the draft is taken back. */
const Edit = Schema.Struct({
  what: Schema.String,
  added: Schema.Array(Schema.String),
  removed: Schema.Array(Schema.Struct({ index: Schema.Int, node: Schema.Json })),
  /** The edges as they were; `null` for a node that had none. */
  edges: Schema.Record(Schema.String, Schema.NullOr(Schema.Json)),
  /** The schemas of the inputs and of the credentials as they were, where one of them was changed. */
  schemas: Schema.optionalKey(Schema.Struct({ input_schema: Schema.JsonObject, vault_schema: Schema.JsonObject })),
  cursor: Cursor
})
type Edit = typeof Edit.Type

export const Draft = Schema.Struct({
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  content: Content,
  cursor: Cursor,
  /** The changes, the last one last. */
  edits: Schema.Array(Edit)
})
export type Draft = typeof Draft.Type

/** Changes further back than this cannot be taken back. */
const maxEdits = 1_000

/** The errors of the functions below: a draft that could not be saved, or one that takes too much to be checked. */
type Refusal = InvalidWorkflow | Sandbox.TooCostly

/** A draft of two nodes: START at an address, and END. Fails with everything that is wrong with it. */
export const fresh = (
  given: {
    readonly name: string
    readonly description: string | null
    readonly startUrl: string
    readonly inputSchema: Schema.JsonObject
    readonly vaultSchema: Schema.JsonObject
    readonly settings: Settings
  },
  ids: { readonly start: NodeId; readonly end: NodeId }
): Effect.Effect<Draft, Refusal> =>
  checked({
    name: given.name,
    description: given.description,
    content: {
      nodes: [
        { id: ids.start, name: "Open the start page", action: "START", parameters: { url: given.startUrl } },
        { id: ids.end, name: "Done", action: "END", parameters: {} }
      ],
      edges: { [ids.start]: { to: ids.end } },
      input_schema: given.inputSchema,
      output_schema: {},
      vault_schema: given.vaultSchema,
      max_retries: 0,
      settings: given.settings
    },
    cursor: { after: ids.start, way: "to" },
    edits: []
  })

/** A draft that extends an existing workflow, with the cursor behind the START of its graph. */
export const of = (
  workflow: {
    readonly name: string
    readonly description: string | null
    readonly content: Content
  },
  { start }: Graph
): Draft => ({ ...workflow, cursor: { after: start, way: "to" }, edits: [] })

/** The graph of a draft. */
export const graph = ({ content }: Draft): Effect.Effect<Graph, Sandbox.TooCostly> => SavedGraph.read(content)

/** The ids of the nodes of a draft. */
export const idsOf = ({ content }: Draft): ReadonlySet<NodeId> => new Set(parts(content)[0].map(idOf))

/** The node that comes next. `all` is the graph of the draft. */
export const next = (draft: Draft, all: Graph): Node => {
  const edge = Position.edgeOf(all, draft.cursor.after)
  switch (draft.cursor.way) {
    case "to":
      return Position.nodeOf(all, edge._tag === "Next" ? edge.to : "")
    case "true":
    case "false":
      return Position.nodeOf(
        all,
        edge._tag !== "Branch" ? "" : draft.cursor.way === "true" ? edge.onTrue : edge.onFalse
      )
    case "loop_not_done":
    case "loop_done":
      return Position.nodeOf(all, edge._tag !== "Loop" ? "" : draft.cursor.way === "loop_done" ? edge.done : edge.body)
  }
}

/**
 * Puts a node at the cursor, and the cursor behind it. Fails with what is wrong with the node, each problem at its path in
 * it.
 *
 * A BOOL_CONDITION leads to the next node where it holds, and to a separate END where it does not. The body of a LOOP is
 * empty at first, an edge from the loop to itself, and the cursor is in it: what is inserted there leads back to the loop.
 */
export const insert = Effect.fnUntraced(function* (
  draft: Draft,
  candidate: Candidate,
  ids: { readonly node: NodeId; readonly end: NodeId }
) {
  const { action } = candidate
  if (action === "START" || action === "END") {
    const message = `A message cannot add another ${action}: expected an action on the page`
    return yield* new InvalidWorkflow({ problems: [{ path: "action", message }] })
  }
  const [nodes, edges] = parts(draft.content)
  const follows = next(draft, yield* graph(draft))
  const node = {
    ...(candidate.description === undefined ? {} : { description: candidate.description }),
    id: ids.node,
    name: uniqueName(candidate.name ?? nameFor(candidate), nodes),
    action,
    parameters: candidate.parameters
  }
  const branches = action === "BOOL_CONDITION"
  const loops = action === "LOOP"
  const end = { id: ids.end, name: uniqueName(`Ended by: ${node.name}`, nodes), action: "END", parameters: {} }
  const at = nodes.findIndex((one) => idOf(one) === draft.cursor.after) + 1
  const changed: Draft = {
    ...draft,
    content: {
      ...draft.content,
      nodes: [...nodes.slice(0, at), node, ...nodes.slice(at), ...(branches ? [end] : [])],
      edges: {
        ...edges,
        [draft.cursor.after]: { ...Json.objectOf(edges[draft.cursor.after]), [draft.cursor.way]: node.id },
        [node.id]: branches
          ? { true: follows.id, false: end.id }
          : loops
            ? { loop_not_done: node.id, loop_done: follows.id }
            : { to: follows.id }
      }
    },
    cursor: { after: node.id, way: branches ? "true" : loops ? "loop_not_done" : "to" },
    edits: remembered(draft, {
      what: `the step "${node.name}" was taken out again`,
      added: branches ? [node.id, end.id] : [node.id],
      removed: [],
      edges: { [draft.cursor.after]: edges[draft.cursor.after] ?? null, [node.id]: null },
      cursor: draft.cursor
    })
  }
  const whole = yield* checked(changed).pipe(
    Effect.catchTag("InvalidWorkflow", ({ problems }) => {
      const inNode = problems.map(({ message, path }) => ({ path: path.replace(`nodes[${at}].`, ""), message }))
      return Effect.fail(new InvalidWorkflow({ problems: inNode }))
    })
  )
  return { draft: whole, node: node.id }
})

/**
 * Leads the way at the cursor, which ends the workflow, on to where the other way of its condition leads. Fails where the
 * way leads on already.
 */
export const joined = Effect.fnUntraced(function* (draft: Draft) {
  const [nodes, edges] = parts(draft.content)
  const all = yield* graph(draft)
  const end = next(draft, all)
  const refusal = (message: string) => new InvalidWorkflow({ problems: [{ path: "", message }] })
  const check = [...all.edges].findLast(
    ([, edge]) =>
      edge._tag === "Branch" && reachedFrom(all, edge.onFalse).has(end.id) && !reachedFrom(all, edge.onTrue).has(end.id)
  )
  const [from, branch] = check ?? []
  if (end.action !== "END" || from === undefined || branch?._tag !== "Branch") {
    return yield* refusal(`This way leads on already. Next comes "${end.name}"`)
  }
  if (draft.cursor.after === from) {
    const { name } = Position.nodeOf(all, from)
    return yield* refusal(`Cannot join the two ways of "${name}" without a step on this one`)
  }
  const changed: Draft = {
    ...draft,
    content: {
      ...draft.content,
      nodes: nodes.filter((one) => idOf(one) !== end.id),
      edges: { ...edges, [draft.cursor.after]: { [draft.cursor.way]: branch.onTrue } }
    },
    edits: remembered(draft, {
      what: `the way ends the workflow again, by "${end.name}"`,
      added: [],
      removed: [
        {
          index: nodes.findIndex((one) => idOf(one) === end.id),
          node: nodes.find((one) => idOf(one) === end.id) ?? null
        }
      ],
      edges: { [draft.cursor.after]: edges[draft.cursor.after] ?? null },
      cursor: draft.cursor
    })
  }
  const onward = Position.nodeOf(all, branch.onTrue).name
  return { draft: yield* checked(changed), what: `This way goes on with "${onward}", as the other one does` }
})

/** The nodes that one leads to, itself included. */
const reachedFrom = (all: Graph, from: NodeId): ReadonlySet<NodeId> => {
  const reached = new Set([from])
  // A set is iterated in the order of its values, also those that are added meanwhile.
  for (const id of reached) {
    const edge = all.edges.get(id)
    if (edge?._tag === "Next") reached.add(edge.to)
    else if (edge?._tag === "Branch") reached.add(edge.onTrue).add(edge.onFalse)
    else if (edge?._tag === "Loop") reached.add(edge.body).add(edge.done)
  }
  return reached
}
/** The loop whose body the next step goes into, the innermost one; `null` outside of loops. */
export const loopAround = ({ content, cursor }: Draft): NodeId | null => {
  const [, edges] = parts(content)
  const endsOf = (id: NodeId) => Object.values(Json.objectOf(edges[id])).map(String)
  const reached = (from: NodeId, around: NodeId): ReadonlySet<NodeId> => {
    const found = new Set<NodeId>()
    for (const pending = [from]; pending.length > 0; ) {
      const id = pending.pop() ?? ""
      if (found.has(id) || id === around) continue
      found.add(id)
      pending.push(...endsOf(id))
    }
    return found
  }
  const onward = String(Json.objectOf(edges[cursor.after])[cursor.way])
  const inside = Object.keys(edges).flatMap((id) => {
    const body = Json.objectOf(edges[id]).loop_not_done
    if (typeof body !== "string") return []
    if (cursor.after === id) return cursor.way === "loop_not_done" ? [{ id, size: 0 }] : []
    const nodes = reached(body, id)
    if (!nodes.has(cursor.after)) return []
    const leadsBack = onward === id || [...reached(onward, id)].some((one) => endsOf(one).includes(id))
    return leadsBack ? [{ id, size: nodes.size }] : []
  })
  return inside.toSorted((one, other) => one.size - other.size)[0]?.id ?? null
}

/** A new name of an input or of a credential; fails where it cannot be one, or is taken. */
const named = Effect.fnUntraced(function* ({ content }: Draft, name: string, what: string) {
  const taken = [Json.objectOf(content.input_schema.properties), content.vault_schema]
  const message = !/^[A-Za-z_]\w{0,63}$/.test(name)
    ? `Cannot call ${what} "${name.slice(0, 80)}": expected up to 64 letters, digits and underscores, no digit first`
    : taken.some((names) => Object.hasOwn(names, name))
      ? `There is an input "${name}" already: expected another name`
      : null
  if (message !== null) return yield* new InvalidWorkflow({ problems: [{ path: "", message }] })
})

/** Changes the schemas as one edit. `undone` is what a message says when the edit is taken back. */
const withSchemas = (
  draft: Draft,
  schemas: Partial<Pick<Draft["content"], "input_schema" | "vault_schema">>,
  undone: string
): Draft => {
  const { input_schema, vault_schema } = draft.content
  return {
    ...draft,
    content: { ...draft.content, ...schemas },
    edits: remembered(draft, {
      what: undone,
      added: [],
      removed: [],
      edges: {},
      schemas: { input_schema, vault_schema },
      cursor: draft.cursor
    })
  }
}

/** Adds an input that every run must be given, a text. The value is that of this conversation. */
export const withInput = Effect.fnUntraced(function* (draft: Draft, name: string, value: string) {
  yield* named(draft, name, "an input")
  const { input_schema } = draft.content
  const required = Array.isArray(input_schema.required) ? input_schema.required : []
  const next = {
    type: "object",
    ...input_schema,
    properties: { ...Json.objectOf(input_schema.properties), [name]: { type: "string" } },
    required: [...required, name]
  }
  const changed = withSchemas(draft, { input_schema: next }, `the input "${name}" is no longer one`)
  const what = `"${name}" is an input now: steps write {{context.inputs.${name}}}`
  return { draft: yield* checked(changed), what, inputs: { [name]: value } }
})

/** Adds a credential of the vault for a site, by an alias. The user is the one that this conversation signs in as. */
export const withCredential = Effect.fnUntraced(function* (draft: Draft, alias: string, site: string, user: string) {
  yield* named(draft, alias, "a credential")
  const credentials = { ...draft.content.vault_schema, [alias]: { type: "credential", domain: site } }
  const changed = withSchemas(draft, { vault_schema: credentials }, `the credential "${alias}" is no longer used`)
  const what = `"${alias}" is a credential for ${site} now: steps write {{context.inputs.${alias}.USER_NAME}} and {{context.inputs.${alias}.PASSWORD}}`
  return { draft: yield* checked(changed), what, inputs: { [alias]: user } }
})

/** How long a further page is waited for, in milliseconds: the link to it may come a moment after the page. */
const pageMillis = 1_000

/**
 * Repeats the step that was done last on every further page: as long as an element is there, it is clicked and the step
 * is done again. Fails where the last step is not one that leads on to the next.
 */
export const paged = Effect.fnUntraced(function* (
  draft: Draft,
  selector: string,
  ids: { readonly check: NodeId; readonly click: NodeId }
) {
  const [nodes, edges] = parts(draft.content)
  const { after, way } = draft.cursor
  const all = yield* graph(draft)
  const last = Position.nodeOf(all, after)
  if (way !== "to" || last.action === "START") {
    const message = `Cannot repeat "${last.name}" on every page: expected a step before, such as one that reads data`
    return yield* new InvalidWorkflow({ problems: [{ path: "", message }] })
  }
  const check = {
    id: ids.check,
    name: uniqueName("Is there a further page?", nodes),
    action: "BOOL_CONDITION",
    parameters: {
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: `<<xpath:${selector}>>`,
      wait_time: pageMillis
    }
  }
  const click = {
    id: ids.click,
    name: uniqueName("Go to the next page", nodes),
    action: "CLICK",
    parameters: { execution: "STATIC", selector }
  }
  const at = nodes.findIndex((one) => idOf(one) === after) + 1
  const changed: Draft = {
    ...draft,
    content: {
      ...draft.content,
      nodes: [...nodes.slice(0, at), check, click, ...nodes.slice(at)],
      edges: {
        ...edges,
        [after]: { to: check.id },
        [check.id]: { true: click.id, false: next(draft, all).id },
        [click.id]: { to: after }
      }
    },
    cursor: { after: check.id, way: "false" },
    edits: remembered(draft, {
      what: `"${last.name}" is done on one page alone again`,
      added: [check.id, click.id],
      removed: [],
      edges: { [after]: edges[after] ?? null, [check.id]: null, [click.id]: null },
      cursor: draft.cursor
    })
  }
  const what = `"${last.name}" is repeated on every page, as long as ${selector} is there. Nothing was done now; replay tries it`
  return { draft: yield* checked(changed), what }
})

/** Takes the node that comes next out. Edges to it lead to its successor. */
export const drop = Effect.fnUntraced(function* (draft: Draft) {
  const all = yield* graph(draft)
  const node = next(draft, all)
  const edge = all.edges.get(node.id)
  if (edge?._tag !== "Next") {
    const why = node.action === "END" ? "it ends the workflow" : "it has several ways on"
    return yield* new InvalidWorkflow({
      problems: [{ path: "", message: `Cannot drop the step "${node.name}": ${why}` }]
    })
  }
  const [nodes, edges] = parts(draft.content)
  const { [node.id]: own, ...others } = edges
  const redirected = Object.entries(others).map(
    ([id, ends]) => [id, pointed(Json.objectOf(ends), node.id, edge.to)] as const
  )
  const index = nodes.findIndex((one) => idOf(one) === node.id)
  const changed: Draft = {
    ...draft,
    content: {
      ...draft.content,
      nodes: nodes.filter((_, at) => at !== index),
      edges: Object.fromEntries(redirected)
    },
    edits: remembered(draft, {
      what: `the step "${node.name}" is back`,
      added: [],
      removed: [{ index, node: nodes[index] ?? null }],
      edges: {
        [node.id]: own ?? null,
        ...Object.fromEntries(
          redirected.flatMap(([id, ends]) => (ends === others[id] ? [] : [[id, others[id] ?? null]]))
        )
      },
      cursor: draft.cursor
    })
  }
  return { draft: yield* checked(changed), what: `The step "${node.name}" is no longer part of the workflow` }
})

/** Takes the last change back; none when there is none. */
export const undo = (draft: Draft): { readonly draft: Draft; readonly what: string } | null => {
  const edit = draft.edits.at(-1)
  if (edit === undefined) return null
  const [nodes, edges] = parts(draft.content)
  const kept = nodes.filter((one) => !edit.added.includes(idOf(one)))
  for (const { index, node } of edit.removed) kept.splice(index, 0, node)
  const restored = Object.entries({ ...edges, ...edit.edges }).filter(
    ([id]) => !edit.added.includes(id) && (!Object.hasOwn(edit.edges, id) || edit.edges[id] !== null)
  )
  return {
    what: edit.what,
    draft: {
      ...draft,
      content: { ...draft.content, ...edit.schemas, nodes: kept, edges: Object.fromEntries(restored) },
      cursor: edit.added.includes(draft.cursor.after) ? edit.cursor : draft.cursor,
      edits: draft.edits.slice(0, -1)
    }
  }
}

/** The draft with its place behind a node that was done. */
export const passed = (draft: Draft, cursor: Cursor): Draft => ({ ...draft, cursor })

/** The body that saves a draft. */
export const body = (draft: Draft): Schema.JsonObject => {
  const { settings, ...content } = draft.content
  return { ...settings, ...content, name: draft.name, description: draft.description }
}

/** A schema for inputs like these: each is required, of the type that its value has. */
export const schemaOf = (inputs: Schema.JsonObject): Schema.JsonObject => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, typeOf(value)])),
  required: Object.keys(inputs),
  additionalProperties: false
})

const typeOf = (value: Schema.Json): Schema.JsonObject => {
  if (value === null) return {}
  return { type: Array.isArray(value) ? "array" : typeof value }
}

/** A draft that could be saved. The window of a workflow is not the draft's, so no instant matters. */
const checked = Effect.fnUntraced(function* (draft: Draft) {
  const asked = { body: body(draft), now: 0, errorCodes: null }
  const { problems, tooLong } = yield* Sandbox.runHere("readDraft", asked)
  const all = [...problems, ...FieldLimit.asProblems(tooLong)]
  return all.length === 0 ? draft : yield* new InvalidWorkflow({ problems: all })
})

const parts = ({ edges, nodes }: Content): readonly [ReadonlyArray<Schema.Json>, Schema.JsonObject] => [
  Array.isArray(nodes) ? nodes : [],
  Json.objectOf(edges)
]

const idOf = (node: Schema.Json): string => String(Json.objectOf(node).id)

const pointed = (ends: Schema.JsonObject, from: NodeId, to: NodeId): Schema.JsonObject =>
  Object.values(ends).includes(from)
    ? Object.fromEntries(Object.entries(ends).map(([way, end]) => [way, end === from ? to : end]))
    : ends

const remembered = ({ edits }: Draft, edit: Edit): ReadonlyArray<Edit> => [...edits.slice(1 - maxEdits), edit]

const maxName = 80

const nameFor = ({ action, parameters }: Candidate): string => {
  const text = (name: string) => (typeof parameters[name] === "string" ? parameters[name] : "")
  const named = () => {
    switch (action) {
      case "NAVIGATE":
        return text("url") === "back" ? "Go back" : `Open ${text("url")}`
      case "CLICK":
        return `Click ${text("selector")}`
      case "INPUT_TEXT":
        return text("selector") === "" ? "Type" : `Type into ${text("selector")}`
      case "INPUT_SELECT":
        return `Choose in ${text("selector")}`
      case "EXTRACT_DATAMODEL":
        return `Extract ${Object.keys(Json.objectOf(Json.objectOf(parameters.extract_data_model).properties)).join(", ")}`
      case "BOOL_CONDITION":
        return "Check"
      case "LOOP":
        return `For each of ${text("variable_over")}`
      case "SCREENSHOT":
        return "Take a picture"
      case "DELAY":
        return "Wait"
      default:
        return action
    }
  }
  return named().trim().slice(0, maxName)
}

const uniqueName = (wanted: string, nodes: ReadonlyArray<Schema.Json>): string => {
  const taken = new Set(nodes.map((node) => Json.objectOf(node).name))
  if (!taken.has(wanted)) return wanted
  let count = 2
  while (taken.has(`${wanted} ${count}`)) count++
  return `${wanted} ${count}`
}
