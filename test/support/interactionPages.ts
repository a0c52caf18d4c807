/** Pages for interaction tests: tabs, dialogs, files, scrolling and the mouse. */

import type { IncomingMessage, ServerResponse } from "node:http"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as HttpFiles from "../../adapters/http/HttpFiles.ts"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import { settingNames } from "../../apps/cli/SettingNames.ts"
import { defaultPageLimits } from "../../core/agent/Limits.ts"
import * as Json from "../../core/workspace/Json.ts"
import { graphOf, type Step, walk } from "./browser.ts"
import { executablePath } from "./realBrowser.ts"
import { type Answer, html, serve } from "./site.ts"

/** Small limits that a test can reach. */
const bounds = { limits: { ...defaultPageLimits, tabs: 4, downloadBytes: 5 * 1_048_576, names: settingNames } }

export const pdf = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj " +
    "3 0 obj<</Type/Page/MediaBox[0 0 200 200]/Parent 2 0 R>>endobj\ntrailer<</Root 1 0 R>>"
)

const attachment =
  (name: string, body: string | Buffer): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-disposition": `attachment; filename="${name}"` }).end(body)

/** Sends data until the client closes the connection. */
const endless: Answer = (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { "content-disposition": 'attachment; filename="endless.bin"' })
  const chunk = Buffer.alloc(1 << 18, 65)
  const more = setInterval(() => response.write(chunk), 5)
  response.on("close", () => clearInterval(more))
}

const rows = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `<li id=r${from + index} style="height:60px">row ${from + index}</li>`
  ).join("")

