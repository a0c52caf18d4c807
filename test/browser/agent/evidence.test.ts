import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Scope } from "effect"
import { Browser, type BrowserSession } from "../../../core/browser/Browser.ts"
import type { Exchange } from "../../../core/browser/Exchange.ts"
import * as Session from "../../../core/browser/Session.ts"
import { hangMillis } from "../../support/limits.ts"
import { inBrowser } from "../../support/realBrowser.ts"
import { type Answer, html, serve } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

/** Opens the page at `/` of a site in a real browser. */
const onSite = <A, E>(
  pages: Readonly<Record<string, Answer>>,
  test: (page: BrowserSession, origin: string) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const origin = yield* serve(pages)
      return yield* Effect.gen(function* () {
        const page = yield* (yield* Browser).open(Session.empty)
        return yield* test(page, origin)
      }).pipe(inBrowser)
    })
  )

const wait = { waitMillis: hangMillis }
const typed = { existing: "replace", delayMillis: 0, paste: false } as const
const all = { maxBytes: 5_000_000 }

describe("a snapshot", () => {
  it.live("shows what a person sees: frames, shadow roots and what stands in fields, and does nothing", () =>
    onSite(
      {
        "/": html(`<!doctype html><html><head><title>Shop &amp; more</title>
          <base href="/elsewhere/"><meta http-equiv="refresh" content="900"><script>window.ran = 1</script>
          <link rel="stylesheet" href="style.css"></head>
          <body onload="window.loaded = true"><h1>A &lt; B</h1>
          <a href=" java&#10;script:alert(1)" id="bad">bad</a><a href="good">good</a>
          <input id="user"><input id="agree" type="checkbox"><input id="hidden" type="hidden" value="kept">
          <input id="password" type="password" value="written" data-copy="">
          <input id="shown" type="password" autocomplete="current-password">
          <textarea id="notes">old</textarea>
          <select id="size"><option>S<option selected>M<option>L</select>
          <div id="host"></div><style id="empty"></style>
          <noscript>never seen</noscript>
          <iframe src="/inner" onload="1"></iframe><iframe src="http://127.0.0.1:1/other"></iframe>
          <script>
            host.attachShadow({ mode: "open" }).innerHTML = "<p>in the shadow</p><script>1<\\/script>"
            empty.sheet.insertRule("h1 { color: green }")
          </script></body></html>`),
        "/inner": html(
          `<p id="deep">inside the frame</p><input value="x" oninput="1"><script>parent.inner = 1</script>`
        )
      },
      (page, origin) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${origin}/`)
          const type = (selector: string, text: string) =>
            page.elements.type({ selector, ...wait }, { ...typed, strokes: [text] })
          yield* type("css=#user", 'Ann "A" <x>')
          yield* type("css=#password", "hunter2")
          yield* type("css=#shown", "hunter3")
          yield* type("css=#notes", "new <notes>")
          yield* page.elements.click({ selector: "css=#agree", ...wait }, "click")
          yield* page.elements.select({ selector: "css=#size", ...wait }, "L", false)
          const document = yield* page.observation.snapshot(all)

          assert.match(document, /^<!doctype html><html>/)
          assert.include(document, `<base href="${origin}/elsewhere/">`)
          assert.include(document, "A &lt; B")
          assert.include(document, '<link rel="stylesheet" href="style.css">')
          assert.include(document, 'value="Ann &quot;A&quot; &lt;x>"')
          assert.include(document, '<input id="agree" type="checkbox" checked="">')
          assert.include(document, 'value="kept"')
          assert.include(document, "new &lt;notes&gt;")
          assert.match(document, /<option selected="">L/)
          assert.notMatch(document, /<option selected="">M/)
          assert.include(document, '<template shadowrootmode="open"><p>in the shadow</p></template>')
          assert.include(document, "h1 { color: green; }")
          assert.match(document, /srcdoc="&lt;!doctype html>[^"]*inside the frame/)
          assert.include(document, "of another origin")
          for (const left of [
            "hunter",
            "written",
            "<script",
            "window.ran",
            "javascript:",
            "script:alert",
            "onload",
            "oninput",
            "refresh",
            "never seen"
          ]) {
            assert.notInclude(document, left)
          }
        })
    )
  )

  it.live("is cut at its bound, and says so", () =>
    onSite(
      { "/": html(`<body><p>first</p>${"<p>more and more</p>".repeat(20_000)}<p>last</p></body>`) },
      (page, origin) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${origin}/`)
          const document = yield* page.observation.snapshot({ maxBytes: 10_000 })
          assert.isAtMost(Buffer.byteLength(document), 10_500)
          assert.include(document, "first")
          assert.notInclude(document, "last")
          assert.include(document, "the page is larger than 10000 bytes")
          assert.notInclude(yield* page.observation.snapshot(all), "This snapshot was cut")
        })
    )
  )

  it.live("of an empty page is an empty document, and of a page that hangs is refused in time", () =>
    Effect.gen(function* () {
      const hangs = yield* Deferred.make<void>()
      const hanging: Answer = (_request, response) => {
        response.end()
        Effect.runSync(Deferred.succeed(hangs, undefined))
      }
      // The page is busy from its synchronous request on.
      const page = html(`<script>setTimeout(() => {
        const request = new XMLHttpRequest(); request.open("GET", "/hangs", false); request.send(); while (true);
      }, 300)</script>`)
      yield* onSite({ "/": page, "/hangs": hanging }, (page, origin) =>
        Effect.gen(function* () {
          assert.match(
            yield* page.observation.snapshot(all),
            /^<!doctype html><html><head>.*<\/head><body><\/body><\/html>$/
          )
          yield* page.navigation.goto(`${origin}/`)
          yield* awaited("the page to hang", Deferred.await(hangs))
          const failure = yield* Effect.flip(page.observation.snapshot(all))
          assert.strictEqual(failure._tag, "PageFailure")
        })
      )
    })
  )
})

