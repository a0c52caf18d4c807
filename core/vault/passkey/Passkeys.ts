/**
 * The passkeys of vault entries: read for a login, and kept when a site has registered one.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Sealing } from "../keys/Sealing.ts"
import * as FormerSecrets from "../site/FormerSecrets.ts"
import { VaultEntries } from "../VaultEntries.ts"
import { EntryNotFound, type VaultEntry } from "../VaultEntry.ts"
import * as Passkey from "./Passkey.ts"

/** Raised where the passkey of an entry cannot be read. It repeats no secret. */
export class PasskeyUnreadable extends Schema.TaggedError<PasskeyUnreadable>()("PasskeyUnreadable", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use the passkey of the credential: ${this.reason}`
  }
}

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /**
     * The passkey of an entry as it is now, for one login: its sign count is kept as used before it is answered, so that
     * no two logins sign with the same. `null` where the entry has none.
     */
    readonly take: (
      entry: VaultEntry
    ) => Effect.Effect<Passkey.Passkey | null, EntryNotFound | PasskeyUnreadable | StoreUnavailable>

    /** Keeps a passkey, sealed, in place of the one that the entry has. */
    readonly keep: (
      entry: VaultEntry,
      passkey: Passkey.Passkey
    ) => Effect.Effect<void, EntryNotFound | StoreUnavailable>
  }
>()("sluice/core/vault/passkey/Passkeys") {
  static readonly layer = Layer.effect(
    Passkeys,
    Effect.gen(function* () {
      const entries = yield* VaultEntries
      const former = yield* FormerSecrets.make()
      const sealing = yield* Sealing

      return Passkeys.of({
        take: Effect.fn("Passkeys.take")(function* ({ id, workspaceId, ...pair }) {
          const found = yield* entries.get(workspaceId, id)
          if (Option.isNone(found)) return yield* new EntryNotFound(pair)
          const sealed = found.value.fields.passkey
          if (sealed === null) return null
          const opened = yield* sealing
            .unseal(workspaceId, sealed)
            .pipe(Effect.catchTag("CannotUnseal", ({ message }) => new PasskeyUnreadable({ reason: message })))
          const passkey = Passkey.parse(Redacted.make(String(Redacted.value(opened))))
          if (Result.isFailure(passkey)) return yield* new PasskeyUnreadable({ reason: passkey.failure.message })
          const { signCount } = passkey.success
          const after = yield* entries
            .change(workspaceId, id, (before) =>
              Result.succeed({ ...before, passkeyCount: Math.max(before.passkeyCount ?? 0, signCount) + 1 })
            )
            .pipe(Effect.catchTag("KeyTaken", Effect.die))
          if (Option.isNone(after)) return yield* new EntryNotFound(pair)
          return { ...passkey.success, signCount: (after.value.passkeyCount ?? 1) - 1 }
        }),

        keep: Effect.fn("Passkeys.keep")(function* ({ id, workspaceId, ...pair }, passkey) {
          const sealed = yield* sealing.seal(workspaceId, Passkey.write(passkey))
          const found = yield* entries.get(workspaceId, id)
          if (Option.isNone(found)) return yield* new EntryNotFound(pair)
          yield* former.remember(found.value, { ...found.value.fields, passkey: sealed })
          const now = yield* Clock.currentTimeMillis
          const after = yield* entries
            .change(workspaceId, id, (before) =>
              Result.succeed({
                ...before,
                updatedAt: now,
                passkeyCount: passkey.signCount,
                fields: { ...before.fields, passkey: sealed }
              })
            )
            .pipe(Effect.catchTag("KeyTaken", Effect.die))
          if (Option.isNone(after)) return yield* new EntryNotFound(pair)
        })
      })
    })
  )
}
