/** One step of a draft: the parameters of its action as a form, where it points, and what became of it on the page. */
import { JsonSchema, Schema } from "effect"
import { parameters } from "../../../core/workflow/language/graph/Action.ts"
import type { Json } from "../forms/SchemaModel.ts"
import { columnOf, type Edges, graphOf, type Line, type Node } from "./Column.ts"
import type { Draft } from "./Conversation.ts"

type JsonObject = Readonly<Record<string, unknown>>

export const record = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

/** The service has checked the nodes and the edges of a draft. */
export const graphIn = ({ edges, nodes }: Pick<Draft, "edges" | "nodes">) => ({
  nodes: nodes as unknown as ReadonlyArray<Node>,
  edges: edges as unknown as Edges
})

/** The parameters that a form has in another place. */
const elsewhere: ReadonlySet<string> = new Set(["expect"])

/** A schema without `null`, which is the same as an absent parameter. An expression in place of a value is a text. */
const fieldSchema = (given: unknown, value: unknown): JsonObject => {
  const schema = record(given)
  const choices = Array.isArray(schema.anyOf) ? schema.anyOf.map(record) : []
  const others = choices.filter(({ type }) => type !== "null")
  const one = others.length === 1 ? (others[0] ?? {}) : others.length > 1 ? {} : schema
  if (typeof value !== "string" || one.type === "string") return one
  return { type: "string" }
}

const schemaOf = (action: string): JsonObject => {
  const schema = Object.entries(parameters).find(([name]) => name === action)?.[1]
  if (schema === undefined) return {}
  return record(JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(schema as Schema.Codec<unknown>)).schema)
}

/** The form of a step: what it has and needs, and the names of what may be added. */
export const formOf = (node: Node, added: ReadonlyArray<string>) => {
  const { properties, required } = schemaOf(node.action)
  const known = record(properties)
  const values = Object.fromEntries(
    Object.entries(record(node.parameters)).filter(([name, value]) => !elsewhere.has(name) && value !== null)
  )
  const needed = Array.isArray(required) ? required.map(String) : []
  const shown = [...new Set([...needed, ...Object.keys(values), ...added])]
  return {
    values,
    schema: {
      type: "object",
      properties: Object.fromEntries(shown.map((name) => [name, fieldSchema(known[name], values[name])])),
      required: needed
    },
    more: Object.keys(known).filter((name) => !shown.includes(name))
  }
}

/** A step with the parameters of its form. */
export const withParameters = (node: Node, values: Readonly<Record<string, Json>>): Node => {
  const kept = Object.entries(record(node.parameters)).filter(([name]) => elsewhere.has(name))
  return { ...node, parameters: { ...values, ...Object.fromEntries(kept) } }
}

/** What a step finds on the page: its selector, and the step with another one; `null` for a step that finds nothing. */
export const pointOf = (node: Node): { readonly selector: string; readonly at: (selector: string) => Node } | null => {
  const given = record(node.parameters)
  const having = (changes: JsonObject): Node => ({ ...node, parameters: { ...given, ...changes } })
  if (typeof given.selector === "string" && given.selector !== "") {
    return { selector: given.selector, at: (selector) => having({ selector }) }
  }
  const [, xpath] = /^<<xpath:(.*)>>$/s.exec(String(given.comparison_value_1)) ?? []
  if (xpath !== undefined) {
    return { selector: xpath, at: (selector) => having({ comparison_value_1: `<<xpath:${selector}>>` }) }
  }
  // A value of its own that is read from the page.
  const model = record(given.extract_data_model)
  const properties = record(model.properties)
  const [name, ...others] = Object.keys(properties)
  const value = record(properties[name ?? ""])
  if (name === undefined || others.length > 0 || value.type === "array" || typeof value.path !== "string") return null
  return {
    selector: value.path,
    at: (path) => having({ extract_data_model: { ...model, properties: { [name]: { ...value, path } } } })
  }
}

/** The steps that find the same element as one of them, itself among them. */
export const findingAlike = (node: Node, nodes: ReadonlyArray<Node>): ReadonlyArray<Node> => {
  const selector = pointOf(node)?.selector
  return selector === undefined ? [] : nodes.filter((other) => pointOf(other)?.selector === selector)
}

/** Whether a step takes an XPath alone: values of conditions and what is read are no other selectors. */
export const needsXPath = ({ parameters }: Node): boolean => typeof record(parameters).selector !== "string"