const unreachable = "http://127.0.0.1:1/"

describe("the network of a page", () => {
  it.live("has its headers and the text of its answers, what failed and what never ended included", () =>
    Effect.gen(function* () {
      const told: Array<Exchange> = []
      yield* onSite(
        {
          "/": html(`<body><p id="done"></p><img src="/logo.png"><script>
            (async () => {
              const answer = await fetch("/api?token=abc", {
                method: "POST", headers: { authorization: "Bearer x" }, body: "{}"
              })
              await answer.text()
              await fetch("${unreachable}").catch(() => {})
              await fetch("/moved")
              fetch("/never")
              done.textContent = "done"
            })()</script></body>`),
          "/api": (_request, response) =>
            void response.writeHead(201, { "content-type": "application/json", "set-cookie": "sid=1" }).end('{"n":1}'),
          "/logo.png": (_request, response) =>
            void response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([1, 2, 3])),
          "/moved": (_request, response) => void response.writeHead(302, { location: "/api" }).end(),
          "/never": () => {}
        },
        (page, origin) =>
          Effect.gen(function* () {
            yield* page.observation.watchNetwork((exchange) => void told.push(exchange))
            yield* page.navigation.goto(`${origin}/`)
            yield* page.elements.find({ selector: "//p[text()='done']", ...wait })
          })
      )
      const of = (path: string, method = "GET") =>
        told.find(({ method: m, url }) => url !== unreachable && new URL(url).pathname === path && m === method)
      const api = told.find((one) => one.method === "POST")
      assert.deepInclude(api, { status: 201, resourceType: "fetch", body: '{"n":1}', failure: null })
      assert.strictEqual(api?.requestHeaders.authorization, "Bearer x")
      assert.strictEqual(api?.responseHeaders["set-cookie"], "sid=1")
      assert.isAtLeast(api?.durationMillis ?? -1, 0)
      assert.include(of("/")?.body ?? "", "fetch(")
      assert.deepInclude(of("/logo.png"), { status: 200, resourceType: "image", body: null })
      assert.deepInclude(of("/moved"), { status: 302, body: null })
      assert.deepInclude(of("/never"), { status: null, durationMillis: null })
      const refused = told.find((one) => one.url === unreachable)
      assert.strictEqual(refused?.status ?? null, refused?.failure === null ? 403 : null)
    })
  )
})
