import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Browser, type BrowserSession } from "../../../core/browser/Browser.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { at, body, open, Pages, pages } from "../../support/pages.ts"

/** What was saved, by the page that saved it. */
const saved = new Map<string, Array<string>>()

/** Saves what was typed once nothing was typed for a while. */
const saving = (name: string) => `<input><script>
  const field = document.querySelector("input")
  let timer
  field.oninput = () => {
    clearTimeout(timer)
    timer = setTimeout(() => fetch("/save?" + "${name} " + field.value, { method: "POST" }), 600)
  }</script>`

const site = pages({
  "/save": (request, response) => {
    const [name = "", value = ""] = decodeURIComponent(request.url?.split("?")[1] ?? "").split(" ")
    saved.set(name, [...(saved.get(name) ?? []), value])
    setTimeout(() => response.end("{}"), 100)
  },
  "/ended": body(saving("ended")),
  "/chained": body(`<button onclick="setTimeout(() => fetch('/save?chained first', { method: 'POST' })
    .then(() => fetch('/save?chained second', { method: 'POST' })), 300)">Save</button>`),
  "/left": body(saving("left")),
  "/closed": body(saving("closed")),
  "/framed": body(`<iframe src="/inner"></iframe>`),
  "/inner": body(saving("framed")),
  "/empty": body("Empty"),
  "/late": body(`<button onclick="setTimeout(() => { location = '/broken' }, 300)">Go</button>`),
  "/broken": (_request, response) =>
    void response.writeHead(500, { "content-type": "text/html" }).end(body("<p>Saved</p>"))
})

const type = (page: BrowserSession) =>
  page.elements.type(at("//input"), { strokes: ["Ada"], existing: "replace", delayMillis: 0, paste: false })

const walked = (path: string, action: string, parameters: Record<string, unknown>) =>
  Effect.gen(function* () {
    const { browser, site } = yield* Pages
    const graph = graphOf(`${site}${path}`, [{ action, parameters }])
    return (yield* walk(graph).pipe(Effect.provideService(Browser, browser))).outcome
  })

describe("the last act", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    it.effect("has saved what was typed when the run ends", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          (yield* walked("/ended", "INPUT_TEXT", { selector: "//input", text: "Ada" }))._tag,
          "Success"
        )
        assert.deepStrictEqual(saved.get("ended"), ["Ada"])
        assert.strictEqual(
          (yield* walked("/framed", "INPUT_TEXT", { selector: "//input", text: "Ada" }))._tag,
          "Success"
        )
        assert.deepStrictEqual(saved.get("framed"), ["Ada"])
        assert.strictEqual((yield* walked("/chained", "CLICK", { selector: "//button" }))._tag, "Success")
        assert.deepStrictEqual(saved.get("chained"), ["first", "second"])
      })
    )

    it.effect("has saved what was typed when its page is left or closed", () =>
      Effect.gen(function* () {
        const page = yield* open("/left")
        const { site } = yield* Pages
        yield* type(page)
        yield* page.navigation.goto(`${site}/empty`)
        assert.deepStrictEqual(saved.get("left"), ["Ada"])
        yield* page.navigation.goto(`${site}/closed`)
        yield* type(page)
        yield* page.navigation.closeTab(null)
        assert.deepStrictEqual(saved.get("closed"), ["Ada"])
      }).pipe(Effect.scoped)
    )

    it.effect("fails the run at its end where it led to an error of the server", () =>
      Effect.gen(function* () {
        const outcome = yield* walked("/late", "CLICK", { selector: "//button" })
        assert.strictEqual(outcome._tag, "Failed")
        if (outcome._tag !== "Failed") return
        assert.strictEqual(outcome.failure.code, "NAVIGATION-E0003")
        assert.include(outcome.failure.message, "the server answered with status 500")
      })
    )
  })
})
