/** Pages that mean harm: each ends in its error and within its limit, and the next run on the worker is unharmed. */
import type { ServerResponse } from "node:http"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { defaultPageLimits, type PageLimits } from "../../../core/agent/Limits.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { sampled, scale } from "../../support/scale.ts"
import { type Answer, html, serve } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

const limits = { ...defaultPageLimits, navigationMillis: 8_000, tabs: 5, memoryBytes: 400 * 1_048_576 }

/** A page that hangs is given up soon. One that must be got through may be as slow as a machine under load makes it. */
const shortLimits = { ...limits, unresponsiveMillis: 4_000 }

const page = (script: string) => html(`<button id=go>go</button><p id=text>text</p><script>${script}</script>`)
const later = (script: string) => page(`document.querySelector("#go").onclick = () => { ${script} }`)

const click: Step = { action: "CLICK", parameters: { selector: "css=#go", wait_time: 25_000 } }
const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    execution: "STATIC",
    extract_data_model: {
      type: "object",
      properties: { text: { type: "string", path: "//p[@id='text']" } }
    }
  }
}

/** Waits for what never comes, until the run is ended. */
const readNothing: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: { ...read.parameters, selector: "//p[@id='nothing']", wait_time: 25_000 }
}

/** Each message costs the browser and the worker a tenth of a millisecond. SLUICE_TEST_SCALE=5 writes 100,000 of them. */
const messages = Math.min(20_000 * scale, 100_000)

const raw =
  (text: string): Answer =>
  ({ socket }) =>
    void socket.end(text)

const drip = (response: ServerResponse) => {
  const timer = setInterval(() => response.write(" "), 200)
  response.on("close", () => clearInterval(timer))
}

interface Case {
  readonly page: Answer
  readonly steps: ReadonlyArray<Step>
  /** The code that the run ends with; `null` for a run that succeeds all the same. */
  readonly ends: string | RegExp | null
  /** It only keeps the agent waiting, and takes nothing of the machine: several do so at once. */
  readonly idle?: true
}

const hangs = "LIMIT-E0006"

const cases: Record<string, Case> = {
  "an endless loop": { page: later("while (true) {}"), steps: [click, read], ends: hangs },
  "an endless loop as it loads": {
    page: page("while (true) {}"),
    steps: [read],
    ends: /LIMIT-E0006|NAVIGATION-E000[14]/
  },
  "endless redirects": {
    page: (_request, response) => void response.writeHead(302, { location: "?again" }).end(),
    steps: [],
    ends: /NAVIGATION-E000/
  },
  "endless new addresses": {
    page: page("location = '?' + Math.random()"),
    steps: [{ action: "CLICK", parameters: { selector: "css=#nothing", wait_time: 2_000 } }],
    ends: /SELECTOR-E0001|NAVIGATION-E000/
  },
  "endless alerts": { page: later("while (true) alert(1)"), steps: [click, read], ends: hangs },
  "a page that will not be left": {
    page: page("onbeforeunload = (event) => { event.preventDefault(); return 'stay' }"),
    steps: [click, { action: "NAVIGATE", parameters: { url: "/plain" } }, read],
    ends: null,
    idle: true
  },
  "a thousand windows": {
    page: later("for (let i = 0; i < 1000; i++) open('about:blank')"),
    steps: [click, read, { action: "DELAY", parameters: { delay_time: 2 } }, read],
    ends: "LIMIT-E0003"
  },
  "memory without end": {
    page: later(
      "const all = []; setInterval(() => { for (let i = 0; i < 5; i++) all.push(new Uint8Array(1e7).fill(1)) }, 10)"
    ),
    steps: [click, readNothing],
    ends: "LIMIT-E0004"
  },
  "an answer without end": {
    page: (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      drip(response)
    },
    steps: [read],
    ends: /NAVIGATION-E000[14]/,
    idle: true
  },
  "headers and then silence": {
    page: (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).flushHeaders(),
    steps: [read],
    ends: /NAVIGATION-E000[14]/,
    idle: true
  },
  "no answer at all": { page: () => {}, steps: [read], ends: /NAVIGATION-E000[14]/, idle: true },
  "an answer of gibberish": { page: raw("HTP/9 what\r\n\r\n"), steps: [read], ends: /NAVIGATION-E000/, idle: true },
  "a connection that is cut": {
    page: ({ socket }) => void socket.destroy(),
    steps: [read],
    ends: /NAVIGATION-E000/,
    idle: true
  },
  "an answer without content": {
    page: (_request, response) => void response.writeHead(204).end(),
    steps: [],
    ends: /NAVIGATION-E000/,
    idle: true
  },
  "a document of 100,000 elements": {
    page: page("for (let i = 0; i < 1e5; i++) document.body.append(document.createElement('i'))"),
    steps: [click, read],
    ends: null
  },
  "a question for a password": {
    page: (_request, response) =>
      void response.writeHead(401, { "www-authenticate": "Basic" }).end("<p id=text>no</p>"),
    steps: [read],
    ends: /NAVIGATION-E0001|null/,
    idle: true
  },
  "always on the way to what never comes": {
    page: later("setInterval(() => { location = '/silent?' + Math.random() }, 300)"),
    steps: [click, readNothing],
    ends: /LIMIT-E0006|NAVIGATION-E000|SELECTOR-E0001/
  },
  "endless printing": { page: later("setInterval(() => print(), 1)"), steps: [click, read], ends: null },
  "a flood of history": {
    page: page("setInterval(() => { for (let i = 0; i < 50; i++) history.pushState(0, '', '?' + Math.random()) }, 5)"),
    steps: [click, read],
    ends: /LIMIT-E0006|null/
  },
  "a flood of messages on the console": {
    page: later(`setTimeout(() => { for (let i = 0; i < ${messages}; i++) console.log('message', i) }, 0)`),
    steps: [click, read],
    ends: /LIMIT-E0006|null/
  },
  "a flood of connections": {
    page: later(
      "for (let i = 0; i < 200; i++) { new WebSocket('ws://' + location.host + '/plain'); new EventSource('/plain') }"
    ),
    steps: [click, read],
    ends: null
  },
  "huge cookies": {
    page: page("for (let i = 0; i < 300; i++) document.cookie = i + '=' + 'x'.repeat(4000)"),
    steps: [click, read],
    ends: null
  },
  "questions for permissions": {
    page: later(
      `navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission()
       document.documentElement.requestFullscreen(); document.body.requestPointerLock()`
    ),
    steps: [click, read],
    ends: null
  },
  "a flood of downloads": {
    page: later(
      `for (let i = 0; i < 50; i++) { const a = document.createElement("a"); a.download = i + ".txt"
       a.href = "data:text/plain," + i; a.click() }`
    ),
    steps: [click, read],
    ends: null
  },
  "a window that closes itself": {
    page: html("<button id=go onclick='close()'>x</button><p id=text>text</p>"),
    steps: [click, { action: "DELAY", parameters: { delay_time: 1 } }, read],
    ends: /BROWSER-E0001|null/,
    idle: true
  },
  "a worker that answers for the site": {
    page: later("navigator.serviceWorker.register('/worker.js')"),
    steps: [click, { action: "DELAY", parameters: { delay_time: 1 } }, read],
    ends: null
  }
}

