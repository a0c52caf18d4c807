/**
 * The secrets that credentials of a workspace have had and have no more, each with the sites that it was for.
 *
 * Callers are answered sealed secrets, and a sealed secret does not say its site. Without this memory, one who may remove or
 * change a credential could store its former secret for another site. A sealed value is known by its mark.
 */
import { Context, Effect, Option, Result, Schema } from "effect"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { markOf } from "../keys/Sealing.ts"
import { type Fields, sealedNames, type VaultEntry } from "../VaultEntry.ts"

export const FormerSecret = Schema.Struct({
  id: Schema.String,
  mark: Schema.String,
  /** The domains of the credentials that had it. */
  domains: Schema.Array(Schema.String)
})
export type FormerSecret = typeof FormerSecret.Type

export class FormerSecrets extends Context.Service<FormerSecrets, Collection<FormerSecret>>()(
  "sluice/core/vault/site/FormerSecrets"
) {}

export const kind: Kind<FormerSecret> = {
  name: "former_secrets",
  schema: FormerSecret,
  key: ({ mark }) => mark
}

/** The maximum number of secrets that a workspace remembers. None is ever forgotten for another. */
export const maxSecrets = 100_000

/** The maximum number of sites that are remembered of one secret. */
const maxDomains = 50

/** The memory. `most` is the maximum number of secrets of a workspace. */
export const make = Effect.fnUntraced(function* (most: number = maxSecrets) {
  const secrets = yield* FormerSecrets
  const identifiers = yield* Identifiers

  const isFull = (workspaceId: WorkspaceId) => Effect.map(secrets.left(workspaceId, null), (kept) => kept >= most)

  const keep = Effect.fnUntraced(function* (workspaceId: WorkspaceId, mark: string, domain: string) {
    const found = yield* secrets.find(workspaceId, mark)
    if (Option.isNone(found)) {
      if (yield* isFull(workspaceId)) return
      const id = yield* identifiers.uuid
      const kept = yield* Effect.result(secrets.insert(workspaceId, { id, mark, domains: [domain] }))
      if (Result.isSuccess(kept)) return
      if (kept.failure._tag === "StoreUnavailable") return yield* kept.failure
    }
    // One that was kept at the same time has another id.
    const present = Option.isSome(found) ? found : yield* secrets.find(workspaceId, mark)
    if (Option.isNone(present) || present.value.domains.includes(domain)) return
    yield* secrets
      .change(workspaceId, present.value.id, (before) =>
        Result.succeed({ ...before, domains: [...new Set([...before.domains, domain])].slice(0, maxDomains) })
      )
      .pipe(Effect.catchTag("KeyTaken", Effect.die))
  })

  return {
    isFull,

    /** Remembers the secrets of an entry that it has no more with the fields `after`: all where it is removed. */
    remember: Effect.fnUntraced(function* (before: VaultEntry, after: Fields | null) {
      for (const sealed of secretsOf(before.fields)) {
        const mark = markOf(sealed)
        if (after === null || !secretsOf(after).some((one) => markOf(one) === mark))
          yield* keep(before.workspaceId, mark, before.domain)
      }
    }),

    /** The domains that a former secret was for; empty for one that is not known. */
    domainsOf: (workspaceId: WorkspaceId, sealed: string) =>
      Effect.map(
        secrets.find(workspaceId, markOf(sealed)),
        Option.match({ onNone: (): ReadonlyArray<string> => [], onSome: ({ domains }) => domains })
      )
  }
})

/** The sealed secrets of a credential. A user name is none: it is often the same on several sites. */
export const secretsOf = (fields: Fields): ReadonlyArray<string> =>
  sealedNames(fields).flatMap((name) => {
    const sealed = name === "user_name" ? null : fields[name]
    return sealed === null ? [] : [sealed]
  })
