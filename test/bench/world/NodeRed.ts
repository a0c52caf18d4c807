/** Node-RED: flows that are drawn on a canvas of SVG, with dialogs of jQuery UI and Monaco as the editor of functions. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { click, doubleClick, type Move, press, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import { npm } from "./Packages.ts"
import { freePort, start, stopAndRemove } from "./Processes.ts"

const version = "5.0.7"

const user = { name: "ada", password: "engine-1843" }

const settings = (port: number, hash: string) =>
  `module.exports = ${JSON.stringify({
    uiHost: "127.0.0.1",
    uiPort: port,
    flowFile: "flows.json",
    credentialSecret: "none",
    telemetry: { enabled: false, updateNotification: false },
    editorTheme: { tours: false },
    adminAuth: { type: "credentials", users: [{ username: user.name, password: hash, permissions: "*" }] }
  })}`

interface FlowNode {
  readonly id: string
  readonly type: string
  readonly name?: string
  readonly label?: string
  readonly func?: string
}

/** What an inject node needs to be taken as configured. */
const timed = {
  props: [{ p: "payload" }],
  repeat: "",
  crontab: "",
  once: false,
  onceDelay: 0.1,
  topic: "",
  payload: "",
  payloadType: "date"
}

const flows = [
  { id: "f1", type: "tab", label: "Harvest" },
  { id: "f2", type: "tab", label: "Winter" },
  { id: "a1", z: "f1", type: "inject", name: "tick", ...timed, wires: [["a2"]], x: 120, y: 100 },
  {
    id: "a2",
    z: "f1",
    type: "function",
    name: "thresh",
    func: "return msg",
    outputs: 1,
    wires: [["a3"]],
    x: 320,
    y: 100
  },
  { id: "a3", z: "f1", type: "debug", name: "out", wires: [], x: 520, y: 100 },
  { id: "b1", z: "f2", type: "comment", name: "rest", info: "", wires: [], x: 120, y: 100 }
]

const signIn = [
  type("//input[@id='node-dialog-login-username']", user.name),
  type("//input[@id='node-dialog-login-password']", user.password),
  click("//input[@id='node-dialog-login-submit']")
]

const signInByHand = async (page: Page, url: string) => {
  await page.goto(url, { waitUntil: "domcontentloaded" })
  await page.locator("#node-dialog-login-username").fill(user.name)
  await page.locator("#node-dialog-login-password").fill(user.password)
  await page.locator("#node-dialog-login-submit").click()
}

/** The flows have been drawn. */
const drawn = read({ first: text("//*[@id='a1']") }, "//*[@id='a1']")

const drawnByHand = async (page: Page) => await page.locator("#a1").waitFor()

const deployButton = "//a[@id='red-ui-header-button-deploy']"

const deployed = "//div[contains(@class, 'red-ui-notification')][contains(., 'Successfully deployed')]"

const deploy = [click(`${deployButton}[not(contains(@class, 'disabled'))]`), read({ said: text(deployed) }, deployed)]

const deployByHand = async (page: Page) => {
  await page.locator("#red-ui-header-button-deploy:not(.disabled)").click()
  await page.getByText("Successfully deployed").first().waitFor()
}

const imported = (name: string) =>
  JSON.stringify([{ id: "c1", type: "comment", name, info: "", x: 200, y: 200, wires: [], z: "" }])

const canvas = "//*[@id='red-ui-workspace-chart']/*[name()='svg']"

const importByHand = async (page: Page) => {
  await page.locator("#red-ui-clipboard-dialog-ok:not([disabled])").click()
  await page.locator("#red-ui-workspace-chart > svg").click({ position: { x: 300, y: 300 } })
  await page.locator("#red-ui-workspace-chart text", { hasText: "sheaf" }).waitFor()
}

