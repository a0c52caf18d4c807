import { assert, describe, it } from "@effect/vitest"
import { chromium } from "playwright-core"
import * as LateMessages from "../../support/lateMessages.ts"
import { executablePath } from "../../support/realBrowser.ts"

/** How many windows a page has opened, read without waiting until one was reported. */
const readTooEarly = async (seed: number): Promise<number> => {
  const stop = LateMessages.install({ seed, order: "session" })
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false }).finally(stop)
  try {
    const page = await browser.newPage()
    let opened = 0
    page.on("popup", () => opened++)
    await page.evaluate(() => void open("about:blank"))
    return opened
  } finally {
    await browser.close()
  }
}

describe("late messages of a browser", () => {
  it("a value that is read before its event was handled is found by one of eight seeds", async () => {
    const read: Array<number> = []
    for (let seed = 0; seed < 8 && !read.includes(0); seed++) read.push(await readTooEarly(seed))
    assert.include(read, 0)
  })
})

it("a stall holds all messages until its end, and others pass at once", () => {
  const moments = Array.from({ length: 20_000 }, (_, at) => at)
  const held = moments.filter((moment) => LateMessages.afterStall(7, moment) > moment)
  assert.isAbove(held.length, 5_000)
  assert.isBelow(held.length, 18_000)
  // What comes later leaves later: order is kept.
  const leaves = moments.map((moment) => LateMessages.afterStall(7, moment))
  assert.deepStrictEqual(
    leaves,
    [...leaves].sort((one, other) => one - other)
  )
})
