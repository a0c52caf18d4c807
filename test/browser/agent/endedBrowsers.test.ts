/** Browsers that end at any moment, and what Playwright throws then where nobody can catch it. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { chromium } from "playwright-core"
import * as PlaywrightSession from "../../../adapters/playwright/PlaywrightSession.ts"
import { executablePath } from "../../support/realBrowser.ts"
import * as ReplayedBrowser from "../../support/replayedBrowser.ts"
import { isAll } from "../../support/scale.ts"

const launch = () => chromium.launch({ executablePath, chromiumSandbox: false })

/** Longer than any test may take: only what the browser does ends the wait. */
const forEver = 2_000_000_000

/** The outcome of opening a page in a browser that ends. */
const opened = async (): Promise<string> => {
  const browser = await launch().catch(() => null)
  if (browser === null) return "not launched"
  const made = await PlaywrightSession.fresh(browser, {}, forEver)
  return made === null ? "not opened" : "opened"
}

describe("a page that is being opened", () => {
  it("is given up at once when its browser ends, after whichever message", async () => {
    const recording = await ReplayedBrowser.record(async () => {
      const browser = await launch()
      await PlaywrightSession.fresh(browser, {}, forEver)
      await browser.close()
    })
    assert.isAbove(recording.messages, 60)
    const outcomes = new Set<string>()
    for (let after = 1; after <= recording.messages; after++) {
      for (const turns of isAll ? [0, 1, 2, 5] : [after % 3]) {
        const { gone, result } = await ReplayedBrowser.replay(recording, { after, turns }, opened)
        outcomes.add(gone ? result : `whole: ${result}`)
      }
    }
    assert.includeMembers([...outcomes], ["not launched", "not opened", "whole: opened"])
    assert.notInclude([...outcomes], "whole: not opened")
  })
})

describe("a process with browsers", () => {
  const program = fileURLToPath(new URL("UnhandledProcess.ts", import.meta.url))
  const outcomeOf = (kind: string) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [program, kind, executablePath], {
      encoding: "utf8"
    })
    return { status, alive: stdout === "alive", error: stderr }
  }

  it.each(["page", "session", "object", "parent"])("outlives what Playwright throws of what has gone: %s", (kind) => {
    assert.deepStrictEqual(outcomeOf(kind), { status: 0, alive: true, error: "" })
  })

  it.each([
    ["a defect of Playwright", "Cannot destructure property 'id'"],
    ["a promise of ours", "page.title: Target page, context or browser has been closed"],
    ["an error of ours", "Error: Target page, context or browser has been closed"],
    ["a listener of ours", "Error: the page was closed"]
  ])("is ended by any other exception, and says which: %s", (kind, message) => {
    const { alive, error, status } = outcomeOf(kind)
    assert.strictEqual(status, 1)
    assert.isFalse(alive)
    assert.include(error, message)
  })
})
