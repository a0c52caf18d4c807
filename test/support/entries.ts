/** A vault entry with the given fields and defaults for the others. */
import { randomUUID } from "node:crypto"
import type { Fields, VaultEntry } from "../../core/vault/VaultEntry.ts"
import { UserId, WorkspaceId } from "../../core/workspace/Ids.ts"
import { vaultEntry } from "../kit/contracts/Fixtures.ts"

export const entryOf = (fields: Partial<Fields> = {}, more: Partial<Omit<VaultEntry, "fields">> = {}): VaultEntry => {
  const caller = { workspaceId: WorkspaceId.make(randomUUID()), userId: UserId.make(randomUUID()) }
  return vaultEntry(caller, fields, { id: randomUUID(), ...more })
}
