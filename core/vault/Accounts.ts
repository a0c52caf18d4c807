/**
 * Opens the credentials of runs.
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { type Account, AccountUnavailable, type LoginSecrets } from "./Account.ts"
import { Sealing } from "./Sealing.ts"
import { locate, VaultEntries } from "./VaultEntries.ts"
import type { Pair, VaultEntry } from "./VaultEntry.ts"

export class Accounts extends Context.Service<
  Accounts,
  {
    /** The credential of a pair under an alias. No secret is read by this. */
    readonly open: (
      workspaceId: WorkspaceId,
      pair: Pair & { readonly alias: string }
    ) => Effect.Effect<Account, AccountUnavailable>
  }
>()("sluice/core/vault/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
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
        open: Effect.fn("Accounts.open")(function* (workspaceId, { alias, domain, permissionedUserId }) {
          const unavailable = (reason: string) => new AccountUnavailable({ alias, domain, permissionedUserId, reason })
          const found = yield* locate(entries, workspaceId, { domain, permissionedUserId })
          if (Option.isNone(found))
            return yield* unavailable("there is no such credential in the vault of this workspace")
          const secrets = sealedSecrets(found.value).pipe(Effect.mapError(({ message }) => unavailable(message)))
          return { alias, entry: found.value, secrets: yield* Effect.cached(secrets) }
        })
      })
    })
  )
}

/** A credential is a text or a number, as some clients send one. */
const textOf = (value: Redacted.Redacted<unknown>): Redacted.Redacted<string> | null => {
  const plain = Redacted.value(value)
  return plain === null || plain === "" ? null : Redacted.make(String(plain))
}
