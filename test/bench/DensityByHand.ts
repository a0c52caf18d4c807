/**
 * The plain way to do many runs at a time: a process with one Chromium as Playwright starts it, and a context for each run.
 * `density.ts` starts it, and tells it how many runs to do and how many of them at a time.
 */
import { chromium } from "playwright-core"
import { runByHand } from "./ByHand.ts"

/** What is asked for: this many runs of the demo workflow on the site. */
export interface Order {
  readonly site: string
  readonly runs: number
  readonly atOnce: number
}

const browser = await chromium.launch({ ...(process.argv[2] === undefined ? {} : { executablePath: process.argv[2] }) })

const run = async (site: string) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    return await runByHand(await context.newPage(), site, "open")
  } finally {
    await context.close()
  }
}

process.on("message", async ({ atOnce, runs, site }: Order) => {
  const results: Array<unknown> = []
  let left = runs
  const place = async () => {
    while (left-- > 0) results.push(await run(site))
  }
  await Promise.all(Array.from({ length: atOnce }, place))
  process.send?.(results)
})
process.once("disconnect", () => browser.close().then(() => process.exit(0)))
process.send?.("ready")
