import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Browser } from "../../../core/browser/Browser.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { body, Pages, pages } from "../../support/pages.ts"
import { failureOf } from "../../support/shop.ts"
import type { Answer } from "../../support/site.ts"

const answering =
  (status: number, type: string, text: string): Answer =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": type }).end(text)

const save = (path: string) =>
  `fetch('${path}', { method: 'POST' }).then((answer) => { document.querySelector('output').textContent = answer.status })`

const site = pages({
  "/saved": answering(201, "application/json", "{}"),
  "/refused": answering(422, "application/json", "{}"),
  "/frame": body(`<h2>Inside</h2><input id=inner value=7>`),
  "/paid": body(`<h1>Thank&nbsp;you</h1><ul><li>one</li><li>two</li></ul>`),
  "/shop": body(`
    <h1>Shop</h1><output></output>
    <a id=pay href=/paid>Pay</a>
    <a id=later onclick="setTimeout(() => { location.href = '/paid' }, 700); return false" href=#>Pay later</a>
    <button id=save onclick="${save("/saved")}">Save</button>
    <button id=fail onclick="${save("/refused")}">Fail</button>
    <button id=nothing>Nothing</button>
    <button id=complain onclick="setTimeout(() => { document.querySelector('#error').hidden = false }, 20)">Send</button>
    <p id=error hidden>The card was refused</p><p id=unseen style="opacity: 0">Unseen</p>
    <input id=digits oninput="this.value = this.value.replace(/[^0-9]/g, '')">
    <input id=code type=password value=hunter2><input id=box type=checkbox checked>
    <select id=country><option value=DE selected>Germany</option><option value=FR>France</option></select>
    <div id=host></div><iframe src=/frame></iframe>
    <script>document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<b id=deep>Deep</b>'</script>`)
})

const run = (...steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const { browser, site } = yield* Pages
    const { edges, nodes } = graphOf(`${site}/shop`, steps)
    return yield* walk({ nodes, edges }).pipe(Effect.provideService(Browser, browser))
  })

const expecting = (selector: string, ...conditions: ReadonlyArray<object>): Step => ({
  action: "CLICK",
  parameters: { selector, expect: { wait_time: 20_000, conditions } }
})
/** The same, with too little time for what does not hold at once. */
const soon = (selector: string, ...conditions: ReadonlyArray<object>): Step => ({
  action: "CLICK",
  parameters: { selector, expect: { wait_time: 300, conditions } }
})
const element = (selector: string, more: object = {}) => ({ type: "element", selector, ...more })

it.layer(site, { excludeTestServices: true })("what a step expects on a real page", (it) => {
  it.effect.each<readonly [string, Step]>([
    [
      "a page that the click leads to at once",
      expecting(
        "//a[@id='pay']",
        { type: "address", matches: "/paid$" },
        { type: "text", selector: "//h1", equals: "Thank you" },
        { type: "text", contains: "Thank you one two" },
        element("//li", { exactly: 2 }),
        { type: "request", url: "/paid", method: "GET", status: 200 }
      )
    ],
    ["a page that comes late", expecting("//a[@id='later']", { type: "address", contains: "/paid" })],
    [
      "a request and its answer",
      expecting("//button[@id='save']", { type: "request", url: "*/saved", method: "POST", status: "2xx" })
    ],
    [
      "elements in a shadow root, in a frame, by CSS, by role and by text",
      expecting(
        "//button[@id='nothing']",
        element("//b[@id='deep']"),
        { type: "text", selector: "//h2", equals: "Inside" },
        { type: "value", selector: "//input[@id='inner']", equals: "7" },
        element("css=#save"),
        element("role=heading[name='Shop']"),
        element("text=Pay later"),
        { type: "text", selector: "//a[@id='pay']/@href", equals: "/paid" },
        { type: "text", selector: "string(count(//option))", equals: "2" }
      )
    ],
    [
      "what fields hold, in the words of a person",
      expecting(
        "//button[@id='nothing']",
        { type: "value", selector: "//select", equals: "Germany" },
        { type: "value", selector: "//select", equals: "DE" },
        { type: "value", selector: "//input[@id='box']", equals: "true" },
        { type: "value", selector: "//input[@id='code']", equals: "hunter2" }
      )
    ],
    [
      "what cannot be seen, and what is not there",
      expecting(
        "//button[@id='nothing']",
        element("//p[@id='error']", { state: "absent" }),
        element("//p[@id='unseen']", { state: "absent" }),
        element("//p[@id='error']", { state: "present" }),
        element("//p[@id='none']", { state: "present", exactly: 0 })
      )
    ]
  ])("holds: %s", ([, step]) =>
    Effect.map(run(step), (seen) => assert.strictEqual(seen.outcome._tag, "Success", JSON.stringify(seen.outcome)))
  )

  it.effect.each<readonly [string, Step, string]>([
    [
      "a click that did nothing",
      soon("//button[@id='nothing']", { type: "text", selector: "//h1", equals: "Thank you" }),
      'the text of //h1 equals "Thank you"; found "Shop"'
    ],
    [
      "an answer that refuses",
      soon("//button[@id='fail']", { type: "request", url: "/refused", method: "POST" }),
      "with status 422"
    ],
    [
      "a complaint that comes a moment after",
      soon("//button[@id='complain']", element("//p[@id='error']", { state: "absent" }), {
        type: "text",
        selector: "//h1",
        equals: "Shop"
      }),
      "none of //p[@id='error'], visible; found 1"
    ],
    [
      "a password",
      soon("//button[@id='nothing']", { type: "value", selector: "//input[@id='code']", equals: "other" }),
      "found another text, which the field hides"
    ]
  ])("fails: %s", ([, step, saying]) =>
    Effect.gen(function* () {
      const { code, message } = failureOf(yield* run(step))
      assert.strictEqual(code, "EXPECT-E0001")
      assert.include(message, saying)
      assert.notInclude(message, "hunter2")
    })
  )
})
