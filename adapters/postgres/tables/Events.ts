/** The table of the events of runs. */
import { type LoggedEvent, RunEvent } from "../../../core/event/RunEvent.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

/** An event that is appended to the log of a run. */
export interface Appended {
  readonly runId: RunId
  readonly at: number
  readonly event: RunEvent
}

const column = Table.of<Appended>()

export const table = Table.make(
  "run_events",
  {
    run_id: column(Table.uuid<string>(), ({ runId }) => runId),
    at: column(Table.instant, ({ at }) => at),
    event: column(Table.text, ({ event }) => event.event),
    payload: column(Table.json(Table.anyJson), ({ event }) => event.payload),
    expires_at: column(Table.optional(Table.instant), ({ event }) =>
      "expires_at" in event ? event.expires_at : undefined
    )
  },
  ["run_id", "sequence"]
)

/** The columns of an event, with its place in the log. */
export type Row = Table.Row<typeof table.columns> & { readonly sequence: bigint }

const readEvent = Table.reading(RunEvent)

export const toLogged = (row: Row): LoggedEvent => {
  const { at, event, expires_at, payload, run_id } = table.decode(row)
  const stored = { event, payload, ...(expires_at === undefined ? {} : { expires_at }) }
  return {
    sequence: Number(row.sequence),
    runId: run_id,
    at,
    event: Table.placed(table, row, "payload", () => readEvent(stored))
  }
}
