/**
 * Which time steps of secrets were used. A site takes the code of a step once, so no two logins may use the same one,
 * whichever processes they are in.
 */

import { Context, type Effect, type Option } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"

/** A secret is known by a fingerprint that does not reveal it, and a step by its number since the epoch. */
export class TimeSteps extends Context.Service<
  TimeSteps,
  {
    /**
     * Takes the first step after all that were used, and not before `from`; nothing when that is after `latest`. Of
     * several who ask at once each gets another one. `periodMillis` is how long a step is.
     */
    readonly reserve: (
      key: string,
      range: { readonly from: number; readonly latest: number },
      periodMillis: number
    ) => Effect.Effect<Option.Option<number>, StoreUnavailable>

    /** Records that the code of a step was given out to a person. */
    readonly mark: (key: string, step: number, periodMillis: number) => Effect.Effect<void, StoreUnavailable>

    /** Forgets the secrets whose last used step was over before an instant, and returns how many there were. */
    readonly forgetBefore: (at: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/vault/otp/TimeSteps") {}
