import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Outcome } from "../../../../core/agent/Outcome.ts"
import type { CorrectableFailure } from "../../../../core/agent/Person.ts"
import { Advisor } from "../../../../core/agent/recovery/Advisor.ts"
import * as ElementMemory from "../../../../core/agent/recovery/ElementMemory.ts"
import { Browser } from "../../../../core/browser/Browser.ts"
import { ofStatus, PageFailure } from "../../../../core/browser/PageFailure.ts"
import * as ScriptedBrowser from "../../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../../support/accounts.ts"
import { altered } from "../../../support/alteredSessions.ts"
import { graphOf, type Step, walk } from "../../../support/browser.ts"

const home = "https://shop.example/"
const done = "https://shop.example/done"
const welcome = "https://shop.example/welcome"
const other = "https://shop.example/other"
const order = { tag: "button", role: "button", type: "submit", section: "Your order" }

/** A pop-up that asks one of two things, over the element behind it. */
const asking = (text: string): ReadonlyArray<ScriptedBrowser.ScriptedElement> => [
  {
    selector: "//question",
    text,
    over: {
      covers: ["//locked"],
      buttons: [
        { label: "Private", selector: "//private" },
        { label: "Business", selector: "//business" }
      ]
    }
  },
  { selector: "//private", removes: ["//question"] },
  { selector: "//business", removes: ["//question"] }
]

const site: ScriptedBrowser.ScriptedSite = {
  [home]: [
    { selector: "//notice", text: "News", removes: ["//notice"] },
    { selector: "//buy", text: "Place order", looks: { ...order, id: "order" }, leadsTo: done },
    { selector: "//decoy", text: "Place order", looks: { ...order, id: "order", section: "Advertisement" } },
    { selector: "//next", text: "Next", looks: { tag: "button", id: "next-page" }, leadsTo: done },
    { selector: "//under", leadsTo: done },
    {
      selector: "//banner",
      text: "We use cookies",
      over: {
        covers: ["//under"],
        buttons: [
          { label: "Buy", selector: "//buy" },
          { label: "Reject all", selector: "//reject" }
        ]
      }
    },
    { selector: "//reject", removes: ["//banner", "//reject"] },
    { selector: "//own", looks: { tag: "input", type: "text", id: "pin" }, frame: "https://bank.example/login" },
    { selector: "//ad", looks: { tag: "input", type: "text", id: "password" }, frame: "https://ads.example/" },
    { selector: "//locked", leadsTo: done },
    ...asking("Which account?")
  ],
  [other]: [{ selector: "//locked", leadsTo: done }, ...asking("Which account is to be closed?")],
  [welcome]: [
    { selector: "//press" },
    {
      selector: "//pressed",
      text: (events) => `${events.filter(({ selector, type }) => selector === "//press" && type === "click").length}`
    },
    { selector: "//h2", text: (events) => (events.some(({ selector }) => selector === "//later") ? "Welcome" : "") },
    {
      selector: "//wall",
      text: "What is new",
      over: { covers: [], isDialog: true, buttons: [{ label: "Not now", selector: "//later" }] }
    },
    { selector: "//later", removes: ["//wall", "//later"] }
  ],
  [done]: [{ selector: "//h1", text: "Done" }]
}

type Options = Parameters<typeof walk>[2]

const run = (steps: ReadonlyArray<Step>, options: Options, inputs = {}) =>
  walk(graphOf(home, steps), inputs, options).pipe(Effect.provide(ScriptedBrowser.layer(site)))

const click = (selector: string, more = {}): Step => ({
  action: "CLICK",
  parameters: { selector, wait_time: 100, ...more }
})

const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
}

const reached: Outcome = { _tag: "Success", data: { title: "Done" } }

it.effect("a pop-up that the workflow foresees is pressed before the node, and nothing is when there is none", () =>
  Effect.gen(function* () {
    const recovery = { popups: true, popupXpaths: ["//notice", "//other"] }
    const { analyses, outcome } = yield* run([click("//buy"), read], { recovery })
    assert.deepEqual(outcome, reached)
    assert.deepStrictEqual(
      analyses.map(({ kind, node, popup }) => [kind, node.name, popup?.signature]),
      [["popup_xpaths", "CLICK 1", "//notice"]]
    )
  })
)

