/**
 * The cells of table rows by the column that a person sees them in: a cell that spans rows is in each of them, and shifts
 * none of the others.
 */
import type { Item } from "../find/XPath.ts"

/** The cells of the rows of a list, by column. Rows of tables without spans are not in it. */
export type Grid = ReadonlyMap<Item, ReadonlyArray<Element | undefined>>

/** How many places of a table are looked at. */
const mostPlaces = 500_000
const mostColumns = 1_000

/**
 * The columns of rows. Those that no row of the list tells apart count as one, so that a table whose rows all span the
 * same columns is read as it is written.
 */
export const gridOf = (rows: ReadonlyArray<Item>): Grid => {
  const found = new Map<Item, ReadonlyArray<Element | undefined>>()
  const tables = new Map<HTMLTableElement, Array<HTMLTableRowElement>>()
  for (const row of rows) {
    const table = row instanceof HTMLTableRowElement ? row.closest("table") : null
    if (table === null || !(row instanceof HTMLTableRowElement)) continue
    const of = tables.get(table) ?? []
    tables.set(table, of)
    of.push(row)
  }
  for (const [table, wanted] of tables) {
    if (table.querySelector("[rowspan],[colspan]") === null) continue
    const placed = placesOf(table)
    if (placed === null) continue
    // A row of one cell, such as the title of a group, is read as it is written, and tells no columns apart.
    const several = wanted.filter((row) => new Set(placed.get(row)).size > 1)
    const width = Math.max(0, ...several.map((row) => placed.get(row)?.length ?? 0))
    const columns = Array.from({ length: width }, (_, column) => column).filter(
      (column) => column === 0 || several.some((row) => placed.get(row)?.[column] !== placed.get(row)?.[column - 1])
    )
    for (const row of several) {
      found.set(
        row,
        columns.map((column) => placed.get(row)?.[column])
      )
    }
  }
  return found
}

/** The cells of every row of a table, by place; `null` for a table that is too large. */
const placesOf = (table: HTMLTableElement): Map<HTMLTableRowElement, Array<Element | undefined>> | null => {
  const places = new Map<HTMLTableRowElement, Array<Element | undefined>>()
  let work = 0
  let section: Element | null = null
  let open: Array<{ readonly cell: Element; rows: number } | undefined> = []
  for (const row of table.rows) {
    // A cell spans no rows of another section.
    if (row.parentElement !== section) open = []
    section = row.parentElement
    const placed: Array<Element | undefined> = []
    const take = (column: number): boolean => {
      const spanning = open[column]
      if (spanning === undefined) return false
      placed[column] = spanning.cell
      if (--spanning.rows <= 0) open[column] = undefined
      return true
    }
    let column = 0
    for (const cell of row.cells) {
      while (take(column)) column++
      const rows = cell.rowSpan === 0 ? Number.POSITIVE_INFINITY : cell.rowSpan
      for (let width = cell.colSpan; width > 0 && column < mostColumns; width--, column++) {
        placed[column] = cell
        if (rows > 1) open[column] = { cell, rows: rows - 1 }
      }
    }
    for (; column < open.length; column++) take(column)
    places.set(row, placed)
    work += placed.length
    if (work > mostPlaces) return null
  }
  return places
}

/** A cell that a path counts: of which kind, and its number from 1. */
export interface Counted {
  /** The kind of the cells that are counted; `null` for all. */
  readonly counts: "td" | "th" | null
  readonly at: number
  /** The kind that the cell must have; `null` for any. */
  readonly is: "td" | "th" | null
}

/** The counted cell of a row; `undefined` where the column has none, or the row is not in the grid. */
export const cellIn = (grid: Grid, row: Item, { at, counts, is }: Counted): Element | undefined => {
  const isOf = (cell: Element | undefined, kind: string | null) => kind === null || cell?.tagName.toLowerCase() === kind
  const cell = (grid.get(row) ?? []).filter((element) => isOf(element, counts))[at - 1]
  return isOf(cell, is) ? cell : undefined
}
