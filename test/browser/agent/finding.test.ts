import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { vi } from "vitest"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import { hangMillis } from "../../support/limits.ts"
import { at, body, open, pages } from "../../support/pages.ts"
import { sampled } from "../../support/scale.ts"
import type { Answer } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

const told = (name: string) => `onclick="document.querySelector('output').textContent += '${name} '"`
const strict: Answer = (_request, response) =>
  void response
    .writeHead(200, {
      "content-type": "text/html",
      "content-security-policy":
        "default-src 'none'; script-src 'none'; require-trusted-types-for 'script'; sandbox allow-scripts"
    })
    .end(body(`<p class="A">Strict</p>`))

/** A request that a page sends, and that the site answers after a time; never for `null`. */
interface Write {
  readonly answeredAfter: number | null
  readonly arrived: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<"kept" | "dropped">
}

/** The requests that the site expects, in turn. */
const writes: Array<Write> = []
const slowly: Answer = (_request, response) => {
  const write = writes.shift()
  if (write === undefined) throw new Error("No test expects a write")
  Deferred.doneUnsafe(write.arrived, Effect.void)
  const timer = write.answeredAfter === null ? undefined : setTimeout(() => response.end(), write.answeredAfter)
  response.on("finish", () => Deferred.doneUnsafe(write.ended, Effect.succeed("kept")))
  response.on("close", () => {
    clearTimeout(timer)
    Deferred.doneUnsafe(write.ended, Effect.succeed("dropped"))
  })
}

/** An answer that comes after the wait of an action. */
const tardy: Answer = (_request, response) => void setTimeout(() => response.end(), 1_600)

/** A page whose script is at its end, which comes late. */
const ending: Answer = (_request, response) => {
  response.writeHead(200, { "content-type": "text/html" })
  response.write("<!doctype html><button>Go</button><output></output>")
  const script =
    "document.querySelector('button').onclick = () => { document.querySelector('output').textContent = 'gone' }"
  setTimeout(() => response.end(`<script>${script}</script>`), 600)
}

const site = pages({
  "/ending": ending,
  "/before": body(`<a href="/ending">Next</a>`),
  "/written": slowly,
  "/writing": body(`<button onclick="fetch('/written', { method: 'POST' })">Save</button>`),
  "/plain": body(`<output></output>
    <button ${told("save")} data-kind="Primary">Save All</button><button ${told("cancel")}>Cancel</button>
    <p title="Note">first<b>bold</b></p><ul><li>one</li><li>two</li></ul><input value="typed">`),
  "/tampered": body(`<p>true</p><script>
    document.evaluate = () => { throw new Error("tampered") }
    Document.prototype.createExpression = Document.prototype.evaluate = () => { throw new Error("tampered") }
    Array.prototype.map = Array.prototype.filter = JSON.stringify = () => "tampered"
    Object.defineProperty(Node.prototype, "textContent", { get: () => "tampered" })</script>`),
  "/strict": strict,
  "/late": body(`<output></output><template id="it"><button ${told("late")}>Late</button></template>
    <script>setTimeout(() => document.body.append(it.content), 400)</script>`),
  "/advertising": body(`<p id="got"></p><button id="go">Go</button><script>
    go.onclick = () => { open("/plain"); setTimeout(() => { got.innerHTML = '<b onclick="this.remove()">late</b>' }, 300) }</script>`),
  "/tardy": tardy,
  // The script stops the page until its request is answered. Only then the button is there.
  "/stopped": body(`<output></output><template id="it"><button ${told("late")}>Late</button></template><script>
    setTimeout(() => {
      const asked = new XMLHttpRequest()
      asked.open("GET", "/tardy", false)
      asked.send()
      document.body.append(it.content)
    }, 150)</script>`),
  "/two": body(`<output></output><button ${told("a")}>Go</button><button id="other" ${told("b")}>Go</button>
    <script>setTimeout(() => other.remove(), 500)</script>`),
  "/rerender": body(`<output></output><div id="list"></div><script>
    let round = 0
    const draw = () => { list.innerHTML = '<button>Row ' + round + '</button>'; list.firstChild.onclick = () => { document.querySelector('output').textContent += 'hit ' } }
    draw(); const timer = setInterval(() => { draw(); if (++round > 40) clearInterval(timer) }, 25)</script>`),
  "/sticky":
    body(`<output></output><div style="position:fixed;top:0;left:0;right:0;height:55vh;background:#ccc;z-index:9" ${told("cover")}></div>
    <div style="height:3000px"></div><button ${told("under")}>Under</button><div style="height:3000px"></div>`),
  "/moving": body(`<output></output><style>@keyframes go { from { margin-left: 0 } to { margin-left: 400px } }</style>
    <button style="animation: go 700ms linear" ${told("moved")}>Move</button>`),
  "/large": body(`<output></output><button id="only" ${told("only")}>Only</button><script>
    const all = document.createDocumentFragment()
    for (let i = 0; i < 100000; i++) all.append(document.createElement("i"))
    document.body.append(all)</script>`),
  "/middle": body(`<output></output><button id="only" ${told("only")}>Only</button><script>
    for (let i = 0; i < 10000; i++) document.body.append(document.createElement("i"))</script>`),
  "/clobbered": body(
    `<form id="f"><input name="childNodes"><input name="parentNode"><input name="attributes"><button type="button">In form</button></form>`
  )
})

