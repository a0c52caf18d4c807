/** The table of alerts. */
import { Alert, AlertStatus } from "../../../core/event/alert/Alert.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

interface Changed {
  readonly alert: Alert
  readonly turn: number
}

const column = Table.of<Changed>()

const changing = {
  status: column(Table.textOf(AlertStatus), ({ alert }) => alert.status),
  due_at: column(Table.nullable(Table.instant), ({ alert }) => alert.nextAttemptAt),
  settled_at: column(Table.nullable(Table.instant), ({ alert }) => alert.settledAt),
  turn: column(Table.integer, ({ turn }) => turn),
  body: column(Table.encoded(Alert), ({ alert }) => alert)
}

export const changes = Table.make("alerts", changing, [])

export const table = Table.make(
  "alerts",
  {
    id: column(Table.uuid<string>(), ({ alert }) => alert.id),
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ alert }) => alert.workspaceId),
    receiver_id: column(Table.uuid<string>(), ({ alert }) => alert.receiverId),
    cause: column(Table.text, ({ alert }) => alert.cause),
    ...changing
  },
  ["id"]
)

export type Row = Table.Row<typeof table.columns> & { readonly position: bigint }

export const toAlert = (row: Row): Alert => table.decode(row).body
