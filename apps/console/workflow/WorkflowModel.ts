/** A workflow as its view shows it: an outline, what changed between versions, and the text of its JSON. */
import type { WorkflowToSave } from "../../api/Client.ts"

export interface Node {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters?: unknown
}

type Edges = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface OutlineLine {
  readonly node: Node
  readonly depth: number
  /** How the line is reached, where that is by a branch: `if so`, `otherwise`, `for each`. */
  readonly branch: string | null
  /** The line goes on at a node that stands elsewhere in the outline. */
  readonly goesTo: string | null
}

const branchWords: Readonly<Record<string, string>> = {
  true: "if so",
  false: "otherwise",
  loop_not_done: "each time",
  loop_done: "after that"
}

/** The graph as a list: branches are indented, and a node stands where it is first reached. */
export const outlineOf = (nodes: ReadonlyArray<Node>, edges: Edges): ReadonlyArray<OutlineLine> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const seen = new Set<string>()
  const lines: Array<OutlineLine> = []
  const pending: Array<{ readonly id: string; readonly depth: number; readonly branch: string | null }> = []
  const start = nodes.find(({ action }) => action === "START") ?? nodes[0]
  if (start !== undefined) pending.push({ id: start.id, depth: 0, branch: null })
  while (pending.length > 0) {
    const next = pending.pop()
    const node = next === undefined ? undefined : byId.get(next.id)
    if (next === undefined || node === undefined) continue
    if (seen.has(node.id)) {
      const last = lines.at(-1)
      if (next.branch !== null) lines.push({ node, depth: next.depth, branch: next.branch, goesTo: node.name })
      else if (last !== undefined && last.goesTo === null) lines[lines.length - 1] = { ...last, goesTo: node.name }
      continue
    }
    seen.add(node.id)
    lines.push({ node, depth: next.depth, branch: next.branch, goesTo: null })
    const out = edges[node.id] ?? {}
    // What is pushed last comes first: the branches, then what follows them.
    for (const [kind, id] of Object.entries(out).toReversed()) {
      const isStraight = kind === "to"
      const depth = isStraight || kind === "loop_done" ? next.depth : next.depth + 1
      pending.push({ id, depth, branch: isStraight ? null : (branchWords[kind] ?? kind) })
    }
  }
  const rest = nodes.filter(({ id }) => !seen.has(id))
  return [...lines, ...rest.map((node) => ({ node, depth: 0, branch: "never reached", goesTo: null }))]
}

export interface Change {
  readonly kind: "added" | "removed" | "changed"
  /** What it is about, such as `Step "Sign in"` or `input_schema`. */
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}

interface Content {
  readonly nodes: ReadonlyArray<Node>
  readonly edges: unknown
}

const ignored = new Set([
  "id",
  "workflow_id",
  "version_id",
  "version_number",
  "version_note",
  "created_at",
  "updated_at",
  "created_by",
  "workspace_id",
  "nodes",
  "warnings",
  "run_window",
  "run_window_revision",
  "lift",
  "manual_pause"
])

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2))

/** What differs between two versions, step by step and setting by setting. */
export const changesOf = (before: Content, after: Content): ReadonlyArray<Change> => {
  const old = new Map(before.nodes.map((node) => [node.id, node]))
  const now = new Map(after.nodes.map((node) => [node.id, node]))
  const steps = [...new Set([...old.keys(), ...now.keys()])].flatMap((id): ReadonlyArray<Change> => {
    const [one, other] = [old.get(id), now.get(id)]
    const what = `Step “${(other ?? one)?.name ?? id}”`
    if (one === undefined) return [{ kind: "added", what, before: null, after: shown(other) }]
    if (other === undefined) return [{ kind: "removed", what, before: shown(one), after: null }]
    return JSON.stringify(one) === JSON.stringify(other)
      ? []
      : [{ kind: "changed", what, before: shown(one), after: shown(other) }]
  })
  const settings = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(
    (name): ReadonlyArray<Change> => {
      const [one, other] = [Reflect.get(before, name), Reflect.get(after, name)]
      if (ignored.has(name) || JSON.stringify(one) === JSON.stringify(other)) return []
      return [
        {
          kind: one === undefined ? "added" : other === undefined ? "removed" : "changed",
          what: name,
          before: one === undefined ? null : shown(one),
          after: other === undefined ? null : shown(other)
        }
      ]
    }
  )
  return [...steps, ...settings]
}

/** The smallest workflow that opens a page. */
export const firstGraph = (url: string): Pick<WorkflowToSave, "nodes" | "edges"> => {
  const [start, picture, end] = [1, 2, 3].map((number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`)
  return {
    nodes: [
      { id: start ?? "", name: "Open", action: "START" as const, parameters: { url } },
      { id: picture ?? "", name: "Picture", action: "SCREENSHOT" as const, parameters: {} },
      { id: end ?? "", name: "End", action: "END" as const, parameters: {} }
    ],
    edges: { [start ?? ""]: { to: picture ?? "" }, [picture ?? ""]: { to: end ?? "" } }
  }
}

/** The part of a workflow that an author edits, as it is sent. */
export const editable = (workflow: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(workflow)
      .filter(([name]) => name === "nodes" || !ignored.has(name))
      .filter(([name]) => name !== "id")
  )