export const application: Application = {
  name: "NodeRED",
  version,
  start: async (folder, files) => {
    const root = await npm(folder, "node-red", version)
    const state = await mkdtemp(join(tmpdir(), "sluice-node-red-"))
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const { hashSync } = createRequire(join(root, "node_modules/node-red/package.json"))("bcryptjs")
    await writeFile(join(state, "settings.js"), settings(port, hashSync(user.password, 4)))
    await writeFile(join(state, "flows.json"), JSON.stringify(flows))
    const server = await start(
      process.execPath,
      [join(root, "node_modules/node-red/red.js"), "-u", state, "-s", join(state, "settings.js")],
      { cwd: state, url: `${origin}/auth/login` }
    )
    const answer = await fetch(`${origin}/auth/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        client_id: "node-red-admin",
        grant_type: "password",
        scope: "*",
        username: user.name,
        password: user.password
      })
    })
    const { access_token } = (await answer.json()) as { access_token: string }
    const authorization = `Bearer ${access_token}`
    const prepare = async () => {
      const headers = { authorization, "content-type": "application/json" }
      const put = await fetch(`${origin}/flows`, { method: "POST", headers, body: JSON.stringify(flows) })
      if (!put.ok) throw new Error(`Cannot write the flows: ${put.status} ${await put.text()}`)
    }
    const stored = async (): Promise<ReadonlyArray<FlowNode>> =>
      (await (await fetch(`${origin}/flows`, { headers: { authorization } })).json()) as ReadonlyArray<FlowNode>
    const named = async (name: string) => (await stored()).find((one) => one.name === name)
    const url = `${origin}/`
    /** A task that begins with the flows drawn. */
    const opened = (
      name: string,
      moves: ReadonlyArray<Move>,
      byHand: Task["byHand"],
      verify: Task["verify"]
    ): Task => ({
      name,
      prepare,
      url,
      workflow: [...signIn, drawn, ...moves],
      byHand: async (page) => {
        await signInByHand(page, url)
        await drawnByHand(page)
        return await byHand(page)
      },
      verify
    })
    /** A task that changes the flows, which are deployed then. */
    const changed = (
      name: string,
      moves: ReadonlyArray<Move>,
      byHand: (page: Page) => Promise<void>,
      verify: Task["verify"]
    ): Task =>
      opened(
        name,
        [...moves, ...deploy],
        async (page) => {
          await byHand(page)
          await deployByHand(page)
        },
        verify
      )

    const tasks: ReadonlyArray<Task> = [
      {
        name: "sign in",
        prepare,
        url,
        workflow: [
          ...signIn,
          read({ flow: text("//ul[@id='red-ui-workspace-tabs']/li[1]") }, "//li[@flowname='Harvest']")
        ],
        byHand: async (page) => {
          await signInByHand(page, url)
          return { flow: await page.locator("#red-ui-workspace-tabs li").first().innerText() }
        },
        verify: async (read) => deepStrictEqual(read, { flow: "Harvest" })
      },
      changed(
        "create by import",
        [
          press("{{Ctrl+I}}"),
          type("//textarea[@id='red-ui-clipboard-dialog-import-text']", imported("sheaf")),
          click("//button[@id='red-ui-clipboard-dialog-ok']"),
          click(canvas, { position: { x: 300, y: 300 } })
        ],
        async (page) => {
          await page.keyboard.press("Control+i")
          const area = page.locator("#red-ui-clipboard-dialog-import-text")
          await area.fill(imported("sheaf"))
          await area.press("End")
          await importByHand(page)
        },
        async () => strictEqual((await named("sheaf"))?.type, "comment")
      ),
      changed(
        "upload",
        [
          press("{{Ctrl+I}}"),
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("flow.json", imported("sheaf")),
            file_name: "flow.json",
            selector: "//input[@id='red-ui-clipboard-dialog-import-file-upload']"
          }),
          click("//button[@id='red-ui-clipboard-dialog-ok']"),
          click(canvas, { position: { x: 300, y: 300 } })
        ],
        async (page) => {
          await page.keyboard.press("Control+i")
          await page.locator("#red-ui-clipboard-dialog-import-file-upload").setInputFiles({
            name: "flow.json",
            mimeType: "application/json",
            buffer: Buffer.from(imported("sheaf"))
          })
          await importByHand(page)
        },
        async () => strictEqual((await named("sheaf"))?.type, "comment")
      ),
      changed(
        "drag",
        [
          step("DRAG", {
            selector: "//div[@data-palette-type='inject']",
            to_selector: canvas,
            to_position: { x: 300, y: 300 }
          })
        ],
        async (page) => {
          await page
            .locator("[data-palette-type=inject]")
            .dragTo(page.locator("#red-ui-workspace-chart > svg"), { targetPosition: { x: 300, y: 300 } })
        },
        async () => strictEqual((await stored()).filter((one) => one.type === "inject").length, 2)
      ),
      opened(
        "search",
        [
          press("{{Ctrl+F}}"),
          type("//div[@id='red-ui-search']//input", "thresh"),
          read(
            { found: texts("//div[@class='red-ui-search-result-node-label']") },
            "//div[@id='red-ui-search']//div[.='thresh']"
          )
        ],
        async (page) => {
          await page.keyboard.press("Control+f")
          // The search listens to keys.
          await page.locator("#red-ui-search input").pressSequentially("thresh")
          await page.locator(".red-ui-search-result-node-label", { hasText: "thresh" }).waitFor()
          return { found: await page.locator(".red-ui-search-result-node-label").allTextContents() }
        },
        async (read) => deepStrictEqual((read as { found: unknown }).found, ["thresh"])
      ),
      changed(
        "edit code",
        [
          doubleClick("//*[@id='a2']"),
          type("//div[@id='node-input-func-editor']", "msg.payload = 1\nreturn msg"),
          click("//button[@id='node-dialog-ok']")
        ],
        async (page) => {
          await page.locator("#a2").dblclick()
          await page.locator("#node-input-func-editor .view-lines").click()
          await page.keyboard.press("Control+a")
          await page.keyboard.insertText("msg.payload = 1\nreturn msg")
          await page.locator("#node-dialog-ok").click()
        },
        async () => strictEqual((await named("thresh"))?.func, "msg.payload = 1\nreturn msg")
      ),
      changed(
        "rename",
        [
          doubleClick("//*[@id='a3']"),
          type("//input[@id='node-input-name']", "winnowed"),
          click("//button[@id='node-dialog-ok']")
        ],
        async (page) => {
          await page.locator("#a3").dblclick()
          await page.locator("#node-input-name").fill("winnowed")
          await page.locator("#node-dialog-ok").click()
        },
        async () => strictEqual((await named("winnowed"))?.id, "a3")
      ),
      opened(
        "download",
        [
          press("{{Ctrl+E}}"),
          click("//a[@id='red-ui-clipboard-dialog-export-rng-full']"),
          click("//button[@id='red-ui-clipboard-dialog-download']"),
          step("FILE_DOWNLOAD", { metadata: {} })
        ],
        async (page) => {
          await page.keyboard.press("Control+e")
          await page.locator("#red-ui-clipboard-dialog-export-rng-full").click()
          const download = page.waitForEvent("download")
          await page.locator("#red-ui-clipboard-dialog-download").click()
          return { files: [await readFile(await (await download).path(), "utf8")] }
        },
        async (read) => {
          const { files } = read as { files: ReadonlyArray<string> }
          ok(files[0]?.includes('"rest"'), files[0])
        }
      ),
      opened(
        "page through",
        [click("//li[@flowname='Winter']"), read({ name: text("//*[@id='b1']") }, "//*[@id='b1']")],
        async (page) => {
          await page.locator("li[flowname=Winter]").click()
          return { name: (await page.locator("#b1").textContent())?.trim() }
        },
        async (read) => strictEqual((read as { name: string }).name, "rest")
      ),
      changed(
        "delete",
        [click("//*[@id='a3']"), press("{{delete}}")],
        async (page) => {
          await page.locator("#a3").click()
          await page.keyboard.press("Delete")
        },
        async () => strictEqual(await named("out"), undefined)
      )
    ]
    return {
      origin,
      tasks,
      stop: () => stopAndRemove(server, state)
    }
  }
}
