/** Changes of collections that are recorded in the audit trail. */
import { Effect, Option, type Result } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Collection, CollectionRecord, KeyTaken } from "../Collection.ts"
import type { Audit, Author, Draft } from "./Audit.ts"

/** Changes one member of a collection by a pure decision, and records its states before and after. */
export const change = <A extends CollectionRecord, E>(
  audit: Audit["Service"],
  author: Author,
  collection: Collection<A>,
  id: string,
  decide: (before: A) => Result.Result<A, E>,
  describe: (before: A, after: A) => Draft
): Effect.Effect<Option.Option<A>, E | KeyTaken | StoreUnavailable> =>
  Effect.suspend(() => {
    let former: A | undefined
    const changed = collection.change(author.workspaceId, id, (before) => {
      former = before
      return decide(before)
    })
    return audit.recording(author, changed, (after) =>
      former === undefined || Option.isNone(after) ? [] : [describe(former, after.value)]
    )
  })

/** Removes one member of a collection, and records its last state. */
export const remove = <A extends CollectionRecord>(
  audit: Audit["Service"],
  author: Author,
  collection: Collection<A>,
  id: string,
  describe: (before: A) => Draft
): Effect.Effect<Option.Option<A>, StoreUnavailable> =>
  audit.recording(author, collection.remove(author.workspaceId, id), (removed) =>
    Option.isNone(removed) ? [] : [describe(removed.value)]
  )
