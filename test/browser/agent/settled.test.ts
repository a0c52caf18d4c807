import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import * as Presence from "../../../core/browser/element/Presence.ts"
import { at, body, open, pages } from "../../support/pages.ts"
import type { Answer } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

/** Answers that the test gives: each request waits for the next release of its path. */
const held = () => {
  const waiting: Array<() => void> = []
  const arrivals: Array<Deferred.Deferred<void>> = []
  const arrivalOf = (at: number) => {
    while (arrivals.length <= at) arrivals.push(Deferred.makeUnsafe<void>())
    return arrivals[at] as Deferred.Deferred<void>
  }
  let arrived = 0
  const answer =
    (reply: Answer): Answer =>
    (request, response) => {
      waiting.push(() => reply(request, response))
      Deferred.doneUnsafe(arrivalOf(arrived++), Effect.void)
    }
  return {
    answer,
    arrival: (count = 0) => awaited("a request", Deferred.await(arrivalOf(count))),
    release: Effect.sync(() => waiting.shift()?.())
  }
}

const json =
  (value: unknown): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))

const table = `<table><tbody id="rows"></tbody></table>`
const draw = `const draw = (all) => { rows.innerHTML = all.map((one) => "<tr><td>" + one + "</td></tr>").join("") }
  const load = (url) => fetch(url).then((answer) => answer.json()).then(draw)`

const answers = {
  fetched: held(),
  paged: held(),
  xhr: held(),
  script: held(),
  nested: held(),
  skeleton: held(),
  framed: held(),
  nothing: held(),
  silent: held()
}

const site = pages({
  "/plain": body(`<table><tr><td>A</td></tr></table><button onclick="this.textContent = 'Done'">Go</button>`),
  "/fetched": body(`${table}<script>${draw}; load("/rows")</script>`),
  "/rows": answers.fetched.answer(json(["A", "B"])),
  "/paged": body(`${table}<button onclick="load('/page2')">Next</button><script>${draw}; draw(["A", "B"])</script>`),
  "/page2": answers.paged.answer(json(["C", "D"])),
  "/xhr": body(`${table}<script>${draw}
    const asked = new XMLHttpRequest()
    asked.onload = () => requestAnimationFrame(() => draw(JSON.parse(asked.responseText)))
    asked.open("GET", "/xhr-rows")
    asked.send()</script>`),
  "/xhr-rows": answers.xhr.answer(json(["A", "B"])),
  "/script": body(`${table}<script>${draw}
    const more = document.createElement("script")
    more.src = "/rows.js"
    document.head.append(more)</script>`),
  "/rows.js": answers.script.answer(
    (_request, response) => void response.writeHead(200, { "content-type": "text/javascript" }).end(`draw(["A", "B"])`)
  ),
  "/nested": body(`${table}<script>${draw}; load("/token").then(() => load("/nested-rows"))</script>`),
  "/token": json([]),
  "/nested-rows": answers.nested.answer(json(["A", "B"])),
  "/skeleton": body(`${table}<p id="total">0,00 €</p><script>${draw}; draw(["", ""])
    load("/skeleton-rows").then(() => { total.textContent = "12,00 €" })</script>`),
  "/skeleton-rows": answers.skeleton.answer(json(["A", "B"])),
  "/framed": body(`<iframe src="/frame"></iframe>`),
  "/frame": body(`${table}<script>${draw}; load("/frame-rows")</script>`),
  "/frame-rows": answers.framed.answer(json(["A", "B"])),
  "/polling": body(`${table}<script>${draw}; draw(["A"])
    const poll = () => fetch("/poll").then(poll)
    poll()</script>`),
  "/poll": json([]),
  "/streaming": body(`${table}<script>${draw}; draw(["A"]); new EventSource("/stream"); fetch("/stream")</script>`),
  "/stream": (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write("data: 1\n\n")
  },
  "/debounced": body(`<input id="search">${table}<script>${draw}; draw(["A", "B"])
    let timer
    search.oninput = () => { clearTimeout(timer); timer = setTimeout(() => draw([search.value]), 700) }</script>`),
  "/effects": body(`<button>Go</button>${table}<script>${draw}; draw(["A"])
    document.querySelector("button").onclick = async () => {
      await null
      await new Promise((resolve) => setTimeout(resolve, 300))
      await new Promise((resolve) => setTimeout(resolve, 300))
      draw(["B"])
    }</script>`),
  "/pieces": body(`<button>Go</button>${table}<script>
    document.querySelector("button").onclick = () => fetch("/token").then(() => {
      let count = 0
      const more = () => {
        rows.insertRow().insertCell().textContent = String(++count)
        if (count < 30) setTimeout(more, 10)
      }
      more()
    })</script>`),
  "/busy": body(`<table aria-busy="true"><tbody id="rows"></tbody></table><script>${draw}
    const channel = new MessageChannel()
    setTimeout(() => setTimeout(() => { draw(["A"]); document.querySelector("table").ariaBusy = "false" }, 1_500), 1_500)</script>`),
  "/nothing": body(`${table}<p id="says"></p><script>${draw}
    addEventListener("load", () => fetch("/no-rows").then(() => { says.textContent = "No rows" }))</script>`),
  "/no-rows": answers.nothing.answer(json([])),
  "/silent": body(`${table}<script>addEventListener("load", () => fetch("/no-news"))</script>`),
  "/no-news": answers.silent.answer(json([])),
  "/shells": body(`<table><tbody id="rows"><tr><td></td></tr></tbody></table>`),
  "/saving": body(`<a href="/saved">Save</a><button>Work</button><script>
    document.querySelector("button").onclick = () => {
      for (const until = performance.now() + 400; performance.now() < until; );
    }</script>`),
  "/saved": (_request, response) =>
    void response.writeHead(200, { "content-disposition": "attachment; filename=a.csv" }).end("A"),
  "/counted": body(`<table aria-rowcount="3"><thead><tr><th role="columnheader">Name</th></tr></thead>
    <tbody><tr><td>A</td></tr></tbody></table>`),
  "/ticking": body(`<p id="clock"></p>${table}<script>${draw}; draw(["A"])
    let count = 0
    setInterval(() => { clock.textContent = String(++count) }, 5)</script>`)
})

