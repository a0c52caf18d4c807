/**
 * Takes the pictures of `docs/pictures` again, from the console of a new installation with its demo, in a real browser, and
 * notes what they show, which a test compares with the console: `node test/docs/writePictures.ts`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Page, chromium as playwright } from "playwright-core"
import { buildConsole } from "../../apps/bootstrap/console.js"
import { hangMillis } from "../support/limits.ts"
import { root } from "../support/programs.ts"
import { executablePath } from "../support/realBrowser.ts"

const pictures = join(root, "docs", "pictures")

/** The output of a process up to a match. */
const said = (child: ChildProcess, pattern: RegExp) =>
  new Promise<RegExpMatchArray>((resolve, reject) => {
    let text = ""
    const heard = (chunk: unknown) => {
      text += String(chunk)
      const found = text.match(pattern)
      if (found !== null) resolve(found)
    }
    child.stdout?.on("data", heard)
    child.stderr?.on("data", heard)
    child.once("exit", () => reject(new Error(`The service ended before it said ${pattern}:\n${text}`)))
  })

/** An id from what the service answers to the page, which keeps a half of the secret of its session. */
const idOf = (page: Page, path: string, name: string) =>
  page.evaluate(
    `fetch(${JSON.stringify(path)}, { headers: { "x-sluice-session": localStorage.getItem("sluice_session") } })
      .then((answer) => answer.json()).then(([first]) => first.${name})`
  )

/** Each picture by its name: how the console is brought to what it shows. `demo` is the demo site. */
const scenes: Readonly<
  Record<string, (page: Page, go: (hash: string) => Promise<unknown>, demo: string) => Promise<unknown>>
> = {
  home: async (page, go) => {
    await go("")
    await page
      .getByRole("button", { name: /^Run now/ })
      .first()
      .waitFor()
  },
  author: async (page, go, demo) => {
    await go("author")
    await page.getByLabel("Name", { exact: true }).fill("My open orders")
    await page.getByLabel("First page").fill(demo)
    await page.getByRole("button", { name: "Start recording" }).click()
    await page.getByRole("button", { name: /^Type into: textbox “User name”/ }).click()
    await page.getByLabel("What to type").waitFor()
  },
  run: async (page, go) => {
    await go(`runs/${await idOf(page, "/runs?status=execution.success", "session_id")}`)
    await page.getByRole("heading", { name: "Steps" }).waitFor()
  },
  window: async (page, go) => {
    await go(`workflows/${await idOf(page, "/workflows", "id")}/window`)
    await page.getByRole("heading", { name: "The next 8 weeks" }).waitFor()
  }
}

/** The headings, buttons, tabs and labels that a picture shows, without those of the pages in it. */
const shown = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("main h2, main button, main label, main [role=tab]")]
    .filter((one) => {
      const { bottom, height, top } = one.getBoundingClientRect()
      return height > 0 && top >= 0 && bottom <= innerHeight && one.innerText.trim() !== ""
    })
    .map((one) => one.innerText.trim().split("\\n")[0])`) as Promise<ReadonlyArray<string>>

const folder = mkdtempSync(join(tmpdir(), "sluice-pictures-"))
await buildConsole()
const service = spawn(process.execPath, ["apps/cli/main.ts", "up", "--data-dir", join(folder, "data")], {
  cwd: root,
  env: { ...process.env, PORT: "0", SLUICE_CHROMIUM: executablePath, SLUICE_LOG_LEVEL: "warn", NO_COLOR: "1" }
})
const browser = await playwright.launch({ executablePath })
try {
  const [, demo = "", address = ""] = await said(service, /Demo site\s+(\S+)[\s\S]*?(http:\S+#sign-in=\S+)/)
  const done = said(service, /Ctrl-C ends it/)
  const context = await browser.newContext({
    viewport: { width: 1180, height: 720 },
    colorScheme: "light",
    locale: "en-GB",
    timezoneId: "Europe/Berlin"
  })
  const page = await context.newPage()
  page.setDefaultTimeout(hangMillis)
  await page.goto(address)
  await done
  mkdirSync(pictures, { recursive: true })
  const texts: Record<string, ReadonlyArray<string>> = {}
  for (const [name, prepare] of Object.entries(scenes)) {
    await prepare(page, (hash) => page.goto(`${new URL(address).origin}/#/${hash}`), demo)
    // The pictures of pages are there then. Streams stay open.
    await page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))")
    await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" })
    texts[name] = [...new Set(await shown(page))]
  }
  writeFileSync(join(root, "test", "docs", "pictures.json"), `${JSON.stringify(texts, null, 2)}\n`)
} finally {
  await browser.close()
  service.kill("SIGTERM")
  await new Promise((resolve) => service.once("exit", resolve))
  rmSync(folder, { recursive: true, force: true })
}
