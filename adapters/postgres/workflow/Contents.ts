/**
 * The content of versions, each read once: a version never changes. Whoever asks for one that is kept gets the same
 * object, and with it what else was worked out of it, such as its graph.
 */
import type { Schema } from "effect"
import * as Settings from "../../../core/workflow/Settings.ts"
import type { Content } from "../../../core/workflow/Workflow.ts"

/** The columns of a version that hold its content. */
export interface ContentRow {
  readonly version_id: string
  readonly nodes: string
  readonly edges: string
  readonly input_schema: string
  readonly output_schema: string
  readonly vault_schema: string
  readonly max_retries: number
  readonly settings: string
}

/**
 * Makes a reader that keeps the contents it read last, as long as their texts have at most `most` characters together.
 */
export const make = (most: number) => {
  const kept = new Map<string, { readonly content: Content; readonly size: number }>()
  let size = 0

  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0
    kept.delete(id)
  }

  return (row: ContentRow): Content => {
    const known = kept.get(row.version_id)
    const one = known ?? { content: read(row), size: sizeOf(row) }
    // Entries stand in the order in which they were asked for.
    forget(row.version_id)
    kept.set(row.version_id, one)
    size += one.size
    for (const id of kept.keys()) {
      if (size <= most) break
      forget(id)
    }
    return one.content
  }
}

const read = (row: ContentRow): Content => ({
  nodes: JSON.parse(row.nodes) as Schema.Json,
  edges: JSON.parse(row.edges) as Schema.Json,
  input_schema: JSON.parse(row.input_schema) as Schema.JsonObject,
  output_schema: JSON.parse(row.output_schema) as Schema.JsonObject,
  vault_schema: JSON.parse(row.vault_schema) as Schema.JsonObject,
  max_retries: row.max_retries,
  settings: Settings.stored(JSON.parse(row.settings) as Schema.JsonObject)
})

const sizeOf = ({ edges, input_schema, nodes, output_schema, settings, vault_schema }: ContentRow): number =>
  nodes.length + edges.length + input_schema.length + output_schema.length + vault_schema.length + settings.length
