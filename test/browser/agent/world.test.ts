import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ElementMemory from "../../../core/agent/recovery/ElementMemory.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { at, body, open, Pages, pages } from "../../support/pages.ts"

/** Replaces what JavaScript and the DOM come with, before anything of the page is there. */
const tampering = `<script>
  const liar = () => { throw new Error("tampered") }
  for (const name of ["map", "filter", "find", "findLast", "flatMap", "forEach", "some", "every", "includes", "slice", "join", "indexOf", "entries"]) Array.prototype[name] = liar
  Array.prototype[Symbol.iterator] = String.prototype.replace = String.prototype.trim = liar
  NodeList.prototype[Symbol.iterator] = HTMLCollection.prototype[Symbol.iterator] = liar
  Array.from = JSON.stringify = JSON.parse = Object.entries = Object.fromEntries = liar
  Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => "tampered"
  window.Map = window.Set = window.WeakMap = window.Promise = window.TextEncoder = liar
  window.getComputedStyle = window.getSelection = liar
  for (const of of [Document.prototype, Element.prototype, DocumentFragment.prototype])
    of.querySelector = of.querySelectorAll = liar
  for (const name of ["matches", "closest", "getAttribute", "hasAttribute", "getBoundingClientRect", "getClientRects", "scrollIntoView", "scrollBy", "cloneNode", "attachShadow"])
    Element.prototype[name] = liar
  for (const name of ["getElementById", "evaluate", "createExpression", "elementFromPoint", "createElement", "createTreeWalker"]) Document.prototype[name] = liar
  Node.prototype.contains = Node.prototype.getRootNode = liar
  for (const [of, name] of [[Node.prototype, "textContent"], [HTMLElement.prototype, "innerText"], [Element.prototype, "children"],
    [Element.prototype, "attributes"], [Element.prototype, "tagName"], [HTMLInputElement.prototype, "value"], [HTMLSelectElement.prototype, "options"],
    [HTMLOptionElement.prototype, "text"], [Document.prototype, "activeElement"], [Document.prototype, "title"], [Element.prototype, "innerHTML"], [Element.prototype, "outerHTML"]])
    Object.defineProperty(of, name, { get: () => "tampered", configurable: true })
</script>`

const order = (id: string) => `<h2>Your order</h2><button id="${id}" onclick="location='/done'">Place order</button>`

const site = pages({
  "/tampered":
    body(`${tampering}<h1>Orders</h1><script>var hidden = "secret"</script><p style="display:none">hidden words</p>
    <ul><li>one</li><li>two</li></ul><form><label for="code">Code</label><input id="code" aria-label="One-time code" value="12"></form>
    <iframe src="/inner" width="300" height="100"></iframe><iframe sandbox srcdoc="<p id='closed'>Closed</p>" width="300" height="50"></iframe>
    <div style="height:3000px"></div><button id="low">Low</button>`),
  "/order": body(order("first")),
  "/moved":
    body(`${tampering}<main>${order("second")}</main><div id="wall" style="position:fixed;inset:0;background:#eee;z-index:99">
    We use cookies <button onclick="wall.remove()">Reject all</button></div>`),
  "/done": body("<h1>Done</h1>"),
  "/inner": body(`${tampering}<button>Within</button><textarea></textarea>`),
  "/lists": body(`${tampering}
    <select id="plain"><option value="a">Alpha<option value="b">Beta</select>
    <input id="typed" list="words"><datalist id="words"><option value="Alpha"><option value="Beta"></datalist>
    <div id="open" role="listbox"><div role="option" onclick="this.ariaSelected = 'true'">Alpha</div><div role="option" onclick="this.ariaSelected = 'true'">Beta</div></div>
    <button id="custom" aria-haspopup="listbox" aria-controls="menu" onclick="menu.hidden = false">Choose</button>
    <div id="menu" role="listbox" hidden><div role="option" onclick="custom.append(' Alpha')">Alpha</div><div role="option" onclick="custom.append(' Beta'); menu.hidden = true">Beta</div></div>`)
})

const keys = { existing: "replace", delayMillis: 0, paste: false } as const

