/** The values that a step will read: each was clicked on the page. */
import { useState } from "preact/hooks"
import { EnteredText } from "../forms/EnteredText.tsx"
import { Field } from "../forms/Field.tsx"
import { Empty, Section } from "../kit/Page.tsx"
import { Table } from "../kit/Table.tsx"
import {
  type Candidate,
  type Cell,
  called,
  identifier,
  type Loop,
  messageOf,
  previewOf,
  type Reading,
  readingOf,
  rowsOf,
  scrollingOf
} from "./AuthorModel.ts"
import type { Message } from "./Conversation.ts"
import { type CellType, isLink, wrongFormat } from "./ListModel.ts"

const typeWords: Readonly<Record<CellType, string>> = { text: "Text", number: "Number", date: "Date", link: "Link" }

export const ReadData = ({
  isBusy,
  loop,
  onChange,
  onDo,
  preview,
  reading
}: {
  readonly loop: Loop | null
  readonly reading: Reading
  readonly isBusy: boolean
  readonly onChange: (reading: Reading) => void
  /** Does the step, after a message. */
  readonly onDo: (candidate: Candidate, before?: string | null) => void
  /** The answer with the rows of the list as they would be read. */
  readonly preview: Message | null
}) => {
  const { cells, isEvery, list } = reading
  const found = rowsOf(cells)
  const rows = found?.selector === loop?.rows ? null : found
  const [isScrolled, setScrolled] = useState(false)
  const scrolling = rows === null || !isScrolled ? null : scrollingOf(reading)
  const change = (index: number, changes: Partial<Cell>) =>
    onChange({ ...reading, cells: cells.map((cell, at) => (at === index ? { ...cell, ...changes } : cell)) })
  const isTwice = (cell: Cell) => cells.findIndex(({ name }) => name === cell.name) < cells.indexOf(cell)
  return (
    <Section title="Read data" note={cells.length === 0 ? undefined : `${cells.length} chosen`}>
      {cells.length === 0 ? (
        <Empty title="Click the values to read">
          Click a value of a list, and then the same value of another row, to read the whole list.
        </Empty>
      ) : (
        <form
          class="body form"
          onSubmit={(event) => {
            event.preventDefault()
            const isWrong = cells.some((cell) => isTwice(cell) || wrongFormat(cell) !== null)
            if (!isWrong) onDo(readingOf(reading, loop), scrolling === null ? null : messageOf(scrolling))
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
              <TypeOf cell={cell} onChange={(changes) => change(index, changes)} />
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
          {rows !== null && isEvery && (
            <label class="tick">
              <input
                type="checkbox"
                checked={isScrolled}
                onChange={({ currentTarget }) => setScrolled(currentTarget.checked)}
              />
              More rows come as the list is scrolled
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
          {previewOf(reading, loop) !== null && <FirstRows cells={cells} preview={preview} />}
          <button type="submit" class="primary" disabled={isBusy}>
            Read
          </button>
        </form>
      )}
    </Section>
  )
}

/** What a value is read as, with how the page writes it. */
const TypeOf = ({ cell, onChange }: { readonly cell: Cell; readonly onChange: (changes: Partial<Cell>) => void }) => {
  const path = cell.target.row?.path ?? cell.selector
  const types = (Object.keys(typeWords) as ReadonlyArray<CellType>).filter((type) => type !== "link" || isLink(path))
  return (
    <>
      <Field label={`Type of ${cell.name}`}>
        <select
          value={cell.type}
          onChange={({ currentTarget }) => {
            const type = currentTarget.value as CellType
            onChange({ type, format: type === "date" ? "yyyy-MM-dd" : "" })
          }}
        >
          {types.map((type) => (
            <option key={type} value={type}>
              {typeWords[type]}
            </option>
          ))}
        </select>
      </Field>
      {cell.type === "number" && (
        <Field label={`Format of ${cell.name}`}>
          <select value={cell.format} onChange={({ currentTarget }) => onChange({ format: currentTarget.value })}>
            <option value="">As the page writes it</option>
            <option value=".">1,234.50</option>
            <option value=",">1.234,50</option>
          </select>
        </Field>
      )}
      {cell.type === "date" && (
        <Field label={`Format of ${cell.name}`} problem={wrongFormat(cell)}>
          <EnteredText value={cell.format} onEntered={(format) => onChange({ format: format.trim() })} />
        </Field>
      )}
    </>
  )
}

/** How many rows are shown before they are read. */
const mostRows = 3

const FirstRows = ({ cells, preview }: { readonly cells: ReadonlyArray<Cell>; readonly preview: Message | null }) => {
  if (preview === null) return <p class="note">Reading the first rows…</p>
  const rows = preview.result?.data?.rows
  if (!Array.isArray(rows)) {
    return (
      <p class="problem" role="alert">
        {preview.text}
      </p>
    )
  }
  const shown = rows.slice(0, mostRows).map((row, index) => ({ index, row: row as Readonly<Record<string, unknown>> }))
  return (
    <>
      <p class="note" role="status">
        {rows.length === 1 ? "The row as it would be read" : `The first of ${rows.length} rows, as they would be read`}
      </p>
      <Table
        label="The first rows"
        rows={shown}
        keyOf={({ index }) => String(index)}
        columns={cells.map(({ name, type }, at) => ({
          word: name,
          ...(type === "number" ? { kind: "num" as const } : {}),
          cell: ({ row }: (typeof shown)[number]) => {
            const value = row[`c${at}`]
            return value === null || value === undefined ? <span class="quiet">nothing</span> : String(value)
          }
        }))}
      />
      {(preview.result?.warnings ?? []).map((warning) => (
        <p class="note" key={warning}>
          {warning}
        </p>
      ))}
    </>
  )
}
