/** Pages that fill memory outside of their own process: each ends in its error, and the run beside it continues. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import * as PageMemory from "../../../adapters/playwright/PageMemory.ts"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { hangMillis } from "../../support/limits.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { sampled } from "../../support/scale.ts"
import { html, serve } from "../../support/site.ts"

const limits = { ...defaultPageLimits, memoryBytes: 400 * 1_048_576 }

/** How a page keeps bytes that are its own for every `index`. */
const ways = {
  Blobs: "all.push(new Blob([bytes]))",
  "a cache": "await (await caches.open('a')).put('/' + index, new Response(bytes))",
  "a database": `database ??= await new Promise((resolve) => {
      const opened = indexedDB.open("a", 1)
      opened.onupgradeneeded = () => opened.result.createObjectStore("a")
      opened.onsuccess = () => resolve(opened.result)
    })
    await new Promise((resolve) => {
      const writing = database.transaction("a", "readwrite")
      writing.objectStore("a").put(bytes, index)
      writing.oncomplete = resolve
    })`
}

const page = (keep: string) =>
  html(`<button id=go>go</button><p id=text>text</p><script>
    const all = []
    let database
    document.querySelector("#go").onclick = async () => {
      for (let index = 0; index < 200; index++) {
        const bytes = new Uint8Array(1e7)
        for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536))
        ${keep}
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  </script>`)

/** A page that has its text once the server says that the others are over. */
const patient = html(`<script>setInterval(async () => {
  if ((await fetch("/over")).ok && !document.querySelector("#text")) document.body.innerHTML = "<p id=text>text</p>"
}, 1500)</script>`)

/** Whether the page that fills memory has ended. */
let over = false

const pathOf = (way: string) => `/${Object.keys(ways).indexOf(way)}`

class Site extends Context.Service<Site, string>()("Site") {}

const site = Layer.effect(
  Site,
  serve({
    "/patient": patient,
    "/over": (_request, response) => void response.writeHead(over ? 200 : 503).end(),
    ...Object.fromEntries(Object.entries(ways).map(([way, keep]) => [pathOf(way), page(keep)]))
  })
)

const browser = Layer.unwrap(
  Effect.map(Site, (origin) =>
    PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [origin], limits })
  )
)

const click: Step = { action: "CLICK", parameters: { selector: "css=#go" } }
const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    execution: "STATIC",
    selector: "//p[@id='text']",
    wait_time: hangMillis,
    extract_data_model: { type: "object", properties: { text: { type: "string", path: "//p[@id='text']" } } }
  }
}

/** Waits for what never comes, until the run is ended. */
const readNothing: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: { ...read.parameters, selector: "//p[@id='nothing']" }
}

describe("a page that fills memory with", () => {
  layer(browser.pipe(Layer.provideMerge(site)), { excludeTestServices: true })((it) => {
    for (const way of sampled(Object.keys(ways), 3)) {
      it.effect(`${way} ends at the bound on memory, and the run beside it does not`, () =>
        Effect.gen(function* () {
          const origin = yield* Site
          over = false
          const beside = yield* Effect.forkChild(walk(graphOf(`${origin}/patient`, [read])))
          const { outcome } = yield* walk(graphOf(`${origin}${pathOf(way)}`, [click, readNothing]))
          over = true
          assert.strictEqual(outcome._tag === "Failed" ? outcome.failure.code : outcome._tag, "LIMIT-E0004")
          assert.strictEqual((yield* Fiber.join(beside)).outcome._tag, "Success")
        })
      )
    }
  })
})

describe("the memory of shared processes", () => {
  const measured = (shared: number, pages: Readonly<Record<number, number>>): ReadonlyArray<PageMemory.Measured> => [
    { pid: 1, type: "browser", bytes: shared, time: 1_000 },
    ...Object.entries(pages).map(([pid, time]) => ({ pid: Number(pid), type: "renderer", bytes: 10, time }))
  ]

  it("is charged to the pages that ran as it grew, and given back as it shrinks or as they end", () => {
    const first = PageMemory.charge(null, measured(500, { 2: 7 }))
    assert.deepStrictEqual([...first.charged], [])
    const grown = PageMemory.charge(first, measured(900, { 2: 10, 3: 1 }))
    assert.deepStrictEqual(
      [...grown.charged],
      [
        [2, 300],
        [3, 100]
      ]
    )
    const idle = PageMemory.charge(grown, measured(1_000, { 2: 10, 3: 1 }))
    assert.deepStrictEqual(
      [...idle.charged],
      [
        [2, 300],
        [3, 100]
      ]
    )
    const shrunk = PageMemory.charge(idle, measured(800, { 2: 20, 3: 1 }))
    assert.deepStrictEqual(
      [...shrunk.charged],
      [
        [2, 150],
        [3, 50]
      ]
    )
    assert.deepStrictEqual(PageMemory.tooLarge(measured(800, { 2: 20, 3: 1 }), shrunk, 150), [2])
    assert.deepStrictEqual([...PageMemory.charge(shrunk, measured(100, { 3: 1 })).charged], [[3, 0]])
  })
})
