/** A process in which something is thrown that nothing handles. It says `alive` afterwards, if it is. */
import { load } from "../../../adapters/playwright/driver/Driver.ts"

const { chromium } = await load()
const browser = await chromium.launch({ executablePath: process.argv[3] ?? "", chromiumSandbox: false })
const context = await browser.newContext()
await context.exposeBinding("told", () => undefined)
const page = await context.newPage()
const gone = new Promise((resolve) => browser.once("disconnected", resolve))

/** The two halves of Playwright in this process: what a caller has, and what speaks with the browser. */
const connection = Reflect.get(page, "_connection")
const session = Reflect.get(connection.toImpl(browser), "_session")

const kill = async () => {
  await browser.close()
  await gone
}

const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
  /** What a page passes to the function that Playwright gives to all pages. */
  page: () =>
    page.evaluate(() => {
      for (const text of ["no JSON", "null", "[]"]) Reflect.get(window, "__playwright__binding__")(text)
    }),
  session: async () => {
    await kill()
    setImmediate(session.send.bind(session), "Browser.getVersion")
  },
  object: async () => {
    await kill()
    setImmediate(connection.dispatch.bind(connection), { guid: "gone", method: "close" })
  },
  parent: async () => {
    await kill()
    setImmediate(connection.dispatch.bind(connection), { guid: "gone", method: "__create__", params: {} })
  },
  "a defect of Playwright": async () => {
    setImmediate(connection.dispatch.bind(connection), undefined)
  },
  "a promise of ours": async () => {
    await kill()
    void page.title()
  },
  "an error of ours": async () => {
    setImmediate(() => {
      throw new Error("Target page, context or browser has been closed")
    })
  },
  "a listener of ours": async () => {
    page.on("console", () => {
      throw new Error("the page was closed")
    })
    await page.evaluate(() => console.log("x"))
  }
}

await kinds[process.argv[2] ?? ""]?.()
// What is not handled is known after the events that wait.
for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 2))
process.stdout.write("alive")
process.exit(0)
