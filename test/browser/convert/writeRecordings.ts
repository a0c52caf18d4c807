/**
 * Has the recorder of Playwright, which `playwright codegen` shows, write down what a person does on the pages of the
 * scenes: `node test/browser/convert/writeRecordings.ts` writes `recordings.jsonl`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BrowserContext, chromium } from "playwright-core"
import { type Clicked, escaped, forms, type Recorded, scenes, wordings } from "./CodegenScenes.ts"

// The window of the recorder needs no screen.
process.env.PWTEST_CLI_HEADLESS = "1"

let pages: Readonly<Record<string, string>> = {}
let told: Array<string> = []
const server = createServer((request, response) => {
  const [path = "/", query = ""] = (request.url ?? "").split("?")
  if (path === "/told") {
    told.push(decodeURIComponent(query))
    response.writeHead(204).end()
    return
  }
  const page = pages[path]
  response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" }).end(page)
})
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", () => listening()))
const address = server.address()
const site = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`

const browser = await chromium.launch({ executablePath: process.env.SLUICE_CHROMIUM ?? "/usr/bin/chromium" })

type Recordable = BrowserContext & { readonly _showRecorder: (options: object) => Promise<void> }

const record = async (scene: string, wording: number, form: Recorded["form"]): Promise<Recorded> => {
  const { act, pages: made } = scenes[scene] ?? { act: () => Promise.reject(new Error(scene)), pages: () => ({}) }
  const words = wordings[wording] ?? wordings[0]
  if (words === undefined) throw new Error(`There is no wording ${wording}`)
  pages = made(escaped(words))
  told = []
  const folder = mkdtempSync(join(tmpdir(), "recording-"))
  const outputFile = join(folder, "code")
  const context = (await browser.newContext()) as Recordable
  await context._showRecorder({ mode: "recording", language: form, outputFile, contextOptions: {}, launchOptions: {} })
  context.on("page", (page) => page.on("dialog", (dialog) => void dialog.accept()))
  const page = await context.newPage()
  await page.goto(`${site}/`)
  const clicked: Clicked = async (target, options = {}) => {
    const element = typeof target === "string" ? page.locator(target) : target
    const { mouse } = element.page()
    const box = await element.boundingBox()
    if (box === null) throw new Error(`${scene} shows nothing at ${String(target)}`)
    await mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    // The recorder takes the element under the pointer a moment later.
    await element.page().waitForTimeout(200)
    await mouse.click(box.x + box.width / 2, box.y + box.height / 2, options)
    await element.page().waitForTimeout(500)
  }
  await act(page, words, clicked)
  await page.waitForTimeout(500)
  const seen = [...told]
  // The file is written out with the end of the context.
  await context.close()
  const code = readFileSync(outputFile, "utf8")
  rmSync(folder, { recursive: true, force: true })
  return { scene, wording, form, code: code.replaceAll(site, "http://shop.example"), told: seen.toSorted() }
}

const recordings: Array<Recorded> = []
const wanted = process.argv[2]
for (const [at, scene] of Object.keys(scenes).entries()) {
  if (wanted !== undefined && scene !== wanted) continue
  for (const wording of wordings.keys()) {
    const form = forms[(at + wording) % forms.length] ?? "jsonl"
    try {
      recordings.push(await record(scene, wording, form))
    } catch (cause) {
      throw new Error(`${scene}, wording ${wording}`, { cause })
    }
  }
}
await browser.close()
server.close()
const text = recordings.map((one) => `${JSON.stringify(one)}\n`).join("")
if (wanted === undefined) writeFileSync(join(import.meta.dirname, "recordings.jsonl"), text)
else process.stdout.write(text)
