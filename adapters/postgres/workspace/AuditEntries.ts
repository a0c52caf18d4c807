/** The table of the audit trails. */
import { type Author, Details, type Draft, detailsOf, type Entry } from "../../../core/workspace/audit/Audit.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "../tables/Table.ts"

interface New {
  readonly author: Author
  readonly at: number
  readonly draft: Draft
}

const column = Table.of<New>()
const user = Table.nullable(Table.uuid<string>())

export const table = Table.make(
  "audit_entries",
  {
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ author }) => author.workspaceId),
    at: column(Table.instant, ({ at }) => at),
    action: column(Table.text, ({ draft }) => draft.action),
    resource_id: column(Table.nullable(Table.text), ({ draft }) => draft.resourceId),
    user_id: column(user, ({ author }) => author.userId ?? null),
    key_id: column(user, ({ author }) => author.keyId ?? null),
    body: column(Table.json(Details), ({ draft }) => detailsOf(draft))
  },
  ["workspace_id", "at"]
)

export type Row = Table.Row<typeof table.columns> & { readonly position: bigint }

export const toEntry = (row: Row): Entry => {
  const stored = table.decode(row)
  return {
    position: Number(row.position),
    workspaceId: stored.workspace_id,
    at: stored.at,
    action: stored.action,
    resourceId: stored.resource_id,
    userId: stored.user_id,
    keyId: stored.key_id,
    ...stored.body
  }
}