const list = (path: string, item: string): ExtractionPlan => ({
  kind: "list",
  path,
  item: { kind: "value", path: item, type: "string" }
})

describe("finding", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    it.effect("elements are clicked by XPath of either engine, CSS and role", () =>
      Effect.gen(function* () {
        const page = yield* open("/plain")
        let told = ""
        for (const [selector, name] of [
          ["//button[lower-case(@data-kind) = 'primary']", "save"],
          ["//button[matches(., '^save', 'i')]", "save"],
          ["//BUTTON[ends-with(lower-case(.), 'all')]", "save"],
          ["//button[.='Cancel']/text()", "cancel"],
          ["(for $b in //button return $b)[2]", "cancel"],
          ["//button => head()", "save"],
          ["//button[@data-kind]", "save"],
          ["css=button >> nth=1", "cancel"],
          ["role=button[name='Cancel']", "cancel"]
        ] as const) {
          told = `${told} ${name}`.trim()
          yield* page.elements.click(at(selector, 20_000), "click")
          assert.strictEqual(yield* page.elements.read(at("//output")), told, selector)
        }
      })
    )

    it.effect("an element is found in its window although another window came meanwhile", () =>
      Effect.gen(function* () {
        const page = yield* open("/advertising")
        // Not only when its time is over.
        const late = yield* Effect.forkChild(page.elements.click(at("//p/b", 10 * hangMillis), "click"), {
          startImmediately: true
        })
        yield* page.elements.click(at("//button[@id='go']"), "click")
        yield* awaited("the click in the first window", Fiber.join(late))
      })
    )

    it.effect("values are read by either engine, also where a page tampers with its own or forbids scripts", () =>
      Effect.gen(function* () {
        const plain = yield* open("/plain")
        const read = (selector: string) => plain.elements.read(at(selector, 0))
        assert.strictEqual(yield* read("//p/@title"), "Note")
        assert.strictEqual(yield* read("lower-case(//p/@title)"), "note")
        assert.strictEqual(yield* read("//p[lower-case(@title) = 'note']/@title"), "Note")
        assert.strictEqual(yield* read("string-join(//li, '+')"), "one+two")
        assert.strictEqual(yield* read("count(//li)"), "2")
        assert.strictEqual(yield* read("if (//li) then 'some' else 'none'"), "some")
        assert.strictEqual(yield* read("replace('a1b22c', '[0-9]+', '-')"), "a-b-c")
        assert.strictEqual(yield* read("//input"), "typed")
        assert.strictEqual(yield* read("css=li"), "one")
        assert.strictEqual(yield* read("//nothing"), null)
        const tampered = yield* open("/tampered")
        assert.strictEqual(yield* tampered.elements.read(at("//p")), "true")
        assert.strictEqual(yield* tampered.elements.read(at("upper-case(//p)")), "TRUE")
        const strict = yield* open("/strict")
        assert.strictEqual(yield* strict.elements.read(at("//p[lower-case(@class) = 'a']")), "Strict")
        const clobbered = yield* open("/clobbered")
        assert.strictEqual(yield* clobbered.elements.read(at("//form//button[lower-case(.) = 'in form']")), "In form")
      })
    )

    it.effect("rows are relative in either engine", () =>
      Effect.gen(function* () {
        const page = yield* open("/plain")
        assert.deepStrictEqual(yield* page.elements.extract(list("//ul", "/li[2]")), ["two"])
        assert.deepStrictEqual(
          yield* page.elements.extract(list("//ul[lower-case('X') = 'x']", "upper-case(/li[1])")),
          ["ONE"]
        )
        const first = { kind: "value", path: "css=li", type: "string", first: true } as const
        assert.deepStrictEqual(yield* page.elements.extract({ kind: "list", path: "css=ul", item: first }), ["one"])
        const several = yield* Effect.flip(page.elements.extract(list("css=ul", "css=li")))
        assert.deepInclude(several, { kind: "mismatch", selector: "css=li", matched: 2, texts: ["one", "two"] })
        const failure = yield* Effect.flip(page.elements.extract(list("//ul", "/li[[")))
        assert.strictEqual(failure.kind, "selector")
        assert.include(failure.reason, "XPST0003")
      })
    )

    it.effect("an element that comes late, moves, is drawn again or is covered is waited for and clicked once", () =>
      Effect.gen(function* () {
        const click = Effect.fnUntraced(function* (path: string, selector: string) {
          const page = yield* open(path)
          yield* page.elements.click(at(selector, 10_000), "click")
          return yield* page.elements.read(at("//output[text()]"))
        })
        assert.strictEqual(yield* click("/late", "//button"), "late")
        assert.strictEqual(yield* click("/late", "//button[lower-case(.) = 'late']"), "late")
        assert.strictEqual(yield* click("/two", "//button"), "a")
        assert.strictEqual(yield* click("/rerender", "//button[starts-with(., 'Row')]"), "hit")
        assert.strictEqual(yield* click("/sticky", "//button"), "under")
        assert.strictEqual(yield* click("/moving", "//button"), "moved")
      })
    )

    it.effect("an element that comes as the wait ends is used", () =>
      Effect.gen(function* () {
        const { elements } = yield* open("/stopped")
        yield* elements.click(at("//button", 1_000), "click")
        assert.strictEqual(yield* elements.read(at("//output[text()]")), "late")
      })
    )

    it.effect("an element whose document is still being parsed is clicked once its scripts have run", () =>
      Effect.gen(function* () {
        for (const selector of ["//button", "css=button"]) {
          const { elements } = yield* open("/before")
          yield* elements.click(at("//a"), "click")
          yield* elements.click(at(selector), "click")
          assert.strictEqual(yield* elements.read(at("//output[text()]")), "gone", selector)
        }
      })
    )

    it.effect("what a click sends is not cut off by the end of the session, unless that is cancelled", () =>
      Effect.gen(function* () {
        const expected = Effect.fnUntraced(function* (answeredAfter: number | null) {
          const arrived = yield* Deferred.make<void>()
          const write = { answeredAfter, arrived, ended: yield* Deferred.make<"kept" | "dropped">() }
          writes.push(write)
          return write
        })
        const save = Effect.flatMap(open("/writing"), ({ elements }) => elements.click(at("//button"), "click"))
        const first = yield* expected(400)
        yield* Effect.scoped(save)
        assert.strictEqual(yield* Deferred.await(first.ended), "kept")
        // A session that ends well would wait for this one, too, for 5 s: they do not pass here.
        const { setTimeout } = globalThis
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            vi
              .spyOn(globalThis, "setTimeout")
              .mockImplementation(((call: () => void, millis = 0) =>
                setTimeout(call, millis > 4_000 && millis <= 5_000 ? 10 * hangMillis : millis)) as typeof setTimeout)
          ),
          (spy) => Effect.sync(() => spy.mockRestore())
        )
        const second = yield* expected(null)
        const cancelled = save.pipe(Effect.andThen(Deferred.await(second.arrived)), Effect.andThen(Effect.interrupt))
        yield* awaited("the end of the session", Effect.ignoreCause(Effect.scoped(cancelled)))
        assert.strictEqual(yield* awaited("the end of the request", Deferred.await(second.ended)), "dropped")
      })
    )

    it.effect("what cannot be read is refused with a reason", () =>
      Effect.gen(function* () {
        const page = yield* open("/plain")
        for (const [selector, reason] of [
          ["//button[[", "XPST0003"],
          ["//button[", "XPST0003"],
          ["doc('file:///etc/passwd')", "doc"],
          ["//button[nonsense(.)]", "nonsense"],
          ["fontoxpath:fetch('http://127.0.0.1/')", "not allowed"],
          ["insert node <a/> into //body", ""],
          ["'text'", "value"],
          ["css=button[[", ""]
        ] as const) {
          const failure = yield* Effect.flip(page.elements.click(at(selector), "click"))
          assert.strictEqual(failure.kind, "selector", `${selector}: ${failure.reason}`)
          assert.include(failure.reason, reason)
        }
      })
    )

    it.effect("what matches everything costs little, and says how much that is", () =>
      Effect.gen(function* () {
        const page = yield* open("/large")
        const failure = yield* Effect.flip(page.elements.click(at("//*", 300), "click"))
        assert.strictEqual(failure.kind, "mismatch")
        assert.isAbove(failure.matched ?? 0, 100_000)
        yield* page.elements.click(at("//button"), "click")
        assert.strictEqual(yield* page.elements.read(at("//output")), "only")
      })
    )

    it.effect("a script that never ends stops with the name of its limit, and the page lives on", () =>
      Effect.forEach(
        // Each keeps a processor busy until the limit.
        sampled(
          [
            "//*[count(//*[count(//*) > 1]) > 1]",
            "count(for $a in 1 to 1000000, $b in 1 to 1000000 return $a + $b)",
            "//button[matches('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '^(a+)+$', 'i')]"
          ],
          2
        ),
        Effect.fnUntraced(function* (selector) {
          const page = yield* open("/middle")
          const failure = yield* Effect.flip(page.elements.click(at(selector, 1_000), "click"))
          assert.strictEqual(failure.kind, "selector", failure.reason)
          assert.include(failure.reason, "limit of 5000 ms")
          yield* page.elements.click(at("//button", 20_000), "click")
          assert.strictEqual(yield* page.elements.read(at("//output")), "only")
        }),
        { concurrency: "unbounded" }
      )
    )
  })
})
