/**
 * The workflow that a conversation builds. It can always be saved, and has a cursor where the next step is inserted.
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

/** A position between two nodes: after the node `after`, on one of its edges. */
export const Cursor = Schema.Struct({
  after: Schema.String,
  way: Schema.Literals(["to", "true", "false", "loop_not_done", "loop_done"])
})
export type Cursor = typeof Cursor.Type

/** The information to undo a change of the draft. */
const Edit = Schema.Struct({
  what: Schema.String,
  added: Schema.Array(Schema.String),
  removed: Schema.Array(Schema.Struct({ index: Schema.Int, node: Schema.Json })),
  /** The former node of a step that was changed in its place. */
  replaced: Schema.optionalKey(Schema.Struct({ index: Schema.Int, node: Schema.Json })),
  /** The former edges; `null` for a node that had none. */
  edges: Schema.Record(Schema.String, Schema.NullOr(Schema.Json)),
  /** The former schemas of inputs and credentials, if one of them was changed. */
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

/** Maximum number of changes that can be undone. */
const maxEdits = 1_000

/** The errors of the functions below: an invalid draft, or one whose check exceeds a limit. */
type Refusal = InvalidWorkflow | Sandbox.TooCostly

/** A draft of two nodes: START at an address, and END. Fails with every problem. */
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
      // What was recorded is right: a run that is unsure of it must not succeed.
      settings: { strict: true, ...given.settings }
    },
    cursor: { after: ids.start, way: "to" },
    edits: []
  })

/** A draft that extends an existing workflow, with the cursor after its START. */
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

