/**
 * Opens the credentials of runs.
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import { type Account, AccountUnavailable, type LoginSecrets } from "./Account.ts"
import { Sealing } from "./keys/Sealing.ts"
import { BoundSecrets } from "./providers/BoundSecrets.ts"
import { locate, VaultEntries } from "./VaultEntries.ts"
import type { Pair, VaultEntry } from "./VaultEntry.ts"

export class Accounts extends Context.Service<
  Accounts,
  {
    /**
     * The credential of a pair under an alias. Reads no secret, neither from the vault nor from the secret provider of the
     * entry.
     */
    readonly open: (
      workspaceId: WorkspaceId,
      pair: Pair & { readonly alias: string }
    ) => Effect.Effect<Account, AccountUnavailable | StoreUnavailable>

    /** Drops the cached secrets of a credential, so that the next run reads its secret provider again. */
    readonly forget: (entry: VaultEntry) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/vault/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const bound = yield* BoundSecrets
      const entries = yield* VaultEntries
      const sealing = yield* Sealing

      const sealedSecrets = Effect.fnUntraced(function* ({ fields, workspaceId }: VaultEntry) {
        const cipher = yield* sealing.cipher(workspaceId)
        const opened = (sealed: string | null) =>
          sealed === null ? Effect.succeed(null) : Effect.map(cipher.unseal(sealed), textOf)
        return {
          userName: yield* opened(fields.user_name),
          password: yield* opened(fields.password),
          tfaSecret: yield* opened(fields.tfa_secret)
        } satisfies LoginSecrets
      })

      return Accounts.of({
        forget: Effect.fn("Accounts.forget")((entry) =>
          entry.fields.secret_provider_id === null ? Effect.void : bound.forget(entry)
        ),
        open: Effect.fn("Accounts.open")(function* (workspaceId, { alias, domain, permissionedUserId }) {
          const unavailable = (reason: string) => new AccountUnavailable({ alias, domain, permissionedUserId, reason })
          const found = yield* locate(entries, workspaceId, { domain, permissionedUserId })
          if (Option.isNone(found))
            return yield* unavailable("there is no such credential in the vault of this workspace")
          const entry = found.value
          if (entry.fields.secret_provider_id === null) {
            const secrets = sealedSecrets(entry).pipe(Effect.mapError(({ message }) => unavailable(message)))
            return { alias, entry, secrets: yield* Effect.cached(secrets) }
          }
          return {
            alias,
            entry,
            secrets: yield* Effect.cached(
              bound.of(entry).pipe(
                Effect.map(loginOf),
                Effect.mapError(({ message }) => unavailable(message))
              )
            ),
            providedCode: bound.fresh(entry).pipe(
              Effect.map(({ oneTimeCode }) => oneTimeCode),
              Effect.mapError(({ message }) => unavailable(message))
            )
          }
        })
      })
    })
  ).pipe(Layer.provide(BoundSecrets.layer))
}

const loginOf = ({ password, tfaSecret, userName }: LoginSecrets): LoginSecrets => ({ userName, password, tfaSecret })

/** A credential is a text or a number, as some clients send one. */
const textOf = (value: Redacted.Redacted<unknown>): Redacted.Redacted<string> | null => {
  const plain = Redacted.value(value)
  return plain === null || plain === "" ? null : Redacted.make(String(plain))
}
