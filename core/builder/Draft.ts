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
import { Cursor, type Paging, type Patch } from "./DraftPatch.ts"
import * as FurtherPages from "./FurtherPages.ts"

/** The information to undo a change of the draft. */
const Edit = Schema.Struct({
  what: Schema.String,
  added: Schema.Array(Schema.String),
  removed: Schema.Array(Schema.Struct({ index: Schema.Int, node: Schema.Json })),
  /** The former nodes of steps that were changed in their place. */
  changed: Schema.optionalKey(Schema.Array(Schema.Struct({ index: Schema.Int, node: Schema.Json }))),
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
  edits: Schema.Array(Edit),
  /** What makes the changes again that were undone, the last one last. */
  undone: Schema.optionalKey(Schema.Array(Edit)),
  /** Whether it was changed since it was saved, or since the conversation began. */
  unsaved: Schema.optionalKey(Schema.Boolean)
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
  const changed = changedTo(draft, `the step "${node.name}" was taken out again`, {
    nodes: [...nodes.slice(0, at), node, ...nodes.slice(at), ...(branches ? [end] : [])],
    edges: {
      ...edges,
      [draft.cursor.after]: { ...Json.objectOf(edges[draft.cursor.after]), [draft.cursor.way]: node.id },
      [node.id]: branches
        ? { true: follows.id, false: end.id }
        : loops
          ? { loop_not_done: node.id, loop_done: follows.id }
          : { to: follows.id }
    },
    cursor: { after: node.id, way: branches ? "true" : loops ? "loop_not_done" : "to" }
  })
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
  const changed = changedTo(draft, `the branch ends the workflow again, by "${end.name}"`, {
    nodes: nodes.filter((one) => idOf(one) !== end.id),
    edges: { ...edges, [draft.cursor.after]: { [draft.cursor.way]: branch.onTrue } }
  })
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
  const changed = changedTo(draft, `the input "${name}" is no longer one`, { input_schema: next })
  const what = `"${name}" is an input now: steps write {{context.inputs.${name}}}`
  return { draft: yield* checked(changed), what, inputs: { [name]: value } }
})

/** Adds a credential of the vault for a site, by an alias. This conversation signs in as the given user. */
export const withCredential = Effect.fnUntraced(function* (draft: Draft, alias: string, site: string, user: string) {
  yield* named(draft, alias, "a credential")
  const credentials = { ...draft.content.vault_schema, [alias]: { type: "credential", domain: site } }
  const changed = changedTo(draft, `the credential "${alias}" is no longer used`, { vault_schema: credentials })
  const what = `"${alias}" is a credential for ${site} now: steps write {{context.inputs.${alias}.USER_NAME}} and {{context.inputs.${alias}.PASSWORD}}`
  return { draft: yield* checked(changed), what, inputs: { [alias]: user } }
})

/**
 * Repeats the last step on every further page: while an element exists, it is clicked and the step runs again. After a loop,
 * that is the whole loop, with the step before it that reads its list. With `rows`, it also ends where no row comes anew. With
 * `below`, the element is clicked before the step, which runs once. Fails if no step leads directly to the cursor.
 */
