/** The vault entries of a workspace, by their pairs. */
import { Context, Effect, Option } from "effect"
import type { Collection, Kind } from "../workspace/Collection.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import * as Domain from "./site/Domain.ts"
import { type Pair, VaultEntry } from "./VaultEntry.ts"

export class VaultEntries extends Context.Service<VaultEntries, Collection<VaultEntry>>()(
  "sluice/core/vault/VaultEntries"
) {}

/** The key of an entry: its pair, as it was written. */
export const keyOf = ({ domain, permissionedUserId }: Pair): string => JSON.stringify([permissionedUserId, domain])

export const kind: Kind<VaultEntry> = { name: "vault_entries", schema: VaultEntry, key: keyOf }

/**
 * The entry of a pair: the one with exactly that domain, or otherwise the first of the user whose domain has the same
 * host and port.
 */
export const locate = (entries: Collection<VaultEntry>, workspaceId: WorkspaceId, pair: Pair) =>
  Effect.gen(function* () {
    const exact = yield* entries.find(workspaceId, keyOf(pair))
    if (Option.isSome(exact)) return exact
    const all = yield* entries.list(workspaceId)
    return Option.fromUndefinedOr(
      all.find(
        (entry) => entry.permissionedUserId === pair.permissionedUserId && Domain.matches(entry.domain, pair.domain)
      )
    )
  })
