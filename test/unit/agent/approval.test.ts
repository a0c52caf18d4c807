import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ApprovalRequest, Person, Verdict } from "../../../core/agent/Person.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { isAll } from "../../support/scale.ts"
import { failureOf } from "../../support/shop.ts"

const home = "https://bank.example/"
const paid = `${home}paid`
const sent = `${home}transfers`

/** Other pages that a changed link leads to. */
const others = Array.from({ length: 10 }, (_, index) => `${home}other${index}`)

type Elements = ReadonlyArray<ScriptedBrowser.ScriptedElement>

const password: ScriptedBrowser.ScriptedElement = {
  selector: "#pin",
  value: "",
  type: "password",
  form: { address: sent }
}

/** The page with the form that is approved. */
const form: Elements = [
  { selector: "#payee", value: "Ada", form: { address: sent } },
  { selector: "#amount", value: "100.00", form: { address: sent } },
  { selector: "#token", value: "t0", hidden: true, form: { address: sent } },
  password,
  { selector: "#pay", text: "Pay", leadsTo: paid, attributes: { name: "pay" }, form: { address: sent } }
]

const pay = (approval: object = { by: "Owner" }, more: object = {}): Step => ({
  action: "CLICK",
  parameters: { selector: "#pay", approval, ...more }
})

const approved: Verdict = { _tag: "Approved" }

/** A person who answers each request by a function, which may change the page meanwhile. */
const personOf = (
  requests: Array<ApprovalRequest>,
  decide: (request: ApprovalRequest, asked: number) => Verdict
): Person => ({
  ask: () => Effect.succeed(null),
  correct: () => Effect.succeed(null),
  approve: (request) =>
    Effect.sync(() => {
      requests.push(request)
      return decide(request, requests.length)
    })
})

/** Walks on a page that may be changed, and tells what was asked and what was done to it. */
const run = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Step>,
  decide: (request: ApprovalRequest, change: (elements: Elements) => void, asked: number) => Verdict,
  options: Omit<NonNullable<Parameters<typeof walk>[2]>, "person"> & { readonly inputs?: object } = {}
) {
  const site: Record<string, Elements> = { [home]: form, [paid]: [{ selector: "//h1", text: "Paid" }] }
  const requests: Array<ApprovalRequest> = []
  const person = personOf(requests, (request, asked) =>
    decide(
      request,
      (elements) => {
        site[home] = elements
      },
      asked
    )
  )
  const inputs = JSON.parse(JSON.stringify(options.inputs ?? {}))
  const seen = yield* walk(graphOf(home, steps), inputs, { ...options, person }).pipe(
    Effect.provide(ScriptedBrowser.layer(site))
  )
  return { ...seen, requests, site }
})

const title: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
}

