/** The table of the events of runs. */
import { bounded } from "../../../core/event/EventBounds.ts"
import { expiryOf, type LoggedEvent, RunEvent } from "../../../core/event/RunEvent.ts"
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
    /** The facts of the event within its bounds, apart from its kind and its expiry. */
    payload: column(Table.json(Table.jsonObject), (appended) => {
      const { event, ...facts } = bounded(appended.event)
      const { expiresAt, ...rest } = { expiresAt: undefined, ...facts }
      return rest
    }),
    expires_at: column(Table.nullable(Table.instant), ({ event }) => expiryOf(event))
  },
  ["run_id", "sequence"]
)

/** The columns of an event, with its place in the log. */
export type Row = Table.Row<typeof table.columns> & { readonly sequence: bigint }

const readEvent = Table.reading(RunEvent)

export const toLogged = (row: Row): LoggedEvent => {
  const { at, event, expires_at, payload, run_id } = table.decode(row)
  const stored = { ...payload, event, ...(expires_at === null ? {} : { expiresAt: expires_at }) }
  return {
    sequence: Number(row.sequence),
    runId: run_id,
    at,
    event: Table.placed(table, row, "payload", () => readEvent(stored))
  }
}