const pages: Readonly<Record<string, Answer>> = {
  "/": html(`<!doctype html><title>Home</title><h1>Home</h1><p id=got></p>
    <a id=blank target=_blank href=/other>blank</a>
    <a id=slow target=_blank rel=noopener href=/slow>slow</a>
    <button id=later onclick="fetch('/other').then(() => setTimeout(() => window.open('/other'), 400))">later</button>
    <button id=login onclick="window.open('/login', 'login', 'width=300,height=300')">login</button>
    <button id=many onclick="for (let i = 0; i < 12; i++) window.open('/other')">many</button>
    <button id=alert onclick="alert('Careful'); got.textContent = 'alerted'">alert</button>
    <button id=confirm onclick="got.textContent = String(confirm('Sure?'))">confirm</button>
    <button id=prompt onclick="got.textContent = prompt('Name?', 'Ann')">prompt</button>
    <button id=stay onclick="addEventListener('beforeunload', (event) => event.preventDefault())">stay</button>
    <a id=auth href=/auth>auth</a>
    <script>addEventListener("message", ({ data }) => { got.textContent = data })</script>`),
  "/other": html("<!doctype html><title>Other</title><h1>Other</h1>"),
  "/slow": (request, response) =>
    void setTimeout(() => html("<title>Slow</title><h1>Slow</h1>")(request, response), 300),
  "/login": html(`<!doctype html><h1>Login</h1><input id=name>
    <button id=now onclick="opener.postMessage('hello ' + document.querySelector('#name').value, '*'); window.close()">now</button>
    <button id=soon onclick="setTimeout(() => { opener.postMessage('soon', '*'); window.close() }, 300)">soon</button>`),
  "/auth": (_request, response) => void response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end("no"),
  "/files": html(`<!doctype html><title>My files / 2026</title><h1>Files</h1>
    <a id=plain href=/report>plain</a><a id=redirect href=/redirect>redirect</a><a id=window target=_blank href=/report>w</a>
    <a id=inline href=/paper.pdf>inline</a><a id=inlinewindow target=_blank href=/paper.pdf>inline in a window</a>
    <a id=endless href=/endless>endless</a><a id=endlesswindow target=_blank href=/endless>endless in a window</a>
    <a id=broken href=/broken>broken</a><a id=stalled href=/stalled>stalled</a>
    <button id=blob onclick="save(window.URL.createObjectURL(new Blob(['from a blob'])), 'blob.txt')">blob</button>
    <button id=data onclick="save('data:text/csv,a%3Bb', 'data.csv')">data</button>
    <button id=three onclick="for (const n of [1, 2, 3]) save('data:text/plain,' + n, n + '.txt')">three</button>
    <button id=later onclick="setTimeout(() => save('/report', ''), 300)">later</button>
    <button id=print onclick="window.print()">print</button>
    <script>function save(href, name) { const a = document.createElement("a"); a.href = href; a.download = name; a.click() }</script>`),
  "/report": attachment("report 2026.csv", "a;b\n1;2"),
  "/redirect": (_request, response) => void response.writeHead(302, { location: "/report" }).end(),
  "/paper.pdf": (_request, response) => void response.writeHead(200, { "content-type": "application/pdf" }).end(pdf),
  "/endless": endless,
  "/broken": (_request, response) => {
    response.writeHead(200, { "content-disposition": 'attachment; filename="broken.bin"', "content-length": "1000000" })
    response.write(Buffer.alloc(1000))
    setTimeout(() => response.destroy(), 100)
  },
  "/stalled": (_request, response) => {
    response.writeHead(200, {
      "content-disposition": 'attachment; filename="stalled.bin"',
      "content-length": "1000000"
    })
    response.write(Buffer.alloc(1000))
  },
  "/upload": html(`<!doctype html><h1>Upload</h1>
    <input type=file id=file style="display:none" onchange="show(this)"><button id=choose onclick="file.click()">choose</button>
    <label id=label>Pick <input type=file id=second onchange="show(this)"></label><p id=got></p>
    <script>
      async function show(input) {
        const [one] = input.files
        const hash = await crypto.subtle.digest("SHA-256", await one.arrayBuffer())
        got.textContent = one.name + " " + one.size + " " + [...new Uint8Array(hash)].map((b) => b.toString(16).padStart(2, "0")).join("")
      }
    </script>`),
  "/source/scan": (_request, response) =>
    void response.writeHead(200, { "content-disposition": "attachment; filename*=UTF-8''scan%20%C3%A4.pdf" }).end(pdf),
  "/source/redirect": (_request, response) => void response.writeHead(302, { location: "/source/scan" }).end(),
  "/source/private": (_request, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/x" }).end(),
  "/source/loop": (_request, response) => void response.writeHead(302, { location: "/source/loop" }).end(),
  "/endless-list": html(`<!doctype html><h1>List</h1><ul id=list>${rows(0, 20)}</ul><script>
    let count = 20, busy = false
    const row = (n) => '<li id=r' + n + ' style="height:60px">row ' + n + '</li>'
    addEventListener("scroll", () => {
      if (busy || count >= 100 || scrollY + innerHeight < document.documentElement.scrollHeight - 100) return
      busy = true
      setTimeout(() => {
        for (let n = 0; n < 20; n++) list.insertAdjacentHTML("beforeend", row(count++))
        busy = false
      }, 150)
    })</script>`),
  "/framed-list": html(
    `<!doctype html><style>body { margin: 0; overflow: hidden }</style><iframe src="/endless-list" style="width:100vw;height:100vh;border:0"></iframe>`
  ),
  "/virtual": html(`<!doctype html><h1>Table</h1><div id=box style="height:300px;overflow:auto;border:1px solid">
    <div id=inner style="height:${150 * 30}px;position:relative"></div></div><div style="height:2000px"></div><script>
    function draw() {
      const first = Math.floor(box.scrollTop / 30)
      inner.innerHTML = Array.from({ length: 12 }, (_, i) => first + i).filter((n) => n < 150)
        .map((n) => '<div class=row id=v' + n + ' style="position:absolute;height:30px;top:' + n * 30 + 'px">item ' + n + '</div>').join("")
    }
    box.addEventListener("scroll", () => requestAnimationFrame(draw)); draw()</script>`),
  "/wide": html(`<!doctype html><h1>Wide</h1><div id=bar style="width:5000px;height:2000px"></div><p id=at></p><script>
    addEventListener("scroll", () => { document.title = Math.round(scrollX) > 0 ? "right" : scrollY > 0 ? "down" : "origin" })</script>`),
  "/lazy":
    html(`<!doctype html><h1>Lazy</h1><div id=box style="margin:50px;width:200px;height:100px;background:red"></div>
    <div style="height:3000px"></div><p id=end>0</p><script>
    new IntersectionObserver(([e], o) => { if (e.isIntersecting) { document.querySelector("#end").textContent = "seen"; o.disconnect() } })
      .observe(document.querySelector("#end"))</script>`),
  "/mouse":
    html(`<!doctype html><title>0</title><button id=go style="position:absolute;left:600px;top:400px;width:120px;height:40px">go</button>
    <p style="width:60px;position:absolute;left:20px;top:500px"><a id=wrapped href=#x>a link over several lines of text here</a></p>
    <input id=slider type=range min=0 max=10 value=5 style="position:absolute;top:600px">
    <p id=got></p><script>let moves = 0; addEventListener("pointermove", (event) => { if (event.isTrusted) moves += event.getCoalescedEvents().length })
    go.addEventListener("click", (event) => { got.textContent = moves > 10 ? "by hand" : "at once " + moves })
    go.addEventListener("contextmenu", () => { got.textContent = "menu" })
    go.addEventListener("dblclick", () => { got.textContent = "twice" })
    wrapped.addEventListener("click", () => { got.textContent = "link" })
    slider.addEventListener("input", () => { got.textContent = slider.value })</script>`)
}

class Site extends Context.Service<Site, { readonly origin: string }>()("test/Site") {}

export const services = Layer.unwrap(
  Effect.map(serve(pages), (origin) =>
    Layer.mergeAll(
      Layer.succeed(Site, { origin }),
      PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [origin], ...bounds }),
      HttpFiles.layer({ ...HttpFiles.defaults, allowedOrigins: [origin], maxBytes: 1_000_000, budgetMillis: 6_000 })
    )
  )
)

