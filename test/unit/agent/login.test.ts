import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Login from "../../../core/agent/login/Login.ts"
import { type Edge, type Graph, type Node, targets } from "../../../core/workflow/language/graph/Graph.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { eventually } from "../../support/eventually.ts"

const site = "https://bank.example/login"
const home = "https://bank.example/home"
const refused = "https://bank.example/refused"
const pages: ScriptedBrowser.ScriptedSite = {
  [site]: [
    { selector: "#user", value: "" },
    { selector: "#password", value: "" },
    { selector: "#code", value: "", takes: { values: ["123456"], leadsTo: home } },
    { selector: "#go", leadsTo: home },
    { selector: "#again", text: "Again", leadsTo: site },
    { selector: "#wrong", leadsTo: refused }
  ],
  [refused]: [{ selector: "//p", text: "Welcome\nThis password is incorrect: battery staple" }],
  [home]: [{ selector: "//h1", text: "Welcome" }, { selector: "#menu" }]
}

const bank = account("BANK", { userName: "ada@bank.example", password: "battery staple" })
const shop = account("SHOP", { userName: "bob@shop.example", password: "horse" })

const run = (steps: ReadonlyArray<Step>, accounts = [bank]) =>
  walk(
    graphOf(site, steps),
    { BANK: "a", SHOP: "b" },
    { accounts, person: { ask: () => Effect.succeed({ code: "123456" }), correct: () => Effect.succeed(null) } }
  ).pipe(Effect.provide(ScriptedBrowser.layer(pages)), eventually)

const type = (selector: string, name: string, more: object = {}): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector, text: `{{context.inputs.${name}}}`, ...more }
})
const click = (selector: string): Step => ({ action: "CLICK", parameters: { selector } })
const delay: Step = { action: "DELAY", parameters: { delay_time: 0 } }
const find = (selector: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { selector, extract_data_model: { type: "object", properties: {} } }
})
const isThere = (selector: string, to: { readonly yes: number; readonly no: number }, more: object = {}): Step => ({
  action: "BOOL_CONDITION",
  parameters: { comparison_operator: "IS_NOT_NULL", comparison_value_1: `<<xpath:${selector}>>`, ...more },
  to
})
const signIn = [type("#user", "BANK.USER_NAME"), type("#password", "BANK.PASSWORD")]

describe("a login", () => {
  it.effect("that fails quotes what the page says, without secrets", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run([...signIn, click("#wrong"), click("#menu")])
      const message = outcome._tag === "Failed" ? outcome.failure.message : ""
      assert.include(message, 'The page says: "This password is incorrect: [secret]"')
      const over = yield* run([...signIn, click("#go"), click("#menu"), find("//h1"), click("#none")])
      assert.notInclude(over.outcome._tag === "Failed" ? over.outcome.failure.message : "says", "says")
    })
  )

  it.effect("begins with the first secret, and is over when two steps found what the site shows after it", () =>
    Effect.gen(function* () {
      const { logins } = yield* run([
        ...signIn,
        click("#go"),
        delay,
        { action: "SCREENSHOT" },
        find("//h1"),
        click("#menu")
      ])
      assert.deepStrictEqual(logins, ["BANK begins at INPUT_TEXT 1", "BANK over at EXTRACT_DATAMODEL 6"])
    })
  )

  it.effect("is over one step earlier where typing the last secret sends the form", () =>
    Effect.gen(function* () {
      const submitted = yield* run([
        type("#user", "BANK.USER_NAME"),
        type("#password", "BANK.PASSWORD", { submit_after_input: true }),
        click("#again"),
        delay
      ])
      assert.deepStrictEqual(submitted.logins, ["BANK begins at INPUT_TEXT 1", "BANK over at CLICK 3"])
      const coded = yield* run([
        { action: "TFA", parameters: { tfa_type: "SMS", credential: "BANK", selector: "#code" } },
        find("//h1")
      ])
      assert.deepStrictEqual(coded.logins, ["BANK begins at TFA 1", "BANK over at EXTRACT_DATAMODEL 2"])
    })
  )

  it.effect("continues as long as a step that reads a secret may still come", () =>
    Effect.gen(function* () {
      const { logins } = yield* run([
        type("#user", "BANK.USER_NAME"),
        isThere("//nothing", { yes: 1, no: 3 }),
        type("#password", "BANK.PASSWORD"),
        click("#go"),
        find("//h1"),
        isThere("//h1", { yes: 7, no: 1 }),
        delay
      ])
      assert.deepStrictEqual(logins, ["BANK begins at INPUT_TEXT 1", "BANK over at BOOL_CONDITION 6"])
    })
  )

  it.effect("is over at once where the session is still known, or nothing reads a secret", () =>
    Effect.gen(function* () {
      const { logins } = yield* run(
        [isThere("#again", { yes: 4, no: 2 }), type("#user", "BANK.USER_NAME"), click("#go"), delay],
        [bank, shop]
      )
      assert.deepStrictEqual(logins, ["SHOP over at the start", "BANK over at BOOL_CONDITION 1"])
    })
  )

  it.effect("has failed when the page ends the run during it, and not when anything else does", () =>
    Effect.gen(function* () {
      const failedLogin = (steps: ReadonlyArray<Step>) =>
        Effect.map(run(steps, [bank, shop]), ({ outcome }) => [
          outcome._tag === "Failed" ? outcome.failure.code : null,
          outcome._tag === "Failed" ? outcome.failure.failedLogin : null
        ])
      const nothing = { action: "CLICK", parameters: { selector: "#nothing", wait_time: 0 } }
      assert.deepStrictEqual(yield* failedLogin([nothing, ...signIn]), ["SELECTOR-E0001", null])
      assert.deepStrictEqual(yield* failedLogin([...signIn, nothing]), ["SELECTOR-E0001", "BANK"])
      assert.deepStrictEqual(yield* failedLogin([...signIn, click("#go"), nothing]), ["SELECTOR-E0001", "BANK"])
      assert.deepStrictEqual(yield* failedLogin([...signIn, click("#go"), click("#menu"), nothing]), [
        "SELECTOR-E0001",
        null
      ])
      const refused = isThere("//error", { yes: 4, no: 5 }, { error_on_false_message: "Not let in" })
      assert.deepStrictEqual(yield* failedLogin([...signIn, refused, delay]), ["CONDITION-E0001", "BANK"])
      const lost = { action: "NAVIGATE", parameters: { url: "https://bank.example/gone" } }
      assert.deepStrictEqual(yield* failedLogin([...signIn, lost]), ["NAVIGATION-E0001", null])
      assert.deepStrictEqual(yield* failedLogin([...signIn, type("#user", "SHOP.USER_NAME"), nothing]), [
        "SELECTOR-E0001",
        "SHOP"
      ])
      const code = {
        action: "TFA",
        parameters: { tfa_type: "SMS", credential: "BANK", selector: "//nothing", wait_time: 0 }
      }
      assert.deepStrictEqual(yield* failedLogin([code]), ["SELECTOR-E0001", "BANK"])
    })
  )
})