const pathOf = (name: string) => `/hostile/${Object.keys(cases).indexOf(name)}`

class Site extends Context.Service<Site, string>()("Site") {}

const site = Layer.effect(
  Site,
  serve({
    ...Object.fromEntries(Object.entries(cases).map(([name, { page }]) => [pathOf(name), page])),
    "/silent": () => undefined,
    "/plain": html("<button id=go>go</button><p id=text>text</p>"),
    "/worker.js": (_request, response) =>
      void response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(
          "oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim()); onfetch = (e) => e.respondWith(new Promise(() => {}))"
        )
  })
)

const browserWith = (limits: PageLimits) =>
  Layer.unwrap(
    Effect.map(Site, (origin) =>
      PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [origin], limits })
    )
  ).pipe(Layer.provideMerge(site))

const check = ([name, { ends, steps }]: readonly [string, Case]) =>
  [
    `${name} ends as it should, and harms no other run`,
    () =>
      Effect.gen(function* () {
        const origin = yield* Site
        const { outcome } = yield* awaited("the end of the run", walk(graphOf(`${origin}${pathOf(name)}`, steps)))
        const code = outcome._tag === "Failed" ? outcome.failure.code : "null"
        const said = outcome._tag === "Failed" ? outcome.failure.message : ""
        if (ends instanceof RegExp) assert.match(code, ends, said)
        else assert.strictEqual(code, ends ?? "null", said)
        const next = yield* walk(graphOf(`${origin}/plain`, [click, read]))
        assert.strictEqual(next.outcome._tag, "Success", JSON.stringify(next.outcome))
      })
  ] as const

const all = sampled(Object.entries(cases), 2)
const idle = all.filter(([, { idle }]) => idle === true)
const busy = all.filter(([, { idle }]) => idle !== true)

describe("a page with", () => {
  layer(browserWith(shortLimits), { excludeTestServices: true })((it) => {
    describe.concurrent("several at once:", () => {
      for (const one of idle) it.effect(...check(one))
    })
    for (const one of busy.filter(([, { ends }]) => ends !== null)) it.effect(...check(one))
  })

  layer(browserWith(limits), { excludeTestServices: true })((it) => {
    for (const one of busy.filter(([, { ends }]) => ends === null)) it.effect(...check(one))
  })
})