const plan: ExtractionPlan = { kind: "list", path: "//tr", item: { kind: "value", path: "/td", type: "string" } }

/** Reads the rows of a settled page. `looked` is executed after each read. */
const rowsOf = (page: BrowserSession, looked: Effect.Effect<unknown> = Effect.void, waitMillis = 60_000) =>
  page.navigation.settled(Effect.tap(page.elements.extract(plan), looked), {
    waitMillis,
    isThere: (found) => Presence.of(plan, found)
  })

/** Reads while an answer is held, which is released after the first read. */
const readHeld = Effect.fnUntraced(function* (page: BrowserSession, answer: ReturnType<typeof held>) {
  const looked = Deferred.makeUnsafe<void>()
  yield* answer.arrival()
  const reading = yield* Effect.forkChild(rowsOf(page, Deferred.succeed(looked, undefined)))
  yield* awaited("a first look", Deferred.await(looked))
  yield* answer.release
  return yield* awaited("the rows", Fiber.join(reading))
})

const sure = (...found: ReadonlyArray<string>) => ({ found, unsure: false, declared: null })

describe("a read", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    for (const [name, answer] of [
      ["/fetched", answers.fetched],
      ["/xhr", answers.xhr],
      ["/script", answers.script],
      ["/nested", answers.nested],
      ["/skeleton", answers.skeleton],
      ["/framed", answers.framed]
    ] as const) {
      it.effect(`waits for what the page has asked for: ${name}`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* readHeld(yield* open(name), answer), sure("A", "B"))
        }).pipe(Effect.scoped)
      )
    }

    it.effect("waits for what a click has asked for, and reads the next page", () =>
      Effect.gen(function* () {
        const page = yield* open("/paged")
        assert.deepStrictEqual(yield* rowsOf(page), sure("A", "B"))
        yield* page.elements.click(at("//button"), "click")
        assert.deepStrictEqual(yield* readHeld(page, answers.paged), sure("C", "D"))
      }).pipe(Effect.scoped)
    )

    it.effect("waits for timers that an act began, and for those that they begin", () =>
      Effect.gen(function* () {
        const page = yield* open("/debounced")
        yield* page.elements.type(at("//input"), {
          strokes: ["Ada"],
          existing: "replace",
          delayMillis: 0,
          paste: false
        })
        assert.deepStrictEqual(yield* rowsOf(page), sure("Ada"))
        const other = yield* open("/effects")
        yield* other.elements.click(at("//button"), "click")
        assert.deepStrictEqual(yield* rowsOf(other), sure("B"))
      }).pipe(Effect.scoped)
    )

    it.effect("waits for rows that come in pieces, and while the page says that it is busy", () =>
      Effect.gen(function* () {
        const page = yield* open("/pieces")
        yield* page.elements.click(at("//button"), "click")
        const all = Array.from({ length: 30 }, (_, index) => String(index + 1))
        assert.deepStrictEqual(yield* rowsOf(page), sure(...all))
        assert.deepStrictEqual(yield* rowsOf(yield* open("/busy")), sure("A"))
      }).pipe(Effect.scoped)
    )

    it.effect("does not wait for polling, streams, or a page that changes elsewhere", () =>
      Effect.gen(function* () {
        for (const path of ["/polling", "/streaming", "/ticking"]) {
          assert.deepStrictEqual(yield* rowsOf(yield* open(path), Effect.void, 3_600_000), sure("A"), path)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("reads again what began while it was read", () =>
      Effect.gen(function* () {
        const { elements, navigation } = yield* open("/saving")
        let reads = 0
        const read = Effect.gen(function* () {
          const found = yield* navigation.downloadable
          if (++reads > 1) return found
          yield* elements.click(at("//a"), "click")
          yield* Effect.repeat(navigation.downloadable, { until: (begun) => begun !== null })
          yield* elements.click(at("//button"), "click")
          return found
        })
        const how = { waitMillis: 60_000, isThere: (): "all" => "all" }
        assert.strictEqual((yield* navigation.settled(read, how)).found, "file")
      }).pipe(Effect.scoped)
    )

    it.effect("says how many rows the list of the page has", () =>
      Effect.gen(function* () {
        const read = (yield* open("/counted")).navigation.settled(Effect.void, {
          waitMillis: 60_000,
          isThere: () => "all"
        })
        assert.strictEqual((yield* read).declared, 2)
      }).pipe(Effect.scoped)
    )

    it.effect("is sure of an empty list where the page has changed, and unsure where it has not", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* readHeld(yield* open("/nothing"), answers.nothing), sure())
        const silent = yield* readHeld(yield* open("/silent"), answers.silent)
        assert.deepStrictEqual(silent, { found: [], unsure: true, declared: null })
        assert.deepStrictEqual(yield* rowsOf(yield* open("/shells"), Effect.void, 300), {
          found: [""],
          unsure: true,
          declared: null
        })
      }).pipe(Effect.scoped)
    )
  })
})