it.layer(site, { excludeTestServices: true })("a page that replaced what JavaScript has", (it) => {
  it.effect("is read, described and kept as it is", () =>
    Effect.gen(function* () {
      const page = yield* open("/tampered")
      assert.strictEqual(yield* page.elements.read(at("//h1")), "Orders")
      assert.strictEqual(yield* page.elements.read(at("css=h1")), "Orders")
      assert.strictEqual(yield* page.elements.read(at("//p[@id='closed']")), "Closed")
      const list = { kind: "list", path: "//li", item: { kind: "value", path: ".", type: "string" } } as const
      assert.deepStrictEqual(yield* page.elements.extract(list), ["one", "two"])
      const whole = yield* page.navigation.html({ sanitized: false })
      for (const text of ["<h1>Orders</h1>", "secret", "hidden words"]) assert.include(whole, text)
      const sanitized = yield* page.navigation.html({ sanitized: true })
      assert.include(sanitized, "<h1>Orders</h1>")
      for (const text of ["secret", "hidden words"]) assert.notInclude(sanitized, text)
      const snapshot = yield* page.observation.snapshot({ maxBytes: 1_000_000 })
      for (const text of ["<h1>Orders</h1>", "<title>Page</title>", "Within", "Closed"]) assert.include(snapshot, text)
      const { cut, html } = yield* page.elements.readable("//ul", { metadata: false, maxCharacters: 1_000 })
      assert.deepStrictEqual([html, cut], ["<ul><li>one</li><li>two</li></ul>", false])
      const seen = yield* page.vision.outline({ maxElements: 50 })
      assert.deepStrictEqual(
        seen.elements.map(({ name, ref, role, value }) => [ref, role, name, value]),
        [
          ["e1", "textbox", "One-time code", "12"],
          ["e2", "button", "Low", ""],
          ["f1e1", "button", "Within", ""],
          ["f1e2", "textarea", "", ""]
        ].map((one) => (one[1] === "textarea" ? ["f1e2", "textbox", "", ""] : one))
      )
      assert.strictEqual(seen.title, "Page")
      assert.include(
        (yield* page.vision.texts).map(({ text }) => text),
        "Orders"
      )
      assert.deepInclude(yield* page.elements.inspect("//input"), { matched: 1, shown: true, empty: false })
      const found = yield* page.elements.describe(at("//button[@id='low']"))
      assert.deepInclude(found, { tag: "button", id: "low", text: "Low", role: "button" })
      assert.isAbove((yield* page.vision.look([{ x: 0, y: 0, width: 10, height: 10 }])).bytes.length, 0)
    })
  )

  it.effect("is acted on by place, by scrolling and by keys", () =>
    Effect.gen(function* () {
      const page = yield* open("/tampered")
      const { elements } = yield* page.vision.outline({ maxElements: 50 })
      const inner = elements.find(({ ref }) => ref === "f1e2")
      yield* page.vision.typeAt({ _tag: "Ref", ref: "f1e2" }, { ...keys, strokes: ["first"] }, 10_000)
      assert.strictEqual(yield* page.elements.read(at("//textarea")), "first")
      assert.deepInclude(yield* page.vision.spot({ _tag: "Ref", ref: "e1" }), { selector: '//*[@id="code"]' })
      assert.match((yield* page.vision.spot(null)).address, /\/inner$/)
      const { height, width, x, y } = inner?.box ?? assert.fail("the field was not to be seen")
      const spot = yield* page.vision.spot({ _tag: "Point", x: x + width / 2, y: y + height / 2 })
      assert.match(spot.address, /\/inner$/)
      yield* page.elements.type(null, { strokes: [" pasted"], existing: "keep", delayMillis: 0, paste: true })
      assert.strictEqual(yield* page.elements.read(at("//textarea")), "first pasted")
      assert.isTrue(yield* page.elements.turn("down", null))
      yield* page.elements.scroll({ kind: "element", selector: "//button[@id='low']", position: "center" }, 10_000)
      yield* page.elements.click(at("//button[@id='low']"), "click", {
        landing: { x: 0.5, y: 0.5 },
        moves: [],
        holdMillis: 0
      })
      assert.strictEqual(
        (yield* Effect.flip(page.vision.clickAt({ _tag: "Ref", ref: "e9" }, "click", 100))).kind,
        "mismatch"
      )
    })
  )

  it.effect("has options chosen from lists of every kind", () =>
    Effect.gen(function* () {
      const page = yield* open("/lists")
      for (const id of ["plain", "typed", "open", "custom"]) {
        yield* page.elements.select(at(`//*[@id='${id}']`, 10_000), "Beta", false)
      }
      assert.strictEqual(yield* page.elements.read(at("//select")), "b")
      assert.strictEqual(yield* page.elements.read(at("//input")), "Beta")
      assert.strictEqual(yield* page.elements.read(at("//*[@id='open']/*[@aria-selected='true']")), "Beta")
      assert.strictEqual(yield* page.elements.read(at("//*[@id='custom']")), "Choose Beta")
      const failure = yield* Effect.flip(page.elements.select(at("//*[@id='custom']", 5_000), "Gamma", false))
      assert.include(failure.reason, 'there are "Alpha", "Beta"')
    })
  )

  it.effect("has lost elements found again in it, and banners dismissed", () =>
    Effect.gen(function* () {
      const { browser, site } = yield* Pages
      const step: Step = { action: "CLICK", parameters: { selector: "//button[@id='first']", wait_time: 1_500 } }
      const title = { title: { type: "string", path: "//h1" } }
      const extract_data_model = { type: "object", properties: title }
      const read: Step = { action: "EXTRACT_DATAMODEL", parameters: { selector: "//h1", extract_data_model } }
      const recovery = { selectors: true, popups: true }
      const run = (path: string, options: Parameters<typeof walk>[2]) =>
        Effect.provideService(walk(graphOf(`${site}${path}`, [step, read]), {}, options), Browser, browser)
      const first = yield* ElementMemory.of(Effect.succeed([]))
      yield* run("/order", { recovery, memories: first.memories })
      const { memories } = yield* ElementMemory.of(Effect.succeed(first.learned()))
      const known = { ...recovery, popupXpaths: ["//div[@id='wall']//button"] }
      for (const [settings, expected] of [
        [recovery, ["selector", "popup"]],
        [known, ["popup_xpaths", "selector"]]
      ] as const) {
        const { analyses, outcome } = yield* run("/moved", { recovery: settings, memories })
        assert.deepStrictEqual(outcome._tag === "Success" ? outcome.data : outcome.failure.message, {
          title: "Done"
        })
        assert.deepStrictEqual(
          analyses.map(({ kind }) => kind),
          [...expected]
        )
      }
    })
  )
})
