/** The columns of the list that a step reads: each can be pointed at anew. */
import { useState } from "preact/hooks"
import { called } from "./AuthorModel.ts"
import { columnsOf, placeOf, pointedAnew, type ReadColumn } from "./ListColumns.ts"
import type { PanelProps } from "./PanelProps.ts"
import { editing, graphIn } from "./StepModel.ts"

export const PointedColumns = ({ draft, isBusy, isPointing, node, onPointing, onSay, pointed }: PanelProps) => {
  const [asked, ask] = useState<string | null>(null)
  const keyOf = ({ list, name }: ReadColumn) => `${list}.${name}`
  const columns = columnsOf(node)
  const column = isPointing ? (columns.find((one) => keyOf(one) === asked) ?? null) : null
  const place = column === null || pointed === null ? null : placeOf(column, pointed)
  return (
    <section aria-label="What this step reads">
      <ul class="ways">
        {columns.map((one) => (
          <li key={keyOf(one)} class="row">
            <span>
              {one.name} at <code>{one.path}</code> of each <code>{one.rows}</code>
            </span>
            <button
              type="button"
              aria-label={`Choose another element for ${one.name}`}
              aria-pressed={one === column}
              disabled={isBusy}
              onClick={() => {
                ask(keyOf(one))
                onPointing(true)
              }}
            >
              Choose another element
            </button>
          </li>
        ))}
      </ul>
      {column !== null && (
        <>
          <p role="status">
            {pointed === null
              ? `Choose the ${column.name} of any row on the page.`
              : place === null
                ? `${called(pointed)} is in no list. Choose the ${column.name} of any row.`
                : `Chosen: ${called(pointed)}, at ${place.path} of each ${place.rows}.`}
          </p>
          <div class="row">
            {place !== null && (
              <button
                type="button"
                class="primary"
                disabled={isBusy}
                onClick={() => {
                  onPointing(false)
                  onSay(editing({ nodes: pointedAnew(graphIn(draft).nodes, node.id, column, place) }))
                }}
              >
                Use this one
              </button>
            )}
            <button type="button" onClick={() => onPointing(false)}>
              Keep where it points
            </button>
          </div>
        </>
      )}
    </section>
  )
}
