import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import type { Scroll } from "../../../core/browser/vision/Scrolling.ts"
import { at, body, open, pages } from "../../support/pages.ts"

const told = (name: string) => `onclick="document.querySelector('output').textContent += '${name} '"`
const table = `<table>${["a", "b"].map((name) => `<tr><td>${name}</td><td><a href="#${name}">go</a></td></tr>`).join("")}</table>`

/** A red box, a field for files, a list that draws what is seen of it, and an end far below; they tell in an output. */
const things = `<output>none</output><div style="height:900px"></div><div id="box" style="width:200px;height:100px;background:red"></div>
  <input type="file"><div id="list" style="height:200px;width:300px;overflow:auto"><div style="height:3000px;position:relative"></div></div>
  <div style="height:900px"></div><b id="end" style="display:block;width:50px;height:20px">end</b>`
// An observer is told at once of all that has changed since it was last told.
const alive = `(root) => {
  const [output, list, file] = ["output", "#list", "input"].map((name) => root.querySelector(name))
  const tell = (text) => { output.textContent = text }
  file.onchange = () => tell("got " + file.files[0].name)
  const draw = () => {
    const first = Math.floor(list.scrollTop / 30)
    list.firstElementChild.innerHTML = [...Array(8).keys()].map((n) => first + n).filter((n) => n < 100)
      .map((n) => '<i id="row' + n + '" style="position:absolute;top:' + n * 30 + 'px">row ' + n + '</i>').join("")
    if (list.scrollTop + list.clientHeight >= list.scrollHeight - 2) tell("all of it")
  }
  list.onscroll = draw
  draw()
  const see = (all) => { if (all.some((one) => one.isIntersecting)) tell("end seen") }
  new IntersectionObserver(see, { threshold: 1 }).observe(root.querySelector("#end"))
}`

/** Done once a frame waits for what does not come. */
const hung = Deferred.makeUnsafe<void>()

const site = pages({
  "/things": body(`${things}<script>(${alive})(document)</script>`),
  "/thingsframed":
    body(`<div style="height:900px"></div><iframe src="{{other}}/between" style="width:90%;height:500px;border:9px solid"></iframe>
    <div style="height:900px"></div>`),
  "/between": body(
    `<div style="height:700px"></div><iframe src="/things" style="width:90%;height:400px;padding:11px"></iframe>`
  ),
  "/thingsshadowed":
    body(`<p></p><x-outer></x-outer><script>customElements.define("x-outer", class extends HTMLElement {
    connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<div style='height:900px'></div><x-deeper></x-deeper>" } })
    customElements.define("x-deeper", class extends HTMLElement { connectedCallback() {
      this.attachShadow({ mode: "open" }).innerHTML = ${JSON.stringify(things)}; (${alive})(this.shadowRoot) } })</script>`),
  "/frames": body(`<output></output><button ${told("top")}>Only here</button>
    <iframe id="near" name="near" src="/inner"></iframe><iframe id="far" src="{{other}}/far"></iframe>`),
  "/inner": body(`<output></output><button ${told("near")}>Near</button><button ${told("both")}>Both</button>
    <select><option>S<option>M</select><input name="user">${table}`),
  "/far": body(
    `<output></output><p id="where">far away</p><button ${told("far")}>Far</button><button>Both</button><iframe id="deep" src="/deep"></iframe>`
  ),
  "/held": body(`<p id="own">own</p><button>Go on</button>${'<iframe src="{{other}}/hangs"></iframe>'.repeat(4)}`),
  // It waits for an answer that does not come, and takes nothing of the machine meanwhile.
  "/hangs": body(`<p>hangs</p><script>setTimeout(() => {
    const request = new XMLHttpRequest()
    request.open("GET", "/silent", false)
    request.send()
  })</script>`),
  "/silent": () => void Deferred.doneUnsafe(hung, Effect.void),
  "/deep": body(
    `<output></output><button ${told("deep")}>Deep</button><input type="password" value="hunter2"><p>deep down</p>`
  ),
  "/lateframe": body(`<div id="here"></div><script>setTimeout(() => {
    here.innerHTML = '<iframe src="{{other}}/late"></iframe>' }, 300)</script>`),
  "/late":
    body(`<output></output><script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<button>Late</button>"), 200)
    addEventListener("click", () => { document.querySelector("output").textContent += "late " })</script>`),
  "/shadow": body(`<output></output><x-card></x-card><x-card></x-card><p>light</p><script>
    customElements.define("x-card", class extends HTMLElement {
      connectedCallback() {
        const root = this.attachShadow({ mode: "open" })
        const first = this === document.querySelector("x-card")
        root.innerHTML = first ? '<section><x-inner></x-inner><input name="nick"></section><button>Other</button>' : '<button>Pay</button>${table}'
        for (const one of root.querySelectorAll("button")) one.onclick = () => { document.querySelector("output").textContent += one.textContent + " " }
      } })
    customElements.define("x-inner", class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = '<b title="Nested">nested</b><iframe src="/inner"></iframe>' } })
    </script>`),
  "/closed":
    body(`<output></output><x-vault></x-vault><div id="later"></div><iframe src="/closedframe"></iframe><script>
    const put = (host, html) => {
      const root = host.attachShadow({ mode: "closed" })
      root.innerHTML = html
      for (const one of root.querySelectorAll("button")) one.onclick = () => { document.querySelector("output").textContent +=
        one.textContent + (host.shadowRoot === null ? " " : " (seen by the page) ") }
      return root
    }
    customElements.define("x-vault", class extends HTMLElement { connectedCallback() {
      const root = put(this, '<button>Unlock</button><input name="pin"><p id="note">sealed</p><span></span>')
      put(root.querySelector("span"), "<button>Deeper</button>") } })
    setTimeout(() => put(later, "<button>Later</button>"), 700)</script>`),
  "/closedframe": body(`<div id="host"></div><script>
    host.attachShadow({ mode: "closed" }).innerHTML = "<p id='framed'>framed</p>"</script>`)
})

