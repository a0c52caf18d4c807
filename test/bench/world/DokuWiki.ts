/** DokuWiki of Debian: pages and media in plain files, which say what was done. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { click, list, press, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import { debian } from "./Packages.ts"
import * as Php from "./Php.ts"
import { stopAndRemove } from "./Processes.ts"

const run = promisify(execFile)

const version = "0.0.20220731.a-2"

const others = [
  "php-geshi",
  "libphp-simplepie",
  "php-phpseclib",
  "libjs-jquery",
  "libjs-jquery-ui",
  "libjs-jquery-cookie"
]

const user = { name: "ada", password: "difference engine" }

const settings = (data: string) => `<?php
$conf['title'] = 'Notes';
$conf['savedir'] = '${data}';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['updatecheck'] = 0;
$conf['recent'] = 5;
$conf['dmode'] = 0755;
`

const signIn = [
  type("//form[@id='dw__login']//input[@name='u']", user.name),
  type("//form[@id='dw__login']//input[@name='p']", user.password),
  click("//form[@id='dw__login']//button[@type='submit']")
]

const signInTargets = [
  "#dw__login",
  "#dw__login input[name=u]",
  "#dw__login input[name=p]",
  "#dw__login button[type=submit]"
]

const signInByHand = async (page: Page, url: string) => {
  await page.goto(url, { waitUntil: "domcontentloaded" })
  await page.locator("#dw__login input[name=u]").fill(user.name)
  await page.locator("#dw__login input[name=p]").fill(user.password)
  await page.locator("#dw__login button[type=submit]").click()
}

const save = click("//button[@id='edbtn__save']")

const area = "//textarea[@id='wiki__text']"

export const application: Application = {
  name: "DokuWiki",
  version,
  start: async (folder, files) => {
    const root = await debian(folder, "dokuwiki", version, [...Php.packages, ...others])
    const state = await mkdtemp(join(tmpdir(), "sluice-dokuwiki-"))
    const data = join(state, "data")
    await cp(join(root, "var/lib/dokuwiki/data"), data, { recursive: true })
    for (const name of [
      "pages",
      "media",
      "cache",
      "index",
      "locks",
      "meta",
      "attic",
      "tmp",
      "media_attic",
      "media_meta"
    ]) {
      await mkdir(join(data, name), { recursive: true })
    }
    // Settings of its own: another bench may run from the same files.
    const settled = join(state, "conf")
    await cp(join(root, "etc/dokuwiki"), settled, { recursive: true })
    const define = (name: string) => `define('${name}', '${settled}/');`
    await writeFile(join(state, "before.php"), `<?php ${define("DOKU_CONF")} ${define("DOKU_MAIN_CONF")}`)
    const hash = createHash("md5").update(user.password).digest("hex")
    await writeFile(join(settled, "local.php"), settings(data))
    await writeFile(
      join(settled, "users.auth.php"),
      `# <?php exit()?>\n${user.name}:${hash}:Ada:ada@example.com:admin,user\n`
    )
    await writeFile(join(settled, "acl.auth.php"), "# <?php exit()?>\n*\t@ALL\t1\n*\t@user\t16\n")
    const documents = join(root, "usr/share/dokuwiki")
    const server = await Php.serve(root, state, documents, "/doku.php")
    const { origin } = server
    const [php, args] = await Php.program(root, state)

    const pathOf = (id: string) => join(data, "pages", `${id.replaceAll(":", "/")}.txt`)
    const contentOf = (id: string) => readFile(pathOf(id), "utf8")
    const put = async (id: string, content: string | null) => {
      await mkdir(join(pathOf(id), ".."), { recursive: true })
      await rm(join(data, "locks"), { recursive: true, force: true })
      await mkdir(join(data, "locks"))
      if (content === null) return await rm(pathOf(id), { force: true })
      await writeFile(pathOf(id), content)
    }
    const at = (id: string, more = "") => `${origin}/doku.php?id=${id}${more}`
    /** Signing in at a page leads back to it. */
    const login = (id: string) => at(id, "&do=login")

    // Names of pages that a search and the list of changes find.
    const many = Array.from({ length: 12 }, (_, index) => `many:page${String(index + 1).padStart(2, "0")}`)
    for (const id of many) await put(id, `====== ${id} ======\n\nA note on threshing.\n`)
    await run(php, [...args, join(documents, "bin/indexer.php"), "-q"], { cwd: documents })
    const seconds = Math.floor(Date.now() / 1_000) - 1_000
    const changes = many.map((id, index) => `${seconds + index}\t127.0.0.1\tC\t${id}\tada\tcreated\t\t40`)
    const newest = [...many].reverse()
    const shown = read(
      { found: texts("//dl[contains(@class, 'search_results')]//dt/a[@class='wikilink1']") },
      "//dl[contains(@class, 'search_results')]"
    )

    const tasks: ReadonlyArray<Task> = [
      {
        name: "sign in",
        prepare: () => put("start", "====== Welcome ======\n"),
        url: login("start"),
        targets: signInTargets,
        workflow: [...signIn, read({ user: text("//li[@class='user']/bdi[1]") }, "//li[@class='user']")],
        byHand: async (page) => {
          await signInByHand(page, login("start"))
          return { user: (await page.locator("li.user bdi").first().textContent())?.trim() }
        },
        verify: async (read) => deepStrictEqual(read, { user: "Ada" })
      },
      {
        name: "create",
        prepare: () => put("made", null),
        url: login("made"),
        targets: [...signInTargets, "a[accesskey=e]", "#wiki__text", "#edit__summary", "#edbtn__save"],
        workflow: [
          ...signIn,
          click("//a[@accesskey='e']"),
          type(area, "====== Made ======\n\nBy hand.\n"),
          type("//input[@id='edit__summary']", "first"),
          save,
          read({ title: text("//h1[@id='made']") }, "//h1[@id='made']")
        ],
        byHand: async (page) => {
          await signInByHand(page, login("made"))
          await page.locator("a[accesskey=e]").click()
          await page.locator("#wiki__text").fill("====== Made ======\n\nBy hand.\n")
          await page.locator("#edit__summary").fill("first")
          await page.locator("#edbtn__save").click()
          return { title: (await page.locator("h1#made").textContent())?.trim() }
        },
        verify: async (read) => {
          deepStrictEqual(read, { title: "Made" })
          ok((await contentOf("made")).startsWith("====== Made ======\n\nBy hand."))
        }
      },
      {
        name: "search",
        prepare: async () => undefined,
        url: at("start"),
        workflow: [type("//form[@id='dw__search']//input[@name='q']", "threshing"), press("{{enter}}"), shown],
        byHand: async (page) => {
          await page.goto(at("start"), { waitUntil: "domcontentloaded" })
          await page.locator("#dw__search input[name=q]").fill("threshing")
          await page.keyboard.press("Enter")
          await page.locator("dl.search_results").first().waitFor()
          return {
            found: (await page.locator("dl.search_results dt a.wikilink1").allTextContents()).map((one) => one.trim())
          }
        },
        verify: async (read) => strictEqual((read as { found: ReadonlyArray<string> }).found.length, many.length)
      },
      {
        name: "page through",
        prepare: () => writeFile(join(data, "meta/_dokuwiki.changes"), `${changes.join("\n")}\n`),
        url: at("start", "&do=recent"),
        workflow: [0, 1]
          .flatMap(() => [
            read(
              { changes: list("//form[@id='dw__recent']//li", { id: text("//a[@class='wikilink1']") }) },
              "//form[@id='dw__recent']"
            ),
            click("//div[@class='pagenav-next']//button")
          ])
          .concat(
            read(
              { changes: list("//form[@id='dw__recent']//li", { id: text("//a[@class='wikilink1']") }) },
              "//div[@class='pagenav-prev']"
            )
          ),
        byHand: async (page) => {
          await page.goto(at("start", "&do=recent"), { waitUntil: "domcontentloaded" })
          const all: Array<{ id: string }> = []
          for (const turn of [0, 1, 2]) {
            await page.locator("#dw__recent").waitFor()
            for (const id of await page.locator("#dw__recent li a.wikilink1").allTextContents())
              all.push({ id: id.trim() })
            if (turn < 2) await page.locator(".pagenav-next button").click()
          }
          return { changes: all }
        },
        verify: async (read) => deepStrictEqual(read, { changes: newest.map((id) => ({ id })) })
      },
      {
        name: "upload",
        prepare: () => rm(join(data, "media/sheaf.zip"), { force: true }),
        url: login("start"),
        targets: [
          ...signInTargets,
          "#dokuwiki__usertools a[href*='do=media'], #dokuwiki__sitetools a[href*='do=media']",
          "a[href*='tab_files=upload']",
          "#mediamanager__upload_button"
        ],
        workflow: [
          ...signIn,
          click("//a[contains(@href, 'do=media')]"),
          click("//a[contains(@href, 'tab_files=upload')]"),
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("sheaf.zip", "a sheaf"),
            file_name: "sheaf.zip",
            selector: "//input[@type='file']"
          }),
          click("//*[@id='mediamanager__upload_button']"),
          read({ state: text("//*[@id='mediamanager__uploader']//li") }, "//li[contains(@class, 'qq-upload-success')]")
        ],
        byHand: async (page) => {
          await signInByHand(page, login("start"))
          await page.locator("a[href*='do=media']").first().click()
          await page.locator("a[href*='tab_files=upload']").click()
          await page
            .locator("input[type=file]")
            .setInputFiles({ name: "sheaf.zip", mimeType: "application/zip", buffer: Buffer.from("a sheaf") })
          await page.locator("#mediamanager__upload_button").click()
          await page.locator("li.qq-upload-success").waitFor()
          return null
        },
        verify: async () => strictEqual(await readFile(join(data, "media/sheaf.zip"), "utf8"), "a sheaf")
      },
      {
        name: "download",
        prepare: async () => {
          await put("files", "====== Files ======\n\n{{:grain.zip|The grain}}\n")
          await writeFile(join(data, "media/grain.zip"), "grain by grain")
        },
        url: at("files"),
        workflow: [click("//a[contains(@class, 'mediafile')]"), step("FILE_DOWNLOAD", { metadata: {} })],
        byHand: async (page) => {
          await page.goto(at("files"), { waitUntil: "domcontentloaded" })
          const download = page.waitForEvent("download")
          await page.locator("a.mediafile").click()
          return { files: [await readFile(await (await download).path(), "utf8")] }
        },
        verify: async (read) => deepStrictEqual(read, { files: ["grain by grain"] })
      },
      {
        name: "edit",
        prepare: () => put("kept", "====== Kept ======\n\nOne.\n\n===== Second =====\n\nTwo.\n"),
        url: login("kept"),
        targets: [...signInTargets, ".editbutton_2 button", "#wiki__text", "#edbtn__save"],
        workflow: [
          ...signIn,
          click("//div[contains(@class, 'editbutton_2')]//button"),
          type(area, "===== Second =====\n\nTwo and a half.\n"),
          save,
          read({ words: text("//div[@class='level2']") }, "//div[@class='level2']")
        ],
        byHand: async (page) => {
          await signInByHand(page, login("kept"))
          await page.locator(".editbutton_2 button").click()
          await page.locator("#wiki__text").fill("===== Second =====\n\nTwo and a half.\n")
          await page.locator("#edbtn__save").click()
          return { words: (await page.locator("div.level2").textContent())?.trim() }
        },
        verify: async (read) => {
          deepStrictEqual(read, { words: "Two and a half." })
          const content = await contentOf("kept")
          ok(content.includes("One.") && content.includes("Two and a half."), content)
        }
      },
      {
        name: "delete",
        prepare: () => put("gone", "====== Gone ======\n\nSoon.\n"),
        url: login("gone"),
        targets: [...signInTargets, "a[accesskey=e]", "#wiki__text", "#edbtn__save"],
        workflow: [
          ...signIn,
          click("//a[@accesskey='e']"),
          type(area, ""),
          save,
          read(
            { notice: text("//h1[@id='this_page_does_not_exist_anymore']") },
            "//h1[@id='this_page_does_not_exist_anymore']"
          )
        ],
        byHand: async (page) => {
          await signInByHand(page, login("gone"))
          await page.locator("a[accesskey=e]").click()
          await page.locator("#wiki__text").fill("")
          await page.locator("#edbtn__save").click()
          await page.locator("h1#this_page_does_not_exist_anymore").waitFor()
          return null
        },
        verify: async () => ok(!existsSync(pathOf("gone")))
      }
    ]
    return {
      origin,
      tasks,
      stop: () => stopAndRemove(server, state)
    }
  }
}
