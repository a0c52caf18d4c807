import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { AccountUnavailable } from "../../../core/vault/Account.ts"
import * as accounts from "../../support/accounts.ts"
import { eventually } from "../../support/eventually.ts"
import { codeAt, failureOf, home, pages, person, run, secret, services, tfa, welcome } from "../../support/logins.ts"

/** A secret provider that keeps the secret to itself: a code for each period of 30 seconds, and how often it was asked. */
const provider = (periodMillis: number | null = 30_000) => {
  const seen = { asked: 0 }
  const codeOf = (at: number) =>
    String(100_000 + (periodMillis === null ? 0 : Math.floor(at / periodMillis) % 900_000)).padStart(6, "0")
  const providedCode = Effect.map(Clock.currentTimeMillis, (now) => {
    seen.asked++
    return Redacted.make(codeOf(now))
  })
  return { seen, codeOf, providedCode }
}

describe("a code that only a secret provider can make", () => {
  const step = tfa({ tfa_type: "AUTHENTICATOR" })

  it.effect("is asked for when it is needed, and is in no report", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000_020_000)
      const { codeOf, providedCode, seen } = provider()
      const code = codeOf(1_000_000_020_000)
      const shown = { ...pages([code]), [home]: [{ selector: "//h1", text: `Code ${code}` }] }
      const { asked, person: someone } = person([])
      const { outcome } = yield* eventually(run(step, [code], { providedCode, person: someone, pages: shown }))
      assert.deepEqual(outcome, { _tag: "Success", data: { title: "Code [secret]" } })
      assert.strictEqual(seen.asked, 1)
      assert.lengthOf(asked, 0)
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("is waited out when the site refuses it, and no longer than a period and a little", () =>
    Effect.gen(function* () {
      const begins = 1_000_000_020_000
      yield* TestClock.setTime(begins)
      const { codeOf, providedCode } = provider()
      const second = yield* eventually(run(step, [codeOf(begins + 30_000)], { providedCode }))
      assert.deepEqual(second.outcome, welcome)
      assert.isAtLeast(yield* Clock.currentTimeMillis, begins + 30_000)

      const at = yield* Clock.currentTimeMillis
      const never = failureOf((yield* eventually(run(step, [], provider(null)))).outcome)
      assert.deepInclude(never, { code: "TFA-E0001", category: "AUTHENTICATION_ERROR" })
      assert.include(never.original, "made no other code within 35 s")
      assert.isBelow((yield* Clock.currentTimeMillis) - at, 40_000)
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("leaves it to a person where the provider makes none, and fails the run where it cannot be asked", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = person([{ code: "123456" }])
      const none = yield* eventually(run(step, ["123456"], { providedCode: Effect.succeed(null), person: someone }))
      assert.deepEqual(none.outcome, welcome)
      assert.lengthOf(asked, 1)
      const { domain, permissionedUserId } = accounts.entry
      const reason = "the store does not answer"
      const gone = new AccountUnavailable({ alias: "BANK", domain, permissionedUserId, reason })
      const { outcome } = yield* eventually(run(step, [], { providedCode: Effect.fail(gone), person: someone }))
      assert.deepInclude(failureOf(outcome), { code: "CREDENTIAL-E0001", original: reason })
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("is not made from a provider's counter-based secret, as nothing keeps its counter", () =>
    Effect.gen(function* () {
      const tfaSecret = `otpauth://hotp/Bank:robot?secret=${secret}&counter=0&digits=6`
      const { outcome } = yield* eventually(run(step, ["755224"], { tfaSecret, providedCode: Effect.succeed(null) }))
      const failure = failureOf(outcome)
      assert.deepInclude(failure, { code: "TFA-E0003", category: "AUTHENTICATION_ERROR" })
      assert.include(failure.message, "a secret provider cannot store its counter. Expected a time-based one")
      const timed = yield* eventually(
        run(step, [codeAt(yield* Clock.currentTimeMillis)], {
          tfaSecret: secret,
          providedCode: Effect.die("The secret itself is known")
        })
      )
      assert.deepEqual(timed.outcome, welcome)
    }).pipe(Effect.provide(services(null)))
  )
})
