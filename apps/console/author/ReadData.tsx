/** The values that a step will read: each was clicked on the page. */

import { EnteredText } from "../forms/EnteredText.tsx"
import { Field } from "../forms/Field.tsx"
import { Empty, Section } from "../kit/Page.tsx"
import {
  type Candidate,
  type Cell,
  called,
  identifier,
  type Loop,
  type Reading,
  readingOf,
  rowsOf
} from "./AuthorModel.ts"

export const ReadData = ({
  isBusy,
  loop,
  onChange,
  onDo,
  reading
}: {
  readonly loop: Loop | null
  readonly reading: Reading
  readonly isBusy: boolean
  readonly onChange: (reading: Reading) => void
  readonly onDo: (candidate: Candidate) => void
}) => {
  const { cells, isEvery, list } = reading
  const found = rowsOf(cells)
  const rows = found?.selector === loop?.rows ? null : found
  const change = (index: number, changes: Partial<Cell>) =>
    onChange({ ...reading, cells: cells.map((cell, at) => (at === index ? { ...cell, ...changes } : cell)) })
  const isTwice = (cell: Cell) => cells.findIndex(({ name }) => name === cell.name) < cells.indexOf(cell)
  return (
    <Section title="Read data" note={cells.length === 0 ? undefined : `${cells.length} chosen`}>
      {cells.length === 0 ? (
        <Empty title="Click the values to read">Click one cell of each column of a table to read every row.</Empty>
      ) : (
        <form
          class="body form"
          onSubmit={(event) => {
            event.preventDefault()
            if (!cells.some(isTwice)) onDo(readingOf(reading, loop))
          }}
        >
          {cells.map((cell, index) => (
            <div class="cell-line" key={cell.selector}>
              <Field
                label={`Name of ${called(cell.target)}`}
                problem={isTwice(cell) ? "Another value has this name already" : null}
              >
                <EnteredText
                  value={cell.name}
                  onEntered={(text) => change(index, { name: identifier(text, `value_${index + 1}`) })}
                />
              </Field>
              <label class="tick">
                <input
                  type="checkbox"
                  checked={cell.isNumber}
                  onChange={({ currentTarget }) => change(index, { isNumber: currentTarget.checked })}
                />
                a number
              </label>
              <button
                type="button"
                class="plain"
                aria-label={`Do not read ${cell.name}`}
                onClick={() => onChange({ ...reading, cells: cells.filter((_, at) => at !== index) })}
              >
                ✕
              </button>
            </div>
          ))}
          {rows !== null && (
            <label class="tick">
              <input
                type="checkbox"
                checked={isEvery}
                onChange={({ currentTarget }) => onChange({ ...reading, isEvery: currentTarget.checked })}
              />
              From all {rows.matches} rows
            </label>
          )}
          {((rows !== null && isEvery) || loop !== null) && (
            <Field
              label="Name of the list"
              hint={rows !== null && isEvery ? undefined : "Each turn of the loop adds one entry to it"}
            >
              <EnteredText
                value={list}
                onEntered={(text) => onChange({ ...reading, list: identifier(text, "rows") })}
              />
            </Field>
          )}
          <button type="submit" class="primary" disabled={isBusy}>
            Read
          </button>
        </form>
      )}
    </Section>
  )
}
