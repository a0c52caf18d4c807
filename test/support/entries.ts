/** A vault entry of which nothing is said but what a test says. */
import { randomUUID } from "node:crypto"
import { unset } from "../../core/vault/EntryRules.ts"
import type { Fields, VaultEntry } from "../../core/vault/VaultEntry.ts"
import { UserId, WorkspaceId } from "../../core/workspace/Ids.ts"

export const entryOf = (fields: Partial<Fields> = {}, more: Partial<Omit<VaultEntry, "fields">> = {}): VaultEntry => ({
  id: randomUUID(),
  workspaceId: WorkspaceId.make(randomUUID()),
  permissionedUserId: "robot",
  domain: "https://app.example.com",
  createdBy: UserId.make(randomUUID()),
  createdAt: 0,
  updatedAt: 0,
  sessionDataSetAt: null,
  lastUsedAt: null,
  hotpCounter: null,
  ...more,
  fields: { ...unset, ...fields }
})
