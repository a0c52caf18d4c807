/** The columns of the lists that a step reads, and the step with one of them pointed at anew. */
import type { Node } from "./Column.ts"
import type { PageTarget } from "./Conversation.ts"
import { pathIn } from "./ListModel.ts"
import { record } from "./StepModel.ts"

/** A value that a step reads from each row of a list. */
export interface ReadColumn {
  readonly list: string
  readonly name: string
  /** The selector of the rows. */
  readonly rows: string
  /** The path from a row to the value. */
  readonly path: string
}

/** The columns that a step reads; none for a step that reads no list. */
export const columnsOf = (node: Node): ReadonlyArray<ReadColumn> => {
  const { properties } = record(record(node.parameters).extract_data_model)
  return Object.entries(record(properties)).flatMap(([list, value]) => {
    const { items, path: rows, type } = record(value)
    if (type !== "array" || typeof rows !== "string") return []
    return Object.entries(record(record(items).properties)).flatMap(([name, field]) => {
      const { path } = record(field)
      return typeof path === "string" ? [{ list, name, rows, path }] : []
    })
  })
}

/** Where a value is that was pointed at: in a row of the list, or else of the list that it is in itself. */
export const placeOf = (
  { path, rows }: ReadColumn,
  target: PageTarget
): { readonly rows: string; readonly path: string } | null => {
  const attribute = /\/@[\w-]+$/.exec(path)?.[0] ?? ""
  const within = pathIn(target, rows)
  const place =
    within !== null ? { rows, path: within } : target.row === null ? null : { ...target.row, rows: target.row.selector }
  if (place === null) return null
  return { rows: place.rows, path: attribute === "" ? place.path : `${place.path.replace(/^\.$/, "")}${attribute}` }
}

/** A value with other rows wherever it has some: as a selector of its own, or with the number of a row. */
const withRows = (value: unknown, before: string, after: string): unknown => {
  if (typeof value === "string") {
    if (value === before) return after
    return value.startsWith(`(${before})[`) ? `(${after})${value.slice(before.length + 2)}` : value
  }
  if (Array.isArray(value)) return value.map((one) => withRows(one, before, after))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withRows(one, before, after)]))
}

/**
 * The steps that change when a column of a step is read at another place, by their ids. Where the rows are others too, the steps
 * that act in a row follow.
 */
export const pointedAnew = (
  nodes: ReadonlyArray<Node>,
  id: string,
  column: ReadColumn,
  place: { readonly rows: string; readonly path: string }
): Readonly<Record<string, Node>> =>
  Object.fromEntries(
    nodes.flatMap((node) => {
      const parameters = record(withRows(node.parameters, column.rows, place.rows))
      const changed = { ...node, parameters: node.id === id ? withPath(parameters, column, place.path) : parameters }
      return JSON.stringify(changed) === JSON.stringify({ ...node, parameters: record(node.parameters) })
        ? []
        : [[node.id, changed]]
    })
  )

const withPath = (parameters: Readonly<Record<string, unknown>>, { list, name }: ReadColumn, path: string) => {
  const model = record(parameters.extract_data_model)
  const lists = record(model.properties)
  const items = record(record(lists[list]).items)
  const fields = record(items.properties)
  const properties = { ...fields, [name]: { ...record(fields[name]), path } }
  return {
    ...parameters,
    extract_data_model: {
      ...model,
      properties: { ...lists, [list]: { ...record(lists[list]), items: { ...items, properties } } }
    }
  }
}
