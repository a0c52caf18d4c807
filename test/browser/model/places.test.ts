/** Places on a page that a model tells, in a real Chromium, against a service that speaks the real protocol. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { account } from "../../support/accounts.ts"
import type { Step } from "../../support/browser.ts"
import { entryOf } from "../../support/entries.ts"
import { answering, calls, type Reply, wordsOf } from "../../support/modelServer.ts"
import { chooses, pointOf, walked } from "../../support/modelWalk.ts"
import { inBrowser } from "../../support/realBrowser.ts"

const scroll = (parameters: Record<string, unknown>): Step => ({
  action: "SCROLL",
  parameters: { execution: "LLM_VISION", wait_time: 30_000, ...parameters }
})

/** Waits until the page reports these places of its parts. */
const says = (expected: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: {
    selector: `//*[@id='out'][.='${expected}']`,
    wait_time: 30_000,
    extract_data_model: { type: "object", properties: { out: { type: "string", path: "//*[@id='out']" } } }
  }
})

/** Tells after each scroll whether the target stands at the start or the end of what it is scrolled in. */
const tells = (target: string, frame: string) => `
  const out = document.getElementById("out")
  const tell = () => {
    const { bottom, top } = (${target}).getBoundingClientRect()
    const view = ${frame}
    out.textContent = Math.abs(top - view.top) < 3 ? "at the start" : Math.abs(bottom - view.bottom) < 3 ? "at the end" : "elsewhere"
  }
  addEventListener("scroll", tell, true)`

const tall = `<p id="out" style="position:fixed;right:0">nothing</p><div style="height:1200px"></div>
  <button id="target" style="margin-left:50px;width:300px;height:80px">Far below</button><div style="height:1200px"></div>
  <script>${tells("document.getElementById('target')", "{ top: 0, bottom: innerHeight }")}</script>`

/** A list that scrolls separately, next to another one. */
const lists = `<p id="out" style="position:fixed;right:0">nothing</p>
  <div style="display:flex;gap:50px">
    <div id="other" aria-label="Other list" tabindex="0" style="height:300px;width:200px;overflow:auto"><div style="height:3000px"></div></div>
    <div id="list" aria-label="Orders" tabindex="0" style="height:300px;width:200px;overflow:auto">
      <div style="height:1500px"></div><button id="target" style="height:40px">Order 77</button><div style="height:700px"></div>
    </div>
  </div>
  <script>${tells("document.getElementById('target')", "document.getElementById('list').getBoundingClientRect()")}
  document.getElementById("list").addEventListener("scroll", ({ target }) => {
    if (target.scrollTop + target.clientHeight >= target.scrollHeight - 2) out.textContent = "all of it"
  })</script>`

/** A button and a list that report when they are visible, and scrolled to the end. */
const inner = (name: string, tell: string) => `<div style="height:700px"></div>
  <button style="height:40px;width:200px">${name}</button>
  <div class="list" aria-label="${name} list" tabindex="0" style="height:200px;width:200px;overflow:auto"><div style="height:1500px"></div></div>
  <div style="height:700px"></div>
  <script>(() => {
    const root = document.currentScript?.getRootNode() ?? document
    const tell = (text) => ${tell}
    new IntersectionObserver(([one]) => { if (one.isIntersecting) tell("${name} seen") }, { threshold: 1 })
      .observe(root.querySelector("button"))
    root.querySelector(".list").onscroll = ({ target }) => {
      if (target.scrollTop + target.clientHeight >= target.scrollHeight - 2) tell("${name} all of it") }
  })()</script>`

/**
 * The same in a frame of another site below the window, and in a shadow root. The frame is given one address only: where a
 * second one overtakes the first on a busy machine, Playwright may lose the frame for as long as the page lives.
 */
const nested = {
  FRAMED: `<p id="out" style="position:fixed;right:0">nothing</p><div style="height:700px"></div>
    <iframe id="frame" style="border:7px solid;width:90%;height:600px"></iframe>
    <script>frame.src = location.origin.replace("127.0.0.1", "localhost") + "/inner"
      addEventListener("message", ({ data }) => { out.textContent = data })</script>`,
  SHADOWED: `<p id="out" style="position:fixed;right:0">nothing</p><p></p><x-card></x-card><script>
    customElements.define("x-card", class extends HTMLElement { connectedCallback() {
      const root = this.attachShadow({ mode: "open" })
      root.innerHTML = ${JSON.stringify(inner("Shadowed", "").replace(/<script>[\s\S]*/, ""))}
      const tell = (text) => { document.getElementById("out").textContent = text }
      new IntersectionObserver(([one]) => { if (one.isIntersecting) tell("Shadowed seen") }, { threshold: 1 })
        .observe(root.querySelector("button"))
      root.querySelector(".list").onscroll = ({ target }) => {
        if (target.scrollTop + target.clientHeight >= target.scrollHeight - 2) tell("Shadowed all of it") }
    } })</script>`
}

