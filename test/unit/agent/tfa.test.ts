import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { Person } from "../../../core/agent/Person.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import * as Inbox from "../../../core/vault/inbox/Inbox.ts"
import { ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import * as accounts from "../../support/accounts.ts"
import { graphOf } from "../../support/browser.ts"
import { eventually } from "../../support/eventually.ts"
import {
  codeAt,
  failureOf,
  home,
  pages,
  person,
  run,
  secret,
  services,
  site,
  tfa,
  welcome
} from "../../support/logins.ts"
import { until } from "../../support/waiting.ts"

/** Something arrives for the credential. */
const arrive = Effect.fnUntraced(function* (
  kind: "code" | "link",
  value: string | ReadonlyArray<string> | { readonly uncertain: ReadonlyArray<string> },
  address?: string,
  authentication?: string
) {
  const { workspaceId } = accounts.entry
  yield* (yield* ReceivedCodes).keep(workspaceId, {
    id: yield* (yield* Identifiers).uuid,
    kind,
    address: address ?? Inbox.addressOf(workspaceId, accounts.entry, "inbox.example"),
    sealed: yield* (yield* Sealing).seal(workspaceId, Redacted.make(value)),
    receivedAt: yield* Clock.currentTimeMillis,
    ...(authentication === undefined ? {} : { authentication })
  })
  yield* (yield* Signals).publish({ _tag: "received" })
})

describe("a code of an authenticator", () => {
  it.effect("is typed and sent, and is in no report", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000_000_000)
      const code = codeAt(1_000_000_000_000)
      const { marks, outcome } = yield* eventually(
        run(tfa({ tfa_type: "AUTHENTICATOR" }), [code], {
          tfaSecret: secret,
          pages: { ...pages([code]), [home]: [{ selector: "//h1", text: `Code ${code}` }] }
        })
      )
      assert.deepEqual(outcome, { _tag: "Success", data: { title: "Code [secret]" } })
      assert.deepStrictEqual(marks, ["acting"])
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("is of the next step when less than three seconds are left, or when the step was used", () =>
    Effect.gen(function* () {
      const begins = 1_000_000_020_000
      yield* TestClock.setTime(begins + 27_001)
      const late = yield* eventually(
        run(tfa({ tfa_type: "AUTHENTICATOR" }), [codeAt(begins + 30_000)], { tfaSecret: secret })
      )
      assert.deepEqual(late.outcome, welcome)
      assert.isAtLeast(yield* Clock.currentTimeMillis, begins + 30_000)
      const again = yield* eventually(
        run(tfa({ tfa_type: "AUTHENTICATOR" }), [codeAt(begins + 60_000)], { tfaSecret: secret })
      )
      assert.deepEqual(again.outcome, welcome)
      assert.isAtLeast(yield* Clock.currentTimeMillis, begins + 60_000)
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("that is refused is followed by one more, and then the run fails", () =>
    Effect.gen(function* () {
      const begins = 1_000_000_020_000
      yield* TestClock.setTime(begins)
      const step = tfa({ tfa_type: "AUTHENTICATOR" })
      const second = yield* eventually(run(step, [codeAt(begins + 30_000)], { tfaSecret: secret }))
      assert.deepEqual(second.outcome, welcome)
      const never = yield* eventually(run(step, [], { tfaSecret: secret }))
      const failure = failureOf(never.outcome)
      assert.deepInclude(failure, { code: "TFA-E0001", category: "AUTHENTICATION_ERROR" })
      assert.include(failure.message, 'the site refused the code, saying "Wrong code 2"')
      const worded = yield* eventually(
        run(tfa({ tfa_type: "AUTHENTICATOR", error_message: "The bank is angry" }), [], { tfaSecret: secret })
      )
      assert.include(failureOf(worded.outcome).message, "The bank is angry")
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("by a counter is never the same twice", () =>
    Effect.gen(function* () {
      const { workspaceId } = accounts.entry
      yield* (yield* VaultEntries).insert(workspaceId, accounts.entry)
      const hotp = `otpauth://hotp/Bank:robot?secret=${secret}&counter=0&digits=6`
      // RFC 4226, appendix D.
      for (const code of ["755224", "287082", "359152"]) {
        const { outcome } = yield* eventually(run(tfa({ tfa_type: "AUTHENTICATOR" }), [code], { tfaSecret: hotp }))
        assert.deepEqual(outcome, welcome)
      }
      assert.strictEqual(
        Option.getOrThrow(yield* (yield* VaultEntries).get(workspaceId, accounts.entry.id)).hotpCounter,
        3
      )
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("cannot be made from what is no secret, which the failure does not repeat", () =>
    Effect.gen(function* () {
      const { outcome } = yield* eventually(
        run(tfa({ tfa_type: "AUTHENTICATOR" }), [], { tfaSecret: "not base32 0189" })
      )
      assert.deepInclude(failureOf(outcome), { code: "TFA-E0003", category: "AUTHENTICATION_ERROR" })
      assert.notInclude(JSON.stringify(outcome), "0189")
    }).pipe(Effect.provide(services(null)))
  )
})

describe("a code that is sent", () => {
  it.effect("is taken from what arrived during the attempt, as soon as it arrives", () =>
    Effect.gen(function* () {
      yield* arrive("code", "111111")
      yield* TestClock.adjust("1 second")
      const fiber = yield* Effect.forkChild(run(tfa({ tfa_type: "EMAIL" }), ["222222"]))
      yield* TestClock.adjust("60 seconds")
      assert.isUndefined(fiber.pollUnsafe(), "what arrived before the attempt is not for it")
      const codes = yield* ReceivedCodes
      const { workspaceId } = accounts.entry
      const address = Inbox.addressOf(workspaceId, accounts.entry, "inbox.example")
      yield* arrive("code", "222222")
      // The clock stands still until the code is taken.
      yield* until(
        "the code to be taken",
        codes.latest(workspaceId, address, { kind: "code", since: 0, senders: [] }),
        Option.isNone
      )
      assert.deepEqual((yield* eventually(Fiber.join(fiber))).outcome, welcome)
    }).pipe(Effect.provide(services("inbox.example")))
  )

  it.effect("is that of the site of the credential, also where another proven sender mails a newer one", () =>
    Effect.gen(function* () {
      yield* arrive("code", "111111", undefined, "spf=none dkim=pass header.d=bank.example")
      yield* arrive("code", "666666", undefined, "spf=pass smtp.mailfrom=other.example dkim=none")
      assert.deepEqual((yield* eventually(run(tfa({ tfa_type: "EMAIL" }), ["111111"]))).outcome, welcome)
    }).pipe(Effect.provide(services("inbox.example")))
  )

  it.effect("is tried in each way that the message may be read, and then a newer one", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(run(tfa({ tfa_type: "SMS" }), ["333333"]))
      yield* arrive("code", ["111111", "333333"], "+15551234567")
      assert.deepEqual((yield* eventually(Fiber.join(fiber))).outcome, welcome)
      const other = yield* Effect.forkChild(run(tfa({ tfa_type: "SMS" }), ["444444"]))
      yield* TestClock.adjust("1 second")
      yield* arrive("code", "111111", "+15551234567")
      yield* TestClock.adjust("10 seconds")
      yield* arrive("code", "444444", "+15551234567")
      assert.deepEqual((yield* eventually(Fiber.join(other))).outcome, welcome)
    }).pipe(Effect.provide(services(null, "+15551234567")))
  )

  it.effect("fails the run when none arrives within five minutes", () =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const { outcome } = yield* eventually(run(tfa({ tfa_type: "EMAIL" }), []))
      assert.deepInclude(failureOf(outcome), { code: "TFA-E0002", category: "AUTHENTICATION_ERROR" })
      assert.closeTo((yield* Clock.currentTimeMillis) - began, 300_000, 1_000)
    }).pipe(Effect.provide(services("inbox.example")))
  )

  it.effect("as a link is opened: the one that the pattern chooses, and is in no report", () =>
    Effect.gen(function* () {
      const link = "https://bank.example/enter/0123456789abcdef01?t=aaaabbbb1"
      const fiber = yield* Effect.forkChild(
        run(tfa({ tfa_type: "MAGIC_LINK", selector: null, link_regex_pattern: "/enter/" }), [], {
          pages: { ...pages([]), [link]: [{ selector: "//h1", text: link }] }
        })
      )
      yield* TestClock.adjust("1 second")
      yield* arrive("link", ["https://bank.example/unsubscribe", link])
      const { outcome } = yield* eventually(Fiber.join(fiber))
      assert.deepEqual(outcome, { _tag: "Success", data: { title: "[secret]" } })

      const gone = yield* Effect.forkChild(run(tfa({ tfa_type: "MAGIC_LINK", selector: null }), []))
      yield* arrive("link", `${link}&gone`)
      const failure = failureOf((yield* eventually(Fiber.join(gone))).outcome)
      assert.strictEqual(failure.code, "NAVIGATION-E0001")
      assert.notMatch(JSON.stringify(failure), /0123456789abcdef01|aaaabbbb1/)
    }).pipe(Effect.provide(services("inbox.example")))
  )
})

describe("links of messages in which none is likely", () => {
  const link = "https://bank.example/g/7"
  const opening = (link_regex_pattern: string | null) =>
    run(tfa({ tfa_type: "MAGIC_LINK", selector: null, link_regex_pattern }), [], {
      pages: { ...pages([]), [link]: [{ selector: "//h1", text: "In" }] }
    })

  it.effect("are opened where the pattern chooses one, and passed over without a pattern", () =>
    Effect.gen(function* () {
      const chosen = yield* Effect.forkChild(opening("/g/"))
      yield* TestClock.adjust("1 second")
      yield* arrive("link", { uncertain: ["https://bank.example/news", link] })
      assert.deepEqual((yield* eventually(Fiber.join(chosen))).outcome, { _tag: "Success", data: { title: "In" } })

      const waiting = yield* Effect.forkChild(opening(null))
      yield* TestClock.adjust("1 second")
      yield* arrive("link", { uncertain: ["https://bank.example/news"] })
      yield* TestClock.adjust("1 second")
      yield* arrive("link", [link])
      assert.deepEqual((yield* eventually(Fiber.join(waiting))).outcome, { _tag: "Success", data: { title: "In" } })
    }).pipe(Effect.provide(services("inbox.example")))
  )
})

describe("a person is asked", () => {
  it.effect.each([["AUTHENTICATOR"], ["EMAIL"], ["SMS"]])(
    "for a code by %s that nothing here can answer",
    ([tfa_type]) =>
      Effect.gen(function* () {
        const { asked, person: someone } = person([{ code: "123456" }])
        const { outcome } = yield* eventually(run(tfa({ tfa_type }), ["123456"], { person: someone }))
        assert.deepEqual(outcome, welcome)
        assert.lengthOf(asked, 1)
        assert.deepInclude(asked[0], {
          schema: {
            type: "object",
            properties: { code: { type: "string", pattern: "^[0-9]{6}$" } },
            required: ["code"]
          },
          timeoutMillis: 300_000
        })
      }).pipe(Effect.provide(services(null)))
  )

  it.effect("again when the site refuses the code, and the run fails when no answer comes", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = person([{ code: "123456" }, { code: "654321" }, null])
      const eight = `otpauth://totp/Bank:robot?secret=${secret}&digits=8`
      const step = tfa({ tfa_type: "SMS" })
      const first = yield* eventually(run(step, ["654321"], { person: someone, tfaSecret: eight }))
      assert.deepEqual(first.outcome, welcome)
      assert.include(asked[1]?.message, "The site refused the code")
      // How long the codes of the authenticator are says nothing of those that are sent.
      assert.include(JSON.stringify(asked[0]?.schema), "{6}")
      const { outcome } = yield* eventually(run(step, [], { person: someone }))
      assert.deepInclude(failureOf(outcome), { code: "TFA-E0002", category: "AUTHENTICATION_ERROR" })
      assert.notInclude(JSON.stringify(outcome), "123456")
    }).pipe(Effect.provide(services(null)))
  )

  it.effect("for a link where no mail is received", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = person([{ link: home }])
      const { outcome } = yield* eventually(
        run(tfa({ tfa_type: "MAGIC_LINK", selector: null }), [], { person: someone })
      )
      assert.deepEqual(outcome, welcome)
      assert.deepStrictEqual(Object.keys(asked[0]?.schema.properties ?? {}), ["link"])
    }).pipe(Effect.provide(services(null)))
  )
})

describe("a person is asked for what does not come", () => {
  const mailed = { ...accounts.entry, fields: { ...accounts.entry.fields, tfa_method: "EMAIL" as const } }

  /** A person who takes a while, and when they were asked. */
  const slow = (millis: number, answer: Record<string, string> | null) => {
    const asked: Array<{ readonly at: number; readonly timeoutMillis: number }> = []
    const one: Person = {
      ask: ({ timeoutMillis }) =>
        Effect.gen(function* () {
          asked.push({ at: yield* Clock.currentTimeMillis, timeoutMillis })
          return yield* Effect.as(Effect.sleep(Math.min(millis, timeoutMillis)), answer)
        }),
      correct: () => Effect.succeed(null)
    }
    return { asked, person: one }
  }

  it.effect("after 30 s where a mail is expected, and the answer counts", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = slow(1_000, { code: "123456" })
      const step = tfa({ tfa_type: "EMAIL" })
      const { outcome } = yield* eventually(run(step, ["123456"], { entry: mailed, person: someone }))
      assert.deepEqual(outcome, welcome)
      assert.deepStrictEqual(asked, [{ at: 30_000, timeoutMillis: 270_000 }])
    }).pipe(Effect.provide(services("inbox.example")))
  )

  it.effect.each([
    ["EMAIL", "AUTHENTICATOR"],
    ["SMS", null],
    ["SMS", "EMAIL"]
  ] as const)("at once for a code by %s where the credential has %s", ([tfa_type, tfa_method]) =>
    Effect.gen(function* () {
      const { asked, person: someone } = slow(0, { code: "123456" })
      const entry = { ...accounts.entry, fields: { ...accounts.entry.fields, tfa_method } }
      const { outcome } = yield* eventually(run(tfa({ tfa_type }), ["123456"], { entry, person: someone }))
      assert.deepEqual(outcome, welcome)
      assert.deepStrictEqual(asked, [{ at: 0, timeoutMillis: 300_000 }])
    }).pipe(Effect.provide(services("inbox.example", "+15551234567")))
  )

  it.effect("and what arrives before the answer counts, a code as well as a link", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = slow(200_000, { code: "111111", link: site })
      const options = { entry: mailed, person: someone }
      const code = yield* Effect.forkChild(run(tfa({ tfa_type: "EMAIL" }), ["222222"], options))
      yield* TestClock.adjust("40 seconds")
      yield* arrive("code", "222222")
      assert.deepEqual((yield* eventually(Fiber.join(code))).outcome, welcome)
      const link = yield* Effect.forkChild(run(tfa({ tfa_type: "MAGIC_LINK", selector: null }), [], options))
      yield* TestClock.adjust("40 seconds")
      yield* arrive("link", home)
      assert.deepEqual((yield* eventually(Fiber.join(link))).outcome, welcome)
      assert.lengthOf(asked, 2)
    }).pipe(Effect.provide(services("inbox.example")))
  )

  it.effect("for a link, and for a newer code where the site refused the one that came", () =>
    Effect.gen(function* () {
      const link = slow(0, { link: home })
      const step = tfa({ tfa_type: "MAGIC_LINK", selector: null })
      const opened = yield* eventually(run(step, [], { entry: mailed, person: link.person }))
      assert.deepEqual(opened.outcome, welcome)
      assert.strictEqual(link.asked[0]?.at, 30_000)
      const { asked, person: someone } = slow(0, { code: "222222" })
      const refused = yield* Effect.forkChild(
        run(tfa({ tfa_type: "EMAIL" }), ["222222"], { entry: mailed, person: someone })
      )
      yield* TestClock.adjust("1 second")
      yield* arrive("code", "111111")
      assert.deepEqual((yield* eventually(Fiber.join(refused))).outcome, welcome)
      assert.lengthOf(asked, 1)
    }).pipe(Effect.provide(services("inbox.example")))
  )

  it.effect("where the secret of the vault makes no code, within five minutes of the prompt", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = slow(0, { code: "123456" })
      const step = tfa({ tfa_type: "AUTHENTICATOR" })
      const tfaSecret = "not base32 0189"
      const given = yield* eventually(run(step, ["123456"], { tfaSecret, person: someone }))
      assert.deepEqual(given.outcome, welcome)
      assert.deepStrictEqual(asked, [{ at: 0, timeoutMillis: 300_000 }])
      const never = slow(Infinity, null)
      const { outcome } = yield* eventually(run(step, [], { tfaSecret, person: never.person }))
      assert.strictEqual(failureOf(outcome).code, "TFA-E0003")
    }).pipe(Effect.provide(services(null)))
  )
})