it.effect("what covers an element is dismissed by what commits to nothing, and offered as a patch", () =>
  Effect.gen(function* () {
    const { analyses, offers, outcome } = yield* run([click("//under"), read], { recovery: { popups: true } })
    assert.deepEqual(outcome, reached)
    assert.deepInclude(analyses[0], { kind: "popup", outcome: "success" })
    assert.deepInclude(analyses[0]?.classification, { category: "UNEXPECTED_UI_STATE", subType: "DISMISSIBLE" })
    assert.deepInclude(offers[0], { kind: "popup_xpath", after: "//reject" })
    const without = yield* run([click("//under"), read], {})
    assert.strictEqual(without.outcome._tag, "Failed")
    assert.deepStrictEqual([without.analyses, without.offers], [[], []])
  })
)

describe("what a step expects, and a pop-up hides", () => {
  const expecting = (condition: object) => ({ expect: { wait_time: 0, conditions: [condition] } })
  const greeted = expecting({ type: "text", selector: "//h2", equals: "Welcome" })
  const once = expecting({ type: "text", selector: "//pressed", equals: "1" })
  const recovery = { popups: true }
  const welcomed = (steps: ReadonlyArray<Step>, start: object, end: object, options: Options = { recovery }) => {
    const { edges, nodes } = graphOf(welcome, steps)
    const more: Readonly<Record<string, object>> = { START: start, END: end }
    const all = nodes.map((node) => ({ ...node, parameters: { ...node.parameters, ...more[node.action] } }))
    return Effect.map(
      walk({ nodes: all, edges }, {}, options).pipe(Effect.provide(ScriptedBrowser.layer(site))),
      ({ analyses, outcome }) => [outcome._tag, ...analyses.map(({ kind, outcome }) => `${kind} ${outcome}`)]
    )
  }

  it.effect("is looked for again without it, and the act is not done again", () =>
    Effect.gen(function* () {
      for (const more of [{}, { not_repeatable: true }]) {
        const step = click("//press", { ...more, ...greeted })
        assert.deepStrictEqual(yield* welcomed([step], {}, once), ["Success", "modal success"])
        assert.deepStrictEqual(yield* welcomed([step], {}, once, {}), ["Failed"])
      }
    })
  )

  it.effect("also by the page that START opens, at END, and with what the workflow knows", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* welcomed([], greeted, {}), ["Success", "modal success"])
      assert.deepStrictEqual(yield* welcomed([], {}, greeted), ["Success", "modal success"])
      const known = { recovery: { ...recovery, popupXpaths: ["//later"] } }
      assert.deepStrictEqual(yield* welcomed([], {}, greeted, known), ["Success", "popup success"])
    })
  )

  it.effect("is not there where it is missing without the pop-up, too", () =>
    Effect.gen(function* () {
      const never = expecting({ type: "text", selector: "//h2", equals: "Farewell" })
      assert.deepStrictEqual(yield* welcomed([click("//press", never)], {}, {}), ["Failed", "modal failure"])
    })
  )

  it.effect("but nothing is dismissed where something is there that must not be", () =>
    Effect.gen(function* () {
      const alone = expecting({ type: "element", selector: "//wall", state: "absent" })
      assert.deepStrictEqual(yield* welcomed([click("//press", alone)], {}, {}), ["Failed"])
      const few = expecting({ type: "element", selector: "//wall", exactly: 0 })
      assert.deepStrictEqual(yield* welcomed([click("//press", few)], {}, {}), ["Failed"])
    })
  )
})

