/**
 * Which of the next events of the log a consumer takes, so that a workflow with many of them delays no other one.
 *
 * A workflow gets a part of each page. The rest of the workflow is postponed in order, and taken with
 * later pages as room allows.
 */

/** An event as a page shows it. */
export interface Ahead {
  readonly workflowId: string
  /** The characters of its payload. */
  readonly characters: number
}

export interface Share<E> {
  readonly taken: ReadonlyArray<E>
  /** The first and the last event of each workflow that is put off, as far as they are in this page. */
  readonly putOff: ReadonlyMap<string, { readonly first: E; readonly last: E }>
  /** How many events of the page are taken or put off: the rest is for the next page. */
  readonly seen: number
}

/** A page reads this many times the number of events that are taken from it. */
export const lookAhead = 10

/** Divides a page among workflows. `waiting` are the workflows with postponed events. */
export const share = <E extends Ahead>(
  page: ReadonlyArray<E>,
  waiting: ReadonlySet<string>,
  { characters, events }: { readonly characters: number; readonly events: number }
): Share<E> => {
  const most = Math.max(1, Math.floor(events / 4))
  const counts = new Map<string, number>()
  const taken: Array<E> = []
  const putOff = new Map<string, { readonly first: E; readonly last: E }>()
  let size = 0
  let seen = 0
  for (const one of page) {
    const { workflowId } = one
    const count = counts.get(workflowId) ?? 0
    if (waiting.has(workflowId) || putOff.has(workflowId) || count >= most) {
      putOff.set(workflowId, { first: putOff.get(workflowId)?.first ?? one, last: one })
    } else {
      if (taken.length >= events || size >= characters) break
      taken.push(one)
      counts.set(workflowId, count + 1)
      size += one.characters
    }
    seen++
  }
  return { taken, putOff, seen }
}

/** The first events, as many as are taken at once. */
export const firstOf = <E extends Ahead>(
  all: ReadonlyArray<E>,
  { characters, events }: { readonly characters: number; readonly events: number }
): ReadonlyArray<E> => {
  let size = 0
  return all.filter((one, index) => {
    const fits = index < events && size < characters
    size += one.characters
    return fits
  })
}