describe("a workflow is refused", () => {
  const problems = (parameters: object) =>
    SaveBody.read(
      {
        name: "Bank",
        vault_schema: { BANK: { type: "credential", domain: "https://bank.example" } },
        ...graphOf(site, [{ action: "TFA", parameters: { credential: "BANK", selector: "#code", ...parameters } }])
      },
      0
    ).problems.map(({ path }) => path)

  it("for a node that asks for what cannot be", () => {
    assert.deepStrictEqual(problems({ tfa_type: "EMAIL" }), [])
    assert.deepStrictEqual(problems({ tfa_type: "MAGIC_LINK", selector: null, link_regex_pattern: "^https://x/" }), [])
    assert.deepStrictEqual(problems({ tfa_type: "SMS", selector: null }), ["nodes[1].parameters.selector"])
    assert.deepStrictEqual(problems({ tfa_type: "PIGEON" }), ["nodes[1].parameters.tfa_type"])
    assert.deepStrictEqual(problems({ tfa_type: "SMS", credential: "OTHER" }), ["nodes[1].parameters.credential"])
    assert.deepStrictEqual(problems({ tfa_type: "MAGIC_LINK", link_regex_pattern: "(a+)+$" }), [
      "nodes[1].parameters.link_regex_pattern"
    ])
    assert.deepStrictEqual(problems({ tfa_type: "SMS", execution: "PROMPT" }), ["nodes[1].parameters.execution"])
  })
})
