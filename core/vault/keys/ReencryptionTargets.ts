/**
 * The stores of sealed values. Each store that seals with the keys of workspaces registers here, so that its values are
 * re-encrypted when a workspace rotates its key.
 */
import { Context, Effect, Result } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Collection, CollectionRecord } from "../../workspace/Collection.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { SecretProviders } from "../providers/SecretProviders.ts"
import { VaultEntries } from "../VaultEntries.ts"
import { browserStateNames, sealedNames, type VaultEntry } from "../VaultEntry.ts"

/** One thing that holds sealed values. */
export interface Holder {
  readonly id: string
  readonly sealed: ReadonlyArray<string>
}

export interface Target {
  readonly name: string
  /**
   * Up to `limit` holders of a workspace after a position in some fixed order (`null`: from the first), and the
   * position to continue from; `null` when these were the last.
   */
  readonly page: (
    workspaceId: WorkspaceId,
    after: string | null,
    limit: number
  ) => Effect.Effect<{ readonly holders: ReadonlyArray<Holder>; readonly next: string | null }, StoreUnavailable>
  /** How many holders there are after a position. */
  readonly left: (workspaceId: WorkspaceId, after: string | null) => Effect.Effect<number, StoreUnavailable>
  /** Replaces those of the values that the holder still has. Everything else of the holder is unchanged. */
  readonly replace: (
    workspaceId: WorkspaceId,
    id: string,
    renewed: ReadonlyMap<string, string>
  ) => Effect.Effect<void, StoreUnavailable>
}

/**
 * The places that the vault does not know: the collections of rooms above it, and the columns of a store that hold one
 * sealed value each. An adapter of stores lists all that it keeps.
 */
export class SealedColumns extends Context.Service<SealedColumns, ReadonlyArray<Target>>()(
  "sluice/core/vault/keys/SealedColumns"
) {}

/** A collection as a place. `exchange` answers a value with each sealed one in it exchanged. */
export const ofCollection = <A extends CollectionRecord>(
  name: string,
  collection: Collection<A>,
  exchange: (value: A, renew: (sealed: string) => string) => A
): Target => ({
  name,
  page: (workspaceId, after, limit) =>
    Effect.map(collection.page(workspaceId, after, limit), ({ next, values }) => ({
      next,
      holders: values.map((value) => {
        const sealed: Array<string> = []
        exchange(value, (one) => {
          sealed.push(one)
          return one
        })
        return { id: value.id, sealed }
      })
    })),
  left: collection.left,
  replace: (workspaceId, id, renewed) =>
    collection
      .change(workspaceId, id, (before) => Result.succeed(exchange(before, (one) => renewed.get(one) ?? one)))
      .pipe(Effect.catchTag("KeyTaken", Effect.die), Effect.asVoid)
})

/** All places, in the order in which they are gone through. */
export const all = Effect.gen(function* () {
  return [
    ofCollection("vault entries", yield* VaultEntries, exchangeEntry),
    ofCollection("secret providers", yield* SecretProviders, (provider, renew) => ({
      ...provider,
      sealedAccess: renew(provider.sealedAccess)
    })),
    ...(yield* SealedColumns)
  ]
})

const exchangeEntry = (entry: VaultEntry, renew: (sealed: string) => string): VaultEntry => ({
  ...entry,
  fields: {
    ...entry.fields,
    ...Object.fromEntries(
      [...sealedNames(entry.fields), ...browserStateNames].flatMap((name) => {
        const sealed = entry.fields[name]
        return sealed === null ? [] : [[name, renew(sealed)]]
      })
    )
  }
})
