import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as AllowedSites from "../../../core/workflow/AllowedSites.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

describe("the sites that a workflow names", () => {
  it.each([
    ["example.com", "https://example.com/login", true],
    ["example.com", "http://EXAMPLE.com.:8080/", true],
    ["example.com", "https://www.example.com/", false],
    ["example.com", "https://example.com.evil.org/", false],
    ["example.com", "https://evil.org/?example.com", false],
    ["example.com", "https://example.com@evil.org/", false],
    ["*.example.com", "https://a.b.example.com/", true],
    ["*.example.com", "https://example.com/", false],
    ["*.example.com", "https://notexample.com/", false],
    ["example.com:443", "https://example.com/", true],
    ["example.com:443", "http://example.com/", false],
    ["[::1]:3000", "http://[0:0:0:0:0:0:0:1]:3000/", true],
    ["127.0.0.1", "http://2130706433/", true],
    ["münchen.de", "https://xn--mnchen-3ya.de/", true],
    ["example.com", "about:blank", true],
    ["example.com", "about:settings", false],
    ["example.com", "blob:https://example.com/1", true],
    ["example.com", "blob:https://evil.org/1", false],
    ["example.com", "data:text/html,x", false],
    ["example.com", "javascript:alert(1)", false],
    ["example.com", "file:///example.com", false],
    ["example.com", "view-source:https://example.com/", false],
    ["example.com", "wss://example.com/", true],
    ["example.com", "nothing", false]
  ])("%s: %s is visited: %s", (site, address, visited) => {
    assert.deepStrictEqual(AllowedSites.problems([site]), [])
    assert.strictEqual(AllowedSites.permits([site], address), visited)
  })

  it("are all there are when none is named", () => {
    assert.isTrue(AllowedSites.permits([], "https://anywhere.example/"))
  })

  it.each([
    "",
    " ",
    "https://example.com",
    "example.com/path",
    "exa mple.com",
    "*",
    "*.",
    "a.*.com",
    "example.com:0",
    "example.com:65536",
    "example.com:",
    "user@example.com",
    "*.127.0.0.1",
    "[::1",
    "*.[::1]"
  ])("cannot be %j", (site) => {
    assert.deepStrictEqual(
      AllowedSites.problems(["example.com", site]).map(({ path }) => path),
      ["allowed_sites[1]"]
    )
  })

  it("are reported without the secrets of an address", () => {
    const said = AllowedSites.refusal(["a.example"], "https://u:p@evil.example:81/secret?token=1")
    assert.include(said, "evil.example:81")
    assert.include(said, "allowed_sites are a.example")
    assert.notMatch(said, /secret|token|u:p/)
  })
})

/** Two sites, of which only the first may be visited, and what the second was asked for. */
const twoSites = Effect.gen(function* () {
  const asked: Array<string> = []
  const there = (yield* serve(
    Object.fromEntries(
      ["/", "/moved", "/frame", "/window", "/form", "/image.png", "/meta"].map((path) => [
        path,
        (request, response) => {
          asked.push(String(request.url))
          response.writeHead(200, { "content-type": "text/html" }).end("<p id=there>there</p>")
        }
      ])
    )
  )).replace("127.0.0.1", "localhost")
  const here: string = yield* serve({
    "/": html(`<a id=out href="${there}/">out</a> <p id=still>here</p>`),
    "/moved": (_request, response) => void response.writeHead(302, { location: `${there}/moved` }).end(),
    "/meta": html(`<meta http-equiv=refresh content="0;url=${there}/meta"><p>waits</p>`),
    "/window": html(`<button onclick="window.open('${there}/window')">open</button>`),
    "/form": html(`<form method=post action="${there}/form"><input name=secret value=1><button>send</button></form>`),
    "/frame": html(
      `<p id=still>here</p><iframe src="${there}/frame"></iframe><iframe src="/inner"></iframe>
       <iframe srcdoc="<iframe src='${there}/frame'></iframe>"></iframe><img src="${there}/image.png">`
    ),
    "/inner": html("<p>inner</p>")
  })
  return { here, there, asked }
})

const click = (selector: string) => ({ action: "CLICK", parameters: { selector } })
const after = { action: "DELAY", parameters: { delay_time: 1 } }

describe("a run that is kept to sites", () => {
  it.live("goes nowhere else, whichever way it is led, and says which site was not allowed", () =>
    Effect.gen(function* () {
      const { asked, here, there } = yield* twoSites
      const session = { ...Session.empty, allowedSites: [new URL(here).host] }
      const led = {
        "by its address": graphOf(`${there}/`, []),
        "by a link": graphOf(`${here}/`, [click("css=#out"), after]),
        "by a redirect": graphOf(`${here}/moved`, []),
        "by a refresh": graphOf(`${here}/meta`, [after, click("css=#there")]),
        "by a new window": graphOf(`${here}/window`, [click("css=button"), after, click("css=button")]),
        "by a form": graphOf(`${here}/form`, [click("css=button"), after, click("css=button")])
      }
      yield* Effect.gen(function* () {
        for (const [way, graph] of Object.entries(led)) {
          const { outcome } = yield* walk(graph, {}, { session })
          assert.strictEqual(outcome._tag, "Failed", way)
          if (outcome._tag !== "Failed") continue
          assert.strictEqual(outcome.failure.code, "NAVIGATION-E0002", `${way}: ${outcome.failure.message}`)
          assert.include(outcome.failure.message, `${new URL(there).host} is not among the sites`, way)
          assert.strictEqual(outcome.failure.category, "ACTION_BLOCKED_BY_PLATFORM")
        }
        assert.deepStrictEqual(asked, [])
        const framed = yield* walk(graphOf(`${here}/frame`, [click("css=#still")]), {}, { session })
        assert.strictEqual(framed.outcome._tag, "Success", "frames that are refused stay empty")
        assert.deepStrictEqual(asked, ["/image.png"])
        // Another run on the same browser is kept from nothing.
        const free = yield* walk(graphOf(`${here}/`, [click("css=#out"), click("css=#there")]))
        assert.strictEqual(free.outcome._tag, "Success")
      }).pipe(
        Effect.provide(
          Layer.fresh(
            PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [here, there] })
          )
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves runs beside it alone", () =>
    Effect.gen(function* () {
      const { asked, here, there } = yield* twoSites
      const session = { ...Session.empty, allowedSites: [new URL(here).host] }
      const kept = walk(graphOf(`${here}/frame`, [after, click("css=#still")]), {}, { session })
      const free = walk(graphOf(`${there.replace("localhost", "127.0.0.1")}/`, [after, click("css=#there")]))
      const framed = walk(graphOf(`${here}/frame`, [after, click("css=#still")]))
      yield* Effect.gen(function* () {
        const all = yield* Effect.all([kept, free, framed], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          all.map(({ outcome }) => outcome._tag),
          ["Success", "Success", "Success"]
        )
        // The two frames of the run that is kept to nothing.
        assert.lengthOf(
          asked.filter((path) => path === "/frame"),
          2
        )
      }).pipe(
        Effect.provide(
          Layer.fresh(
            PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true })
          )
        )
      )
    }).pipe(Effect.scoped)
  )
})
