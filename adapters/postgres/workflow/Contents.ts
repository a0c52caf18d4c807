/**
 * The content of versions, each read once: a version never changes. Whoever asks for one that is kept gets the same
 * object, and with it what else was worked out of it, such as its graph.
 */
import type { Content } from "../../../core/workflow/Workflow.ts"

/** Remembers the contents that were asked for last, as long as their rows have at most `most` characters together. */
export const make = <Row extends { readonly version_id: string }>(
  most: number,
  read: (row: Row) => Content,
  sizeOf: (row: Row) => number
): ((row: Row) => Content) => {
  const kept = new Map<string, { readonly content: Content; readonly size: number }>()
  let size = 0

  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0
    kept.delete(id)
  }

  return (row) => {
    const one = kept.get(row.version_id) ?? { content: read(row), size: sizeOf(row) }
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
