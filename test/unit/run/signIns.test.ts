import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { type Failure, neverBegun } from "../../../core/agent/Outcome.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as SignInWatch from "../../../core/execution/SignInWatch.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import * as DueChecks from "../../../core/run/check/DueChecks.ts"
import { SignInChecks } from "../../../core/run/check/SignInChecks.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as SignInHealth from "../../../core/vault/health/SignInHealth.ts"
import type { FailureKind } from "../../../core/vault/health/SignInReport.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import { eventually } from "../../support/eventually.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import * as Providers from "../../support/identityProviders.ts"

const hour = 3_600_000

/** Days of these tests are not Mondays, at first. */
const monday = {
  active_start_day: "MONDAY",
  active_start_time: { hours: 0 },
  active_end_day: "MONDAY",
  active_end_time: { hours: 1 }
}

let provider: Providers.Provider

const services = Layer.mergeAll(
  SignInChecks.layer,
  Gates.layer,
  Runs.layer,
  Workflows.layer,
  Vault.layer,
  AgentExecutor.layer
).pipe(
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(
    Layer.mergeAll(
      Memory.layer,
      Crypto.layer,
      Providers.browser(() => [provider])
    )
  )
)

const provided = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
  Effect.andThen(
    TestClock.adjust("1 day"),
    Effect.suspend(() => test.pipe(Effect.provide(Layer.fresh(services))))
  )

/** A credential of a provider, and how a run of its workflow ends. */
const begin = Effect.fnUntraced(function* (at: Providers.Provider) {
  provider = at
  const caller = yield* makeWorkspace("Owner")
  const domain = `https://${at.host}`
  const seal = yield* Effect.map(
    Sealing,
    (sealing) => (value: string) => sealing.seal(caller.workspaceId, Redacted.make(value))
  )
  const vault = yield* Vault
  const pair = { permissioned_user_id: "robot", domain }
  yield* vault.create(caller, {
    ...pair,
    user_name: yield* seal("robot"),
    password: yield* seal("battery staple"),
    ...(at.kind === "totp" ? { tfa_secret: yield* seal("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") } : {}),
    persist_cookies: true
  })
  const body = { ...Providers.workflowOf(at), sign_in_check_minutes: 60 }
  const { workflow } = yield* (yield* Workflows).create(caller, body)
  const runs = yield* Runs
  const store = yield* RunStore
  const claimed = Effect.gen(function* () {
    const [taken] = yield* store.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
    if (taken === undefined) throw new Error("Expected a run to be claimed")
    yield* eventually(Attempt.carryOut(taken))
    yield* Scheduler.stopAfterFailedLogins()
  })
  const carryOut = Effect.fnUntraced(function* (id: RunId) {
    yield* claimed
    return (yield* runs.get(caller, id)).run
  })
  const request = { workflowId: workflow.id, input: { SITE: "robot" }, options: {} }
  const run = Effect.flatMap(runs.submit(caller, request), ({ id }) => carryOut(id))
  const checks = yield* SignInChecks
  const begun = checks.check(caller, { ...pair, workflow_id: workflow.id })
  const check = Effect.flatMap(begun, ({ id }) => carryOut(id))
  const view = vault.get(caller, { permissionedUserId: "robot", domain })
  const latest = Effect.map(view, ({ entry, health }) => [health, entry.health?.latest.result] as const)
  return {
    begun,
    caller,
    check,
    claimed,
    latest,
    run,
    view,
    workflow,
    change: vault.update(caller, { ...pair, password: yield* seal("new") })
  }
})

describe("a failure during a sign-in", () => {
  it.each([
    [{ category: "PASSWORD_UPDATE_REQUIRED", code: "ACCOUNT-E0001" }, "new_password"],
    [{ subType: "ACCOUNT_LOCKED", failedLogin: "SITE" }, "locked"],
    [{ code: "TFA-E0001" }, "code_refused"],
    [{ code: "TFA-E0002" }, "no_code"],
    [{ code: "CAPTCHA-E0001" }, "captcha"],
    [{ code: "INTERACTION-E0001" }, "no_answer"],
    [{ code: "CREDENTIAL-E0001" }, "no_secret"],
    [{ code: "SELECTOR-E0001", failedLogin: "SITE" }, "unexpected"],
    [{ code: "NAVIGATION-E0003" }, null],
    [{ code: "BROWSER-E0001" }, null]
  ] as ReadonlyArray<readonly [Partial<Failure>, FailureKind | null]>)("of %j is %s", (more, kind) => {
    assert.strictEqual(SignInWatch.kindOf({ ...neverBegun("LIMIT-E0001", ""), ...more }, false), kind)
  })
})

