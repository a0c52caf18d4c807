/** Verdaccio: a registry of packages, whose pages are built by React and Material UI. */
import { deepStrictEqual } from "node:assert/strict"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { click, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import { npm } from "./Packages.ts"
import { freePort, start, stopAndRemove } from "./Processes.ts"

const version = "6.10.4"

const user = { name: "ada", password: "engine-1843" }

const settings = `storage: ./storage
auth:
  htpasswd: {file: ./htpasswd, max_users: 10}
uplinks: {}
packages:
  '**': {access: $all, publish: $authenticated, unpublish: $authenticated}
web: {title: Shelf}
log: {type: stdout, format: json, level: warn}
`

const nothing = async () => undefined

const byTest = (id: string) => `//*[@data-testid='${id}']`

const signIn = [
  click(byTest("header--button-login")),
  type("//input[@name='username']", user.name),
  type("//input[@name='password']", user.password),
  click(byTest("login-dialog-form-login-button"))
]

const signInByHand = async (page: Page, url: string) => {
  await page.goto(url, { waitUntil: "domcontentloaded" })
  await page.getByTestId("header--button-login").click()
  await page.locator("[name=username]").fill(user.name)
  await page.locator("[name=password]").fill(user.password)
  await page.getByTestId("login-dialog-form-login-button").click()
}

/** Adds a user, and answers its token. */
const enrolled = async (origin: string): Promise<string> => {
  const { name, password } = user
  const answer = await fetch(`${origin}/-/user/org.couchdb.user:${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password, email: "ada@example.com" })
  })
  if (!answer.ok) throw new Error(`Cannot add a user: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { token: string }).token
}

const published = async (origin: string, token: string, name: string, versions: ReadonlyArray<string>) => {
  for (const version of versions) {
    const file = `${name}-${version}.tgz`
    const content = Buffer.from(`${name} of ${version}`)
    const answer = await fetch(`${origin}/${name}`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({
        _id: name,
        name,
        "dist-tags": { latest: version },
        versions: {
          [version]: {
            name,
            version,
            description: `A note on ${name}`,
            readme: `# ${name}`,
            dist: { tarball: `${origin}/${name}/-/${file}` }
          }
        },
        _attachments: {
          [file]: { content_type: "application/octet-stream", data: content.toString("base64"), length: content.length }
        }
      })
    })
    if (!answer.ok) throw new Error(`Cannot publish ${file}: ${answer.status} ${await answer.text()}`)
  }
}

const account = "//button[@id='header--button-account']"

const search = "//input[@id='search-header-suggest']"

