/** The table of wrapped keys. */
import { Schema } from "effect"
import type { Owner, WrappedKey } from "../../../core/vault/keys/WrappedKeys.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

const OwnerText: Schema.Codec<Owner, string> = Schema.Union([Schema.Literal("installation"), WorkspaceId])

const column = Table.of<WrappedKey>()

export const table = Table.make(
  "wrapped_keys",
  {
    owner: column(Table.textOf(OwnerText), ({ owner }) => owner),
    workspace_id: column(Table.nullable(Table.uuid<WorkspaceId>()), ({ owner }) =>
      owner === "installation" ? null : owner
    ),
    version: column(Table.integer, ({ version }) => version),
    wrapped: column(Table.text, ({ wrapped }) => wrapped),
    // Every key is under a master key, though the column allows for none.
    master_key: { ...column(Table.textOf(Schema.String), ({ under }) => under), isNullable: true },
    created_at: column(Table.instant, ({ createdAt }) => createdAt),
    retired_at: column(Table.nullable(Table.instant), ({ retiredAt }) => retiredAt)
  },
  ["owner", "version"]
)

export type Row = Table.Row<typeof table.columns>

export const toKey = (row: Row): WrappedKey => {
  const { created_at, master_key, owner, retired_at, version, wrapped } = table.decode(row)
  return { owner, version, wrapped, under: master_key, createdAt: created_at, retiredAt: retired_at }
}
