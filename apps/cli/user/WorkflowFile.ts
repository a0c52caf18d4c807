/**
 * A workflow as a file in a stable format: fields in a fixed order, one line per node and edge, and no computed field
 * except the version that the file is based on.
 */
import { diff } from "node:util"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import * as Json from "../../../core/workspace/Json.ts"

type Fields = Readonly<Record<string, unknown>>

const left: ReadonlySet<string> = new Set(["run_window", "run_window_revision", "version_note"])

/** The fields of a file, in their order. The run window is no part of a version, and has separate commands. */
const order = [
  "id",
  "base_version_id",
  ...Object.keys(SaveBody.SaveBody.fields).filter((name) => name !== "base_version_id" && !left.has(name))
]

/** The same value with the members of each object in the order of their names. */
export const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  )
}

/** The fields of a node begin with its identifying ones. */
const nodeOf = (node: unknown): unknown => {
  if (!Json.isObject(node)) return node
  const { action, id, name, ...rest } = Json.objectOf(sorted(node))
  return { id, name, action, ...rest }
}

/** What a file has of these fields, in its order. Fields of other names, and those without a value, are left out. */
export const members = (fields: Fields): Fields =>
  Object.fromEntries(
    order.flatMap((name) => {
      const value = fields[name]
      if (value === undefined || value === null) return []
      return [[name, name === "nodes" && Array.isArray(value) ? value.map(nodeOf) : sorted(value)] as const]
    })
  )

/** The text of a file with these fields. */
export const text = (fields: Fields): string => `${JSON.stringify(members(fields), null, 2)}\n`

/** The text of a file for a workflow as the service answers it. */
export const pulled = (view: Fields): string => text({ ...view, base_version_id: view.version_id })

/** Without the version that it is based on: what two files are compared by. */
export const content = (fields: Fields): string => text({ ...fields, base_version_id: undefined })

const around = 3

/** The lines that differ, each with a few lines around it, from one text to another; empty for equal texts. */
export const difference = (from: string, to: string): string => {
  if (from === to) return ""
  const all = diff(from.split("\n"), to.split("\n")).map(([operation, line]) => ({
    line: `${operation === -1 ? "+" : operation === 1 ? "-" : " "}${line}`,
    differs: operation !== 0
  }))
  const shown = all.map((_, at) => all.slice(Math.max(0, at - around), at + around + 1).some(({ differs }) => differs))
  return all.flatMap(({ line }, at) => (shown[at] ? [line] : shown[at - 1] ? ["…"] : [])).join("\n")
}
