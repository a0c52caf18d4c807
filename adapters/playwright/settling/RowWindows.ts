/**
 * Puts the rows together that a list showed one part after the other, while it was scrolled.
 */
import { isDeepStrictEqual } from "node:util"

/** A row as it was shown at one time. */
export interface Row {
  readonly value: unknown
  /** Its number in the list, where the page says it. */
  readonly index: number | null
  /** Its distance from the beginning of the list, in pixels; `null` where that is not known. */
  readonly top: number | null
}

/** How far a row may seem to move while others are measured, in pixels. */
const drift = 3

/**
 * The rows of all parts in their order, each once. The parts follow each other, and neighbours have rows in common. Rows are
 * told apart by their numbers, or else by their places and values; rows that stand before every part come once.
 */
export const merged = (parts: ReadonlyArray<ReadonlyArray<Row>>): ReadonlyArray<unknown> => {
  const before = parts.length < 2 ? 0 : headOf(parts)
  const head = parts[0]?.slice(0, before) ?? []
  const rest = parts.map((rows) => rows.slice(before))
  return [...head.map(({ value }) => value), ...(byIndex(rest) ?? byPlace(rest))]
}

/** How many rows without a number all parts begin with. */
const headOf = (parts: ReadonlyArray<ReadonlyArray<Row>>): number => {
  const [first = []] = parts
  const differs = first.findIndex(
    (row, at) => row.index !== null || parts.some((rows) => !isDeepStrictEqual(rows[at]?.value, row.value))
  )
  // Parts that are all the same are the whole list.
  return differs < 0 ? 0 : differs
}

const byIndex = (parts: ReadonlyArray<ReadonlyArray<Row>>): ReadonlyArray<unknown> | null => {
  const all = new Map<number, unknown>()
  for (const rows of parts) {
    for (const [at, { index, value }] of rows.entries()) {
      const last = rows[at - 1]?.index ?? null
      if (index === null || (last !== null && last >= index)) return null
      all.set(index, value)
    }
  }
  return [...all].sort(([one], [other]) => one - other).map(([, value]) => value)
}

const byPlace = (parts: ReadonlyArray<ReadonlyArray<Row>>): ReadonlyArray<unknown> => {
  const all: Array<Row> = []
  for (const rows of parts) all.push(...rows.slice(sharedBy(all, rows)))
  return all.map(({ value }) => value)
}

/** How many rows a part begins with that the rows before it end with. */
export const sharedBy = (all: ReadonlyArray<Row>, rows: ReadonlyArray<Row>): number => {
  const possible: Array<number> = []
  for (let count = Math.min(all.length, rows.length); count > 0; count--) {
    const end = all.slice(all.length - count)
    if (end.every(({ value }, at) => isDeepStrictEqual(value, rows[at]?.value))) possible.push(count)
  }
  const isInPlace = (count: number) =>
    all
      .slice(all.length - count)
      .every(({ top }, at) => top !== null && Math.abs(top - (rows[at]?.top ?? Number.NaN)) <= drift)
  const last = all.at(-1)?.top ?? null
  const isBehind = last !== null && (rows[0]?.top ?? Number.NaN) > last + drift
  return possible.find(isInPlace) ?? (isBehind ? 0 : (possible[0] ?? 0))
}
