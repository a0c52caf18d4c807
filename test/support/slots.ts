/**
 * Entries of the vault and runs that name them, for tests of who may start when.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Credential } from "../../core/run/Credentials.ts"
import { unset } from "../../core/vault/EntryRules.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { Fields, VaultEntry } from "../../core/vault/VaultEntry.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"

export const site = "https://app.example.com"

export const entryOf = (
  caller: Caller,
  permissionedUserId: string,
  given: Partial<Fields> = {},
  domain = site
): VaultEntry => ({
  id: randomUUID(),
  workspaceId: caller.workspaceId,
  permissionedUserId,
  domain,
  createdBy: caller.userId,
  createdAt: 0,
  updatedAt: 0,
  sessionDataSetAt: null,
  lastUsedAt: null,
  hotpCounter: null,
  fields: { ...unset, ...given }
})

/** Keeps an entry of a user. */
export const makeEntry = Effect.fn(function* (
  caller: Caller,
  permissionedUserId: string,
  given: Partial<Fields> = {},
  domain = site
) {
  const entry = entryOf(caller, permissionedUserId, given, domain)
  yield* (yield* VaultEntries).insert(caller.workspaceId, entry)
  return entry
})

/** What a run names under an alias: one user, or a pool. */
export const naming = (
  permissionedUserIds: string | ReadonlyArray<string>,
  alias = "USER",
  domain = site
): Credential => ({
  alias,
  permissionedUserIds: typeof permissionedUserIds === "string" ? [permissionedUserIds] : permissionedUserIds,
  domain
})