export const run = (path: string, steps: (origin: string) => ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const { origin } = yield* Site
    return yield* walk(graphOf(`${origin}${path}`, steps(origin)))
  })

export const step =
  (action: string) =>
  (parameters: Record<string, unknown> = {}): Step => ({ action, parameters })
export const tab = step("TAB_MANAGEMENT")
export const scroll = step("SCROLL")
export const click = (selector: string, more: object = {}) =>
  step("CLICK")({ selector: `css=${selector}`, wait_time: 20_000, ...more })
export const download = (more: object = {}) => step("FILE_DOWNLOAD")({ metadata: {}, timeout_seconds: 20, ...more })
export const upload = (url: string, more: object = {}) => step("FILE_UPLOAD")({ signed_file_url: url, ...more })
export const extract = (path: string) =>
  step("EXTRACT_DATAMODEL")({
    extract_data_model: { type: "object", properties: { found: { type: "string", path } } },
    selector: path,
    wait_time: 20_000
  })
export const heading = extract("//h1")
export const got = extract("//p[@id='got'][text()]")

export type Walked = Effect.Success<ReturnType<typeof run>>

export const found = ({ outcome }: Walked) =>
  outcome._tag === "Success" ? Json.objectOf(outcome.data).found : assert.fail(outcome.failure.message)
export const failure = ({ outcome }: Walked) =>
  outcome._tag === "Failed" ? outcome.failure : assert.fail(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
export const texts = ({ files, outcome }: Walked) => {
  if (outcome._tag === "Failed") assert.fail(outcome.failure.message)
  return files.map(({ fileName, text }) => [fileName, text])
}