export const application: Application = {
  name: "Verdaccio",
  version,
  start: async (folder) => {
    // A package that it needs names a version that the registry no longer has.
    const root = await npm(folder, "verdaccio", version, { "node-fetch": "2.7.0" })
    const state = await mkdtemp(join(tmpdir(), "sluice-verdaccio-"))
    await writeFile(join(state, "config.yaml"), settings)
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const server = await start(
      process.execPath,
      [join(root, "node_modules/verdaccio/bin/verdaccio"), "-c", join(state, "config.yaml"), "-l", `127.0.0.1:${port}`],
      { cwd: state, url: `${origin}/-/ping` }
    )
    const token = await enrolled(origin)
    const versions = ["1.0.0", "1.1.0", "2.0.0"]
    await published(origin, token, "sheaf", versions)
    for (let number = 10; number < 40; number++) await published(origin, token, `grain-${number}`, ["1.0.0"])
    const home = `${origin}/`
    const detail = `${origin}/-/web/detail/sheaf`

    const tasks: ReadonlyArray<Task> = [
      {
        name: "sign in and out",
        prepare: nothing,
        url: home,
        workflow: [
          ...signIn,
          click(account),
          read({ user: text(byTest("greetings-label")) }, byTest("greetings-label")),
          click(byTest("logOutDialogIcon")),
          read({ button: text(byTest("header--button-login")) }, byTest("header--button-login"))
        ],
        byHand: async (page) => {
          await signInByHand(page, home)
          await page.locator("#header--button-account").click()
          const user = await page.getByTestId("greetings-label").textContent()
          await page.getByTestId("logOutDialogIcon").click()
          return { user, button: await page.getByTestId("header--button-login").innerText() }
        },
        verify: async (read) => deepStrictEqual(read, { user: "ada", button: "LOGIN" })
      },
      {
        name: "search",
        prepare: nothing,
        url: home,
        workflow: [
          type(search, "sheaf"),
          click("//li[@role='option'][.//*[.='sheaf']]"),
          read({ title: text("//div[@data-testid='readme']//h1") }, "//div[@data-testid='readme']//h1")
        ],
        byHand: async (page) => {
          await page.goto(home, { waitUntil: "domcontentloaded" })
          await page.locator("#search-header-suggest").fill("sheaf")
          await page.locator("li[role=option]", { hasText: "sheaf" }).click()
          return { title: await page.locator("[data-testid=readme] h1").textContent() }
        },
        verify: async (read) => deepStrictEqual(read, { title: "sheaf" })
      },
      {
        name: "page through",
        prepare: nothing,
        url: home,
        workflow: [
          step("SCROLL", {
            scroll_mode: "region",
            container_xpath: "//html",
            goal: "find-element",
            xpath: "//a[@href='/-/web/detail/grain-35']"
          }),
          click("//a[@href='/-/web/detail/grain-35']"),
          read({ title: text("//div[@data-testid='readme']//h1") }, "//div[@data-testid='readme']//h1")
        ],
        byHand: async (page) => {
          await page.goto(home, { waitUntil: "domcontentloaded" })
          await page.locator("[data-testid=package-item-list]").first().waitFor()
          const link = page.locator("a[href='/-/web/detail/grain-35']")
          await page.mouse.move(400, 400)
          while ((await link.count()) === 0) {
            await page.mouse.wheel(0, 600)
            await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))))
          }
          await link.click()
          return { title: await page.locator("[data-testid=readme] h1").textContent() }
        },
        verify: async (read) => deepStrictEqual(read, { title: "grain-35" })
      },
      {
        name: "turn tabs",
        prepare: nothing,
        url: detail,
        workflow: [
          click("//button[@id='versions-tab']"),
          type(`${byTest("versions")}//input`, "^1.0.0"),
          read(
            { versions: texts("//a[contains(@href, '/v/')]/ancestor::li[starts-with(@data-testid, 'version-')]//a") },
            `${byTest("versions")}[not(.//*[@data-testid='version-2.0.0'])]`
          )
        ],
        byHand: async (page) => {
          await page.goto(detail, { waitUntil: "domcontentloaded" })
          await page.locator("#versions-tab").click()
          await page.locator("[data-testid=versions] input").fill("^1.0.0")
          await page.getByTestId("version-2.0.0").waitFor({ state: "detached" })
          return { versions: await page.locator("li[data-testid^='version-'] a").allTextContents() }
        },
        verify: async (read) => deepStrictEqual(read, { versions: ["1.1.0", "1.0.0"] })
      },
      {
        name: "download",
        prepare: nothing,
        url: detail,
        workflow: [click(byTest("download-tarball-btn")), step("FILE_DOWNLOAD", { metadata: {} })],
        byHand: async (page) => {
          await page.goto(detail, { waitUntil: "domcontentloaded" })
          const download = page.waitForEvent("download")
          await page.getByTestId("download-tarball-btn").click()
          return { files: [await readFile(await (await download).path(), "utf8")] }
        },
        verify: async (read) => deepStrictEqual(read, { files: ["sheaf of 2.0.0"] })
      },
      {
        name: "copy",
        prepare: nothing,
        url: detail,
        workflow: [
          click("//button[@id='header--button-settings']"),
          click("//button[@id='panel1a-header']"),
          click("//*[@id='panel1a-content']//button[1][preceding-sibling::*[contains(., 'npm set registry')]]", {
            copied_as: "command"
          })
        ],
        byHand: async (page) => {
          await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
          await page.goto(detail, { waitUntil: "domcontentloaded" })
          await page.locator("#header--button-settings").click()
          await page.locator("#panel1a-header").click()
          await page.locator("#panel1a-content button").first().click()
          return { command: await page.evaluate(() => navigator.clipboard.readText()) }
        },
        verify: async (read) => deepStrictEqual(read, { command: `npm set registry ${origin}/` })
      }
    ]
    return {
      origin,
      tasks,
      stop: () => stopAndRemove(server, state)
    }
  }
}
