import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { chromium as playwright } from "playwright-core"
import { Browser } from "../../../core/browser/Browser.ts"
import { maxHtml } from "../../../core/browser/Navigation.ts"
import * as Session from "../../../core/browser/Session.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { hangMillis } from "../../support/limits.ts"
import { executablePath, inBrowser } from "../../support/realBrowser.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { type Answer, html, serve } from "../../support/site.ts"

/** A page whose tree is parsed as another one once it was written down, in several ways. */
const hostile = `<!doctype html><html><head><title>Hostile</title>
<link rel="stylesheet" href="/style.css"><link rel="dns-prefetch" href="//leak.example"><link rel="icon" href="/icon.png">
</head><body onload="1"><h1>Shown</h1><img src="/picture.png" srcset="/picture2.png 2x" alt=""><p id="styled">styled</p>
<video src="/film.webm" poster="/poster.png"></video><div style="background: url(/back.png)">x</div>
<iframe src="/inner"></iframe><input type="image" src="/button.png"><svg><image href="/svg.png"/></svg>
<script>
  const html = "http://www.w3.org/1999/xhtml", math = "http://www.w3.org/1998/Math/MathML"
  const svg = "http://www.w3.org/2000/svg"
  const make = (ns, name, attributes, ...children) => {
    const made = document.createElementNS(ns, name)
    for (const [key, value] of Object.entries(attributes)) made.setAttributeNS(null, key, value)
    made.append(...children)
    return made
  }
  const evil = "<img src=x onerror=\\"window.ran = 'RAN'\\">"
  const add = (...all) => document.body.append(...all)
  add(make(math, "math", {}, make(html, "style", {}, evil)))
  add(make(math, "math", {}, make(math, "mtext", {}, make(html, "table", {}, make(math, "mglyph", {},
    make(html, "style", {}, "<!--" + evil + "--></style>" + evil))))))
  add(make(svg, "svg", {}, make(html, "style", {}, evil), make(svg, "style", {}, evil)))
  add(make(html, "SCRIPT", {}, "window.ran = 'upper case'"))
  add(make(svg, "SCRIPT", {}, "window.ran = 'upper case of svg'"))
  for (const raw of ["xmp", "noembed", "noframes", "plaintext2", "title", "textarea2", "NOSCRIPT"]) {
    add(make(html, raw, {}, make(html, "b", { title: "</" + raw + ">" + evil, alt: "-->" + evil })))
  }
  add(make(html, "xmp", {}, make(html, "iframe", { name: "</xmp>" + evil })))
  add(make(svg, "svg", {}, make(svg, "a", { href: "#" }, make(svg, "animate", { attributeName: "href", values:
    "javascript:window.ran='animated'" }), make(svg, "set", { attributeName: "onmouseover", to: "window.ran='set'" }))))
  add(make(svg, "svg", {}, make(svg, "META", { "HTTP-EQUIV": "refresh", content: "0;url=/refreshed" })))
  add(make(svg, "svg", {}, make(svg, "iframe", { SRC: "/framed", SANDBOX: "allow-scripts", srcdoc: evil })))
  add(make(html, "b", { ONCLICK: "window.ran=1", onfocus: "window.ran=1", autofocus: "", tabindex: "0" }, "focus"))
  add(make(svg, "a", { HREF: "javascript:window.ran=1" }, "link"))
  const odd = document.createElement("div")
  for (const name of ["x<img", "y'z", 'q"r']) try { odd.setAttribute(name, evil) } catch {}
  add(odd)
  for (const name of ["a<img", "b'c"]) try { add(document.createElement(name)) } catch {}
</script></body></html>`

const style = "#styled { color: rgb(1, 2, 3) } p::after { content: '</style><img src=x onerror=window.ran=1>' }"

const sheet: Answer = (_request, response) => void response.writeHead(200, { "content-type": "text/css" }).end(style)

const pages = {
  "/": html(hostile),
  "/inner": html(`<p>inside</p><img src="/inner.png"><style>b::after { content: "<script>" }</style>`),
  "/style.css": sheet
}

const launched = Effect.acquireRelease(
  Effect.promise(() => playwright.launch({ executablePath })),
  (browser) => Effect.promise(() => browser.close())
)

/** Opens an address, and tells what it asked for, what it ran, and how it looks. */
const opened = Effect.fnUntraced(function* (address: string) {
  const browser = yield* launched
  return yield* Effect.promise(async () => {
    const context = await browser.newContext()
    context.setDefaultTimeout(hangMillis)
    const page = await context.newPage()
    const asked: Array<string> = []
    const complaints: Array<string> = []
    await context.route("**/*", (route) => {
      asked.push(route.request().url())
      return new URL(route.request().url()).origin === new URL(address).origin ? route.continue() : route.abort()
    })
    page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
    page.on("pageerror", ({ message }) => void complaints.push(message))
    const answer = await page.goto(address, { waitUntil: "load" })
    await page.waitForLoadState("networkidle")
    const ran = await page.evaluate("window.ran ?? null")
    return { page, asked, complaints, ran, headers: (await answer?.allHeaders()) ?? {} }
  })
})

