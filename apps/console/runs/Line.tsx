/** A row of the list of runs, and the head of the list. */
import { shortId } from "../data/Workflows.ts"
import { to } from "../kit/Route.ts"
import { Ago, Status } from "../kit/Status.tsx"
import { duration } from "../kit/Times.ts"
import { type Row, tookMillis, whyOf } from "./RunsModel.ts"

export const Line = ({
  isGone,
  isSelected,
  onSelect,
  present,
  row
}: {
  readonly row: Row
  readonly present: number
  /** Whether it no longer matches the filters. */
  readonly isGone: boolean
  /** `null` for a user who may not change runs. */
  readonly isSelected: boolean | null
  readonly onSelect: (isRange: boolean) => void
}) => {
  const took = tookMillis(row, present)
  const why = whyOf(row)
  return (
    <>
      <span role="cell" class="c-check">
        {isSelected !== null && (
          <input
            type="checkbox"
            aria-label={`Select run ${shortId(row.session_id)}`}
            checked={isSelected}
            onClick={(event) => onSelect(event.shiftKey)}
          />
        )}
      </span>
      <span role="cell" class="c-status">
        {isGone ? <span class="quiet">No longer matches</span> : <Status status={row.status} />}
      </span>
      <span role="cell" class="c-name">
        <a href={to(["runs", row.session_id])} title={row.workflow_name}>
          {row.workflow_name}
        </a>
        {row.dry_run && <span class="tag">dry run</span>}
        {row.warning_count > 0 && (
          <span class="tag warned">{row.warning_count === 1 ? "1 warning" : `${row.warning_count} warnings`}</span>
        )}
        {row.priority !== 0 && <span class="tag">priority {row.priority}</span>}
        {row.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </span>
      <span role="cell" class="c-why" title={why}>
        {why}
      </span>
      <span role="cell" class="c-id mono">
        {shortId(row.session_id)}
      </span>
      <span role="cell" class="c-time">
        <Ago at={row.created_at} />
      </span>
      <span role="cell" class="c-took">
        {took === null ? <span class="quiet">–</span> : duration(took)}
      </span>
    </>
  )
}

export const Head = ({
  isSelected,
  onSelect
}: {
  readonly isSelected: boolean | null
  readonly onSelect: (isSelected: boolean) => void
}) => (
  <div role="rowgroup" class="list-head">
    <div role="row" aria-rowindex={1}>
      <span role="columnheader" class="c-check">
        {isSelected !== null && (
          <input
            type="checkbox"
            aria-label="Select all runs in the list"
            checked={isSelected}
            onClick={({ currentTarget }) => onSelect(currentTarget.checked)}
          />
        )}
      </span>
      <span role="columnheader" class="c-status">
        State
      </span>
      <span role="columnheader" class="c-name">
        Workflow
      </span>
      <span role="columnheader" class="c-why">
        Why
      </span>
      <span role="columnheader" class="c-id">
        Run
      </span>
      <span role="columnheader" class="c-time">
        Submitted
      </span>
      <span role="columnheader" class="c-took">
        Took
      </span>
    </div>
  </div>
)
