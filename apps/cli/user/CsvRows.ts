/**
 * The rows of a CSV file by RFC 4180, piece by piece: cells in quotes may hold commas, quotes twice, and line ends.
 */

export interface Row {
  /** The line of the file on which the row begins, from 1 on. */
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** Where in a file a cell begins: the line of its row, and its index in it. */
export interface Place {
  readonly line: number
  readonly index: number
}

/** How many characters a row may have, with its quotes and commas. */
export const mostCharacters = 1_000_000

/** Raised for a row that is longer. What is kept of it is bounded, also where a quote is never closed. */
export class RowTooLong extends Error implements Place {
  readonly line: number
  readonly index: number

  constructor({ index, line }: Place) {
    super(`the row has more than ${mostCharacters} characters; a quote may not be closed`)
    this.line = line
    this.index = index
  }
}

export interface Reader {
  /** The rows that end in this piece of the text. It throws `RowTooLong`. */
  readonly push: (piece: string) => ReadonlyArray<Row>
  /** The last row, if the text does not end with a line end. */
  readonly end: () => ReadonlyArray<Row>
  /** The cell whose quote was never closed; `null` if there is none. */
  readonly open: () => Place | null
}

/** A reader of one text. An empty line is no row. */
export const reader = (): Reader => {
  let cells: Array<string> = []
  let cell = ""
  let isQuoted = false
  /** Whether the former character was a quote within a quoted cell. The next one decides its meaning. */
  let isPending = false
  let line = 1
  let begins = 1
  let characters = 0
  let isFirst = true

  const row = (): ReadonlyArray<Row> => {
    const done = { line: begins, cells: [...cells, cell] }
    cells = []
    cell = ""
    begins = line
    characters = 0
    return done.cells.length === 1 && done.cells[0] === "" ? [] : [done]
  }

  const sign = (one: string, rows: Array<Row>): void => {
    if (one === "\n") line++
    if (++characters > mostCharacters + 1) throw new RowTooLong({ line: begins, index: cells.length })
    if (isPending) {
      isPending = false
      if (one === '"') {
        cell += '"'
        return
      }
      isQuoted = false
    }
    if (isQuoted) {
      if (one === '"') isPending = true
      else cell += one
    } else if (one === '"' && cell === "") isQuoted = true
    else if (one === ",") {
      cells.push(cell)
      cell = ""
    } else if (one === "\n") {
      if (cell.endsWith("\r")) cell = cell.slice(0, -1)
      rows.push(...row())
    } else cell += one
  }

  return {
    push: (piece) => {
      const rows: Array<Row> = []
      const text = isFirst && piece.startsWith("\ufeff") ? piece.slice(1) : piece
      if (piece !== "") isFirst = false
      for (const one of text) sign(one, rows)
      return rows
    },
    end: () => (cell === "" && cells.length === 0 ? [] : row()),
    open: () => (isQuoted && !isPending ? { line: begins, index: cells.length } : null)
  }
}
