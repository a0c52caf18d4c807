import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { ElementFacts } from "../../../../core/browser/element/ElementFacts.ts"
import * as ActJudge from "../../../../core/builder/proposal/ActJudge.ts"
import * as Irreversible from "../../../../core/builder/proposal/Irreversible.ts"

const shop = "https://shop.example"
const sites = [{ domain: shop, fields: { allowed_origins: null } }]
const around: ActJudge.Surroundings = { sites, signsIn: false }

const facts = (more: Partial<ElementFacts> = {}): ElementFacts => ({
  address: `${shop}/orders`,
  tag: "button",
  text: "Next",
  attributes: [],
  link: null,
  form: null,
  ...more
})

const form = (more: Partial<NonNullable<ElementFacts["form"]>> = {}): NonNullable<ElementFacts["form"]> => ({
  address: `${shop}/find`,
  method: "post",
  window: "",
  fields: [],
  ...more
})

const signIn = form({
  address: `${shop}/login`,
  fields: [
    { name: "user", value: "clerk", kind: "shown" },
    { name: "password", value: "canary", kind: "secret" },
    { name: "stay", value: "on", kind: "shown" }
  ]
})

const click = (more: Partial<ElementFacts>): ActJudge.Act => ({ _tag: "Click", facts: facts(more) })
const type = (more: Partial<ElementFacts>, sends = false, isPassword = false): ActJudge.Act => ({
  _tag: "Type",
  facts: facts({ tag: "input", text: "", ...more }),
  sends,
  isPassword
})

describe("an act", () => {
  it.each([
    ["a click on the next page", click({}), "Allowed"],
    ["a link of the site", click({ tag: "a", link: { address: `${shop}/invoices`, window: "" } }), "Allowed"],
    ["a search by GET", click({ form: form({ method: "get" }) }), "Allowed"],
    ["a button beside a form", click({ attributes: [{ name: "type", value: "button" }], form: form() }), "Allowed"],
    ["a text", type({ form: form() }), "Allowed"],
    ["a text that is searched for by GET", type({ form: form({ method: "GET" }) }, true), "Allowed"],
    ["an option", { _tag: "Choose", facts: facts({ tag: "select", form: form() }) }, "Allowed"],
    ["an address of the site", { _tag: "Open", address: `${shop}/invoices` }, "Allowed"],
    ["a subdomain of the site", { _tag: "Open", address: "https://login.shop.example/" }, "Allowed"],
    ["a password in its field", type({ attributes: [{ name: "type", value: "password" }] }, false, true), "Allowed"],
    ["a form that is sent by POST", click({ form: form() }), "Waits"],
    ["Enter in a form that is sent by POST", type({ form: form() }, true), "Waits"],
    ["Enter outside of a form", type({}, true), "Waits"],
    ["a payment", click({ text: "Pay now" }), "Waits"],
    ["a payment of a program", click({ attributes: [{ name: "id", value: "payNow" }] }), "Waits"],
    ["a link that deletes", click({ tag: "a", link: { address: `${shop}/orders/17/delete`, window: "" } }), "Waits"],
    ["an address that deletes", { _tag: "Open", address: `${shop}/orders?action=delete` }, "Waits"],
    ["a sign-in that nobody typed a credential for", click({ text: "Sign in", form: signIn }), "Waits"],
    ["a page of another site", click({ address: "https://evil.example/" }), "Refused"],
    ["a link to another site", click({ link: { address: "https://evil.example/", window: "" } }), "Refused"],
    ["a link to a mail", click({ link: { address: "mailto:a@evil.example", window: "" } }), "Refused"],
    ["a form that goes to another site", click({ form: form({ address: "https://evil.example/" }) }), "Refused"],
    ["a text for another site", type({ form: form({ address: "https://evil.example/" }) }), "Refused"],
    ["a password in an open field", type({ attributes: [{ name: "type", value: "text" }] }, false, true), "Refused"],
    ["an address of another site", { _tag: "Open", address: "https://evil.example/?to=shop.example" }, "Refused"],
    ["an address in clear", { _tag: "Open", address: "http://shop.example/" }, "Refused"],
    ["a program as an address", { _tag: "Open", address: "javascript:pay()" }, "Refused"]
  ] as ReadonlyArray<readonly [string, ActJudge.Act, ActJudge.Verdict["_tag"]]>)("%s", (_name, act, verdict) => {
    assert.strictEqual(ActJudge.judge(act, around)._tag, verdict)
  })

  it("that signs in with the credential is part of the task, and what else it says is not", () => {
    const signing = { ...around, signsIn: true }
    const judged = (act: ActJudge.Act) => ActJudge.judge(act, signing)._tag
    assert.strictEqual(judged(click({ text: "Sign in", form: signIn })), "Allowed")
    assert.strictEqual(judged(click({ text: "Submit", form: signIn })), "Allowed")
    assert.strictEqual(judged(type({ form: signIn }, true)), "Allowed")
    assert.strictEqual(judged(click({ text: "Pay", form: signIn })), "Waits")
    assert.strictEqual(judged(click({ text: "Delete account", form: signIn })), "Waits")
    const amount = { ...signIn, fields: [...signIn.fields, { name: "amount", value: "900", kind: "shown" as const }] }
    assert.strictEqual(judged(click({ text: "Continue", form: amount })), "Waits")
    const empty = { ...signIn, fields: [{ name: "password", value: "", kind: "secret" as const }] }
    assert.strictEqual(judged(click({ text: "Continue", form: empty })), "Waits")
  })

  const Host = Schema.Literals(["evil.example", "shop.example.evil.example", "evilshop.example", "127.0.0.1", ""])

  it.effect.prop(
    "is never allowed where it touches another site, whatever else the page says",
    [
      Host,
      Schema.Literals(["Click", "Type", "Choose"]),
      Schema.Literals(["page", "form"]),
      Schema.String,
      Schema.Boolean
    ],
    ([host, kind, where, text, signsIn]) =>
      Effect.sync(() => {
        const foreign = host === "" ? "data:text/html,x" : `https://${host}/`
        const touched = where === "page" ? { address: foreign } : { form: form({ address: foreign }) }
        const act = { _tag: kind, facts: facts({ text, ...touched }), sends: true, isPassword: true } as ActJudge.Act
        assert.strictEqual(ActJudge.judge(act, { sites, signsIn })._tag, "Refused")
      }),
    { arbitrary: { runs: 300, size: 30 } }
  )
})

