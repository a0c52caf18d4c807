/**
 * One-time codes generated from secrets, each for one login only.
 */

import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type * as Periodic from "../../runtime/Periodic.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Fingerprints } from "../keys/Fingerprints.ts"
import { VaultEntries } from "../VaultEntries.ts"
import { EntryNotFound, type VaultEntry } from "../VaultEntry.ts"
import * as Otp from "./Otp.ts"
import { TimeSteps } from "./TimeSteps.ts"

/** The minimum rest of a time step: with less, its code may arrive too late. */
const enoughMillis = 3_000

/** How long after its last step a secret is forgotten: longer than the clocks of processes ever differ. */
const keptMillis = 60 * 60_000

/** Raised when the secret of an entry was changed while a code was made from it. */
export class SecretChanged extends Schema.TaggedError<SecretChanged>()("SecretChanged", {}) {
  override get message() {
    return "Cannot generate a one-time code: the secret was changed at the same time; try again"
  }
}

/** A code, and for how many full seconds it is valid; `null` for one that is valid until it is used. */
export interface Shown {
  readonly code: Redacted.Redacted<string>
  readonly expiresInSeconds: number | null
}

export class GeneratedCodes extends Context.Service<
  GeneratedCodes,
  {
    /**
     * A code that was not given out before, as soon as it is valid; none if there is none until `latest`.
     *
     * A code of a time step comes with at least 3 seconds left of the step, or half the period where that is shorter;
     * entries with the same secret share its codes. A counter is kept before its code is given out.
     */
    readonly next: (
      entry: VaultEntry,
      otp: Otp.Otp,
      latest: number
    ) => Effect.Effect<Option.Option<Redacted.Redacted<string>>, EntryNotFound | SecretChanged | StoreUnavailable>

    /** The code at this instant, for a person to use: no login gets the same one afterwards. */
    readonly current: (
      entry: VaultEntry,
      otp: Otp.Otp
    ) => Effect.Effect<Shown, EntryNotFound | SecretChanged | StoreUnavailable>
  }
>()("sluice/core/vault/otp/GeneratedCodes") {
  static readonly layer = Layer.effect(
    GeneratedCodes,
    Effect.gen(function* () {
      const entries = yield* VaultEntries
      const fingerprints = yield* Fingerprints
      const steps = yield* TimeSteps

      const keyOf = (otp: Otp.TimeOtp) =>
        fingerprints.of("time steps", `${otp.periodSeconds} ${Redacted.value(otp.secret).hex}`)

      /** The code of the next counter, given out only once: the counter is stored before the code is generated. */
      const counted = Effect.fnUntraced(function* (entry: VaultEntry, otp: Otp.CounterOtp) {
        const after = yield* entries
          .change(entry.workspaceId, entry.id, (before) => {
            const hotpCounter = (before.hotpCounter ?? otp.counter) + 1
            return before.fields.tfa_secret === entry.fields.tfa_secret
              ? Result.succeed({ ...before, hotpCounter })
              : Result.fail(new SecretChanged())
          })
          .pipe(Effect.catchTag("KeyTaken", Effect.die))
        if (Option.isNone(after) || after.value.hotpCounter === null) return yield* new EntryNotFound(entry)
        return Otp.counted(otp, after.value.hotpCounter - 1)
      })

      const timed = Effect.fnUntraced(function* (otp: Otp.TimeOtp, latest: number) {
        const key = keyOf(otp)
        const period = otp.periodSeconds * 1_000
        const enough = Math.min(enoughMillis, period / 2)
        while (true) {
          const from = Math.floor(((yield* Clock.currentTimeMillis) + enough) / period)
          const reserved = yield* steps.reserve(key, { from, latest: Math.floor(latest / period) }, period)
          if (Option.isNone(reserved)) return Option.none<Redacted.Redacted<string>>()
          const begins = reserved.value * period
          yield* Effect.sleep(Math.max(begins - (yield* Clock.currentTimeMillis), 0))
          // Reserving may have taken so long that the step is all but over.
          if (begins + period - (yield* Clock.currentTimeMillis) >= enough) {
            return Option.some(Otp.timed(otp, begins).code)
          }
        }
      })

      return GeneratedCodes.of({
        next: Effect.fn("GeneratedCodes.next")(function* (entry, otp, latest) {
          if (otp._tag === "Totp") return yield* timed(otp, latest)
          // A re-encrypted secret is still the same secret, so compare with the stored one.
          const now = yield* entries.get(entry.workspaceId, entry.id)
          if (Option.isNone(now)) return yield* new EntryNotFound(entry)
          return Option.some(yield* counted(now.value, otp))
        }),
        current: Effect.fn("GeneratedCodes.current")(function* (entry, otp) {
          if (otp._tag === "Hotp") return { code: yield* counted(entry, otp), expiresInSeconds: null }
          const { code, expiresInSeconds, step } = Otp.timed(otp, yield* Clock.currentTimeMillis)
          yield* steps.mark(keyOf(otp), step, otp.periodSeconds * 1_000)
          return { code, expiresInSeconds }
        })
      })
    })
  )
}

/** Deletes the records of secrets whose time steps ended long ago. */
export const forgetting: Periodic.Job<TimeSteps> = {
  name: "forget used time steps",
  every: "10 minutes",
  round: Effect.gen(function* () {
    const steps = yield* TimeSteps
    yield* steps.forgetBefore((yield* Clock.currentTimeMillis) - keptMillis)
  })
}
