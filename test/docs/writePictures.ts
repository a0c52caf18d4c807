/**
 * Takes the pictures of `docs/pictures` again, from the console of a new installation with its demo, in a real browser, and
 * notes what they show, which a test compares with the console: `npm run pictures`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { type Page, chromium as playwright } from "playwright-core"
import { buildConsole } from "../../apps/bootstrap/console.js"
import * as BillingPortal from "../browser/console/BillingPortal.ts"
import { hangMillis } from "../support/limits.ts"
import { root } from "../support/programs.ts"
import { executablePath } from "../support/realBrowser.ts"
import { seal } from "../support/sealed.ts"

const pictures = join(root, "docs", "pictures")

/** The output of a process up to a match. */
const heard = (child: ChildProcess, pattern: RegExp) =>
  new Promise<RegExpMatchArray>((resolve, reject) => {
    let text = ""
    const add = (chunk: unknown) => {
      text += String(chunk)
      const found = text.match(pattern)
      if (found !== null) resolve(found)
    }
    child.stdout?.on("data", add)
    child.stderr?.on("data", add)
    child.once("exit", () => reject(new Error(`The service ended before it said ${pattern}:\n${text}`)))
  })

/** What the service answers to the page, which keeps a half of the secret of its session. With a body, it is sent. */
const answer = (page: Page, path: string, body?: unknown): Promise<Readonly<Record<string, string>>> =>
  page.evaluate(
    `fetch(${JSON.stringify(path)}, {
      ...${body === undefined ? "{}" : `{ method: "POST", body: ${JSON.stringify(JSON.stringify(body))} }`},
      headers: { "content-type": "application/json", "x-sluice-session": localStorage.getItem("sluice_session") }
    }).then((answer) => answer.json()).then((all) => Array.isArray(all) ? all[0] : all)`
  )

/** The console, and what its pictures are taken of. */
interface Studio {
  readonly page: Page
  readonly go: (hash: string) => Promise<unknown>
  /** The address of the demo site. */
  readonly demo: string
  readonly portal: BillingPortal.BillingPortal
  /** The key that seals credentials. */
  readonly encryptionKey: string
}

const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click()

const said = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor()

/** Records the workflow of the portal up to its field for a code. */
const toCode = async ({ encryptionKey, go, page, portal }: Studio) => {
  const { password, user } = BillingPortal.customer
  await answer(page, "/vault", {
    permissioned_user_id: "front-desk",
    domain: portal.origin,
    user_name: seal(encryptionKey, user),
    password: seal(encryptionKey, password),
    tfa_method: "AUTHENTICATOR",
    tfa_secret: seal(encryptionKey, BillingPortal.counted)
  })
  await go("author")
  await page.reload()
  await page.getByLabel("Name", { exact: true }).fill("Invoices of the portal")
  await page.getByLabel("First page").fill(`${portal.origin}/`)
  await press(page, "Start recording")
  await press(page, "Click: button “Accept all”")
  await said(page, /Done: Click Accept all/)
  await press(page, "Type into: textbox “User”")
  await page.getByLabel("What to type").selectOption({ label: "User name of front-desk in the vault" })
  await press(page, "Type it")
  await said(page, /Done: Type into User/)
  await press(page, /^Type into: .*“Password”$/)
  await press(page, "Type it")
  await said(page, /Done: Type into Password/)
  await press(page, "Click: button “Sign in”")
  await said(page, /Done: Click Sign in/)
  await press(page, /^Expect that/)
  await said(page, /expects this now/)
  await press(page, "Type into: textbox “Digit 1”")
  await page.getByLabel("Where the code comes from").waitFor()
}