it.effect("a pop-up that nothing dismisses is decided by a person, where a person may be asked", () =>
  Effect.gen(function* () {
    const asked: Array<unknown> = []
    const person = {
      ask: () => Effect.succeed(null),
      correct: ({ popup }: { readonly popup?: unknown }) =>
        Effect.sync(() => {
          asked.push(popup)
          return { _tag: "action", action: "action_2" } as const
        })
    }
    const steps = [click("//locked"), read]
    const recovery = { popups: true }
    const decided = yield* run(steps, { recovery, person, correctable: true })
    assert.deepEqual(decided.outcome, reached)
    assert.deepInclude(asked[0], { subType: "NON_DISMISSIBLE", attempt: 1, maxAttempts: 3 })
    assert.deepInclude(decided.analyses[0]?.popup, {
      phase: "modal_decision_dispatched",
      action: "action_2",
      label: "Business"
    })
    const alone = yield* run(steps, { recovery, person, correctable: false })
    assert.deepInclude(alone.outcome, { _tag: "Failed" })
    if (alone.outcome._tag === "Failed") {
      assert.deepInclude(alone.outcome.failure, { category: "UNEXPECTED_UI_STATE", subType: "DECISION_REQUIRED" })
    }
    assert.lengthOf(asked, 1)
  })
)

it.effect("a decision about a pop-up that is saved is used for the same pop-up again, and for no other", () =>
  Effect.gen(function* () {
    const open = (url: string): Step => ({ action: "NAVIGATE", parameters: { url } })
    const steps = [home, home, other].flatMap((url) => [open(url), click("//locked")])
    const decided = (save: boolean) =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const person = {
          ask: () => Effect.succeed(null),
          correct: ({ popup }: CorrectableFailure) =>
            Effect.sync(() => {
              asked.push(popup?.description ?? "")
              return { _tag: "action", action: "action_2", save } as const
            })
        }
        const found = yield* run([...steps, read], { recovery: { popups: true }, person, correctable: true })
        assert.deepEqual(found.outcome, reached)
        assert.deepStrictEqual(
          found.analyses.map(({ popup }) => [popup?.phase, popup?.label]),
          steps.filter(({ action }) => action === "CLICK").map(() => ["modal_decision_dispatched", "Business"])
        )
        return asked.map((description) => description.includes("closed"))
      })
    assert.deepStrictEqual(yield* decided(true), [false, true])
    assert.deepStrictEqual(yield* decided(false), [false, false, true])
  })
)

it.effect("an element is found again by what it looked like, and by what its selector says; a decoy is not taken", () =>
  Effect.gen(function* () {
    const recovery = { selectors: true }
    const remembered = yield* ElementMemory.of(Effect.succeed([]))
    yield* run([click("//buy")], { recovery, memories: remembered.memories })
    const [known] = remembered.learned()
    assert.deepInclude(known, { selector: "//buy" })
    const moved = yield* ElementMemory.of(
      Effect.succeed([{ ...known, selector: "//button[@id='old']" } as ElementMemory.ElementRecord])
    )
    const again = yield* run([click("//button[@id='old']"), read], { recovery, memories: moved.memories })
    assert.deepEqual(again.outcome, reached)
    assert.deepInclude(again.offers[0], {
      kind: "selector",
      parameter: "selector",
      before: "//button[@id='old']",
      after: "//buy"
    })
    assert.lengthOf(moved.learned(), 0)

    // Without a memory, the selector names only what the decoy has as well.
    const unsure = yield* run([click("//button[@id='order']"), read], { recovery })
    assert.strictEqual(unsure.outcome._tag, "Failed")
    const hinted = yield* run([click("//button[normalize-space()='Next']"), read], { recovery })
    assert.deepEqual(hinted.outcome, reached)
    // A text that the selector excludes is no trait to find the element by.
    const excluded = yield* run([click("//button[not(normalize-space()='Next')]"), read], { recovery })
    assert.strictEqual(excluded.outcome._tag, "Failed")
    const shown = yield* run([{ ...click("//button[normalize-space()='Next']"), action: "SCREENSHOT" }], { recovery })
    assert.strictEqual(shown.outcome._tag, "Success")
  })
)

