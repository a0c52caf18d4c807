/**
 * The source of one-time codes and links of a login, before a person is asked.
 */

import { Clock, Context, Effect, Layer, Option, Redacted, type Schema } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import * as StoreUnavailable from "../../runtime/StoreUnavailable.ts"
import * as Wake from "../../runtime/Wake.ts"
import * as Inbox from "../inbox/Inbox.ts"
import { type CodeQuery, ReceivedCodes } from "../inbox/ReceivedCodes.ts"
import * as UncertainLinks from "../inbox/UncertainLinks.ts"
import { Sealing } from "../keys/Sealing.ts"
import { Passkeys } from "../passkey/Passkeys.ts"
import * as SecretSites from "../site/SecretSites.ts"
import type { VaultEntry } from "../VaultEntry.ts"
import { GeneratedCodes } from "./GeneratedCodes.ts"

/** The channel by which a site sends a code or a link. */
export type Channel = "EMAIL" | "SMS" | "MAGIC_LINK"

/** The phone number that codes for a credential are sent to; `null` where its workspace has none. */
export const PhoneNumberOf = Context.Reference<
  (entry: VaultEntry) => Effect.Effect<string | null, StoreUnavailable.StoreUnavailable>
>("sluice/core/vault/otp/PhoneNumberOf", { defaultValue: () => () => Effect.succeed(null) })

/** The longest sleep, which bounds the effect of a lost signal. */
const longestSleep = 3_000

type Generated<A> =
  A extends Effect.Effect<infer Code, infer E, infer R>
    ? Effect.Effect<Code, Exclude<E, StoreUnavailable.StoreUnavailable>, R>
    : never

/** Waits where the store cannot be reached: the run that signs in holds a lease, and is ended when that runs out. */
export class LoginCodes extends Context.Service<
  LoginCodes,
  {
    /** The next code of a secret; nothing when none comes by `latest`. */
    readonly generated: (
      ...asked: Parameters<GeneratedCodes["Service"]["next"]>
    ) => Generated<ReturnType<GeneratedCodes["Service"]["next"]>>

    /** The passkey of an entry for one login, as `Passkeys` takes it. */
    readonly passkey: (
      ...asked: Parameters<Passkeys["Service"]["take"]>
    ) => Generated<ReturnType<Passkeys["Service"]["take"]>>

    /** Stores a passkey that a site has registered. */
    readonly keepPasskey: (
      ...asked: Parameters<Passkeys["Service"]["keep"]>
    ) => Generated<ReturnType<Passkeys["Service"]["keep"]>>

    /** The address or number that a site sends to; `null` where nothing of the kind is received here. */
    readonly addressOf: (entry: VaultEntry, channel: Channel) => Effect.Effect<string | null>

    /**
     * Takes what arrived last at an address since an instant, waiting for it until `latest`; nothing when nothing
     * arrived. Mails that the site of the entry, or one of its `allowed_origins`, vouches for are preferred to others.
     * Several are candidates for one, most likely first. Uncertain links are given only where they are asked
     * for, and passed over otherwise.
     */
    readonly received: (
      entry: VaultEntry,
      address: string,
      wanted: Omit<CodeQuery, "senders"> & { readonly uncertain?: boolean },
      latest: number
    ) => Effect.Effect<Option.Option<ReadonlyArray<Redacted.Redacted<string>>>>
  }
>()("sluice/core/vault/otp/LoginCodes") {
  static readonly layer = Layer.effect(
    LoginCodes,
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const generated = yield* GeneratedCodes
      const inboxDomain = yield* Inbox.InboxDomain
      const passkeys = yield* Passkeys
      const phoneNumberOf = yield* PhoneNumberOf
      const sealing = yield* Sealing
      const signals = yield* Signals

      return LoginCodes.of({
        generated: (...asked) => StoreUnavailable.waitUntilBack(generated.next(...asked)),
        passkey: (...asked) => StoreUnavailable.waitUntilBack(passkeys.take(...asked)),
        keepPasskey: (...asked) => StoreUnavailable.waitUntilBack(passkeys.keep(...asked)),
        addressOf: (entry, channel) =>
          channel === "SMS"
            ? StoreUnavailable.waitUntilBack(phoneNumberOf(entry))
            : Effect.succeed(inboxDomain === null ? null : Inbox.addressOf(entry.workspaceId, entry, inboxDomain)),
        received: Effect.fn("LoginCodes.received")(function* (
          entry,
          address,
          { kind, since, uncertain = false },
          latest
        ) {
          const arrivals = yield* Effect.provideService(
            Wake.onSignal((signal) => signal._tag === "received"),
            Signals,
            signals
          )
          while (true) {
            const now = yield* Clock.currentTimeMillis
            const fresh = Math.max(since, now - Inbox.freshMillis)
            const taken = yield* StoreUnavailable.waitUntilBack(
              codes.take(entry.workspaceId, address, { kind, since: fresh, senders: SecretSites.sitesOf(entry) })
            )
            if (Option.isSome(taken)) {
              const opened = yield* sealing
                .unseal(entry.workspaceId, taken.value.sealed)
                .pipe(StoreUnavailable.waitUntilBack, Effect.orDie)
              const value = Redacted.value(opened)
              if (!UncertainLinks.is(value)) return Option.some(candidates(value).map((one) => Redacted.make(one)))
              if (uncertain) return Option.some(value.uncertain.map((one) => Redacted.make(one)))
              continue
            }
            if (now >= latest) return Option.none()
            yield* arrivals.sleep(Math.min(latest - now, longestSleep))
          }
        }, Effect.scoped)
      })
    })
  ).pipe(Layer.provide([GeneratedCodes.layer, Passkeys.layer]))
}

/** The meaning of a sealed value that was received: a text, or several that it may be, most likely first. */
export const candidates = (value: Schema.Json): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.filter((one) => typeof one === "string")
    : value === null || typeof value === "object"
      ? []
      : [String(value)]