/** The next node. `all` is the graph of the draft. */
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
 * Inserts a node at the cursor, and moves the cursor after it. Fails with every problem of the node, each at its path
 * in the node.
 *
 * A BOOL_CONDITION leads to the next node if it holds, and to a separate END if not. The body of a new LOOP is empty,
 * an edge from the loop to itself, and contains the cursor: inserted nodes lead back to the loop.
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
 * Connects the branch at the cursor, which ends the workflow, to the node after the other branch of its condition.
 * Fails if the branch does not end the workflow.
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
    return yield* refusal(`Nothing to join: this branch does not end the workflow. Next comes "${end.name}"`)
  }
  if (draft.cursor.after === from) {
    const { name } = Position.nodeOf(all, from)
    return yield* refusal(`Cannot join the two branches of "${name}": expected a step on this branch first`)
  }
  const changed: Draft = {
    ...draft,
    content: {
      ...draft.content,
      nodes: nodes.filter((one) => idOf(one) !== end.id),
      edges: { ...edges, [draft.cursor.after]: { [draft.cursor.way]: branch.onTrue } }
    },
    edits: remembered(draft, {
      what: `the branch ends the workflow again, by "${end.name}"`,
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
  return { draft: yield* checked(changed), what: `This branch continues with "${onward}", like the other one` }
})

/** The nodes reachable from a node, including the node. */
const reachedFrom = (all: Graph, from: NodeId): ReadonlySet<NodeId> => {
  const reached = new Set([from])
  // Iterating a set includes the values that are added meanwhile.
  for (const id of reached) {
    const edge = all.edges.get(id)
    if (edge?._tag === "Next") reached.add(edge.to)
    else if (edge?._tag === "Branch") reached.add(edge.onTrue).add(edge.onFalse)
    else if (edge?._tag === "Loop") reached.add(edge.body).add(edge.done)
  }
  return reached
}
/** The innermost loop whose body the next step goes into; `null` outside of loops. */
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

/** Checks the name of a new input or credential; fails if it is invalid or used. */
const named = Effect.fnUntraced(function* ({ content }: Draft, name: string, what: string) {
  const taken = [Json.objectOf(content.input_schema.properties), content.vault_schema]
  const message = !/^[A-Za-z_]\w{0,63}$/.test(name)
    ? `Cannot call ${what} "${name.slice(0, 80)}": expected up to 64 letters, digits and underscores, no digit first`
    : taken.some((names) => Object.hasOwn(names, name))
      ? `There is an input "${name}" already: expected another name`
      : null
  if (message !== null) return yield* new InvalidWorkflow({ problems: [{ path: "", message }] })
})

/** Changes the schemas as one edit. `undone` is the text of the message when the edit is undone. */
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

/** Adds a required text input. The value applies to this conversation. */
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

/** Adds a credential of the vault for a site, by an alias. This conversation signs in as the given user. */
export const withCredential = Effect.fnUntraced(function* (draft: Draft, alias: string, site: string, user: string) {
  yield* named(draft, alias, "a credential")
  const credentials = { ...draft.content.vault_schema, [alias]: { type: "credential", domain: site } }
  const changed = withSchemas(draft, { vault_schema: credentials }, `the credential "${alias}" is no longer used`)
  const what = `"${alias}" is a credential for ${site} now: steps write {{context.inputs.${alias}.USER_NAME}} and {{context.inputs.${alias}.PASSWORD}}`
  return { draft: yield* checked(changed), what, inputs: { [alias]: user } }
})

/** Maximum wait for the link to the next page, in milliseconds. It may appear a moment after the page. */
const pageMillis = 1_000

/**
 * Repeats the last step on every further page: while an element exists, it is clicked and the step runs again. Fails if
 * the last step does not lead directly to the cursor.
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
  const what = `"${last.name}" is repeated on every page, as long as ${selector} exists. It was not carried out now; use replay to try it`
  return { draft: yield* checked(changed), what }
})

/** Sets what a step expects, given by its id or name; `null` for nothing. Fails with every problem of it. */
export const expecting = Effect.fnUntraced(function* (draft: Draft, step: string, expect: Schema.JsonObject | null) {
  const [nodes] = parts(draft.content)
  const named = nodes.findIndex((one) => Json.objectOf(one).name === step)
  const index = nodes.some((one) => idOf(one) === step) ? nodes.findIndex((one) => idOf(one) === step) : named
  const before = Json.objectOf(nodes[index] ?? null)
  if (index < 0) {
    const names = nodes.map((one) => `"${String(Json.objectOf(one).name)}"`)
    const message = `There is no step "${step.slice(0, 80)}": expected one of ${names.slice(0, 20).join(", ")}`
    return yield* new InvalidWorkflow({ problems: [{ path: "", message }] })
  }
  const { expect: _, ...others } = Json.objectOf(before.parameters ?? null)
  const node = { ...before, parameters: expect === null ? others : { ...others, expect } }
  const name = String(before.name)
  const changed: Draft = {
    ...draft,
    content: { ...draft.content, nodes: nodes.with(index, node) },
    edits: remembered(draft, {
      what: `the step "${name}" expects what it did before`,
      added: [],
      removed: [],
      replaced: { index, node: nodes[index] ?? null },
      edges: {},
      cursor: draft.cursor
    })
  }
  const what =
    expect === null
      ? `The step "${name}" expects nothing now`
      : `The step "${name}" expects this now. It was not checked here; again does the step once more, with what it expects`
  return { draft: yield* checked(changed), what }
})

/** Adds parameters to a step as a part of the change that added it: what undoes that undoes both. */
export const completed = Effect.fnUntraced(function* (draft: Draft, id: NodeId, more: Schema.JsonObject) {
  const nodes = parts(draft.content)[0].map((one) => {
    const node = Json.objectOf(one)
    return node.id === id ? { ...node, parameters: { ...Json.objectOf(node.parameters ?? null), ...more } } : one
  })
  return yield* checked({ ...draft, content: { ...draft.content, nodes } })
})

/** Whether a step sends a password: one was typed since the last step before it that led on. */
export const isSignIn = ({ content }: Draft, id: NodeId): boolean => {
  const nodes = parts(content)[0].map(Json.objectOf)
  const before = nodes.slice(0, nodes.findIndex((one) => one.id === id) + 1).toReversed()
  for (const { action, id: one, parameters } of before) {
    if (action === "INPUT_TEXT" && /password/i.test(JSON.stringify(parameters))) return true
    if (one !== id && action !== "INPUT_TEXT" && action !== "INPUT_SELECT") return false
  }
  return false
}

/** Removes the next node. Edges to it then lead to its successor. */
export const drop = Effect.fnUntraced(function* (draft: Draft) {
  const all = yield* graph(draft)
  const node = next(draft, all)
  const edge = all.edges.get(node.id)
  if (edge?._tag !== "Next") {
    const why = node.action === "END" ? "it ends the workflow" : "it has several branches"
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

/** Undoes the last change; `null` if there is none. */
export const undo = (draft: Draft): { readonly draft: Draft; readonly what: string } | null => {
  const edit = draft.edits.at(-1)
  if (edit === undefined) return null
  const [nodes, edges] = parts(draft.content)
  const kept = nodes.filter((one) => !edit.added.includes(idOf(one)))
  for (const { index, node } of edit.removed) kept.splice(index, 0, node)
  if (edit.replaced !== undefined) kept[edit.replaced.index] = edit.replaced.node
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

/** The draft with the cursor at another position. */
export const passed = (draft: Draft, cursor: Cursor): Draft => ({ ...draft, cursor })

/** The body of the request that saves a draft. */
export const body = (draft: Draft): Schema.JsonObject => {
  const { settings, ...content } = draft.content
  return { ...settings, ...content, name: draft.name, description: draft.description }
}

/** An input schema derived from values: each input is required, with the type of its value. */
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

/** Checks that a draft can be saved. A draft has no window, so the instant of the check does not matter. */
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
