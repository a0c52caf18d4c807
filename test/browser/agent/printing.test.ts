import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { chromiumPath, executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

const document = (title: string, body: string) => html(`<!doctype html><title>${title}</title><body>${body}`)

/** A content that takes a number of pages on paper. */
const sheets = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `<p style="break-${at === 0 ? "inside: avoid" : "before: page"}">${at}</p>`
  ).join("")

const threeSheets = JSON.stringify(`<title>Receipt</title>${sheets(3)}`)

/** What a page does when it asks to be printed: each prints a receipt of three sheets, and shows only one afterwards. */
const asking: Readonly<Record<string, readonly [body: string, title?: string]>> = {
  "by a button": [`<button onclick="print()">Print</button>${sheets(3)}`],
  "by a command of its editor": [`<button onclick="document.execCommand('print')">Print</button>${sheets(3)}`],
  "and closes its window": [`<button onclick="window.open('/closing')">Print</button>`],
  "as it is loaded, in a new window": [`<button onclick="window.open('/printing')">Print</button>`],
  "as it is loaded, in a tab of its own": [`<a href=/printing target=_blank><button>Print</button></a>`],
  "in a window that the page has written": [
    `<button onclick="const w = window.open(''); w.document.write(receipt); w.document.close(); w.focus(); w.print(); w.close()">Print</button>`
  ],
  "in a window that it is sent to later": [
    `<button onclick="const w = window.open('about:blank'); setTimeout(() => { w.location = '/closing' }, 200)">Print</button>`
  ],
  "in a hidden frame": [
    `<button onclick="frame.contentWindow.print()">Print</button>
     <iframe id=frame src=/receipt style="position: fixed; width: 0; height: 0; border: 0; visibility: hidden"></iframe>`
  ],
  "in a frame that is removed afterwards": [
    `<button onclick="const f = document.createElement('iframe'); document.body.append(f); f.contentDocument.write(receipt);
      f.contentDocument.close(); f.contentWindow.onafterprint = () => f.remove(); f.contentWindow.print()">Print</button>`
  ],
  "in a frame of another site": [
    `<button onclick="frame.contentWindow.postMessage('', '*')">Print</button><iframe id=frame src={{other}}/asked></iframe>`
  ],
  "showing its receipt for that moment": [
    `<button onclick="const before = document.body.innerHTML; document.title = 'Receipt'; document.body.innerHTML = receipt; print(); document.body.innerHTML = before; document.title = 'Shop'">Print</button>`
  ],
  "showing it while it is told that it is printed": [
    `<button onclick="print()">Print</button><div hidden id=more>${sheets(3)}</div><script>
      onbeforeprint = () => { more.hidden = false; document.title = 'Receipt' }; onafterprint = () => { more.hidden = true; document.title = 'Shop' }</script>`
  ],
  "and is left at once": [`<button onclick="window.open('/left', '_self')">Print</button>`]
}

/** What a page could tell this browser from others by. */
const looking = `<p id=seen></p><button onclick="seen.textContent = [print, window.open, document.execCommand].map(String)
  .filter((text) => !text.includes('[native code]')).concat(Object.getOwnPropertyNames(window).filter((name) => /^f[0-9a-f]{16}$/.test(name))).join() || 'nothing'">Look</button>`

const pages = Object.fromEntries(Object.keys(asking).map((name) => [`/${name.replaceAll(/\W+/g, "-")}`, name] as const))

const site = Effect.gen(function* () {
  let other = ""
  const origin: string = yield* serve({
    ...Object.fromEntries(
      Object.entries(pages).map(([path, name]) => [
        path,
        (request, response) => {
          const [body = ""] = asking[name] ?? []
          const title = /^by /.test(name) ? "Receipt" : "Shop"
          document(title, `<script>const receipt = ${threeSheets}</script>${body.replaceAll("{{other}}", other)}`)(
            request,
            response
          )
        }
      ])
    ),
    "/looking": document("Shop", looking),
    "/two": document(
      "Two",
      `<button onclick="print(); document.body.append('more'); document.title = 'Four'; print()">Print</button>`
    ),
    "/receipt": document("Receipt", sheets(3)),
    "/printing": document("Receipt", `${sheets(3)}<script>onload = () => print()</script>`),
    "/closing": document("Receipt", `${sheets(3)}<script>onload = () => { print(); close() }</script>`),
    "/left": document("Receipt", `${sheets(3)}<script>onload = () => { print(); location = "/done" }</script>`),
    "/done": document("Done", "<h1>Done</h1>"),
    "/asked": document("Receipt", `${sheets(3)}<script>onmessage = () => print()</script>`)
  })
  other = origin.replace("127.0.0.1", "localhost")
  return { origin, other }
})

describe.each([...new Set([executablePath, chromiumPath])])("in %s", (path) => {
  const browser = PlaywrightBrowser.layer({
    ...PlaywrightBrowser.defaults,
    executablePath: path,
    allowPrivateNetworks: true
  })
  layer(browser, { excludeTestServices: true })("a page that asks to be printed is kept as a PDF", (it) => {
    it.effect.each(Object.entries(pages))("%s: %s", ([address]) =>
      Effect.gen(function* () {
        const { origin } = yield* site
        const { elements, navigation } = yield* (yield* Browser).open(Session.empty)
        yield* navigation.goto(`${origin}${address}`)
        yield* navigation.forgetDownloads
        yield* elements.click({ selector: "//button", waitMillis: 20_000 }, "click")
        const { failure, files } = yield* navigation.download(20_000)
        assert.isNull(failure)
        const [file, ...others] = files
        assert.isEmpty(others)
        assert.strictEqual(file?.fileName, "Receipt.pdf")
        const text = Buffer.from(file === undefined ? [] : yield* file.bytes).toString("latin1")
        assert.match(text, /^%PDF-/)
        assert.strictEqual(/\/Count (\d+)/.exec(text)?.[1], "3", "sheets")
      }).pipe(Effect.scoped)
    )

    it.effect("two calls are two files, no tab is left, and the page sees nothing of it", () =>
      Effect.gen(function* () {
        const { origin } = yield* site
        const { elements, navigation } = yield* (yield* Browser).open(Session.empty)
        const click = elements.click({ selector: "//button", waitMillis: 20_000 }, "click")
        yield* navigation.goto(`${origin}/two`)
        yield* navigation.forgetDownloads
        yield* click
        const { files } = yield* navigation.download(20_000)
        assert.deepStrictEqual(
          files.map(({ fileName }) => fileName),
          ["Two.pdf", "Four.pdf"]
        )
        assert.deepStrictEqual(yield* navigation.tabs, { open: 1, current: 0 })
        yield* navigation.goto(`${origin}/looking`)
        yield* click
        yield* elements.find({ selector: "//p[.='nothing']", waitMillis: 5_000 })
      }).pipe(Effect.scoped)
    )
  })
})
