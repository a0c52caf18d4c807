import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as HttpFiles from "../../adapters/http/HttpFiles.ts"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import { FileSource } from "../../core/agent/FileSource.ts"
import { defaultPageLimits } from "../../core/agent/Limits.ts"
import { executablePath, graphOf, type Step, walk } from "../support/browser.ts"
import { type Answer, html, serve } from "../support/site.ts"

/** Small bounds, so that a test reaches them. */
const bounds = { limits: { ...defaultPageLimits, windows: 4, downloadBytes: 5 * 1_048_576 } }

const pdf = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj " +
    "3 0 obj<</Type/Page/MediaBox[0 0 200 200]/Parent 2 0 R>>endobj\ntrailer<</Root 1 0 R>>"
)

const attachment =
  (name: string, body: string | Buffer): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-disposition": `attachment; filename="${name}"` }).end(body)

/** Goes on sending until the other side has enough. */
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
    void setTimeout(() => html("<title>Slow</title><h1>Slow</h1>")(request, response), 700),
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
    <button id=later onclick="setTimeout(() => save('/report', ''), 700)">later</button>
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
    <p id=got></p><script>let moves = 0; addEventListener("mousemove", (event) => { if (event.isTrusted) moves++ })
    go.addEventListener("click", (event) => { got.textContent = moves > 10 ? "by hand" : "at once " + moves })
    go.addEventListener("contextmenu", () => { got.textContent = "menu" })
    go.addEventListener("dblclick", () => { got.textContent = "twice" })
    wrapped.addEventListener("click", () => { got.textContent = "link" })
    slider.addEventListener("input", () => { got.textContent = slider.value })</script>`)
}

class Site extends Context.Service<Site, { readonly origin: string }>()("test/Site") {}

const services = Layer.unwrap(
  Effect.map(serve(pages), (origin) =>
    Layer.mergeAll(
      Layer.succeed(Site, { origin }),
      PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [origin], ...bounds }),
      HttpFiles.layer({ ...HttpFiles.defaults, allowedOrigins: [origin], maxBytes: 1_000_000, budgetMillis: 2_000 })
    )
  )
)

const run = (path: string, steps: (origin: string) => ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const { origin } = yield* Site
    return yield* walk(graphOf(`${origin}${path}`, steps(origin)))
  })

const step =
  (action: string) =>
  (parameters: Record<string, unknown> = {}): Step => ({ action, parameters })
const tab = step("TAB_MANAGEMENT")
const scroll = step("SCROLL")
const click = (selector: string, more: object = {}) =>
  step("CLICK")({ selector: `css=${selector}`, wait_time: 8_000, ...more })
const download = (more: object = {}) => step("FILE_DOWNLOAD")({ metadata: {}, timeout_seconds: 20, ...more })
const upload = (url: string, more: object = {}) => step("FILE_UPLOAD")({ signed_file_url: url, ...more })
const extract = (path: string) =>
  step("EXTRACT_DATAMODEL")({
    extract_data_model: { type: "object", properties: { found: { type: "string", path } } },
    selector: path,
    wait_time: 5_000
  })
const heading = extract("//h1")
const got = extract("//p[@id='got'][text()]")

type Walked = Effect.Success<ReturnType<typeof run>>

const found = ({ outcome }: Walked) =>
  outcome._tag === "Success" ? outcome.data.found : assert.fail(outcome.failure.message)
const failure = ({ outcome }: Walked) =>
  outcome._tag === "Failed" ? outcome.failure : assert.fail(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
const texts = ({ files, outcome }: Walked) => {
  if (outcome._tag === "Failed") assert.fail(outcome.failure.message)
  return files.map(({ fileName, text }) => [fileName, text])
}

const timeout = { timeout: 60_000 }

layer(services, { excludeTestServices: true, timeout: 60_000 })("in a real browser", (it) => {
  describe("windows", () => {
    it.effect.each([
      ["a link", "#blank", "Other"],
      ["a slow one without an opener", "#slow", "Slow"]
    ] as const)(
      "the window that %s opens is looked at",
      ([, selector, title]) =>
        Effect.gen(function* () {
          assert.strictEqual(found(yield* run("/", () => [click(selector), heading])), title)
        }),
      timeout
    )

    it.effect(
      "one that comes later is where the next step finds its element",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/", () => [
            click("#later"),
            step("CLICK")({ selector: "//h1[.='Other']", wait_time: 1_500 }),
            heading
          ])
          assert.strictEqual(found(seen), "Other")
        }),
      timeout
    )

    it.effect.each(["#now", "#soon"])(
      "a login in a window of its own posts back and closes, at %s, and the page goes on",
      (button) =>
        Effect.gen(function* () {
          const seen = yield* run("/", () => [
            click("#login"),
            step("INPUT_TEXT")({ selector: "css=#name", text: "Ann" }),
            click(button),
            got
          ])
          assert.strictEqual(found(seen), button === "#now" ? "hello Ann" : "soon")
        }),
      timeout
    )

    it.effect(
      "they are opened, turned to and closed by their number",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/", () => [
            tab({ tabAction: "OPEN", url: "/other" }),
            tab({ tabAction: "OPEN", url: "/files" }),
            tab({ tabAction: "SWITCH", tab_index: 1 }),
            tab({ tabAction: "CLOSE", tab_index: 0 }),
            tab({ tabAction: "CLOSE" }),
            heading
          ])
          assert.strictEqual(found(seen), "Files")
          const last = yield* run("/", () => [
            tab({ tabAction: "CLOSE" }),
            step("NAVIGATE")({ url: `${seen.steps.length === 0 ? "" : "about:blank"}` })
          ])
          assert.strictEqual(failure(last).code, "NAVIGATION-E0002")
        }),
      timeout
    )

    it.effect(
      "a number that none has, an address that may not be opened, and too many are told",
      () =>
        Effect.gen(function* () {
          const none = failure(yield* run("/", () => [tab({ tabAction: "SWITCH", tab_index: 99, wait_time: 100 })]))
          assert.include(none.message, "Cannot switch to window 99: only 1 window is open, number 0")
          const file = failure(yield* run("/", () => [tab({ tabAction: "OPEN", url: "file:///etc/passwd" })]))
          assert.strictEqual(file.code, "NAVIGATION-E0002")
          const many = yield* run("/", () => [click("#many"), heading, heading, click("#blank"), heading])
          assert.deepInclude(failure(many), { code: "LIMIT-E0003" })
          assert.include(failure(many).message, "more than 4 windows were open")
          assert.strictEqual(many.pictures.filter(({ error }) => error).length, 1)
        }),
      timeout
    )
  })

  describe("dialogs", () => {
    it.effect.each([
      ["#alert", "alerted"],
      ["#confirm", "true"],
      ["#prompt", "Ann"]
    ] as const)(
      "%s is accepted at once, and the page has %s",
      ([selector, text]) =>
        Effect.gen(function* () {
          assert.strictEqual(found(yield* run("/", () => [click(selector), got])), text)
        }),
      timeout
    )

    it.effect(
      "a page that asks to stay is left, and a site that asks for a password by HTTP fails clearly",
      () =>
        Effect.gen(function* () {
          const left = yield* run("/", (origin) => [
            click("#stay"),
            step("NAVIGATE")({ url: `${origin}/other` }),
            heading
          ])
          assert.strictEqual(found(left), "Other")
          const asked = failure(yield* run("/", (origin) => [step("NAVIGATE")({ url: `${origin}/auth` })]))
          assert.include(asked.message, "asks for a name and a password by HTTP authentication")
        }),
      timeout
    )
  })

  describe("downloads", () => {
    it.effect.each([
      ["#plain", [["report 2026.csv", "a;b\n1;2"]]],
      ["#redirect", [["report 2026.csv", "a;b\n1;2"]]],
      ["#window", [["report 2026.csv", "a;b\n1;2"]]],
      ["#later", [["report 2026.csv", "a;b\n1;2"]]],
      ["#blob", [["blob.txt", "from a blob"]]],
      ["#data", [["data.csv", "a;b"]]],
      ["#inline", [["paper.pdf", pdf.toString()]]],
      ["#inlinewindow", [["paper.pdf", pdf.toString()]]]
    ] as const)(
      "what %s gives is kept",
      ([selector, expected]) =>
        Effect.gen(function* () {
          const seen = yield* run("/files", () => [click(selector), download()])
          assert.deepStrictEqual(
            texts(seen),
            expected.map((one) => [...one])
          )
        }),
      timeout
    )

    it.effect(
      "one that has ended long before is kept as well, and so is what an address gives at once",
      () =>
        Effect.gen(function* () {
          const wait = step("DELAY")({ delay_time: 0.5 })
          assert.strictEqual(texts(yield* run("/files", () => [click("#blob"), wait, download()])).length, 1)
          const opened = yield* run("/files", (origin) => [step("NAVIGATE")({ url: `${origin}/report` }), download()])
          assert.strictEqual(texts(opened).length, 1)
        }),
      timeout
    )

    it.effect(
      "several are all kept",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/files", () => [click("#three"), download(), download(), download()])
          assert.deepStrictEqual(texts(seen).sort(), [
            ["1.txt", "1"],
            ["2.txt", "2"],
            ["3.txt", "3"]
          ])
        }),
      timeout
    )

    it.effect(
      "a page is printed, when the workflow or the page asks for it",
      () =>
        Effect.gen(function* () {
          for (const steps of [
            [download({ trigger_print: true, selector: "//body" })],
            [click("#print"), download()]
          ]) {
            const [file] = texts(yield* run("/files", () => steps))
            assert.strictEqual(file?.[0], "2026.pdf")
            assert.match(String(file?.[1]), /^%PDF-/)
          }
        }),
      timeout
    )

    it.effect.each(["#endless", "#endlesswindow"])(
      "one that has no end, at %s, ends as soon as it is too large",
      (selector) =>
        Effect.gen(function* () {
          const told = failure(yield* run("/files", () => [click(selector), download()]))
          assert.strictEqual(told.code, "LIMIT-E0005")
          assert.include(told.message, "larger than 5 MB, the most that a download may be (SLUICE_DOWNLOAD_MB)")
        }),
      timeout
    )

    it.effect(
      "one that breaks off or stalls fails, unless the node goes on without it",
      () =>
        Effect.gen(function* () {
          const broken = yield* run("/files", () => [click("#broken"), download()])
          assert.include(failure(broken).message, "/broken ended early")
          const stalled = yield* run("/files", () => [click("#stalled"), download({ timeout_seconds: 5 })])
          assert.include(failure(stalled).message, "/stalled is not complete after 5 s (timeout_seconds)")
          const passed = yield* run("/files", () => [
            click("#broken"),
            download({ continue_on_failed_download: true }),
            heading
          ])
          assert.strictEqual(found(passed), "Files")
        }),
      timeout
    )
  })

  describe("uploads", () => {
    const sum = createHash("sha256").update(pdf).digest("hex")

    it.effect.each([
      ["a dialog", [click("#choose")], {}, "/source/scan", "scan ä.pdf"],
      ["a hidden field", [], { selector: "css=#file" }, "/source/redirect", "scan ä.pdf"],
      ["the field of a label", [], { selector: "css=#label", file_name: "own.pdf" }, "/source/scan", "own.pdf"]
    ] as const)(
      "a file goes into %s",
      ([, before, more, path, name]) =>
        Effect.gen(function* () {
          const seen = yield* run("/upload", (origin) => [...before, upload(`${origin}${path}`, more), got])
          assert.strictEqual(found(seen), `${name} ${pdf.length} ${sum}`)
        }),
      timeout
    )

    it.effect.each([
      ["/source/none", "UPLOAD-E0002", "status 404"],
      ["/endless", "UPLOAD-E0003", "larger than 1 MB, the most that an uploaded file may have (maxUploadBytes)"],
      ["/stalled", "UPLOAD-E0002", "did not come within 2000 ms"],
      ["/source/private", "UPLOAD-E0004", "private or loopback"],
      ["/source/loop", "UPLOAD-E0002", "leads on more than 5 times"]
    ] as const)(
      "%s fails with %s",
      ([path, code, words]) =>
        Effect.gen(function* () {
          const told = failure(
            yield* run("/upload", (origin) => [click("#choose"), upload(`${origin}${path}?signature=abc`)])
          )
          assert.strictEqual(told.code, code)
          assert.include(told.message, words)
          assert.notInclude(told.message, "signature")
        }),
      timeout
    )

    it.effect(
      "without a dialog it fails, and nothing of a session stays on the disk",
      () =>
        Effect.gen(function* () {
          const told = failure(yield* run("/upload", (origin) => [upload(`${origin}/source/scan`)]))
          assert.strictEqual(told.code, "UPLOAD-E0001")
          yield* Effect.sleep("200 millis")
          const left = readdirSync(tmpdir()).filter((name) => /^sluice-file-/.test(name))
          assert.deepStrictEqual(left, [])
        }),
      timeout
    )
  })

  describe("scrolling", () => {
    const there = (id: string) => extract(`//*[@id='${id}']`)

    it.effect(
      "ticks load more of a list, each waiting for what comes",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/endless-list", () => [
            scroll({ load_events_triggered_through_scroll: 6, wait_time: 30_000 }),
            there("r70")
          ])
          assert.strictEqual(found(seen), "row 70")
        }),
      timeout
    )

    it.effect(
      "an element of a list without an end is found on the way, and one that never comes fails by its time",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/endless-list", () => [
            scroll({ scroll_mode: "to-element", xpath: "//li[@id='r90']", position: "center", wait_time: 30_000 }),
            there("r90")
          ])
          assert.strictEqual(found(seen), "row 90")
          const told = failure(
            yield* run("/wide", () => [scroll({ scroll_mode: "to-element", xpath: "//never", wait_time: 2_500 })])
          )
          assert.include(told.message, "no such element came into being within 2500 ms (wait_time)")
        }),
      timeout
    )

    it.effect.each([
      ["below", "v100", "v100"],
      ["above, after its end", "v5", "v5"]
    ] as const)(
      "a row of a virtual table is found %s",
      ([, id, expected]) =>
        Effect.gen(function* () {
          const region = { scroll_mode: "region", container_xpath: "//div[@id='box']", wait_time: 50_000 }
          const first = id === "v5" ? [scroll({ ...region, goal: "full-container" }), there("v149")] : []
          const seen = yield* run("/virtual", () => [
            ...first,
            scroll({ ...region, scroll_behavior: "find-element", xpath: `//div[@id='${id}']` }),
            there(expected)
          ])
          assert.strictEqual(found(seen), `item ${id.slice(1)}`)
        }),
      timeout
    )

    it.effect.each([
      ["right", "right"],
      ["down", "down"],
      ["left", "Wide"]
    ] as const)(
      "to the %s",
      ([direction, title]) =>
        Effect.gen(function* () {
          const seen = yield* run("/wide", () => [
            scroll({ direction, load_events_triggered_through_scroll: 1 }),
            extract("//title | //h1[not(//title)]")
          ])
          assert.strictEqual(found(seen), title)
        }),
      timeout
    )
  })

  describe("pictures", () => {
    it.effect(
      "an element with its margin, and a page that loads as it is scrolled through",
      () =>
        Effect.gen(function* () {
          const { outcome, pictures } = yield* run("/lazy", () => [
            step("SCREENSHOT")({ selector: "css=#box", margin: 20 }),
            extract("//p[@id='end']"),
            step("SCREENSHOT")({ max_scrolls: 10, wait_after_scroll: 1_000 }),
            extract("//p[@id='end']")
          ])
          assert.deepStrictEqual(outcome, { _tag: "Success", data: { found: "seen" } })
          const [element, whole] = pictures.map(({ bytes }) => sizeOf(bytes))
          assert.deepStrictEqual(element, { width: 240, height: 140 })
          assert.isAbove(whole?.height ?? 0, 3_000)
          assert.deepStrictEqual(
            pictures.map(({ fullPage }) => fullPage),
            [false, true]
          )
        }),
      timeout
    )
  })

  describe("the hand", () => {
    it.effect.each([
      ["#go", {}, "by hand"],
      ["#go", { click_type: "double_click" }, "twice"],
      ["#go", { click_type: "right_click" }, "menu"],
      ["#wrapped", {}, "link"]
    ] as const)(
      "reaches %s with %j",
      ([selector, more, text]) =>
        Effect.gen(function* () {
          assert.strictEqual(
            found(yield* run("/mouse", () => [click(selector, { human_mode: true, ...more }), got])),
            text
          )
        }),
      timeout
    )

    it.effect(
      "a slider is moved by keys",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/mouse", () => [
            click("#slider"),
            step("INPUT_TEXT")({ omit_focus: true, text: "{{arrow_right}}{{arrow_right}}" }),
            got
          ])
          assert.strictEqual(found(seen), "7")
        }),
      timeout
    )
  })
})

/** The size of a JPEG, from its header. */
const sizeOf = (bytes: Uint8Array): { readonly width: number; readonly height: number } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (let at = 2; at < bytes.length; at += 2 + view.getUint16(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    if (marker >= 0xc0 && marker <= 0xc3) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
  }
  throw new Error("not a JPEG")
}
void FileSource
