import { EventEmitter } from "node:events"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import type { BrowserContext, Frame } from "playwright-core"
import * as Parsing from "../../../adapters/playwright/element/Parsing.ts"
import * as Writes from "../../../adapters/playwright/page/Writes.ts"

/** A frame whose document never ends, with the timeouts of the waits for it. */
const endlessFrame = (address: { url: string }) => {
  const timeouts: Array<number> = []
  const frame = {
    url: () => address.url,
    waitForLoadState: async (_state: string, { timeout }: { readonly timeout: number }) => {
      timeouts.push(timeout)
      await new Promise((resolve) => setTimeout(resolve, timeout))
      throw new Error("Timeout")
    }
  } as unknown as Frame
  return { frame, timeouts }
}

/** A context of a browser that answers `cookies`, in which a write has been sent. */
const contextWithWrite = (cookies: () => Promise<unknown>) => {
  const events = new EventEmitter()
  const context = Object.assign(events, { cookies }) as unknown as BrowserContext
  const written = Writes.follow(context)
  const request = { resourceType: () => "fetch", method: () => "POST" }
  events.emit("request", request)
  return { written, answer: () => events.emit("requestfinished", request) }
}

describe("waits for a page", () => {
  afterEach(() => void vi.useRealTimers())

  it("that is never parsed count as time of the action, and end for the document as a whole", async () => {
    vi.useFakeTimers()
    const address = { url: "https://a.example/" }
    const { frame, timeouts } = endlessFrame(address)
    const waited = async (timeout: number) => {
      const waiting = Parsing.parsed(frame, timeout, 50)
      await vi.advanceTimersByTimeAsync(Math.max(0, timeout))
      return waiting
    }
    assert.deepStrictEqual([await waited(20), await waited(20), await waited(20), await waited(20)], [20, 20, 10, 0])
    assert.deepStrictEqual(timeouts, [20, 20, 10])
    address.url = "https://a.example/next"
    assert.strictEqual(await waited(5), 5)
    assert.strictEqual(await waited(-1), 0)
    assert.deepStrictEqual(timeouts, [20, 20, 10, 5])
  })

  it("for the last writes end with the answer", async () => {
    const { answer, written } = contextWithWrite(async () => [])
    let isOver = false
    const over = written().then(() => {
      isOver = true
    })
    await new Promise(setImmediate)
    assert.isFalse(isOver)
    answer()
    await over
  })

  it("for the last writes end at once without a browser that answers", async () => {
    await contextWithWrite(() => Promise.reject(new Error("closed"))).written()
    await contextWithWrite(() => new Promise(() => undefined)).written(10)
  })
})