describe("a run", () => {
  it.effect("adds to the health of its credential whether it signed in or its saved session was accepted", () =>
    provided(
      Effect.gen(function* () {
        const { latest, run, view } = yield* begin(Providers.provider("bank.example", "password", 8 * hour))
        assert.deepStrictEqual(yield* latest, ["unknown", undefined])
        const first = yield* run
        assert.deepStrictEqual([first.status, yield* latest], ["execution.success", ["healthy", "signed_in"]])
        yield* TestClock.adjust("6 hours")
        const second = yield* run
        assert.deepStrictEqual(yield* latest, ["healthy", "session_valid"])
        assert.strictEqual((yield* view).entry.health?.latest.runId, second.id)
        yield* TestClock.adjust("6 hours")
        yield* run
        assert.deepStrictEqual(yield* latest, ["healthy", "signed_in"])
        const { entry } = yield* view
        assert.lengthOf(entry.health?.endings ?? [], 1)
        // The session is likely to end as long after its sign-in as the one before was found ended.
        const lasted = (SignInHealth.sessionEnd(entry) ?? 0) - (entry.health?.signedInAt ?? 0)
        assert.isTrue(lasted >= 12 * hour && lasted < 13 * hour, String(lasted))
      })
    )
  )

  it.effect("says how its sign-in failed, and a change of the credential begins anew", () =>
    provided(
      Effect.gen(function* () {
        const site = Providers.provider("bank.example", "password", 8 * hour)
        const { change, latest, run } = yield* begin(site)
        site.trouble = "refused"
        const failed = yield* run
        assert.deepStrictEqual([failed.status, yield* latest], ["execution.failed", ["failing", "refused"]])
        yield* TestClock.adjust("1 minute")
        yield* change
        assert.deepStrictEqual(yield* latest, ["unknown", "refused"])
        site.failures = Providers.lockedAfter
        yield* run
        assert.deepStrictEqual(yield* latest, ["failing", "locked"])
        site.failures = 0
        site.trouble = "second factor"
        yield* run
        assert.deepStrictEqual(yield* latest, ["failing", "enrolment"])
        site.trouble = "none"
        yield* run
        assert.deepStrictEqual(yield* latest, ["healthy", "signed_in"])
      })
    )
  )

  it.effect("whose code nobody gives says so", () =>
    provided(
      Effect.gen(function* () {
        const { latest, run } = yield* begin(Providers.provider("bank.example", "device prompt", 8 * hour))
        yield* run
        assert.deepStrictEqual(yield* latest, ["failing", "no_answer"])
      })
    )
  )
})

describe("a check", () => {
  it.effect("signs in as the workflow does, keeps the session, and does nothing else", () =>
    provided(
      Effect.gen(function* () {
        const site = Providers.provider("bank.example", "totp", 8 * hour)
        const { check, latest, run, view } = yield* begin(site)
        const checked = yield* check
        assert.deepStrictEqual([checked.status, checked.trigger, checked.data], ["execution.success", "check", {}])
        assert.deepStrictEqual(yield* latest, ["healthy", "signed_in"])
        assert.strictEqual(site.works, 0)
        const { entry } = yield* view
        assert.strictEqual(entry.lastCheck?.runId, checked.id)
        assert.isTrue(entry.health?.latest.isCheck)
        // The work of a run leaves the session that the next check proves.
        yield* run
        assert.strictEqual(site.works, 2)
        yield* check
        assert.deepStrictEqual([yield* latest, site.works], [["healthy", "session_valid"], 2])
      })
    )
  )

  it.effect("is not held by a run window, and stops no run that waits", () =>
    provided(
      Effect.gen(function* () {
        const site = Providers.provider("bank.example", "password", 8 * hour)
        const { begun, caller, check, latest, workflow } = yield* begin(site)
        const closed = { time_zone: "UTC", regular_hours: [monday] }
        yield* (yield* Gates).setWindow(caller, workflow.id, closed)
        const runs = yield* Runs
        const waiting = yield* runs.submit(caller, { workflowId: workflow.id, input: { SITE: "robot" }, options: {} })
        site.trouble = "refused"
        assert.strictEqual((yield* check).status, "execution.failed")
        assert.deepStrictEqual(yield* latest, ["failing", "refused"])
        assert.strictEqual((yield* runs.get(caller, waiting.id)).status, "execution.paused")
        // One more attempt may lock the account.
        const refused = yield* Effect.flip(begun)
        assert.strictEqual(refused._tag, "SignInCheckRefused")
        assert.include(refused.message, "one more attempt may lock the account")
      })
    )
  )

  it.effect("is made one at a time, and not while the workflow is paused", () =>
    provided(
      Effect.gen(function* () {
        const site = Providers.provider("bank.example", "password", 8 * hour)
        const { begun, caller, workflow } = yield* begin(site)
        const both = yield* Effect.all([Effect.result(begun), Effect.result(begun)], { concurrency: 2 })
        assert.sameMembers(
          both.map((one) => (one._tag === "Success" ? "begun" : one.failure._tag)),
          ["begun", "SignInCheckRunning"]
        )
        assert.strictEqual((yield* Effect.flip(begun))._tag, "SignInCheckRunning")
        yield* TestClock.adjust("16 minutes")
        yield* Scheduler.tick()
        yield* (yield* Gates).pause(caller, workflow.id, { reason: "repairs", until: null })
        assert.include((yield* Effect.flip(begun)).message, "the workflow is paused")
      })
    )
  )

  it.effect("begins by itself before the window opens for which a run waits, once a day", () =>
    provided(
      Effect.gen(function* () {
        const site = Providers.provider("bank.example", "password", 8 * hour)
        const { caller, claimed, latest, view, workflow } = yield* begin(site)
        yield* (yield* Gates).setWindow(caller, workflow.id, { time_zone: "UTC", regular_hours: [monday] })
        const runs = yield* Runs
        yield* runs.submit(caller, { workflowId: workflow.id, input: { SITE: "robot" }, options: {} })
        const checkedBy = Effect.map(view, ({ entry }) => entry.lastCheck?.runId)
        // The first Monday of this clock begins after four days.
        yield* TestClock.setTime(95 * hour - 60_000)
        yield* Scheduler.tick()
        yield* DueChecks.round()
        assert.strictEqual(yield* checkedBy, undefined)
        yield* TestClock.adjust("2 minutes")
        yield* Effect.all([DueChecks.round(), DueChecks.round()], { concurrency: 2 })
        const first = yield* checkedBy
        assert.isDefined(first)
        yield* claimed
        assert.deepStrictEqual(yield* latest, ["healthy", "signed_in"])
        assert.strictEqual(site.works, 0)
        yield* TestClock.adjust("10 minutes")
        yield* DueChecks.round()
        assert.strictEqual(yield* checkedBy, first)
      })
    )
  )
})
