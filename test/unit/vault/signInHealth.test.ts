import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as SignInCheck from "../../../core/vault/health/SignInCheck.ts"
import * as SignInHealth from "../../../core/vault/health/SignInHealth.ts"
import { isSuccess, type SignInReport, SignInResult, SignInState } from "../../../core/vault/health/SignInReport.ts"
import { entryOf } from "../../support/entries.ts"

const hour = 3_600_000
const day = 24 * hour

const report = (result: SignInResult, at: number, more: Partial<SignInReport> = {}): SignInReport => ({
  result,
  at,
  runId: `run at ${at}`,
  workflowId: "workflow",
  askedPerson: false,
  broughtSession: false,
  isCheck: false,
  ...more
})

const fold = (reports: ReadonlyArray<SignInReport>, changedAt = 0): SignInState | null =>
  reports.reduce<SignInState | null>((state, one) => SignInHealth.after(state, one, changedAt), null)

const entryWith = (reports: ReadonlyArray<SignInReport>, updatedAt = 0, sessionDataSetAt: number | null = 1) => {
  const health = fold(reports, updatedAt)
  return entryOf({}, { updatedAt, sessionDataSetAt, ...(health === null ? {} : { health }) })
}

describe("the health of a credential", () => {
  it("is unknown before a sign-in and after a change, and what the latest report says otherwise", () => {
    assert.strictEqual(SignInHealth.statusOf(entryWith([]), 5), "unknown")
    assert.strictEqual(SignInHealth.statusOf(entryWith([report("signed_in", 2)]), 5), "healthy")
    assert.strictEqual(SignInHealth.statusOf(entryWith([report("session_valid", 2)]), 5), "healthy")
    const refused = [report("signed_in", 2), report("refused", 3)]
    assert.strictEqual(SignInHealth.statusOf(entryWith(refused), 5), "failing")
    assert.strictEqual(SignInHealth.statusOf({ ...entryWith(refused), updatedAt: 4 }, 5), "unknown")
  })

  it("counts the failures of each kind since the last sign-in, which a saved session does not reset", () => {
    const reports = [
      report("refused", 1),
      report("signed_in", 2),
      report("code_refused", 3),
      report("session_valid", 4),
      report("code_refused", 5),
      report("captcha", 6)
    ]
    assert.deepStrictEqual(SignInHealth.failuresOf(entryWith(reports)), [
      { kind: "captcha", count: 1, lastAt: 6 },
      { kind: "code_refused", count: 2, lastAt: 5 }
    ])
    assert.deepStrictEqual(SignInHealth.failuresOf(entryWith([...reports, report("signed_in", 7)])), [])
    assert.deepStrictEqual(fold([report("refused", 1), report("captcha", 9)], 5)?.failures, {
      captcha: { count: 1, lastAt: 9 }
    })
  })

  it("learns how long sessions last from those that were accepted once and found ended", () => {
    const proven = [
      report("signed_in", 1 * hour),
      report("session_valid", 5 * hour, { broughtSession: true }),
      report("signed_in", 9 * hour, { broughtSession: true })
    ]
    const entry = entryWith(proven)
    assert.deepStrictEqual(entry.health?.endings, [{ provenMillis: 4 * hour, goneMillis: 8 * hour }])
    assert.strictEqual(SignInHealth.sessionEnd(entry), 17 * hour)
    assert.strictEqual(SignInHealth.sessionEnd({ ...entry, sessionDataSetAt: null }), null)
    assert.strictEqual(SignInHealth.sessionEnd(entryWith(proven.slice(0, 2))), null)
    const expiring = entryOf({ expiry_time_from_session_data_set: "01:00:00" }, { sessionDataSetAt: hour })
    assert.strictEqual(SignInHealth.sessionEnd(expiring), 2 * hour)
    // A workflow that signs in each time never shows that a session would have been accepted.
    const always = [report("signed_in", 1), report("signed_in", 2, { broughtSession: true })]
    assert.deepStrictEqual(entryWith(always).health?.endings, [])
  })

  it("is expiring a day before the likely end of a session that a person has to renew", () => {
    const asked = { askedPerson: true, broughtSession: true }
    const reports = [report("signed_in", 1), report("session_valid", 5 * day), report("signed_in", 6 * day, asked)]
    assert.strictEqual(SignInHealth.sessionEnd(entryWith(reports)), 12 * day - 1)
    assert.strictEqual(SignInHealth.statusOf(entryWith(reports), 10 * day), "healthy")
    assert.strictEqual(SignInHealth.statusOf(entryWith(reports), 11 * day), "expiring")
    const alone = reports.map((one) => ({ ...one, askedPerson: false }))
    assert.strictEqual(SignInHealth.statusOf(entryWith(alone), 11 * day), "healthy")
  })

  it.prop(
    "is the same in any order of its reports, and never forgets a kind of failure since the last sign-in",
    [Schema.Array(Schema.Struct({ result: SignInResult, key: Schema.Int, isCheck: Schema.Boolean }))],
    ([drawn]) => {
      const reports = drawn.map(({ isCheck, result }, at) => report(result, at + 1, { isCheck }))
      const shuffled = reports.toSorted((one, other) => (drawn[one.at - 1]?.key ?? 0) - (drawn[other.at - 1]?.key ?? 0))
      const sorted = fold(reports)
      const mixed = fold(shuffled)
      const facts = (state: SignInState | null) =>
        state === null ? null : { ...state, endings: [], failures: Object.keys(state.failures).sort() }
      assert.deepStrictEqual(facts(mixed), facts(sorted))
      const lastSignIn = reports.findLast(({ result }) => result === "signed_in")?.at ?? 0
      const expected = reports.filter(({ at, result }) => at > lastSignIn && !isSuccess(result))
      assert.deepStrictEqual(
        Object.keys(sorted?.failures ?? {}).sort(),
        [...new Set(expected.map(({ result }) => result))].sort()
      )
      assert.deepStrictEqual(sorted?.latest ?? null, reports.at(-1) ?? null)
      if (sorted !== null) {
        const kept = JSON.parse(JSON.stringify(Schema.encodeSync(SignInState)(sorted)))
        assert.deepStrictEqual(Schema.decodeUnknownSync(SignInState)(kept), sorted)
      }
    }
  )
})