it.effect("a recovery counts, and is offered as a patch, only where what the step expects holds after it", () =>
  Effect.gen(function* () {
    const expecting = (contains: string) => ({ expect: { wait_time: 0, conditions: [{ type: "address", contains }] } })
    const moved = "//button[normalize-space()='Next']"
    for (const [selector, recovery] of [
      [moved, { selectors: true }],
      ["//under", { popups: true }]
    ] as const) {
      const right = yield* run([click(selector, expecting("/done"))], { recovery })
      assert.strictEqual(right.outcome._tag, "Success", selector)
      assert.deepStrictEqual([right.analyses[0]?.outcome, right.offers.length], ["success", 1], selector)
      const wrong = yield* run([click(selector, expecting("/paid"))], { recovery })
      assert.strictEqual(wrong.outcome._tag === "Failed" && wrong.outcome.failure.code, "EXPECT-E0001", selector)
      assert.deepStrictEqual([wrong.analyses.map(({ outcome }) => outcome), wrong.offers], [["failure"], []], selector)
      const memory = yield* ElementMemory.of(Effect.succeed([]))
      yield* run([click(selector, expecting("/paid"))], { recovery, memories: memory.memories })
      assert.deepStrictEqual(memory.learned(), [], "nor is the element remembered")
    }
  })
)

it.effect("a secret is not typed into what was found in a frame of another site, and another text is", () =>
  Effect.gen(function* () {
    const type = (id: string, text: string): Step => ({
      action: "INPUT_TEXT",
      parameters: { selector: `//input[@id='${id}']`, text, wait_time: 100 }
    })
    const options = { recovery: { selectors: true }, accounts: [account("BANK", { password: "hunter2!" })] }
    const secret = "{{context.inputs.BANK.PASSWORD}}"
    const foreign = yield* run([type("password", secret)], options)
    assert.strictEqual(foreign.outcome._tag, "Failed")
    assert.deepStrictEqual(foreign.offers, [])
    for (const [id, text, after] of [
      ["pin", secret, "//own"],
      ["password", "hello", "//ad"]
    ] as const) {
      const { offers, outcome } = yield* run([type(id, text)], options)
      assert.strictEqual(outcome._tag, "Success", after)
      assert.deepStrictEqual(
        offers.map((offer) => offer.after),
        [after]
      )
    }
  })
)

it.effect("an adviser classifies a failure that the rules cannot, and receives its own text", () =>
  Effect.gen(function* () {
    const advisor = {
      choose: ({ candidates }: { readonly candidates: ReadonlyArray<{ readonly section: string | null }> }) =>
        Effect.succeed({ choice: candidates.findIndex(({ section }) => section === "Your order"), reason: "The order" })
    }
    const { analyses, outcome } = yield* run([click("//button[@id='order']"), read], {
      recovery: { selectors: true }
    }).pipe(Effect.provideService(Advisor, advisor))
    assert.deepEqual(outcome, reached)
    assert.deepInclude(analyses[0], { kind: "selector", byModel: "The order" })
  })
)

it.effect("a node that must not be repeated is tried once, and the failure says so", () =>
  Effect.gen(function* () {
    const step = click("//under", { not_repeatable: true })
    const { analyses, marks, outcome } = yield* run([step, read], { recovery: { popups: true, selectors: true } })
    assert.deepStrictEqual([analyses, marks], [[], ["acting", "committing"]])
    assert.deepInclude(outcome, { _tag: "Failed" })
    if (outcome._tag === "Failed") assert.include(outcome.failure.message, "must not be repeated, so it was tried once")
  })
)