export const paged = Effect.fnUntraced(function* (draft: Draft, paging: Paging, ids: FurtherPages.Ids) {
  const { below = false, from, most, rows, selector } = paging
  const [nodes, edges] = parts(draft.content)
  const { after, way } = draft.cursor
  const all = yield* graph(draft)
  const last = Position.nodeOf(all, after)
  const first =
    from === undefined
      ? way === "loop_done"
        ? readerOf(all, last)
        : last
      : Position.nodeOf(all, idOf(nodes[yield* indexOf(draft, from)] ?? null))
  if ((way !== "to" && way !== "loop_done") || first.action === "START" || !reachedFrom(all, first.id).has(after)) {
    const message = `Cannot repeat "${first.name}" on every page: expected a step before, such as one that reads data`
    return yield* new InvalidWorkflow({ problems: [{ path: "", message }] })
  }
  const added = FurtherPages.steps(paging, ids, (name) => uniqueName(name, nodes), freeVariables(nodes, "page"))
  const onward = below ? first.id : next(draft, all).id
  const linked = FurtherPages.edges(paging, ids, { again: below ? FurtherPages.entry(paging, ids) : first.id, onward })
  const at = nodes.findIndex((one) => idOf(one) === (below ? first.id : after)) + (below ? 0 : 1)
  const before = below
    ? Object.entries(edges).map(
        ([id, ends]) => [id, pointed(Json.objectOf(ends), first.id, FurtherPages.entry(paging, ids))] as const
      )
    : [
        ...Object.entries(edges),
        [after, { ...Json.objectOf(edges[after]), [way]: FurtherPages.entry(paging, ids) }] as const
      ]
  const changed = changedTo(draft, `"${first.name}" is done on one page alone again`, {
    nodes: [...nodes.slice(0, at), ...added, ...nodes.slice(at)],
    edges: { ...Object.fromEntries(before), ...linked },
    cursor: below ? draft.cursor : FurtherPages.exit(paging, ids)
  })
  const done = below ? `Further rows are loaded before "${first.name}"` : `"${first.name}" is repeated on every page`
  const end = rows === undefined ? "" : " and new rows come"
  const limit = most === undefined ? "" : `, on at most ${most} pages`
  const what = `${done}, as long as ${selector} exists${end}${limit}. It was not carried out now; use replay to try it`
  return { draft: yield* checked(changed), what }
})

/** The step that reads the list of a loop, where it leads directly to it; otherwise the loop. */
const readerOf = (all: Graph, loop: Node): Node => {
  const [before] = [...all.edges].find(([, edge]) => edge._tag === "Next" && edge.to === loop.id) ?? []
  const reader = before === undefined ? undefined : all.nodes.get(before)
  return reader?.action === "EXTRACT_DATAMODEL" ? reader : loop
}

