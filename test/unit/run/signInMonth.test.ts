import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import * as DueChecks from "../../../core/run/check/DueChecks.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { eventually } from "../../support/eventually.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import * as Providers from "../../support/identityProviders.ts"
import { isAll } from "../../support/scale.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let provider: Providers.Provider

const services = Layer.mergeAll(Gates.layer, Runs.layer, Workflows.layer, Vault.layer, AgentExecutor.layer).pipe(
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(
    Layer.mergeAll(
      Memory.layer,
      Crypto.layer,
      Providers.browser(() => [provider])
    )
  )
)

/** A window that is open in the first hour of each day. */
const nightly = {
  time_zone: "UTC",
  regular_hours: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"].map((name) => ({
    active_start_day: name,
    active_start_time: { hours: 0 },
    active_end_day: name,
    active_end_time: { hours: 1 }
  }))
}

/** Carries out everything that may start now. */
const workOff = Effect.gen(function* () {
  const store = yield* RunStore
  yield* Scheduler.tick()
  for (;;) {
    const [taken] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 600_000 })
    if (taken === undefined) return
    yield* eventually(Attempt.carryOut(taken))
    yield* Scheduler.stopAfterFailedLogins()
  }
})

/** What becomes of the account in the afternoon of each day, by its number. */
const troubles: Readonly<Record<number, Providers.Provider["trouble"]>> = {
  3: "refused",
  11: "second factor",
  19: "refused"
}

const month = (kind: Providers.ProviderKind, days: number) =>
  Effect.gen(function* () {
    provider = Providers.provider("bank.example", kind, 2 * hour)
    const site = provider
    const caller = yield* makeWorkspace("Owner")
    const sealing = yield* Sealing
    const seal = (value: string) => sealing.seal(caller.workspaceId, Redacted.make(value))
    const vault = yield* Vault
    const pair = { permissioned_user_id: "robot", domain: `https://${site.host}` }
    const named = { permissionedUserId: "robot", domain: pair.domain }
    yield* vault.create(caller, {
      ...pair,
      user_name: yield* seal("robot"),
      password: yield* seal("battery staple"),
      ...(kind === "totp" ? { tfa_secret: yield* seal("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") } : {}),
      persist_cookies: true
    })
    const body = { ...Providers.workflowOf(site), sign_in_check_minutes: 60 }
    const { workflow } = yield* (yield* Workflows).create(caller, body)
    yield* (yield* Gates).setWindow(caller, workflow.id, nightly)
    const runs = yield* Runs
    const found: Array<string> = []
    for (let today = 1; today <= days; today++) {
      yield* TestClock.setTime(today * day + 12 * hour)
      site.trouble = troubles[today] ?? "none"
      // Every few days the site lets sessions live for long, and ends all of them now and then.
      site.sessionMillis = today % 5 < 3 ? 2 * hour : 3 * day
      if (today % 7 === 0 || site.trouble !== "none") site.endedBefore = today * day + 13 * hour
      const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input: { SITE: "robot" }, options: {} })
      yield* TestClock.setTime(today * day + 23 * hour)
      yield* DueChecks.round()
      yield* workOff
      const view = yield* vault.get(caller, named)
      found.push(view.entry.health?.latest.result ?? "nothing")
      // A person who is told an hour before the night mends it, and asks nobody to try it.
      if (view.health === "failing") {
        site.trouble = "none"
        yield* vault.update(caller, { ...pair, password: yield* seal(`changed on day ${today}`) })
      } else assert.strictEqual(site.trouble, "none", `day ${today}`)
      assert.isFalse(Providers.isLocked(site))
      yield* TestClock.setTime((today + 1) * day + minute)
      yield* workOff
      assert.strictEqual((yield* runs.get(caller, id)).run.status, "execution.success", `day ${today}`)
      const { health } = (yield* vault.get(caller, named)).entry
      // What the check proved or renewed in time is a session for the night; after a change the run signs in itself.
      const expected = view.health === "failing" ? "signed_in" : "session_valid"
      assert.strictEqual(health?.latest.result, expected, `day ${today}`)
      assert.strictEqual(site.works, 2 * today)
    }
    return found
  }).pipe(Effect.provide(Layer.fresh(services)))

describe("a month of nights", () => {
  const kinds = ["password", "two domains", "totp"] as const
  it.effect.each(isAll ? kinds : ["password" as const])(
    "finds every session and credential that has ended before the window opens, and locks no account (%s)",
    (kind) =>
      Effect.gen(function* () {
        const days = isAll ? 30 : 8
        const found = yield* month(kind, days)
        assert.include(found, "refused")
        assert.include(found, "signed_in")
        assert.include(found, "session_valid")
        assert.lengthOf(found, days)
      }),
    isAll ? 600_000 : 60_000
  )
})
