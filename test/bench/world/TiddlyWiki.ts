/** TiddlyWiki: notes whose pages the browser builds, edited in frames, reordered by dragging. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { click, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import { npm } from "./Packages.ts"
import { freePort, start, stopAndRemove } from "./Processes.ts"

const run = promisify(execFile)

const version = "5.4.1"

const button = (label: string) => `//button[@aria-label='${label}']`

const edited = "//div[contains(@class, 'tc-tiddler-edit-frame')]"

const shown = (title: string) => `//div[contains(@class, 'tc-tiddler-view-frame')][@data-tiddler-title='${title}']`

/** An element of a page whose changes the server has. */
const saved = (path: string) => `//body[not(contains(@class, 'tc-dirty'))]${path}`

const savedByHand = async (page: Page, selector: string) => {
  await page.locator(`body:not(.tc-dirty) ${selector}`).waitFor()
}

const frameOf = (title: string) => `.tc-tiddler-view-frame[data-tiddler-title='${title}']`

const written = async (page: Page, content: string) =>
  await page.frameLocator(".tc-tiddler-edit-frame iframe").locator("textarea").fill(content)

export const application: Application = {
  name: "TiddlyWiki",
  version,
  start: async (folder, files) => {
    const root = await npm(folder, "tiddlywiki", version)
    const program = join(root, "node_modules/tiddlywiki/tiddlywiki.js")
    const state = await mkdtemp(join(tmpdir(), "sluice-tiddlywiki-"))
    await run(process.execPath, [program, join(state, "wiki"), "--init", "server"])
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const server = await start(process.execPath, [program, join(state, "wiki"), "--listen", `port=${port}`], {
      cwd: state,
      url: `${origin}/status`
    })
    const headers = { "x-requested-with": "TiddlyWiki", "content-type": "application/json" }
    const note = (title: string) => `${origin}/recipes/default/tiddlers/${encodeURIComponent(title)}`
    const contentOf = async (title: string): Promise<string | null> => {
      const answer = await fetch(note(title))
      return answer.ok ? ((await answer.json()) as { text: string }).text : null
    }
    const put = async (title: string, content: string | null, more: Record<string, string> = {}) => {
      const bag = `${origin}/bags/default/tiddlers/${encodeURIComponent(title)}`
      const answer =
        content === null
          ? await fetch(bag, { method: "DELETE", headers })
          : await fetch(note(title), {
              method: "PUT",
              headers,
              body: JSON.stringify({ title, text: content, ...more })
            })
      if (!answer.ok && content !== null) throw new Error(`Cannot write ${title}: ${answer.status}`)
    }
    const home = `${origin}/`
    const at = (...titles: ReadonlyArray<string>) =>
      `${origin}/#${titles[0]}:${titles.map(encodeURIComponent).join(" ")}`
    for (let number = 1; number <= 6; number++) {
      await put(`Grain${number}`, "A note on threshing", { modified: `2026010100000${number}000` })
    }

    const tasks: ReadonlyArray<Task> = [
      {
        name: "create",
        prepare: () => put("Made", null),
        url: home,
        workflow: [
          click(button("new tiddler")),
          type(`${edited}//input[contains(@class, 'tc-titlebar')]`, "Made"),
          type(`${edited}//iframe//textarea`, "By hand."),
          click(`${edited}${button("Confirm changes to this tiddler")}`),
          read({ words: text(`${shown("Made")}//div[contains(@class, 'tc-tiddler-body')]`) }, saved(shown("Made")))
        ],
        byHand: async (page) => {
          await page.goto(home, { waitUntil: "domcontentloaded" })
          await page.locator("button[aria-label='new tiddler']").click()
          await page.locator(".tc-tiddler-edit-frame input.tc-titlebar").fill("Made")
          await written(page, "By hand.")
          await page.locator("button[aria-label='Confirm changes to this tiddler']").click()
          await savedByHand(page, frameOf("Made"))
          return { words: await page.locator(`${frameOf("Made")} .tc-tiddler-body`).innerText() }
        },
        verify: async (read) => {
          deepStrictEqual(read, { words: "By hand." })
          strictEqual(await contentOf("Made"), "By hand.")
        }
      },
      {
        name: "search",
        prepare: async () => undefined,
        url: home,
        workflow: [
          type("//div[contains(@class, 'tc-sidebar-search')]//input[@type='search']", "Grain"),
          read(
            { found: texts("//div[@class='tc-search-results']//a") },
            "//div[@class='tc-search-results'][count(.//a) = 12]"
          )
        ],
        byHand: async (page) => {
          await page.goto(home, { waitUntil: "domcontentloaded" })
          await page.locator(".tc-sidebar-search input[type=search]").fill("Grain")
          await page.locator(".tc-search-results a").nth(11).waitFor()
          return { found: await page.locator(".tc-search-results a").allTextContents() }
        },
        verify: async (read) =>
          // They are found by their titles, and listed again among all matches.
          deepStrictEqual(read, { found: [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6].map((number) => `Grain${number}`) })
      },
      {
        name: "edit",
        prepare: () => put("Kept", "One and a half."),
        url: at("Kept"),
        workflow: [
          click(`${shown("Kept")}${button("Edit this tiddler")}`),
          type(`${edited}//iframe//textarea`, "Two and a half."),
          click(`${edited}${button("Confirm changes to this tiddler")}`),
          read({ words: text(`${shown("Kept")}//div[contains(@class, 'tc-tiddler-body')]`) }, saved(shown("Kept")))
        ],
        byHand: async (page) => {
          await page.goto(at("Kept"), { waitUntil: "domcontentloaded" })
          await page.locator(`${frameOf("Kept")} button[aria-label='Edit this tiddler']`).click()
          await written(page, "Two and a half.")
          await page.locator("button[aria-label='Confirm changes to this tiddler']").click()
          await savedByHand(page, frameOf("Kept"))
          return { words: await page.locator(`${frameOf("Kept")} .tc-tiddler-body`).innerText() }
        },
        verify: async (read) => {
          deepStrictEqual(read, { words: "Two and a half." })
          strictEqual(await contentOf("Kept"), "Two and a half.")
        }
      },
      {
        name: "delete",
        prepare: () => put("Gone", "Soon."),
        url: at("Gone"),
        workflow: [
          click(`${shown("Gone")}${button("Edit this tiddler")}`),
          click(`${edited}${button("Delete this tiddler")}`),
          read(
            { title: text("//h1[contains(@class, 'tc-site-title')]") },
            saved("[not(.//div[contains(@class, 'tc-tiddler-frame')])]")
          )
        ],
        byHand: async (page) => {
          page.on("dialog", (dialog) => void dialog.accept())
          await page.goto(at("Gone"), { waitUntil: "domcontentloaded" })
          await page.locator(`${frameOf("Gone")} button[aria-label='Edit this tiddler']`).click()
          await page.locator("button[aria-label='Delete this tiddler']").click()
          await page.locator("body:not(.tc-dirty):not(:has(.tc-tiddler-frame))").waitFor()
          return null
        },
        verify: async () => strictEqual(await contentOf("Gone"), null)
      },
      {
        name: "upload",
        prepare: () => put("sheaf.txt", null),
        url: home,
        workflow: [
          click("//button[@data-tab-title='$:/core/ui/SideBar/Tools']"),
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("sheaf.txt", "a sheaf"),
            file_name: "sheaf.txt",
            selector: "//div[contains(@class, 'tc-sidebar-lists')]//input[@type='file']"
          }),
          click("(//div[@data-tiddler-title='$:/Import']//button[.='Import'])[1]"),
          read({ link: text("//div[@data-tiddler-title='$:/Import']//a[.='sheaf.txt']") }, saved("//a[.='sheaf.txt']"))
        ],
        byHand: async (page) => {
          await page.goto(home, { waitUntil: "domcontentloaded" })
          await page.locator("button[data-tab-title='$:/core/ui/SideBar/Tools']").click()
          await page
            .locator(".tc-sidebar-lists input[type=file]")
            .setInputFiles({ name: "sheaf.txt", mimeType: "text/plain", buffer: Buffer.from("a sheaf") })
          await page.locator("[data-tiddler-title='$:/Import'] button", { hasText: "Import" }).first().click()
          await savedByHand(page, "a:text-is('sheaf.txt')")
          return null
        },
        verify: async () => strictEqual(await contentOf("sheaf.txt"), "a sheaf")
      },
      {
        name: "download",
        prepare: () => put("Kept", "One and a half."),
        url: at("Kept"),
        workflow: [
          click(`${shown("Kept")}${button("more")}`),
          click(`${shown("Kept")}//button[starts-with(@aria-label, 'export')]`),
          click("//button[.='TID text file']"),
          step("FILE_DOWNLOAD", { metadata: {} })
        ],
        byHand: async (page) => {
          await page.goto(at("Kept"), { waitUntil: "domcontentloaded" })
          await page.locator(`${frameOf("Kept")} button[aria-label=more]`).click()
          await page.locator(`${frameOf("Kept")} button[aria-label^=export]`).click()
          const download = page.waitForEvent("download")
          await page.locator("button", { hasText: "TID text file" }).click()
          return { files: [await readFile(await (await download).path(), "utf8")] }
        },
        verify: async (read) => {
          const { files } = read as { files: ReadonlyArray<string> }
          strictEqual(files[0]?.endsWith("\n\nOne and a half."), true, JSON.stringify(files))
        }
      },
      {
        name: "drag",
        prepare: async () => undefined,
        url: at("Grain1", "Grain2", "Grain3"),
        workflow: [
          step("DRAG", {
            selector: "//div[@class='tc-sidebar-tab-open']//a[.='Grain3']",
            to_selector: "//div[@class='tc-sidebar-tab-open']//a[.='Grain1']"
          }),
          read(
            { open: texts("//div[@class='tc-sidebar-tab-open']//a") },
            "//div[@class='tc-sidebar-tab-open'][(.//a)[1][.='Grain3']]"
          )
        ],
        byHand: async (page) => {
          await page.goto(at("Grain1", "Grain2", "Grain3"), { waitUntil: "domcontentloaded" })
          const open = page.locator(".tc-sidebar-tab-open a")
          await open.filter({ hasText: "Grain3" }).dragTo(open.filter({ hasText: "Grain1" }))
          await page.locator(".tc-sidebar-tab-open-item:first-child a", { hasText: "Grain3" }).waitFor()
          return { open: await open.allTextContents() }
        },
        verify: async (read) => deepStrictEqual(read, { open: ["Grain3", "Grain1", "Grain2"] })
      },
      {
        name: "page through",
        prepare: async () => undefined,
        url: home,
        workflow: [
          click("//button[@data-tab-title='$:/core/ui/SideBar/Recent']"),
          ...["Grain2", "Grain5"].flatMap((title) => [
            click(`//div[contains(@class, 'tc-sidebar-lists')]//a[.='${title}']`),
            read({ words: text(`${shown(title)}//div[contains(@class, 'tc-tiddler-body')]`) }, shown(title))
          ])
        ],
        byHand: async (page) => {
          await page.goto(home, { waitUntil: "domcontentloaded" })
          await page.locator("button[data-tab-title='$:/core/ui/SideBar/Recent']").click()
          let words = ""
          for (const title of ["Grain2", "Grain5"]) {
            await page.locator(".tc-sidebar-lists a", { hasText: title }).click()
            words = await page.locator(`${frameOf(title)} .tc-tiddler-body`).innerText()
          }
          return { words }
        },
        verify: async (read) => deepStrictEqual(read, { words: "A note on threshing" })
      }
    ]
    return {
      origin,
      tasks,
      stop: () => stopAndRemove(server, state)
    }
  }
}
