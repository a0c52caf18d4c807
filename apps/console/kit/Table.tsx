/** A table of rows. On a narrow screen it scrolls sideways. */
import type { ComponentChildren } from "preact"

export interface Column<A> {
  readonly word: string
  readonly cell: (row: A) => ComponentChildren
  /** `tight` is as wide as its text, `num` is aligned to the right, `quiet` is grey, `mono` has a monospaced font. */
  readonly kind?: "tight" | "num" | "quiet" | "mono"
}

export const Table = <A,>({
  columns,
  keyOf,
  label,
  rows
}: {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly keyOf: (row: A) => string
  readonly columns: ReadonlyArray<Column<A>>
}) => (
  <div class="scroll" role="region" aria-label={label} tabIndex={0}>
    <table class="table">
      <thead>
        <tr>
          {columns.map(({ kind, word }) => (
            <th key={word} scope="col" class={kind}>
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ cell, kind, word }) => (
              <td key={word} class={kind} data-word={word}>
                <div class="cell">{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** A name that may be missing, with the end of the id, which tells equal names apart. */
export const Named = ({ id, name }: { readonly id: string; readonly name: string | null }) => (
  <>
    {name ?? <span class="quiet">without a name</span>} <span class="quiet mono">{id.slice(-8)}</span>
  </>
)