/** Scrolls down until an element is listed, and then answers with it. */
const downTo = (name: string, reply: Reply): Reply =>
  answering((asked) => (wordsOf(asked).includes(`"${name}"`) ? reply : calls("scroll", { direction: "down" })))
const point = (name: string): Reply => answering((asked) => calls("choose_point", pointOf(asked, name)))

describe.concurrent("places that a model tells", () => {
  it.live("the element that the model sees is brought to the start or the end of the window", () =>
    inBrowser(
      Effect.gen(function* () {
        const toElement = { scroll_mode: "to-element", target_description: "The button {{context.inputs.which}}" }
        for (const [position, reply, expected] of [
          ["start", chooses("Far below"), "at the start"],
          ["end", point("Far below"), "at the end"]
        ] as const) {
          const { asked, data, decisions, failure } = yield* walked(
            tall,
            [scroll({ ...toElement, position }), says(expected)],
            [downTo("Far below", reply)],
            { inputs: { which: "far below" } }
          )
          assert.isNull(failure)
          assert.deepStrictEqual(data, { out: expected })
          assert.include(wordsOf(asked[0] ?? assert.fail("nothing was asked")), "The button far below")
          assert.include(decisions.at(-1)?.decision, "scroll to")
          assert.deepStrictEqual(
            decisions.map(({ node }) => node.action),
            decisions.map(() => "SCROLL")
          )
        }
      })
    )
  )

  it.live(
    "an element is looked for in the container that is named or described, and a container is scrolled to its end",
    () =>
      inBrowser(
        Effect.gen(function* () {
          const find = { scroll_mode: "region", goal: "find-element", target_description: "Order 77" }
          const described = { container_description: "The list of orders" }
          const inList = downTo("Order 77", chooses("Order 77"))
          for (const [parameters, replies, expected] of [
            [{ ...find, container_xpath: "//div[@id='list']" }, [inList], "at the start"],
            [{ ...find, ...described }, [chooses("Orders"), inList], "at the start"],
            [{ scroll_mode: "region", ...described }, [point("Orders")], "all of it"]
          ] as const) {
            const { data, failure } = yield* walked(lists, [scroll(parameters), says(expected)], replies)
            assert.isNull(failure)
            assert.deepStrictEqual(data, { out: expected })
          }
        })
      )
  )

  it.live(
    "what is in a frame of another site or a shadow root is brought into sight, and lists in them are scrolled",
    () =>
      inBrowser(
        Effect.gen(function* () {
          for (const where of ["FRAMED", "SHADOWED"] as const) {
            const target = where === "FRAMED" ? "Framed" : "Shadowed"
            for (const [parameters, replies, expected] of [
              [
                { scroll_mode: "to-element", target_description: "The button" },
                [downTo(target, chooses(target))],
                `${target} seen`
              ],
              [
                { scroll_mode: "region", container_description: "The long list" },
                [downTo(`${target} list`, point(`${target} list`))],
                `${target} all of it`
              ]
            ] as const) {
              const { data, failure } = yield* walked(nested[where], [scroll(parameters), says(expected)], replies, {
                pages: { "/inner": inner("Framed", "parent.postMessage(text, '*')") }
              })
              assert.isNull(failure, `${where} ${parameters.scroll_mode}`)
              assert.deepStrictEqual(data, { out: expected })
            }
          }
        })
      )
  )

  it.live("what the model does not find ends the step, and a list that no description finds is not scrolled", () =>
    inBrowser(
      Effect.gen(function* () {
        const missing = calls("not_found", { reason: "There is none" })
        const toElement = { scroll_mode: "to-element", target_description: "The exit", wait_time: 0 }
        const region = { scroll_mode: "region", container_description: "The exits", wait_time: 0 }
        for (const parameters of [toElement, region]) {
          const { failure } = yield* walked(tall, [scroll(parameters)], [missing])
          assert.strictEqual(failure?.code, "MODEL-E0005")
          assert.include(failure?.message, "There is none")
        }
      })
    )
  )

  /** Tells whether the mouse came to a button as a hand moves it, and whether a field was typed into with pauses. */
  const mouse = `<p id="out">nothing</p>
  <button style="position:absolute;left:500px;top:300px;width:120px;height:40px">Go</button>
  <input aria-label="Name" style="position:absolute;left:500px;top:400px">
  <script>
    const out = document.getElementById("out")
    let moves = 0, pauses = new Set(), last = 0
    addEventListener("pointermove", (event) => { if (event.isTrusted) moves += event.getCoalescedEvents().length })
    addEventListener("keydown", ({ timeStamp }) => { pauses.add(Math.round((timeStamp - last) / 10)); last = timeStamp })
    const how = () => moves > 10 ? "by hand" : "at once"
    document.querySelector("button").onclick = () => { out.textContent = how() }
    document.querySelector("input").oninput = ({ target }) => {
      if (target.value === "Adelaide") out.textContent = how() + (pauses.size > 3 ? ", typed by hand" : ", typed at once")
    }
  </script>`

  it.live("human_mode moves the mouse and types by hand where a model, or a point, says where", () =>
    inBrowser(
      Effect.gen(function* () {
        const done = calls("done", { reason: "Done" })
        const named = { prompt: "The button or the field" }
        const at = { execution: "COORDINATES", selector: '{"x": 560, "y": 320}' }
        const typed = { ...named, execution: "LLM_DOM", text: "Adelaide" }
        const task = { ...named, execution: "COMPUTER_USE" }
        const byMoves = [chooses("Name", "click_element"), calls("type", { text: "Adelaide" }), done]
        for (const [action, parameters, replies, expected] of [
          ["CLICK", { ...named, execution: "LLM_DOM" }, [chooses("Go")], "by hand"],
          ["CLICK", at, [], "by hand"],
          ["CLICK", task, byMoves, "by hand, typed by hand"],
          ["INPUT_TEXT", typed, [chooses("Name")], "by hand, typed by hand"]
        ] as const) {
          const step = { action, parameters: { ...parameters, human_mode: true, wait_time: 10_000 } }
          const { data, failure } = yield* walked(mouse, [step, says(expected)], replies)
          assert.isNull(failure, `${action} ${JSON.stringify(parameters)}`)
          assert.deepStrictEqual(data, { out: expected })
        }
        const plain = { action: "CLICK", parameters: { ...named, execution: "LLM_DOM" } }
        const { data } = yield* walked(mouse, [plain, says("at once")], [chooses("Go")])
        assert.deepStrictEqual(data, { out: "at once" })
      })
    )
  )

  const code = "482915"

  /** A form for a code, in one field or a box for each digit, that tells its page when it was right. */
  const codes = (field: string, tell: string) => `<form onsubmit="
    const given = [...document.querySelectorAll('form input')].map(({ value }) => value).join('')
    const text = given === '${code}' ? 'signed in' : 'wrong ' + given; ${tell}; this.remove(); return false">
  <input aria-label="Promotion" value="" style="display:none">${field}<button hidden>Go on</button></form>`
  const oneField = `<input aria-label="Security code" inputmode="numeric" maxlength="6">`
  const boxes = Array.from(
    { length: 6 },
    (_, index) => `<input aria-label="Digit ${index + 1}" maxlength="1" size="1" style="width:30px"
    oninput="this.nextElementSibling?.focus?.()">`
  ).join("")
  const outside = `<p id="out">nobody</p>`
  const here = "document.getElementById('out').textContent = text"
  const framed = (
    host: string
  ) => `${outside}<div style="height:900px"></div><iframe id="frame" style="width:500px;height:200px"></iframe>
  <script>addEventListener("message", ({ data }) => { out.textContent = data })
    frame.src = location.origin.replace("127.0.0.1", "${host}") + "/code"</script>`

  it.live(
    "a one-time code is typed where the model sees its field, in boxes and frames too, on the site of the credential",
    () =>
      inBrowser(
        Effect.gen(function* () {
          const tfa = (execution: string): Step => ({
            action: "TFA",
            parameters: { tfa_type: "AUTHENTICATOR", credential: "BANK", execution, wait_time: 10_000 }
          })
          const own = { "/code": codes(oneField, "parent.postMessage(text, '*')") }
          const found = (name: string, tool = "choose_element") => downTo(name, chooses(name, tool))
          for (const [execution, page, replies, expected] of [
            ["LLM_VISION", outside + codes(oneField, here), [point("Security code")], null],
            ["LLM_VISION", outside + codes(boxes, here), [chooses("Digit 1")], null],
            [
              "COMPUTER_USE",
              framed("127.0.0.1"),
              [calls("scroll", { direction: "down" }), chooses("Security code")],
              null
            ],
            ["LLM_VISION", framed("localhost"), [found("Security code")], "it is of another site"]
          ] as const) {
            const { asked, data, decisions, failure } = yield* walked(
              page,
              [tfa(execution), says("signed in")],
              replies,
              {
                accounts: (site) => [account("BANK", { tfaSecret: "JBSWY3DPEHPK3PXP" }, entryOf({}, { domain: site }))],
                code,
                inputs: { BANK: "ada" },
                pages: own
              }
            )
            if (expected === null) {
              assert.isNull(failure, failure?.message)
              assert.deepStrictEqual(data, { out: "signed in" })
            } else {
              assert.strictEqual(failure?.code, "MODEL-E0006")
              assert.include(failure?.message, expected)
            }
            assert.isFalse(asked.some(({ text }) => text.includes(code)))
            assert.notInclude(JSON.stringify(decisions), code)
          }
        })
      )
  )
})