it.each([
  ["Pay €12.50", "pays"],
  ["Jetzt kaufen", "pays"],
  ["Zahlungspflichtig bestellen", "pays"],
  ["P\u00ada\u00ady now", "pays"],
  ["DELETE", "deletes"],
  ["Supprimer le compte", "deletes"],
  ["removeItem", "deletes"],
  ["Envoyer", "sends"],
  ["Formular absenden", "sends"],
  ["Confirmar", "sends"],
  ["Next", null],
  ["Invoices", null],
  ["Download PDF", null],
  ["Cancel", null],
  ["Order 17", null],
  ["Sent", null],
  ["Payslips", null]
] as const)("the words %s name what cannot be undone", (text, deed) => {
  assert.strictEqual(Irreversible.named(text)?.deed ?? null, deed)
})

describe("a proposed step", () => {
  const known: ActJudge.Known = { aliases: new Set(["LOGIN"]), hasPrompt: false }
  const password = "{{context.inputs.LOGIN.PASSWORD}}"
  const typing = (text: string) => ({ action: "INPUT_TEXT", parameters: { selector: "#a", text } })

  it.each([
    ["a text", typing("front desk")],
    ["an input", typing("{{context.inputs.month}} and more")],
    ["a password alone", typing(password)],
    ["a user name alone", typing("{{ context.inputs.LOGIN.USER_NAME }}")],
    ["a row", { action: "CLICK", parameters: { selector: "(//tr)[{{context.runtime.row_index + 1}}]/td/a" } }],
    ["a link of an item", { action: "NAVIGATE", parameters: { url: "{{context.runtime.invoice.link}}" } }]
  ])("may have %s", (_name, candidate) => {
    assert.isNull(ActJudge.objection(candidate, known))
  })

  it.each([
    ["a password in a longer text", typing(`my ${password}`)],
    ["a password with a space behind it", typing(`${password} `)],
    ["all inputs", typing("{{context.inputs}}")],
    ["two passwords", typing(password + password)],
    ["a code secret", typing("{{context.inputs.LOGIN.TFA_SECRET}}")],
    ["a credential as a whole", typing("{{context.inputs.LOGIN}}")],
    ["a reference of another kind", typing("{{secret:LOGIN.PASSWORD}}")],
    ["a key", typing("{{enter}}")],
    ["a program", typing("{{$eval('1')}}")],
    ["an expression with no end", typing("{{context.inputs.month")],
    ["a function of a secret", typing("{{$base64encode(context.inputs.LOGIN.PASSWORD)}}")],
    ["a quoted path", typing("{{context.inputs.`LOGIN`.PASSWORD}}")],
    ["a text of the page", typing("<<xpath://b>>")],
    ["a password in an address", { action: "NAVIGATE", parameters: { url: password } }],
    ["a password in a selector", { action: "CLICK", parameters: { selector: password } }],
    ["a password that is chosen", { action: "INPUT_SELECT", parameters: { selector: "#a", value: password } }],
    ["a password as a name", { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: { [password]: 1 } } }],
    ["a password in a prompt", { action: "EXTRACT_DATAMODEL", parameters: { prompt: password } }],
    ["too much", typing("x".repeat(20_001))]
  ])("may not have %s", (_name, candidate) => {
    assert.isString(ActJudge.objection(candidate, known))
  })

  it("asks a model in each run once in a workflow", () => {
    const judging = { action: "EXTRACT_DATAMODEL", parameters: { prompt: "Which is late?" } }
    assert.isNull(ActJudge.objection(judging, known))
    assert.match(ActJudge.objection(judging, { ...known, hasPrompt: true }) ?? "", /plain steps/)
  })

  it.effect.prop(
    "with an expression is refused, unless that is a plain path",
    [Schema.String, Schema.String],
    ([before, inside]) =>
      Effect.sync(() => {
        const isPlain = /^\s*context(\.[A-Za-z_]\w*){1,5}\s*(\+ 1\s*)?$/.test(inside)
        if (!isPlain) assert.isString(ActJudge.objection(typing(`${before}{{${inside}}}`), known))
      }),
    { arbitrary: { runs: 500, size: 40 } }
  )
})

it("the addresses that a task names are those that a person sees in it", () => {
  assert.deepStrictEqual(
    ActJudge.addressesIn("sign in at https://a.example/login, then (http://b.example:8080/x) and ftp://c.example."),
    ["https://a.example/login", "http://b.example:8080/x"]
  )
})
