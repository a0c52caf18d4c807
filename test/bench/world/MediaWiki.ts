/** MediaWiki of Debian: forms of OOUI, and scripts that come after the page. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { click, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import * as MariaDb from "./MariaDb.ts"
import { debian } from "./Packages.ts"
import * as Php from "./Php.ts"
import { stopAndRemove } from "./Processes.ts"
import { type SignedInTask, type SignIn, withSignIn } from "./SignIn.ts"

const version = "1:1.39.17-1+deb12u2"

const others = ["mediawiki-classes", "php8.2-intl"]

const { user } = MariaDb

const settings = (state: string) => `
$wgServer = 'http://' . ($_SERVER['HTTP_HOST'] ?? '127.0.0.1');
$wgEnableUploads = true;
$wgUploadDirectory = '${state}/images';
$wgFileExtensions[] = 'txt';
$wgVerifyMimeType = false;
$wgCacheDirectory = '${state}/cache';
$wgMainCacheType = CACHE_DB;
$wgSessionCacheType = CACHE_DB;
$wgRateLimits = [];
$wgPasswordAttemptThrottle = [];
`

const signIn: SignIn = {
  user,
  name: "wpName1",
  password: "wpPassword1",
  button: { tag: "button", id: "wpLoginAttempt" }
}

const area = "//textarea[@id='wpTextbox1']"

/** The revisions of a page, the first one first. */
const revisions = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, "0"))

const shown = texts("//*[@id='pagehistory']//li//span[contains(@class, 'comment')]")

/** The part of the history that has a revision. */
const place = (revision: string) => `//*[@id='pagehistory'][contains(., 'turn ${revision}')]`

const found = texts("//div[@class='mw-search-result-heading']/a")

const heading = "//h1[@id='firstHeading']"

const save = click("//input[@id='wpSave']")

const many = Array.from({ length: 6 }, (_, index) => `Grain ${index + 1}`)