/** The number of each step in the column, by its id. */
const numbersOf = (lines: ReadonlyArray<Line>): ReadonlyMap<string, number> =>
  new Map(lines.flatMap((line) => (line.kind === "step" && line.number !== null ? [[line.node.id, line.number]] : [])))

type Position = Pick<Draft, "cursor" | "progress">

/** Whether the page is as the step before the next one has left it. A step that was skipped leaves it as it was. */
export const isPageHere = ({ cursor, progress }: Position): boolean =>
  progress.last === cursor.after || progress.steps[cursor.after] === "skipped"

/** Where the next step goes, and which step the page is behind. */
export const cursorWords = (draft: Position, lines: ReadonlyArray<Line>, hasPage: boolean): string => {
  const numbers = numbersOf(lines)
  const { last } = draft.progress
  if (!hasPage || last === null) return "The next step goes here"
  const number = numbers.get(last)
  const page =
    number === undefined ? "the page is as after a step that was deleted" : `the page is as after step ${number}`
  return isPageHere(draft) ? `The next step goes here; ${page}` : `The next step goes here, but ${page}`
}

/** The step that comes next; `null` at the end. */
export const nextOf = (draft: Pick<Draft, "cursor" | "edges" | "nodes">): Node | null => {
  const { edges, nodes } = graphIn(draft)
  const next = nodes.find(({ id }) => id === edges[draft.cursor.after]?.[draft.cursor.way])
  return next === undefined || next.action === "END" ? null : next
}

/** The position before a step: on the first edge of the column that leads to it. */
export const before = (draft: Pick<Draft, "edges" | "nodes">, id: string): Draft["cursor"] | null => {
  for (const [after, ends] of Object.entries(graphOf(columnOf(graphIn(draft))).edges)) {
    const [way] = Object.entries(ends).find(([, end]) => end === id) ?? []
    if (way !== undefined) return { after, way: way as Draft["cursor"]["way"] }
  }
  return null
}

/** The message that runs the steps before one: from here on where it comes later, from the start otherwise. */
export const runTo = (draft: Position, lines: ReadonlyArray<Line>, id: string): string => {
  const lineOf = (one: string) => lines.findIndex((line) => line.kind === "step" && line.node.id === one)
  const isAhead = lineOf(id) > lineOf(draft.cursor.after) && isPageHere(draft) && draft.progress.steps[id] === undefined
  return `${isAhead ? "continue" : "replay"} ${id}`
}

/** The message that changes a draft. */
export const editing = (patch: {
  readonly nodes?: Readonly<Record<string, unknown>>
  readonly edges?: Readonly<Record<string, unknown>>
  readonly cursor?: Draft["cursor"]
}): string => `edit ${JSON.stringify(patch)}`

/** What a step of a draft was on the page, in a word. */
export const stateWords: Readonly<Record<Draft["progress"]["steps"][string], string>> = {
  done: "done",
  skipped: "skipped",
  failed: "failed"
}

/** The size of a file, in words. */
export const sizeOf = (bytes: number): string =>
  bytes < 1_000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

/** Whether a message runs one step after the other, so that the one that comes next is under way. */
export const isWalk = (text: string | undefined): boolean =>
  text === undefined || /^(next|continue|replay|leave)\b/.test(text)

/** How a condition waits for what is on the page: it may not come, and the wait for it ends with the page. */
export const waitsForPage = { wait_time: 5_000, until_settled: true }

/** What a step acts on, as a value of a condition; the page where that cannot be asked for beforehand. */
const foundBy = (node: Node): string => {
  const selector = pointOf(node)?.selector ?? ""
  return /^[/(]/.test(selector) && !selector.includes("{{") ? selector : "/html"
}

/**
 * A condition or a loop for a step of the column, as it is before a person says more: the condition asks whether what the step
 * acts on is there.
 */
export const wrapping = (
  kind: "LOOP" | "BOOL_CONDITION",
  id: string,
  name: string,
  step: Node,
  others: ReadonlyArray<Node>
): Node => {
  const taken = new Set(others.map(({ parameters }) => record(parameters).variable_current_item))
  let item = "item"
  for (let count = 2; taken.has(item); count++) item = `item_${count}`
  return kind === "LOOP"
    ? {
        id,
        name,
        action: kind,
        parameters: { variable_over: "3", variable_current_item: item, variable_current_index: `${item}_number` }
      }
    : {
        id,
        name,
        action: kind,
        parameters: {
          execution: "STATIC",
          comparison_operator: "IS_NOT_NULL",
          comparison_value_1: `<<xpath:${foundBy(step)}>>`,
          ...waitsForPage
        }
      }
}
