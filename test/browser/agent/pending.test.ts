import { EventEmitter } from "node:events"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import type { Page } from "playwright-core"
import * as Pending from "../../../adapters/playwright/settling/Pending.ts"

interface Made {
  readonly url?: string
  readonly type?: string
  readonly method?: string
  readonly body?: string
}

/** A tab of a session whose requests a test makes. */
const tab = (session: object = {}) => {
  const main = { isDetached: () => false, url: () => "https://shop.example/" }
  const page = Object.assign(new EventEmitter(), { context: () => session, mainFrame: () => main, url: main.url })
  const pending = Pending.follow(page as unknown as Page)
  const request = ({ body, method = "GET", type = "fetch", url = "https://shop.example/rows" }: Made = {}) => {
    const one = {
      url: () => url,
      method: () => method,
      resourceType: () => type,
      postData: () => body ?? null,
      isNavigationRequest: () => type === "document",
      frame: () => main,
      timing: () => ({ startTime: 0, responseEnd: 1 }),
      failure: () => ({ errorText: "net::ERR_ABORTED" })
    }
    page.emit("request", one)
    const answer = (status = 200, contentType = "application/json") =>
      page.emit("response", {
        request: () => one,
        status: () => status,
        headers: () => ({ "content-type": contentType })
      })
    return {
      answer,
      end: () => {
        answer()
        page.emit("requestfinished", one)
      },
      abort: () => page.emit("requestfailed", one)
    }
  }
  const waits = (isThere = true) => pending.awaited({ isThere }).length
  return { main, page, pending, request, waits }
}

describe("the requests of a tab", () => {
  afterEach(() => void vi.useRealTimers())

  it.each<readonly [string, Made, number]>([
    ["fetch", { type: "fetch" }, 1],
    ["xhr", { type: "xhr" }, 1],
    ["script", { type: "script" }, 1],
    ["document", { type: "document" }, 1],
    ["image", { type: "image" }, 0],
    ["beacon", { type: "ping" }, 0],
    ["stream", { type: "eventsource" }, 0],
    ["media", { type: "media" }, 0],
    ["one that waits for news", { url: "https://shop.example/socket.io/?transport=polling" }, 0]
  ])("are waited for by their kind: %s", (_name, made, count) => {
    const { request, waits } = tab()
    const { end } = request(made)
    assert.strictEqual(waits(), count)
    end()
    assert.strictEqual(waits(), 0)
  })

  it.each<readonly [string, Made, Made, number]>([
    ["the same again", {}, {}, 0],
    [
      "with another instant",
      { url: "https://a.example/?_=1700000000001" },
      { url: "https://a.example/?_=1700000000002" },
      0
    ],
    ["another page", { url: "https://a.example/?page=1" }, { url: "https://a.example/?page=2" }, 1],
    ["another body", { method: "POST", body: "{a}" }, { method: "POST", body: "{b}" }, 1]
  ])("that ask what was answered are not waited for: %s", (_name, first, second, count) => {
    const { pending, request, waits } = tab()
    request(first).end()
    request(second)
    assert.strictEqual(waits(), count)
    pending.act()
    request(second)
    assert.strictEqual(waits(), count + 1)
  })

  it("that ask again what failed or is not ready are waited for", () => {
    const { page, request, waits } = tab()
    for (const status of [202, 503]) {
      const { answer } = request()
      answer(status)
      assert.isAbove(waits(), 0)
    }
    request({ url: "https://shop.example/news" }).answer(200, "text/event-stream")
    assert.strictEqual(waits(), 2)
    page.emit("framenavigated", { other: true })
    assert.strictEqual(waits(), 2)
  })

  it("whose answer the browser saves are waited for until it says so, or two seconds", () => {
    vi.useFakeTimers()
    const { page, request, waits } = tab()
    let files = 0
    const made = (...statuses: ReadonlyArray<number>) => {
      const one = request({ type: "document", url: `https://shop.example/${files++}.csv` })
      for (const status of statuses) one.answer(status, "text/csv")
      one.abort()
    }
    made(200)
    assert.strictEqual(waits(), 1)
    page.emit("download", {})
    assert.strictEqual(waits(), 0)
    made(200)
    vi.advanceTimersByTime(1_999)
    assert.strictEqual(waits(), 1)
    vi.advanceTimersByTime(1)
    assert.strictEqual(waits(), 0)
    assert.strictEqual(page.listenerCount("download"), 0)
    // Its answer may not be known yet. One after which the page stays, and one that another took the place of, are over.
    made()
    assert.strictEqual(waits(), 1)
    vi.advanceTimersByTime(2_000)
    made(204)
    assert.strictEqual(waits(), 0)
    const first = request({ type: "document", url: "https://shop.example/first" })
    request({ type: "document", url: "https://shop.example/second" }).end()
    first.abort()
    assert.strictEqual(waits(), 0)
  })

  it("that never end are waited for once in a session", () => {
    vi.useFakeTimers()
    const session = {}
    const { pending, request, waits } = tab(session)
    request()
    vi.advanceTimersByTime(4_900)
    pending.giveUp()
    assert.strictEqual(waits(), 1)
    vi.advanceTimersByTime(200)
    pending.giveUp()
    assert.strictEqual(waits(), 0)
    const other = tab(session)
    other.request()
    assert.strictEqual(other.waits(), 0)
    other.request({ url: "https://shop.example/other" })
    assert.strictEqual(other.waits(), 1)
  })

  it("that an act finds on their way for long were not begun by it", () => {
    vi.useFakeTimers()
    const { pending, request, waits } = tab()
    request()
    vi.advanceTimersByTime(5_000)
    pending.act()
    assert.strictEqual(waits(), 0)
  })

  it("of other sites have five seconds once there is something", () => {
    vi.useFakeTimers()
    const { request, waits } = tab()
    request({ url: "https://statistics.example/visit" })
    vi.advanceTimersByTime(4_900)
    assert.strictEqual(waits(), 1)
    vi.advanceTimersByTime(200)
    assert.deepStrictEqual([waits(true), waits(false)], [0, 1])
  })

  it("of the document before end with it, and not with a change of its address", () => {
    vi.useFakeTimers()
    const { main, page, request, waits } = tab()
    request()
    page.emit("framenavigated", main)
    assert.strictEqual(waits(), 1)
    vi.advanceTimersByTime(10)
    const next = request({ type: "document", url: "https://shop.example/next" })
    assert.strictEqual(waits(), 2)
    page.emit("framenavigated", main)
    assert.strictEqual(waits(), 1)
    next.end()
    assert.strictEqual(waits(), 0)
  })
})