describe("a step that needs an approval", () => {
  it.effect("is done once it is approved, and the person is told what it will do", () =>
    Effect.gen(function* () {
      const { marks, outcome, requests } = yield* run(
        [pay({ by: "Owner", within: 60, show: ["To {{context.inputs.payee}}"] }), title],
        () => approved,
        { inputs: { payee: "Ada" } }
      )
      assert.deepInclude(outcome.data, { title: "Paid" })
      assert.deepStrictEqual(marks, ["committing"])
      assert.lengthOf(requests, 1)
      const [request = assert.fail("nothing was asked")] = requests
      assert.deepInclude(request, { by: "Owner", change: null, timeoutMillis: 60_000 })
      assert.match(request.digest, /^[0-9a-f]{64}$/)
      assert.isNotNull(request.shot)
      assert.isNotNull(request.box)
      assert.deepStrictEqual(request.told, {
        action: "CLICK",
        element: { tag: "a", text: "Pay", name: "pay" },
        target: { page: home, address: paid, method: "get" },
        values: { selector: "#pay" },
        fields: [
          { name: "#payee", value: "Ada" },
          { name: "#amount", value: "100.00" }
        ],
        shown: ["To Ada"]
      })
    })
  )

  it.effect.each<readonly [string, Verdict | null, string, string]>([
    ["refused", { _tag: "Refused", reason: "too much" }, "APPROVAL-E0002", "A person refused the act: too much"],
    ["not answered in time", { _tag: "Unanswered" }, "APPROVAL-E0001", "nobody approved or refused it within 900 s"]
  ])("is not done where it is %s, and leaves no mark", ([_, verdict, code, words]) =>
    Effect.gen(function* () {
      const seen = yield* run([pay()], () => verdict ?? approved)
      const { code: found, message } = failureOf(seen)
      assert.strictEqual(found, code)
      assert.include(message, words)
      assert.deepStrictEqual(seen.marks, [])
      assert.lengthOf(seen.requests, 1)
    })
  )

  it.effect("is not done where nobody can be asked", () =>
    Effect.gen(function* () {
      const seen = yield* walk(graphOf(home, [pay()])).pipe(Effect.provide(ScriptedBrowser.layer({ [home]: form })))
      assert.include(failureOf(seen).message, "nobody can be asked here")
      assert.deepStrictEqual(seen.marks, [])
    })
  )

  it.effect("is asked for again when the page changed meanwhile, which says what changed", () =>
    Effect.gen(function* () {
      const { outcome, requests } = yield* run([pay(), title], (_, change, asked) => {
        if (asked === 1) change(form.map((one) => (one.selector === "#amount" ? { ...one, value: "900.00" } : one)))
        return approved
      })
      assert.deepInclude(outcome.data, { title: "Paid" })
      assert.deepStrictEqual(
        requests.map(({ change }) => change),
        [null, "the field #amount of the form"]
      )
      assert.notStrictEqual(requests[0]?.digest, requests[1]?.digest)
      assert.deepInclude(requests[1]?.told.fields ?? [], { name: "#amount", value: "900.00" })
    })
  )

  it.effect("is given up, and never done, on a page that changes each time", () =>
    Effect.gen(function* () {
      const seen = yield* run([pay()], (_, change, asked) => {
        change(form.map((one) => (one.selector === "#token" ? { ...one, value: `t${asked}` } : one)))
        return approved
      })
      assert.strictEqual(failureOf(seen).code, "APPROVAL-E0003")
      assert.include(failureOf(seen).message, "at last the field #token of the form")
      assert.lengthOf(seen.requests, 5)
      assert.deepStrictEqual(seen.marks, [])
    })
  )

  it.effect("types and chooses once it is approved, with the values that were approved", () =>
    Effect.gen(function* () {
      const { outcome, requests } = yield* run(
        [
          {
            action: "INPUT_TEXT",
            parameters: { selector: "#amount", text: "{{context.inputs.amount}}", approval: { by: "Member" } }
          },
          pay()
        ],
        () => approved,
        { inputs: { amount: "7.50" } }
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(requests[0]?.told.values, { selector: "#amount", text: "7.50" })
      assert.deepInclude(requests[1]?.told.fields ?? [], { name: "#amount", value: "7.50" })
    })
  )

  it.effect("shows and records no secret, and is bound to its reference", () =>
    Effect.gen(function* () {
      const typing = (secret: string) =>
        run(
          [
            {
              action: "INPUT_TEXT",
              parameters: {
                selector: "#pin",
                text: "{{context.inputs.BANK.PASSWORD}}",
                approval: { by: "Owner", show: ["PIN {{context.inputs.BANK.PASSWORD}}"] }
              }
            },
            pay()
          ],
          () => approved,
          { accounts: [account("BANK", { password: secret })] }
        )
      const one = yield* typing("canary-4711-first")
      const other = yield* typing("canary-4711-second")
      assert.strictEqual(one.outcome._tag, "Success", JSON.stringify(one.outcome))
      const recorded = JSON.stringify(one.requests.map(({ shot: _, ...request }) => request))
      assert.notInclude(recorded, "canary")
      assert.deepInclude(one.requests[0]?.told, { shown: ["PIN [secret]"] })
      assert.deepInclude(one.requests[0]?.told.values, { text: "{{context.inputs.BANK.PASSWORD}}" })
      // What is recorded does not depend on the secret, so that nothing about it can be found out by the digest.
      assert.deepStrictEqual(
        one.requests.map(({ digest }) => digest),
        other.requests.map(({ digest }) => digest)
      )
    })
  )

  it.effect("is asked for again when only a password in the form changed", () =>
    Effect.gen(function* () {
      const { requests } = yield* run([pay()], (_, change, asked) => {
        if (asked === 1) change(form.map((one) => (one.selector === "#pin" ? { ...one, value: "other" } : one)))
        return approved
      })
      assert.deepStrictEqual(
        requests.map(({ change }) => change),
        [null, "the field #pin of the form"]
      )
    })
  )

  it.effect("is asked once where a pop-up is in the way, and is done after that", () =>
    Effect.gen(function* () {
      const cover: ScriptedBrowser.ScriptedElement = {
        selector: "#news",
        text: "News",
        over: { covers: ["#pay"], isDialog: true, buttons: [{ label: "Close", selector: "#close" }] }
      }
      const { outcome, requests } = yield* run(
        [pay(), title],
        (_, change) => {
          change([...form, cover, { selector: "#close", text: "Close", removes: ["#news", "#close"] }])
          return approved
        },
        { recovery: { popups: true } }
      )
      assert.deepInclude(outcome.data, { title: "Paid" }, JSON.stringify(outcome))
      assert.lengthOf(requests, 1)
    })
  )
})

/** A change of the page: which element, and what of it. */
type Change = (elements: Elements, seed: number) => Elements

const altered =
  (
    selector: string,
    more: (one: ScriptedBrowser.ScriptedElement, seed: number) => Partial<ScriptedBrowser.ScriptedElement>
  ): Change =>
  (elements, seed) =>
    elements.map((one) => (one.selector === selector ? { ...one, ...more(one, seed) } : one))

/** Changes after which a click does something else, or what was approved is no longer what is there. */
const changes: ReadonlyArray<Change> = [
  altered("#pay", (_, seed) => ({ text: `Pay ${seed}` })),
  altered("#pay", (_, seed) => ({ leadsTo: others[seed % others.length] ?? paid })),
  altered("#pay", (_, seed) => ({ attributes: { name: "pay", formaction: `/other/${seed}` } })),
  altered("#pay", (_, seed) => ({ form: { address: `${home}elsewhere/${seed}` } })),
  altered("#pay", () => ({ form: { address: sent, method: "get" } })),
  altered("#pay", () => ({ looks: { tag: "button" } })),
  altered("#pay", (_, seed) => ({ frame: `https://frame${seed}.example/` })),
  altered("#amount", (_, seed) => ({ value: `${seed}.50` })),
  altered("#payee", (_, seed) => ({ value: `Eve ${seed}` })),
  altered("#token", (_, seed) => ({ value: `token ${seed}` })),
  altered("#pin", (_, seed) => ({ value: `pin ${seed}` })),
  (elements, seed) => [...elements, { selector: `#more${seed}`, value: "1", form: { address: sent } }],
  (elements) => elements.filter(({ selector }) => selector !== "#payee")
]

/**
 * A page that becomes another one with a read of it after its approval: the agent reads it several times before it acts. What
 * the last read found is what the act was done to.
 */
const changing = (change: Change, seed: number) => {
  let elements = form
  let left = 0
  let next: Elements | null = null
  const read = () => {
    if (next !== null && --left < 0) {
      elements = next
      next = null
    }
    return elements
  }
  const pages: Record<string, Elements> = Object.fromEntries([paid, ...others].map((address) => [address, []]))
  const site = Object.defineProperty(pages, home, { enumerable: true, get: read })
  return {
    site,
    now: () => elements,
    /** Changes it at a later read: the first ones are those after the answer, the last ones those of the act. */
    schedule: (asked: number) => {
      next = change(form, seed * 10 + asked)
      left = (seed * 7 + asked) % 8
    }
  }
}

it.effect("no act differs from its approval, whatever changes between asking and acting", () =>
  Effect.gen(function* () {
    const count = isAll ? 10_000 : 500
    let done = 0
    let again = 0
    for (let seed = 1; seed <= count; seed++) {
      const change = changes[seed % changes.length] ?? assert.fail("no change")
      const page = changing(change, seed)
      const seen: Array<Elements> = []
      const person = personOf([], (_, asked) => {
        seen.push(page.now())
        if (asked <= 1 + (seed % 3)) page.schedule(asked)
        return approved
      })
      const { outcome } = yield* walk(graphOf(home, [pay()]), {}, { person }).pipe(
        Effect.provide(ScriptedBrowser.layer(page.site))
      )
      if (seen.length > 1) again++
      if (outcome._tag !== "Success") continue
      done++
      assert.deepStrictEqual(page.now(), seen.at(-1), `change ${seed}`)
    }
    assert.isAbove(done, count / 2)
    assert.isAbove(again, count / 2)
  })
)
