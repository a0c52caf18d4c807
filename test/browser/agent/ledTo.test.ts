import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import { at, body, open, pages } from "../../support/pages.ts"
import type { Answer } from "../../support/site.ts"

const status =
  (code: number, text = "<p id='got'>Something</p>"): Answer =>
  (_request, response) =>
    void response.writeHead(code, { "content-type": "text/html" }).end(text)

const typed = { existing: "replace", delayMillis: 0, paste: false } as const
const click = (page: BrowserSession, selector = "//a") => page.elements.click(at(selector), "click")

const site = pages({
  "/500": status(500),
  "/503": status(503),
  "/empty": status(500, ""),
  "/404": status(404),
  "/403": status(403),
  "/422": status(422),
  "/moved": (_request, response) => void response.writeHead(302, { location: "/500" }).end(),
  "/saved": (_request, response) =>
    void response.writeHead(500, { "content-disposition": "attachment; filename=a.txt" }).end("no"),
  "/plain": body(`<p id="got">Plain</p>`),
  "/link": (request, response) => {
    const [, to, target = ""] = /\?(\w+)&?(\w*)/.exec(request.url ?? "") ?? []
    response.writeHead(200, { "content-type": "text/html" }).end(body(`<a href="/${to}" target="${target}">Go</a>`))
  },
  "/form": body(`<form method="post" action="/500"><input></form>`),
  "/select": body(
    `<select onchange="location = this.value"><option value="">-</option><option value="/500">Next</option></select>`
  ),
  "/later": body(`<a href="#">Go</a><script>
    document.querySelector("a").onclick = () => fetch("/plain").then(() => { location = "/500" })</script>`),
  "/parts": body(`<a href="#">Go</a><p id="got">Here</p><script>
    document.querySelector("a").onclick = () => {
      fetch("/500")
      document.body.append(Object.assign(document.createElement("iframe"), { src: "/500" }))
      document.body.append(Object.assign(document.createElement("img"), { src: "/500" }))
    }</script>`)
})

const reading = (page: BrowserSession) =>
  Effect.map(
    page.navigation.settled(page.elements.read(at("//*[@id='got']", 0)), {
      waitMillis: 60_000,
      isThere: (found) => (found === null ? "none" : "all")
    }),
    ({ found }) => found
  )

describe("an act that leads to another page", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    it.effect.each([
      ["500", 500, "unavailable"],
      ["503", 503, "unavailable"],
      ["404", 404, "rejected"],
      ["moved", 500, "unavailable"],
      ["empty", 500, "unavailable"],
      ["500&_blank", 500, "unavailable"]
    ] as const)("fails as going there where that is %s", ([to, code, kind]) =>
      Effect.gen(function* () {
        const page = yield* open(`/link?${to}`)
        const failure = yield* Effect.flip(click(page))
        assert.deepInclude({ ...failure }, { kind, status: code, acted: true })
        assert.include(failure.reason, String(code))
      }).pipe(Effect.scoped)
    )

    it.effect("fails where a form or a choice has led there", () =>
      Effect.gen(function* () {
        const form = yield* open("/form")
        const sent = yield* Effect.flip(
          form.elements.type(at("//input"), { ...typed, strokes: ["a", { key: "Enter" }] })
        )
        assert.strictEqual(sent.status, 500)
        const select = yield* open("/select")
        const chosen = yield* Effect.flip(
          Effect.andThen(select.elements.select(at("//select"), "Next", false), reading(select))
        )
        assert.strictEqual(chosen.status, 500)
      }).pipe(Effect.scoped)
    )

    it.effect("fails at the latest when the page is read that it led to later, until another is opened", () =>
      Effect.gen(function* () {
        const page = yield* open("/later")
        assert.strictEqual((yield* Effect.flip(Effect.andThen(click(page), reading(page)))).status, 500)
        yield* page.navigation.goto((yield* page.navigation.address).replace("/500", "/plain"))
        assert.strictEqual(yield* reading(page), "Plain")
      }).pipe(Effect.scoped)
    )

    it.effect("goes on where the site refuses only what was asked, or a part of the page", () =>
      Effect.gen(function* () {
        for (const [path, got] of [
          ["/link?403", "Something"],
          ["/link?422", "Something"],
          ["/parts", "Here"]
        ] as const) {
          const page = yield* open(path)
          yield* click(page)
          assert.strictEqual(yield* reading(page), got, path)
        }
      }).pipe(Effect.scoped)
    )
  })
})