/** A node: which of two credentials it uses, what it is, and where a second way leads from it. */
const Drawn = Schema.Struct({
  alias: Schema.Literals(["A", "B", "none"]),
  action: Schema.Literals(["CLICK", "DELAY", "TEXT", "SUBMIT"]),
  branch: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 })))
})

const drawn = (nodes: ReadonlyArray<typeof Drawn.Type>): Graph => {
  const id = (index: number) => String(Math.min(index, nodes.length))
  const node = ({ action, alias }: typeof Drawn.Type, index: number): Node => {
    const text = alias === "none" ? "x" : `{{context.inputs.${alias}.PASSWORD}}`
    const base = { id: id(index), name: id(index) }
    if (action === "DELAY") return { ...base, action, parameters: { delay_time: 0 } }
    if (action === "CLICK") return { ...base, action, parameters: { selector: text } }
    return {
      ...base,
      action: "INPUT_TEXT",
      parameters: { text, selector: "#a", submit_after_input: action === "SUBMIT" }
    }
  }
  const end: Node = { id: id(nodes.length), name: "end", action: "END", parameters: {} }
  const edges = nodes.map(({ branch }, index): readonly [string, Edge] => [
    id(index),
    branch === null
      ? { _tag: "Next", to: id(index + 1) }
      : { _tag: "Branch", onTrue: id(index + 1), onFalse: id(branch) }
  ])
  return {
    start: id(0),
    nodes: new Map([...nodes.map(node), end].map((one) => [one.id, one])),
    edges: new Map(edges)
  }
}

it.prop(
  "on any way through any graph a login begins with the first use of a secret, ends once, and no use comes after it",
  [
    Schema.Array(Drawn).check(Schema.isMinLength(1), Schema.isMaxLength(10)),
    Schema.Array(Schema.Boolean).check(Schema.isMinLength(20), Schema.isMaxLength(60))
  ],
  ([nodes, ways]) => {
    const graph = drawn(nodes)
    const began = new Set<string>()
    const over = new Set<string>()
    const used = new Set<string>()
    const end = (aliases: ReadonlyArray<string>) => {
      for (const alias of aliases) {
        assert.isFalse(over.has(alias))
        over.add(alias)
      }
    }
    const first = Login.before(graph, ["A", "B"])
    let { login } = first
    end(first.aliases)
    let at = graph.start
    for (const way of ways) {
      const node = graph.nodes.get(at)
      const edge = graph.edges.get(at)
      if (node === undefined || edge === undefined) break
      const begun = Login.begin(login, node)
      login = begun.login
      for (const alias of begun.aliases) {
        assert.isFalse(began.has(alias) || over.has(alias))
        began.add(alias)
      }
      const alias = nodes[Number(at)]?.action === "DELAY" ? "none" : nodes[Number(at)]?.alias
      if (alias !== undefined && alias !== "none") {
        assert.isTrue(began.has(alias))
        assert.isFalse(over.has(alias))
        used.add(alias)
      }
      const [one, other] = targets(edge)
      at = (way ? one : (other ?? one)) ?? at
      const done = Login.after(login, node, at)
      login = done.login
      end(done.aliases)
      const inProgress = Login.inProgress(login)
      if (inProgress !== null) assert.isTrue(began.has(inProgress) && !over.has(inProgress))
    }
    assert.deepStrictEqual(began, used)
    if (graph.edges.get(at) === undefined) {
      for (const alias of ["A", "B"]) assert.isTrue(over.has(alias) || began.has(alias))
    }
  },
  { arbitrary: { runs: 300 } }
)
