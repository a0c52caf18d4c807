/** The table of deliveries of files. */
import { FileDelivery, FileDeliveryStatus } from "../../../core/run/delivery/FileDelivery.ts"
import type { RunId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

interface Changed {
  readonly delivery: FileDelivery
  readonly turn: number
}

const column = Table.of<Changed>()

const changing = {
  status: column(Table.textOf(FileDeliveryStatus), ({ delivery }) => delivery.status),
  due_at: column(Table.nullable(Table.instant), ({ delivery }) => delivery.nextAttemptAt),
  turn: column(Table.integer, ({ turn }) => turn),
  body: column(Table.encoded(FileDelivery), ({ delivery }) => delivery)
}

export const changes = Table.make("file_deliveries", changing, [])

export const table = Table.make(
  "file_deliveries",
  {
    id: column(Table.uuid<string>(), ({ delivery }) => delivery.id),
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ delivery }) => delivery.workspaceId),
    run_id: column(Table.uuid<RunId>(), ({ delivery }) => delivery.runId),
    file_id: column(Table.uuid<string>(), ({ delivery }) => delivery.file.id),
    ...changing
  },
  ["id"]
)

export type Row = Table.Row<typeof table.columns> & { readonly position: bigint }

export const toDelivery = (row: Row): FileDelivery => table.decode(row).body