export const application: Application = {
  name: "MediaWiki",
  version,
  start: async (folder, files) => {
    const root = await debian(folder, "mediawiki", version, [...Php.withMysql, ...others])
    const state = await mkdtemp(join(tmpdir(), "sluice-mediawiki-"))
    const database = await MariaDb.start(folder, state)
    const documents = join(root, "usr/share/mediawiki")
    for (const name of ["images", "cache"]) await mkdir(join(state, name))
    /** Runs a script of the package with its input. */
    const maintain = async (script: string, args: ReadonlyArray<string>, input = "") => {
      const [php, options] = await Php.program(root, state)
      const running = spawn(php, [...options, join(documents, "maintenance", script), ...args], { cwd: documents })
      let said = ""
      for (const stream of [running.stdout, running.stderr])
        stream.on("data", (bytes) => {
          said = `${said}${bytes}`.slice(-2_000)
        })
      running.stdin.end(input)
      const [code] = await once(running, "close")
      if (code !== 0) throw new Error(`Cannot run ${script} ${args.join(" ")}: ${said}`)
    }
    const account = [`--dbuser=${user.name}`, `--dbpass=${user.password}`]
    const server = [`--dbserver=localhost:${database.socket}`, "--dbname=wiki", "--server=http://127.0.0.1"]
    const made = [`--confpath=${state}`, "--scriptpath=", `--pass=${user.password}`]
    await maintain("install.php", [...account, ...server, ...made, "Notes", user.name])
    await appendFile(join(state, "LocalSettings.php"), settings(state))
    await writeFile(
      join(state, "before.php"),
      `<?php if (!defined('MW_CONFIG_FILE')) define('MW_CONFIG_FILE', '${state}/LocalSettings.php');`
    )
    const put = (title: string, content: string) => maintain("edit.php", ["--user=Ada", title], content)
    const remove = (title: string) => maintain("deleteBatch.php", ["--u=Ada"], title)
    for (const title of many) await put(title, "A note on threshing")
    for (const number of revisions)
      await maintain("edit.php", ["--user=Ada", `--summary=turn ${number}`, "Grown"], `Grown to ${number}.`)
    await maintain("rebuildtextindex.php", [])
    const served = await Php.serve(root, state, documents, "/index.php")
    const { origin } = served
    const contentOf = async (title: string): Promise<string | null> => {
      const answer = await fetch(`${origin}/index.php?title=${encodeURIComponent(title)}&action=raw`)
      return answer.ok ? await answer.text() : null
    }
    /** A task that begins with signing in, which leads to a page. */
    const at = (page: string, task: Omit<SignedInTask, "url">): Task =>
      withSignIn(signIn, { ...task, url: `${origin}/index.php?title=Special:UserLogin&returnto=${page}` })
    const nothing = async () => undefined
    const history = `${origin}/index.php?title=Grown&action=history&limit=5`

    const tasks: ReadonlyArray<Task> = [
      at("Main_Page", {
        name: "sign in",
        prepare: nothing,
        targets: [],
        moves: [read({ user: text("//li[@id='pt-userpage']") }, "//li[@id='pt-userpage']")],
        byHand: async (page) => ({ user: (await page.locator("#pt-userpage").innerText()).trim() }),
        verify: async (read) => deepStrictEqual(read, { user: "Ada" })
      }),
      at("Made&returntoquery=action%3Dedit", {
        name: "create",
        prepare: () => remove("Made"),
        targets: ["#wpTextbox1", "#wpSummary", "#wpSave"],
        moves: [
          type(area, "By hand.\n\nSecond line."),
          type("//input[@id='wpSummary']", "first"),
          save,
          read({ title: text(heading) }, "//div[@id='mw-content-text'][contains(., 'Second line.')]")
        ],
        byHand: async (page) => {
          await page.locator("#wpTextbox1").fill("By hand.\n\nSecond line.")
          await page.locator("#wpSummary").fill("first")
          await page.locator("#wpSave").click()
          await page.locator("#mw-content-text p", { hasText: "Second line." }).waitFor()
          return null
        },
        verify: async () => strictEqual(await contentOf("Made"), "By hand.\n\nSecond line.")
      }),
      at("Kept", {
        name: "edit a section",
        prepare: () => put("Kept", "== One ==\nFirst.\n\n== Two ==\nSecond."),
        targets: ["#wpTextbox1", "#wpSave"],
        moves: [
          click("//h2[.//span[@id='Two']]//a[contains(@href, 'section=2')]"),
          type(area, "== Two ==\nTwo and a half."),
          save,
          read({ title: text(heading) }, "//div[@id='mw-content-text'][contains(., 'Two and a half.')]")
        ],
        byHand: async (page) => {
          await page
            .locator("h2", { has: page.locator("#Two") })
            .locator("a[href*='section=2']")
            .click()
          await page.locator("#wpTextbox1").fill("== Two ==\nTwo and a half.")
          await page.locator("#wpSave").click()
          await page.locator("#mw-content-text p", { hasText: "Two and a half." }).waitFor()
          return null
        },
        verify: async () => strictEqual(await contentOf("Kept"), "== One ==\nFirst.\n\n== Two ==\nTwo and a half.")
      }),
      {
        name: "search",
        prepare: nothing,
        url: `${origin}/index.php?title=Special:Search`,
        workflow: [
          type("//div[@id='searchText']//input", "threshing"),
          click("//div[@id='mw-search-top-table']//button[@type='submit']"),
          read({ found }, "//ul[@class='mw-search-results']")
        ],
        byHand: async (page) => {
          await page.goto(`${origin}/index.php?title=Special:Search`, { waitUntil: "domcontentloaded" })
          await page.locator("#searchText input").fill("threshing")
          await page.locator("#mw-search-top-table button[type=submit]").click()
          await page.locator(".mw-search-results").waitFor()
          return { found: await page.locator(".mw-search-result-heading > a").allInnerTexts() }
        },
        verify: async (read) => deepStrictEqual([...(read as { found: ReadonlyArray<string> }).found].sort(), many)
      },
      {
        name: "page through",
        prepare: nothing,
        url: history,
        workflow: [
          read({ turns: shown }, place("12")),
          click("(//a[@class='mw-nextlink'])[1]"),
          read({ turns: shown }, place("07")),
          click("(//a[@class='mw-nextlink'])[1]"),
          read({ turns: shown }, place("02"))
        ],
        byHand: async (page) => {
          await page.goto(history, { waitUntil: "domcontentloaded" })
          const turns: Array<string> = []
          for (const first of ["12", "07", "02"]) {
            const comments = page.locator("#pagehistory li span.comment")
            await comments.getByText(`turn ${first}`).waitFor()
            turns.push(...(await comments.allInnerTexts()))
            if (first !== "02") await page.locator("a.mw-nextlink").first().click()
          }
          return { turns }
        },
        verify: async (read) => deepStrictEqual(read, { turns: revisions.map((number) => `turn ${number}`).reverse() })
      },
      at("Special:Upload", {
        name: "upload",
        prepare: () => remove("File:Sheaf.txt"),
        moves: [
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("sheaf.txt", "a sheaf"),
            file_name: "sheaf.txt",
            selector: "//input[@id='wpUploadFile']"
          }),
          // The same file has been there, and was deleted.
          click("//input[@id='wpIgnoreWarning']"),
          click("//input[@name='wpUpload']"),
          read({ title: text(heading) }, "//h1[@id='firstHeading'][contains(., 'Sheaf')]")
        ],
        byHand: async (page) => {
          const file = { name: "sheaf.txt", mimeType: "text/plain", buffer: Buffer.from("a sheaf") }
          await page.locator("#wpUploadFile").setInputFiles(file)
          await page.locator("#wpIgnoreWarning").check()
          await page.locator("input[name=wpUpload]").click()
          await page.locator("#firstHeading", { hasText: "Sheaf" }).waitFor()
          return null
        },
        verify: async () => {
          const [[hash = ""] = []] = await database.query(
            "select img_sha1 from wiki.image where img_name = 'Sheaf.txt'"
          )
          ok(hash !== "")
        }
      }),
      {
        name: "download",
        prepare: () => put("Kept", "Grain by grain."),
        url: `${origin}/index.php?title=Special:Export`,
        workflow: [
          type("//textarea[@name='pages']", "Kept"),
          click("//button[@type='submit'][.//span[.='Export']]"),
          step("FILE_DOWNLOAD", { metadata: {} })
        ],
        byHand: async (page) => {
          await page.goto(`${origin}/index.php?title=Special:Export`, { waitUntil: "domcontentloaded" })
          await page.locator("textarea[name=pages]").fill("Kept")
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.locator("button[type=submit]", { hasText: "Export" }).click()
          ])
          return { files: [await readFile(await download.path(), "utf8")] }
        },
        verify: async (read) => ok(JSON.stringify(read).includes("Grain by grain."), JSON.stringify(read).slice(0, 300))
      },
      at("Gone&returntoquery=action%3Ddelete", {
        name: "delete",
        prepare: () => put("Gone", "Soon."),
        moves: [
          click("//button[@id='wpConfirmB']"),
          read({ title: text(heading) }, "//h1[@id='firstHeading'][contains(., 'complete')]")
        ],
        byHand: async (page) => {
          await page.locator("#wpConfirmB").click()
          await page.locator("#firstHeading", { hasText: "complete" }).waitFor()
          return null
        },
        verify: async () => strictEqual(await contentOf("Gone"), null)
      })
    ]
    return {
      origin,
      tasks,
      stop: async () => {
        await served.stop()
        await stopAndRemove(database, state)
      }
    }
  }
}
