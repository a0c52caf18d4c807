/** The changes between versions of a workflow, and its JSON as text. */
import type { WorkflowToSave } from "../../api/Client.ts"
import type { Node } from "../data/Outline.ts"
import { plain, plainJson } from "../data/PlainText.ts"

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

const shown = (value: unknown): string =>
  typeof value === "string" ? plain(value) : plainJson(JSON.stringify(value, null, 2))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The different parts of two values: the fields that differ of objects, and the whole of any other values. */
const differing = (before: unknown, after: unknown): readonly [before: unknown, after: unknown] => {
  if (!isObject(before) || !isObject(after)) return [before, after]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  )
  const parts = names.map((name) => [name, differing(before[name], after[name])] as const)
  const side = (at: 0 | 1) =>
    Object.fromEntries(parts.flatMap(([name, values]) => (values[at] === undefined ? [] : [[name, values[at]]])))
  return [side(0), side(1)]
}

/** The differences between two versions, by step and by setting. */
export const changesOf = (before: Content, after: Content): ReadonlyArray<Change> => {
  const old = new Map(before.nodes.map((node) => [node.id, node]))
  const now = new Map(after.nodes.map((node) => [node.id, node]))
  const steps = [...new Set([...old.keys(), ...now.keys()])].flatMap((id): ReadonlyArray<Change> => {
    const [one, other] = [old.get(id), now.get(id)]
    const what = `Step “${(other ?? one)?.name ?? id}”`
    if (one === undefined) return [{ kind: "added", what, before: null, after: shown(other) }]
    if (other === undefined) return [{ kind: "removed", what, before: shown(one), after: null }]
    if (JSON.stringify(one) === JSON.stringify(other)) return []
    const [was, is] = differing(one, other)
    return [{ kind: "changed", what, before: shown(was), after: shown(is) }]
  })
  const settings = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(
    (name): ReadonlyArray<Change> => {
      const [one, other] = [Reflect.get(before, name), Reflect.get(after, name)]
      if (ignored.has(name) || JSON.stringify(one) === JSON.stringify(other)) return []
      const [was, is] = differing(one, other)
      return [
        {
          kind: one === undefined ? "added" : other === undefined ? "removed" : "changed",
          what: name,
          before: one === undefined ? null : shown(was),
          after: other === undefined ? null : shown(is)
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

/** The part of a workflow that an author edits, in the form of the request. */
export const editable = (workflow: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(workflow)
      .filter(([name]) => name === "nodes" || !ignored.has(name))
      .filter(([name]) => name !== "id")
  )

/** A step in a text that may be invalid. */
export interface ProblemNode {
  readonly id?: string
  readonly name?: string
}

/**
 * The step that a path leads into, such as `nodes[2].parameters.selector` or `edges.ID`; `null` where it leads to none.
 */
export const nodeAt = <N extends ProblemNode>(nodes: ReadonlyArray<N>, path: string): N | null => {
  const [, index, id] = /^(?:nodes\[(\d+)\]|edges\.([0-9a-f-]+))/i.exec(path) ?? []
  if (index !== undefined) return nodes[Number(index)] ?? null
  return id === undefined ? null : (nodes.find((node) => node.id === id) ?? null)
}

/** A path relative to its step. */
export const withinNode = (path: string): string => path.replace(/^nodes\[\d+\]\.?/, "").replace(/^parameters\./, "")

/** The components that nodes came from, with how many of the nodes did. */
export const componentsOf = (
  nodes: ReadonlyArray<{ readonly source_component_instance_id?: string | null | undefined }>
): ReadonlyArray<{ readonly id: string; readonly steps: number }> => {
  const counts = new Map<string, number>()
  for (const { source_component_instance_id: instance } of nodes) {
    // The text after the colon is the instance of the component.
    const id = instance?.split(":")[0]
    if (id !== undefined && id !== "") counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return [...counts].map(([id, steps]) => ({ id, steps }))
}