/** The decision about a check, an hour before an opening. */
const decided = (reports: ReadonlyArray<SignInReport>, more: Partial<SignInCheck.CheckQuestion> = {}) =>
  SignInCheck.decide({
    known: fold(reports),
    lastCheckAt: null,
    at: 100 * hour,
    isAsked: false,
    opensAt: 100.5 * hour,
    leadMillis: hour,
    ...more
  })

describe("a check of a credential", () => {
  it("is made in the hour before the window opens, once a day, and not where a run has proven it since", () => {
    assert.deepStrictEqual(decided([]), { _tag: "Now" })
    assert.deepStrictEqual(decided([], { opensAt: 102 * hour }), { _tag: "Later", at: 101 * hour, why: "not_yet" })
    assert.deepStrictEqual(decided([], { opensAt: null }), { _tag: "Never", why: "no_opening" })
    assert.deepStrictEqual(decided([], { opensAt: 100 * hour }), { _tag: "Never", why: "no_opening" })
    assert.deepStrictEqual(decided([report("session_valid", 99.5 * hour)]), { _tag: "Never", why: "proven" })
    assert.deepStrictEqual(decided([report("session_valid", 99.4 * hour)]), { _tag: "Now" })
    const checked = report("no_code", 98 * hour, { isCheck: true })
    const lastCheckAt = 98 * hour
    assert.deepStrictEqual(decided([checked], { lastCheckAt }), { _tag: "Later", at: 121 * hour, why: "checked_today" })
    assert.deepStrictEqual(decided([checked], { lastCheckAt, isAsked: true }), { _tag: "Now" })
  })

  it.each([
    [["refused"], "refused"],
    [["locked"], "locked"],
    [["new_password"], "new_password"],
    [["code_refused", "unexpected"], "failed_often"],
    [["code_refused", "session_valid", "code_refused"], "failed_often"],
    [["code_refused"], null],
    [["refused", "signed_in"], null],
    [["captcha", "captcha", "no_answer", "no_code", "no_secret"], null]
  ] as ReadonlyArray<readonly [ReadonlyArray<SignInResult>, ReturnType<typeof SignInCheck.threatOf>]>)(
    "after %j is refused because of %s, asked or not",
    (results, why) => {
      const reports = results.map((result, index) => report(result, index + 1))
      for (const isAsked of [true, false]) {
        assert.deepStrictEqual(decided(reports, { isAsked }), why === null ? { _tag: "Now" } : { _tag: "Never", why })
      }
    }
  )

  const moment = Schema.Struct({
    hours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 })),
    isAsked: Schema.Boolean,
    found: Schema.Literals(["signed_in", "session_valid", "refused", "code_refused", "unexpected", "captcha"])
  })

  it.prop(
    "fails at most twice in a row where the site counts it, and runs once a day unless it is asked for",
    [Schema.Array(moment)],
    ([moments]) => {
      let at = 0
      let state: SignInState | null = null
      let inARow = 0
      let last: number | null = null
      for (const { found, hours, isAsked } of moments) {
        at += hours * hour
        const question = { known: state, lastCheckAt: last, at, isAsked, opensAt: at + hour / 2, leadMillis: hour }
        if (SignInCheck.decide(question)._tag !== "Now") continue
        if (!isAsked && last !== null) assert.isAtLeast(at - last, 23 * hour)
        last = at
        state = SignInHealth.after(state, report(found, at, { isCheck: true }), 0)
        if (found === "signed_in") inARow = 0
        else if (found !== "session_valid" && found !== "captcha") inARow++
        assert.isAtMost(inARow, 2)
      }
    },
    { arbitrary: { runs: 300 } }
  )
})
