/**
 * The content of versions, each read once, since a version never changes. The same object is returned each time, so
 * that values derived from it, such as its graph, are cached with it.
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
  const kept = keeping<Content>(most)
  return (row: Row): Content => {
    const content = kept.get(row.version_id) ?? read(row)
    kept.set(row.version_id, content, sizeOf(row))
    return content
  }
}

/** A cache of immutable values: the ones read last, up to a total size of `most`. */
export interface SizedCache<A> {
  readonly get: (id: string) => A | undefined
  readonly set: (id: string, value: A, size: number) => void
}

export const keeping = <A>(most: number): SizedCache<A> => {
  const kept = new Map<string, { readonly value: A; readonly size: number }>()
  let size = 0

  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0
    kept.delete(id)
  }

  const set = (id: string, value: A, its: number): void => {
    // The entries are in the order of their last use.
    forget(id)
    kept.set(id, { value, size: its })
    size += its
    for (const oldest of kept.keys()) {
      if (size <= most) break
      forget(oldest)
    }
  }

  return {
    get: (id) => {
      const known = kept.get(id)
      if (known === undefined) return undefined
      set(id, known.value, known.size)
      return known.value
    },
    set
  }
}

/** The number of characters in the content of a version. */
export const sizeOf = ({ edges, input_schema, nodes, output_schema, settings, vault_schema }: ContentRow): number =>
  nodes.length + edges.length + input_schema.length + output_schema.length + vault_schema.length + settings.length
