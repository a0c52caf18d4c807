/**
 * The content of versions, each read once, since a version never changes. The same object is answered again, and with it
 * what was derived from it, such as its graph.
 */
import type { Content } from "../../../core/workflow/Workflow.ts"

/** The columns of a version that hold its content. */
export interface ContentRow {
  readonly version_id: string
  readonly nodes: string
  readonly edges: string
  readonly input_schema: string
  readonly output_schema: string
  readonly vault_schema: string
  readonly settings: string
}

/**
 * Makes a reader that keeps the contents it read last, as long as their texts have at most `most` characters together.
 */
export const make = <Row extends ContentRow>(read: (row: Row) => Content, most: number) => {
  const kept = new Map<string, { readonly content: Content; readonly size: number }>()
  let size = 0

  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0
    kept.delete(id)
  }

  return (row: Row): Content => {
    const known = kept.get(row.version_id)
    const one = known ?? { content: read(row), size: sizeOf(row) }
    // The entries are in the order of their last use.
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

const sizeOf = ({ edges, input_schema, nodes, output_schema, settings, vault_schema }: ContentRow): number =>
  nodes.length + edges.length + input_schema.length + output_schema.length + vault_schema.length + settings.length