/** Names for the variables of a loop that no other loop has. */
const freeVariables = (nodes: ReadonlyArray<Schema.Json>, wanted: string) => {
  const taken = new Set(
    nodes.map((node) => Json.objectOf(Json.objectOf(node).parameters ?? null).variable_current_item)
  )
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`
  return { variable_current_item: name, variable_current_index: `${name}_number` }
}

/** The index of the step with an id or a name. */
const indexOf = Effect.fnUntraced(function* ({ content }: Draft, step: string) {
  const [nodes] = parts(content)
  const index = nodes.findIndex((one) => idOf(one) === step)
  const found = index < 0 ? nodes.findIndex((one) => Json.objectOf(one).name === step) : index
  if (found >= 0) return found
  const names = nodes.map((one) => `"${String(Json.objectOf(one).name)}"`)
  const message = `There is no step "${step.slice(0, 80)}": expected one of ${names.slice(0, 20).join(", ")}`
  return yield* new InvalidWorkflow({ problems: [{ path: "", message }] })
})

/** Fails when the draft has no step with this id or name. */
export const having = (draft: Draft, step: string) => Effect.as(indexOf(draft, step), { draft, what: "" })

/** Sets what a step expects, given by its id or name; `null` for nothing. Fails with every problem of it. */
export const expecting = Effect.fnUntraced(function* (draft: Draft, step: string, expect: Schema.JsonObject | null) {
  const [nodes] = parts(draft.content)
  const index = yield* indexOf(draft, step)
  const before = Json.objectOf(nodes[index] ?? null)
  const { expect: _, ...others } = Json.objectOf(before.parameters ?? null)
  const node = { ...before, parameters: expect === null ? others : { ...others, expect } }
  const name = String(before.name)
  const changed = changedTo(draft, `the step "${name}" expects what it did before`, { nodes: nodes.with(index, node) })
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
  const { [node.id]: _, ...others } = edges
  const redirected = Object.entries(others).map(
    ([id, ends]) => [id, pointed(Json.objectOf(ends), node.id, edge.to)] as const
  )
  const changed = changedTo(draft, `the step "${node.name}" is back`, {
    nodes: nodes.filter((one) => idOf(one) !== node.id),
    edges: Object.fromEntries(redirected)
  })
  return { draft: yield* checked(changed), what: `The step "${node.name}" is no longer part of the workflow` }
})

/** Undoes the last change; `null` if there is none. */
export const undo = (draft: Draft): { readonly draft: Draft; readonly what: string } | null => {
  const edit = draft.edits.at(-1)
  if (edit === undefined) return null
  const before = restored(draft, edit)
  const undone = [...(draft.undone ?? []), difference(draft, before, edit.what)]
  return { what: edit.what, draft: { ...before, edits: draft.edits.slice(0, -1), undone, unsaved: true } }
}

/** Makes the change again that was undone last; `null` if there is none, or another change was made since. */
export const redo = (draft: Draft): Draft | null => {
  const edit = draft.undone?.at(-1)
  if (edit === undefined) return null
  const after = restored(draft, edit)
  const edits = [...draft.edits, difference(draft, after, edit.what)]
  return { ...after, edits, undone: draft.undone?.slice(0, -1) ?? [], unsaved: true }
}

/** The draft that an edit leads back to. */
const restored = (draft: Draft, edit: Edit): Draft => {
  const [nodes, edges] = parts(draft.content)
  const kept = nodes.filter((one) => !edit.added.includes(idOf(one)))
  for (const { index, node } of edit.removed) kept.splice(index, 0, node)
  for (const { index, node } of edit.changed ?? []) kept[index] = node
  const former = Object.entries({ ...edges, ...edit.edges }).filter(
    ([id]) => !edit.added.includes(id) && (!Object.hasOwn(edit.edges, id) || edit.edges[id] !== null)
  )
  const content = { ...draft.content, ...edit.schemas, nodes: kept, edges: Object.fromEntries(former) }
  return { ...draft, content, cursor: isPlace(content, draft.cursor) ? draft.cursor : edit.cursor }
}

/** Whether an edge of the content is at a position. */
const isPlace = ({ edges }: Content, { after, way }: Cursor): boolean =>
  Object.hasOwn(Json.objectOf(Json.objectOf(edges)[after]), way)

/** The edit that leads from `after` back to `before`. Nodes that both have stand in the same order. */
const difference = (before: Draft, after: Draft, what: string): Edit => {
  const [nodesBefore, edgesBefore] = parts(before.content)
  const [nodesAfter, edgesAfter] = parts(after.content)
  const later = new Map(nodesAfter.map((node) => [idOf(node), node]))
  const earlier = new Set(nodesBefore.map(idOf))
  const numbered = nodesBefore.map((node, index) => ({ index, node }))
  const { input_schema, vault_schema } = before.content
  return {
    what,
    added: [...later.keys()].filter((id) => !earlier.has(id)),
    removed: numbered.filter(({ node }) => !later.has(idOf(node))),
    changed: numbered.filter(({ node }) => later.has(idOf(node)) && !isSame(node, later.get(idOf(node)))),
    edges: Object.fromEntries(
      Object.keys({ ...edgesBefore, ...edgesAfter })
        .filter((id) => !isSame(edgesBefore[id], edgesAfter[id]))
        .map((id) => [id, edgesBefore[id] ?? null])
    ),
    ...(input_schema === after.content.input_schema && vault_schema === after.content.vault_schema
      ? {}
      : { schemas: { input_schema, vault_schema } }),
    cursor: before.cursor
  }
}

const isSame = (one: Schema.Json | undefined, other: Schema.Json | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** The draft after a change, which can be undone. `undone` is the text of the message when it is. */
const changedTo = (
  draft: Draft,
  undone: string,
  { cursor = draft.cursor, ...changes }: Partial<Content> & { readonly cursor?: Cursor }
): Draft => {
  const after = { ...draft, content: { ...draft.content, ...changes }, cursor }
  const edits = [...draft.edits.slice(1 - maxEdits), difference(draft, after, undone)]
  return { ...after, edits, undone: [], unsaved: true }
}

/**
 * Changes nodes and edges together, as one change. Fails with every problem of the workflow that this would make.
 *
 * Without another cursor, it stays, and goes back to the step before where its step is removed.
 */
export const patched = Effect.fnUntraced(function* (draft: Draft, patch: Patch) {
  const [nodes, edges] = parts(draft.content)
  const changes = new Map(Object.entries(patch.nodes ?? {}))
  const known = new Set(nodes.map(idOf))
  const kept = nodes.flatMap((node) => {
    const change = changes.get(idOf(node))
    return change === undefined ? [node] : change === null ? [] : [{ ...change, id: idOf(node) }]
  })
  const added = [...changes].flatMap(([id, node]) => (known.has(id) || node === null ? [] : [{ ...node, id }]))
  const gone = new Set([...changes].flatMap(([id, node]) => (node === null ? [id] : [])))
  const after = Object.entries({ ...edges, ...patch.edges }).filter(([id, ends]) => ends !== null && !gone.has(id))
  const content = {
    ...draft.content,
    nodes: [...kept, ...added],
    edges: Object.fromEntries(after) as Schema.JsonObject
  }
  const cursor = patch.cursor ?? remaining(draft, content)
  if (!isPlace(content, cursor)) {
    const message = `No edge "${cursor.way}" leads on from a step with the id "${cursor.after.slice(0, 80)}"`
    return yield* new InvalidWorkflow({ problems: [{ path: "cursor", message }] })
  }
  const isMoved = patch.nodes === undefined && patch.edges === undefined
  if (isMoved)
    return { draft: passed(draft, cursor), what: `The next step goes after "${nameOf(nodes, cursor.after)}"` }
  const what = sentenceOf(
    nodes.filter((node) => gone.has(idOf(node))),
    added,
    kept.filter((node) => changes.has(idOf(node)))
  )
  const changed = changedTo(draft, `${what} was taken back`, { nodes: content.nodes, edges: content.edges, cursor })
  return { draft: yield* checked(changed), what: `${what}. Nothing was carried out` }
})

const nameOf = (nodes: ReadonlyArray<Schema.Json>, id: NodeId): string =>
  String(Json.objectOf(nodes.find((node) => idOf(node) === id) ?? null).name)

/** Maximum number of steps that a sentence names. */
const mostNamed = 3

const sentenceOf = (
  gone: ReadonlyArray<Schema.Json>,
  added: ReadonlyArray<Schema.Json>,
  changed: ReadonlyArray<Schema.Json>
): string => {
  const list = (nodes: ReadonlyArray<Schema.Json>) => {
    const names = nodes.slice(0, mostNamed).map((node) => `"${String(Json.objectOf(node).name)}"`)
    return [...names, ...(nodes.length > mostNamed ? [`${nodes.length - mostNamed} more`] : [])].join(", ")
  }
  const groups = [
    ["Deleted", gone],
    ["Added", added],
    ["Changed", changed]
  ] as const
  const named = groups.flatMap(([word, nodes]) => (nodes.length === 0 ? [] : [`${word} ${list(nodes)}`]))
  return named.length === 0 ? "Changed the order of the steps" : named.join("; ")
}

/** The cursor, or the position of the nearest step before it that the content still has. */
const remaining = (draft: Draft, content: Content): Cursor => {
  const before = Object.entries(parts(draft.content)[1])
  const seen = new Set<string>()
  let cursor = draft.cursor
  while (!isPlace(content, cursor) && !seen.has(cursor.after)) {
    seen.add(cursor.after)
    const own = Object.keys(Json.objectOf(Json.objectOf(content.edges)[cursor.after]))[0]
    if (own !== undefined) return { after: cursor.after, way: own as Cursor["way"] }
    for (const [after, ends] of before) {
      const [way] = Object.entries(Json.objectOf(ends)).find(([, to]) => to === cursor.after) ?? []
      if (way !== undefined && !seen.has(after)) cursor = { after, way: way as Cursor["way"] }
    }
  }
  if (isPlace(content, cursor)) return cursor
  const start = (content.nodes as ReadonlyArray<Schema.Json>).find((node) => Json.objectOf(node).action === "START")
  return { after: start === undefined ? "" : idOf(start), way: "to" }
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