it.effect("a step that may have taken effect is not tried again", () =>
  Effect.gen(function* () {
    let clicks = 0
    const browser = yield* Browser
    const reason = "Timeout, after it had begun"
    const flaky = Browser.of({
      open: (session) =>
        Effect.map(browser.open(session), (page) =>
          altered(page, {
            // The text of a dialog must not hide that.
            navigation: { dialogs: Effect.succeed([{ kind: "alert", message: "Saved", entered: null }]) },
            elements: {
              click: () =>
                Effect.suspend(() => {
                  clicks++
                  return Effect.fail(new PageFailure({ kind: "unusable", reason, selector: "//under", acted: true }))
                })
            }
          })
        )
    })
    const { outcome } = yield* walk(
      graphOf(home, [click("//under"), read]),
      {},
      {
        recovery: { popups: true, timing: true, selectors: true }
      }
    ).pipe(Effect.provideService(Browser, flaky))
    assert.strictEqual(clicks, 1)
    assert.deepInclude(outcome, { _tag: "Failed" })
    if (outcome._tag === "Failed") {
      assert.include(outcome.failure.message, "may have taken effect")
      assert.include(outcome.failure.message, 'The page had shown "Saved" (alert)')
    }
  }).pipe(Effect.provide(ScriptedBrowser.layer(site)))
)

it.effect("a node past which nothing is retried commits, where the workflow denies that", () =>
  Effect.gen(function* () {
    const step = click("//buy", { end_here_on_dry_run: true })
    const denied = yield* run([step, read], { recovery: { markerCommits: true } })
    assert.deepStrictEqual(denied.marks, ["acting", "committing"])
    assert.deepStrictEqual((yield* run([step, read], {})).marks, ["acting"])
  })
)

it.effect("an unavailable server is asked again, each time after twice the pause, up to a limit", () =>
  Effect.gen(function* () {
    const browser = yield* Browser
    const times: Array<number> = []
    const opens = (failures: number) =>
      Browser.of({
        open: (session) =>
          Effect.map(browser.open(session), (page) =>
            altered(page, {
              navigation: {
                goto: (url: string) =>
                  Effect.gen(function* () {
                    times.push(yield* Clock.currentTimeMillis)
                    if (times.length > failures) return yield* page.navigation.goto(url)
                    return yield* ofStatus(503)
                  })
              }
            })
          )
      })
    const visit = (failures: number) =>
      Effect.gen(function* () {
        times.length = 0
        const fiber = yield* Effect.forkChild(
          walk(graphOf(done, [read]), {}, { recovery: { unavailable: true } }).pipe(
            Effect.provideService(Browser, opens(failures))
          )
        )
        yield* TestClock.adjust("1 minute")
        const seen = yield* Fiber.join(fiber)
        return { ...seen, pauses: times.slice(1).map((time, index) => time - (times[index] ?? 0)) }
      })
    const twice = yield* visit(2)
    assert.deepEqual(twice.outcome, reached)
    assert.deepStrictEqual(twice.pauses, [1_000, 2_000])
    const never = yield* visit(99)
    assert.deepStrictEqual(never.pauses, [1_000, 2_000, 4_000])
    if (never.outcome._tag === "Failed") {
      assert.deepInclude(never.outcome.failure, { category: "SERVICE_UNAVAILABLE", passing: true })
    }
  }).pipe(Effect.provide(ScriptedBrowser.layer(site)))
)

it.effect("a page that could not be read is reported as that, wherever its failure is judged", () =>
  Effect.gen(function* () {
    const { open } = yield* Browser
    const reason = "it did not answer within 20000 ms"
    const blind = Browser.of({
      open: (session) =>
        Effect.map(open(session), (page) =>
          altered(page, { elements: { survey: () => Effect.fail(new PageFailure({ kind: "unusable", reason })) } })
        )
    })
    const steps = ["//gone", "//button[normalize-space()='Next']"].map((selector) => [click(selector)])
    const [lost, found] = yield* Effect.forEach(steps, (all) =>
      walk(graphOf(home, all), {}, { recovery: { selectors: true } }).pipe(Effect.provideService(Browser, blind))
    )
    const failure = lost?.outcome._tag === "Failed" ? lost.outcome.failure : null
    assert.include(failure?.description, `could not be looked at: ${reason}`)
    assert.deepInclude(found?.analyses[0], { kind: "selector", outcome: "success" })
    assert.include(found?.analyses[0]?.classification.description, `could not be looked at: ${reason}`)
  }).pipe(Effect.provide(ScriptedBrowser.layer(site)))
)