/** The snapshot of a page of a site, as a run keeps it. */
const snapshot = (origin: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Browser).open(Session.empty)
    yield* page.navigation.goto(`${origin}/`)
    return yield* page.observation.snapshot({ maxBytes: 5_000_000 })
  }).pipe(Effect.scoped, inBrowser)

it.live("a snapshot is parsed as markup that runs nothing, whatever tree the page had built", () =>
  Effect.gen(function* () {
    const origin = yield* serve(pages)
    const document = yield* snapshot(origin)
    assert.include(document, "Shown")
    // Without its policy, as the worst of readers would open it: all that protects is what was written.
    const bare = document.replace(/http-equiv=("|&quot;)content-security-policy/g, "name=$1none")
    assert.notInclude(bare, "http-equiv")
    const elsewhere = yield* serve({ "/": html(bare) })
    const { page, ran } = yield* opened(`${elsewhere}/`)
    assert.isNull(ran)
    const active = yield* Effect.promise(() =>
      page.evaluate(() => {
        const found = [...window.document.querySelectorAll("*")].flatMap((element) => {
          const names = [...element.attributes].filter(
            ({ name, value }) => name.startsWith("on") || /^\s*javascript:/i.test(value)
          )
          const isActive = /^(script|object|embed|animate|set)$/i.test(element.localName) || names.length > 0
          const refreshes = element.localName === "meta" && element.hasAttribute("http-equiv")
          return isActive || refreshes || element.getAttribute("src") === "x" ? [element.outerHTML] : []
        })
        return found
      })
    )
    assert.deepStrictEqual(active, [])
  }).pipe(Effect.scoped)
)

it.live("a document that is too long is not read, also without its scripts, and the page continues", () =>
  Effect.gen(function* () {
    const origin = yield* serve({
      "/long": html(`<h1>Long</h1><p></p><script>document.querySelector("p").append("a".repeat(${maxHtml}))</script>`),
      "/short": html("<h1>Short</h1>")
    })
    const { navigation } = yield* (yield* Browser).open(Session.empty)
    yield* navigation.goto(`${origin}/long`)
    for (const sanitized of [false, true]) {
      const failure = yield* Effect.flip(navigation.html({ sanitized }))
      assert.match(failure.reason, /^the document has 5000\d{3} characters as HTML: at most 5000000 are read$/)
    }
    yield* navigation.goto(`${origin}/short`)
    assert.include(yield* navigation.html({ sanitized: false }), "<h1>Short</h1>")
  }).pipe(Effect.scoped, inBrowser)
)

it.live("a snapshot that is served loads nothing in the browser of its reader, and looks as the page did", () =>
  Effect.gen(function* () {
    const { url } = yield* Service
    const document = yield* snapshot(yield* serve(pages))
    const id = randomUUID()
    const bytes = new TextEncoder().encode(document)
    yield* (yield* ArtifactFiles).put(id, { mediaType: "text/html", fileName: null, bytes })
    const link = (yield* (yield* ArtifactLinks).lasting(url, 60_000)).artifact(id).url
    const { asked, headers, page, ran } = yield* opened(link)
    assert.deepStrictEqual(asked, [link])
    assert.isNull(ran)
    assert.match(headers["content-security-policy"] ?? "", /^sandbox; default-src 'none'; script-src 'none';/)
    const [color, inside] = yield* Effect.promise(() =>
      Promise.all([
        page.evaluate(() => {
          const styled = window.document.querySelector("#styled")
          return styled === null ? "" : getComputedStyle(styled).color
        }),
        page.frameLocator("iframe[srcdoc]").first().locator("p").first().textContent()
      ])
    )
    assert.deepStrictEqual([color, inside], ["rgb(1, 2, 3)", "inside"])
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live("a snapshot loads nothing after it was saved and opened from elsewhere", () =>
  Effect.gen(function* () {
    const document = yield* snapshot(yield* serve(pages))
    const saved = `${yield* serve({ "/": html(document) })}/`
    const { asked, ran } = yield* opened(saved)
    assert.deepStrictEqual([asked, ran], [[saved], null])
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live("the reference loads nothing from other hosts, cannot be framed, and shows its endpoints", () =>
  Effect.gen(function* () {
    const { url } = yield* Service
    const { asked, complaints, headers, page } = yield* opened(`${url}/docs`)
    assert.deepStrictEqual(
      asked.filter((one) => !one.startsWith(`${url}/`) && !one.startsWith("data:") && !one.startsWith("blob:")),
      []
    )
    const policy = headers["content-security-policy"] ?? ""
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "frame-ancestors 'none'")
    assert.match(policy, /script-src 'sha256-[^']+' 'sha256-[^']+'/)
    assert.notMatch(policy, /https?:|\*/)
    assert.strictEqual(headers["x-content-type-options"], "nosniff")
    yield* Effect.promise(() => page.getByText("run windows").first().waitFor())
    assert.deepStrictEqual(complaints, [])
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)