const rows: ExtractionPlan = {
  kind: "list",
  path: "//tr",
  item: {
    kind: "object",
    fields: {
      name: { kind: "value", path: "/td[1]", type: "string" },
      link: { kind: "value", path: "/td[2]/a/@href", type: "string" }
    }
  }
}
const extracted = [
  { name: "a", link: "#a" },
  { name: "b", link: "#b" }
]

describe("frames and shadow roots", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    /** Clicks each on one page, and sees after each that it was done there and nowhere else. */
    const clicked = (path: string, cases: ReadonlyArray<readonly [string, string, string]>) =>
      Effect.gen(function* () {
        const page = yield* open(path)
        const told = new Map<string, string>()
        for (const [selector, output, name] of cases) {
          const expected = `${told.get(name) ?? ""} ${name}`.trim()
          told.set(name, expected)
          yield* page.elements.click(at(selector, 20_000), "click")
          assert.strictEqual(yield* page.elements.read(at(output, 20_000)), expected, selector)
        }
      })

    it.effect("buttons are clicked in frames of the same site and of another, however they are named", () =>
      clicked("/frames", [
        ["//button[.='Near']", "//iframe[@id='near']//output", "near"],
        ["//button[lower-case(.)='near']", "//iframe[@id='near']//output", "near"],
        ["//iframe[@name='near']//button[1]", "//iframe[@id='near']/html/body/output", "near"],
        ["css=button >> text=Near", "//iframe[@id='near']//output", "near"],
        ["role=button[name='Near']", "//iframe[lower-case(@id)='near']//output", "near"],
        ["//button[.='Far']", "//iframe[@id='far']//output", "far"],
        ["role=button[name='Far']", "//iframe[@id='far']//output", "far"],
        ["//iframe[@id='far']//iframe//button", "//iframe[@id='deep']//output", "deep"],
        ["//button[ends-with(., 'ep')]", "//iframe[@id='far']//iframe//output", "deep"],
        ["css=#far >> internal:control=enter-frame >> css=button >> text=Far", "//iframe[@id='far']//output", "far"]
      ])
    )

    it.effect("closed shadow roots are reached by every kind of selector, and stay closed to the page", () =>
      Effect.gen(function* () {
        const page = yield* open("/closed")
        assert.strictEqual(yield* page.elements.read(at("//p[@id='note']", 0)), "sealed")
        yield* page.elements.click(at("role=button[name='Unlock']"), "click")
        yield* page.elements.click(at("//x-vault//button[.='Deeper']"), "click")
        yield* page.elements.click(at("css=#later >> text=Later"), "click")
        const typing = { strokes: ["1234"], existing: "replace", delayMillis: 0, paste: false, readBack: true } as const
        yield* page.elements.type(at("//input[@name='pin']"), typing)
        assert.strictEqual(yield* page.elements.read(at("css=input")), "1234")
        assert.strictEqual(yield* page.elements.read(at("//p[@id='framed']")), "framed")
        assert.strictEqual(yield* page.elements.read(at("//output")), "Unlock Deeper Later")
      })
    )

    it.effect("the document alone comes first, and all frames together hold exactly one", () =>
      Effect.gen(function* () {
        const page = yield* open("/frames")
        assert.strictEqual(yield* page.elements.read(at("//p[@id='where']")), "far away")
        yield* page.elements.click(at("//button"), "click")
        assert.strictEqual(yield* page.elements.read(at("/html/body/output")), "top")
        const failure = yield* Effect.flip(page.elements.click(at("//button[.='Both']", 300), "click"))
        assert.strictEqual(failure.kind, "mismatch")
        assert.strictEqual(failure.matched, 2)
        assert.match(failure.reason, /1 in the frame "near" \(.*\/inner\), 1 in the frame http:\/\/localhost.*\/far/)
        assert.strictEqual(yield* page.elements.read(at("//nothing", 0)), null)
      })
    )

    it.effect("every verb reaches into frames", () =>
      Effect.gen(function* () {
        const page = yield* open("/frames")
        yield* page.elements.find(at("//select"))
        yield* page.elements.select(at("//select"), "M", false)
        assert.strictEqual(yield* page.elements.read(at("//select")), "M")
        yield* page.elements.type(at("//input[@name='user']"), {
          strokes: ["Ann"],
          existing: "replace",
          delayMillis: 0,
          paste: false
        })
        assert.strictEqual(yield* page.elements.read(at("//input[@name='user']")), "Ann")
        assert.strictEqual((yield* page.elements.inspect("//input[@name='user']")).empty, false)
        assert.deepStrictEqual(yield* page.elements.extract(rows), extracted)
        assert.deepStrictEqual(
          yield* page.elements.extract({
            kind: "object",
            fields: {
              far: { kind: "value", path: "//p[@id='where']", type: "string" },
              deep: { kind: "value", path: "//iframe[@id='far']//iframe//p", type: "string" },
              rows: { ...rows, path: "//iframe[@id='near']//tr" },
              none: { kind: "list", path: "//nothing", item: rows.item }
            }
          }),
          { far: "far away", deep: "deep down", rows: extracted, none: [] }
        )
      })
    )

    it.effect("frames of another site that hang hold up nothing that the page itself shows", () =>
      Effect.gen(function* () {
        const page = yield* open("/held")
        yield* Deferred.await(hung)
        const fields = {
          own: { kind: "value", path: "//p[@id='own']", type: "string" },
          none: { kind: "value", path: "//p[@id='none']", type: "string" }
        } as const
        const [extracted, read, outline, texts, document, failure] = yield* Effect.all(
          [
            page.elements.extract({ kind: "object", fields }),
            page.elements.read(at("//p[@id='none']", 0)),
            page.vision.outline({ maxElements: 10 }),
            page.vision.texts,
            page.observation.snapshot({ maxBytes: 1_000_000 }),
            Effect.flip(page.elements.click(at("//iframe[@id='none']//button", 100), "click"))
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(extracted, { own: "own", none: null })
        assert.strictEqual(read, null)
        assert.deepStrictEqual(
          outline.elements.map(({ name }) => name),
          ["Go on"]
        )
        assert.include(
          texts.map(({ text }) => text),
          "own"
        )
        assert.include(document, "Go on")
        assert.include(document, "of another origin and not part of the snapshot")
        assert.strictEqual(failure.kind, "mismatch", failure.reason)
      })
    )

    it.effect("a snapshot has the documents of all frames in their places, and no password", () =>
      Effect.gen(function* () {
        const page = yield* open("/frames")
        assert.strictEqual(yield* page.elements.read(at("//iframe[@id='deep']//p")), "deep down")
        const document = yield* page.observation.snapshot({ maxBytes: 1_000_000 })
        for (const text of ["Only here", "Near", "far away", "deep down"]) assert.include(document, text)
        assert.notInclude(document, "hunter2")
        // As often escaped as it stands in attributes of attributes.
        assert.include(document, "&lt;p id=&quot;where&quot;>far away&lt;/p>")
        assert.include(document, "&amp;lt;p>deep down&amp;lt;/p>")
        assert.isBelow(Buffer.byteLength(yield* page.observation.snapshot({ maxBytes: 1_500 })), 2_000)
      })
    )

    it.effect("a frame that comes late, and what comes late in it, is waited for", () =>
      Effect.gen(function* () {
        for (const selector of ["//button", "css=button", "//button[lower-case(.)='late']"]) {
          const page = yield* open("/lateframe")
          yield* page.elements.click(at(selector, 10_000), "click")
          assert.strictEqual(yield* page.elements.read(at("//output[text()]")), "late")
        }
      })
    )

    it.effect("buttons are clicked in shadow roots, however they are named", () =>
      clicked(
        "/shadow",
        [
          "//x-card/button[.='Pay']",
          "//button[.='Pay']",
          "//x-card[2]/button",
          "//x-card//button[lower-case(.)='pay']",
          "css=x-card button >> text=Pay",
          "role=button[name='Pay']"
        ].map((selector) => [selector, "//output", "Pay"] as const)
      )
    )

    it.effect("every verb reaches into shadow roots, nested ones and their frames", () =>
      Effect.gen(function* () {
        const page = yield* open("/shadow")
        assert.strictEqual(yield* page.elements.read(at("//x-card//x-inner/b/@title")), "Nested")
        assert.strictEqual(yield* page.elements.read(at("//button[.='Near']")), "Near")
        assert.strictEqual(yield* page.elements.read(at("//p")), "light")
        yield* page.elements.type(at("//input[@name='nick']"), {
          strokes: ["Bo"],
          existing: "replace",
          delayMillis: 0,
          paste: false
        })
        assert.strictEqual(yield* page.elements.read(at("//input[@name='nick']")), "Bo")
        assert.deepStrictEqual(yield* page.elements.extract(rows), extracted)
        assert.deepStrictEqual(yield* page.elements.extract({ ...rows, path: "css=table tr" }), extracted)
        const failure = yield* Effect.flip(page.elements.click(at("//x-card/button", 300), "click"))
        assert.include(
          failure.reason,
          "2 elements match after 300 ms (2 in shadow roots of the page), expected exactly 1"
        )
      })
    )

    it.effect(
      "files are uploaded, pictures taken and lists scrolled in nested frames of other sites and nested shadow roots",
      () =>
        Effect.gen(function* () {
          const folder = yield* Effect.acquireRelease(
            Effect.promise(() => mkdtemp(join(tmpdir(), "sluice-test-"))),
            (path) => Effect.promise(() => rm(path, { recursive: true }))
          )
          const path = join(folder, "file")
          writeFileSync(path, "scan")
          const picture = (page: BrowserSession) =>
            page.elements.screenshot(at("//div[@id='box']", 20_000), { fullPage: false })
          const plain = yield* picture(yield* open("/things"))
          for (const where of ["/thingsframed", "/thingsshadowed"]) {
            const page = yield* open(where)
            const tells = (text: string) =>
              Effect.map(page.elements.read(at(`//output[.='${text}']`, 10_000)), (told) =>
                assert.strictEqual(told, text, where)
              )
            const scroll = (how: Scroll) => page.elements.scroll(how, 30_000)
            yield* page.elements.upload(at("//input[@type='file']", 20_000), { path, fileName: "scan.pdf" })
            yield* tells("got scan.pdf")
            assert.isTrue(Buffer.from((yield* picture(page)).bytes).equals(plain.bytes), `${where}: the red box`)
            const container = "//div[@id='list']"
            const row = { selector: "//i[@id='row60']", position: "start" } as const
            yield* scroll({ kind: "find", container, direction: "down", ...row })
            assert.strictEqual(yield* page.elements.read(at(row.selector)), "row 60")
            yield* scroll({ kind: "end", container, direction: "down" })
            yield* tells("all of it")
            yield* scroll({ kind: "element", selector: "//b[@id='end']", position: "end" })
            yield* tells("end seen")
          }
        })
    )
  })
})