/** Each picture by its name: how the console is brought to what it shows. Those of the portal go on from each other. */
const scenes: Readonly<Record<string, (studio: Studio) => Promise<unknown>>> = {
  home: async ({ go, page }) => {
    await go("")
    await page
      .getByRole("button", { name: /^Run now/ })
      .first()
      .waitFor()
  },
  author: async ({ demo, go, page }) => {
    await go("author")
    await page.getByLabel("Name", { exact: true }).fill("My open orders")
    await page.getByLabel("First page").fill(demo)
    await press(page, "Start recording")
    await press(page, /^Type into: textbox “User name”/)
    await page.getByLabel("What to type").waitFor()
  },
  run: async ({ go, page }) => {
    await go(`runs/${(await answer(page, "/runs?status=execution.success")).session_id}`)
    await page.getByRole("heading", { name: "Steps" }).waitFor()
  },
  window: async ({ go, page }) => {
    await go(`workflows/${(await answer(page, "/workflows")).id}/window`)
    await page.getByRole("heading", { name: "The next 8 weeks" }).waitFor()
  },
  "portal-code": toCode,
  "portal-rows": async ({ page }) => {
    await press(page, "Enter the code")
    await said(page, /Done: Enter the code/)
    await press(page, "Point")
    await press(page, "Choose: link “PDF”")
    await page.getByRole("button", { name: "For each of the 4 rows" }).waitFor()
  },
  "portal-pages": async ({ page }) => {
    await press(page, "For each of the 4 rows")
    await page.getByRole("heading", { name: "For each row" }).waitFor()
    await press(page, "Click: link “PDF”")
    await said(page, /Keep the file \(R-100\.pdf, \d+ bytes\)/)
    await press(page, "End the loop")
    await said(page, /^Did \d+ steps\./)
    await press(page, "Point")
    await press(page, "Choose: link “Next”")
    await page.getByRole("button", { name: "Repeat the loop on every page" }).waitFor()
  },
  "portal-mend": async ({ go, page, portal }) => {
    await press(page, "Repeat the loop on every page")
    await said(page, /is repeated on every page/)
    await press(page, "Save the workflow")
    await page.getByText("Saved as version 1").waitFor()
    portal.change({ signIn: "Log in" })
    const [, workflow_id = ""] = /workflows\/([^/?]+)/.exec(page.url()) ?? []
    const alias = "FRONT_DESK"
    const { session_id } = await answer(page, "/run", { workflow_id, run_input_variables: { [alias]: "front-desk" } })
    await go(`runs/${session_id}`)
    await press(page, "Repair on the page")
    await page.getByRole("list", { name: "The nearest elements on this page" }).scrollIntoViewIfNeeded()
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
  env: {
    ...process.env,
    PORT: "0",
    SLUICE_CHROMIUM: executablePath,
    SLUICE_LOG_LEVEL: "warn",
    // The portal is on this machine.
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
    NO_COLOR: "1"
  }
})
const browser = await playwright.launch({ executablePath })
const scope = await Effect.runPromise(Scope.make())
try {
  const done = heard(service, /Ctrl-C ends it/)
  const keys = heard(service, /Encryption key\s+([0-9a-f]{64})/)
  const [, demo = "", address = ""] = await heard(service, /Demo site\s+(\S+)[\s\S]*?(http:\S+#sign-in=\S+)/)
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
  const [, encryptionKey = ""] = await keys
  const studio = {
    page,
    go: (hash: string) => page.goto(`${new URL(address).origin}/#/${hash}`),
    demo,
    portal: await Effect.runPromise(Scope.provide(BillingPortal.open, scope)),
    encryptionKey
  }
  mkdirSync(pictures, { recursive: true })
  const texts: Record<string, ReadonlyArray<string>> = {}
  for (const [name, prepare] of Object.entries(scenes)) {
    await prepare(studio)
    // The pictures of pages are there then. Streams stay open.
    await page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))")
    await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" })
    texts[name] = [...new Set(await shown(page))]
  }
  writeFileSync(join(root, "test", "docs", "pictures.json"), `${JSON.stringify(texts, null, 2)}\n`)
} finally {
  await browser.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  service.kill("SIGTERM")
  await new Promise((resolve) => service.once("exit", resolve))
  rmSync(folder, { recursive: true, force: true })
}
