/** phpMyAdmin of Debian: pages that replace themselves in part, CodeMirror, and a grid whose cells are edited in place. */
import { deepStrictEqual, ok } from "node:assert/strict"
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { click, doubleClick, press, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import * as MariaDb from "./MariaDb.ts"
import { debian } from "./Packages.ts"
import * as Php from "./Php.ts"
import { stopAndRemove } from "./Processes.ts"
import { type SignedInTask, type SignIn, withSignIn } from "./SignIn.ts"

const version = "4:5.2.1+dfsg-1+deb12u1"

const scripts = [
  "jquery",
  "jquery-metadata",
  "jquery-mousewheel",
  "jquery-tablesorter",
  "jquery-timepicker",
  "jquery-ui"
]

const libraries = [
  "composer-ca-bundle",
  "fig-http-message-util",
  "getallheaders",
  "google-recaptcha",
  "mariadb-mysql-kbs",
  "nikic-fast-route",
  "phpmyadmin-motranslator",
  "phpmyadmin-shapefile",
  "phpmyadmin-sql-parser",
  "psr-cache",
  "psr-container",
  "psr-http-factory",
  "psr-http-message",
  "psr-log",
  "slim-psr7",
  "symfony-cache",
  "symfony-cache-contracts",
  "symfony-config",
  "symfony-dependency-injection",
  "symfony-deprecation-contracts",
  "symfony-expression-language",
  "symfony-filesystem",
  "symfony-polyfill-php80",
  "symfony-service-contracts",
  "symfony-var-exporter",
  "twig",
  "twig-i18n-extension",
  "webmozart-assert"
]

const others = [
  "libjs-codemirror",
  "libjs-sphinxdoc",
  ...scripts.map((name) => `libjs-${name}`),
  ...libraries.map((name) => `php-${name}`)
]

const { user } = MariaDb

/** Another bench may run from the same files, so the settings that they name lead to those of this one. */
const settings = `<?php require getenv('SLUICE_SETTINGS');`

const ownSettings = (socket: string, temporary: string) => `<?php
$cfg['blowfish_secret'] = 'a secret of the bench...........';
$cfg['TempDir'] = '${temporary}';
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost', 'socket' => '${socket}'];
$cfg['PmaNoRelation_DisableWarning'] = true;
$cfg['SendErrorReports'] = 'never';
$cfg['VersionCheck'] = false;
`

const grains = Array.from({ length: 60 }, (_, index) => `(${index + 1}, 'grain ${index + 1}', ${index % 7})`)

const shop = `
drop database if exists shop;
create database shop;
create table shop.orders (id int primary key, name varchar(40) not null, amount int not null);
create table shop.old (id int primary key);
insert into shop.orders values ${grains.join(",")};
`

const signIn: SignIn = {
  user,
  name: "input_username",
  password: "input_password",
  button: { tag: "input", id: "input_go" }
}

const said = read(
  { said: text("//div[contains(@class, 'alert-success')]") },
  "//div[contains(@class, 'alert-success')]"
)

const saidByHand = async (page: Page) => {
  await page.locator(".alert-success").first().waitFor()
  return null
}

/** Opens a tab of a table or a database. */
const tab = (route: string) => click(`//ul[@id='topmenu']//a[contains(@href, 'route=/${route}&')]`)

const tabByHand = (page: Page, route: string) => page.locator(`#topmenu a[href*='route=/${route}&']`).click()

const rows = "//table[contains(@class, 'table_results')]/tbody/tr"

const cell = (row: number, column: string) => `${rows}[${row}]/td[contains(@class, 'data')][${column}]`

const numbers = texts(`${rows}/td[contains(@class, 'data')][1]`)

export const application: Application = {
  name: "phpMyAdmin",
  version,
  start: async (folder, files) => {
    const root = await debian(folder, "phpmyadmin", version, [...Php.withMysql, ...others])
    const state = await mkdtemp(join(tmpdir(), "sluice-phpmyadmin-"))
    const database = await MariaDb.start(folder, state)
    const { query } = database
    const temporary = join(state, "temporary")
    await mkdir(temporary)
    await mkdir(join(root, "var/lib/phpmyadmin/tmp"), { recursive: true })
    await writeFile(join(root, "etc/phpmyadmin/config.inc.php"), settings)
    await writeFile(join(state, "config.php"), ownSettings(database.socket, temporary))
    await writeFile(join(state, "before.php"), `<?php putenv('SLUICE_SETTINGS=${join(state, "config.php")}');`)
    const server = await Php.serve(root, state, join(root, "usr/share/phpmyadmin"), "/index.php")
    const { origin } = server
    const prepare = async () => {
      await query(shop)
    }
    /** A task that begins with signing in, which leads to a page. */
    const at = (page: string, task: Omit<SignedInTask, "prepare" | "url">): Task =>
      withSignIn(signIn, { ...task, prepare, url: `${origin}/index.php?route=/${page}` })
    const table = "&db=shop&table=orders"
    const whole = "&db=shop"

    const tasks: ReadonlyArray<Task> = [
      at("", {
        name: "sign in",
        targets: [],
        moves: [read({ user: text("//li[contains(., 'User: ')]") }, "//li[contains(., 'User: ')]")],
        byHand: async (page) => ({ user: (await page.locator("li", { hasText: "User: " }).innerText()).trim() }),
        verify: async (read) => deepStrictEqual(read, { user: "User: ada@localhost" })
      }),
      at(table, {
        name: "create",
        targets: ["#field_1_3", "#field_2_3", "#field_3_3", "#buttonYes"],
        moves: [
          tab("table/change"),
          type("//*[@id='field_1_3']", "100"),
          type("//*[@id='field_2_3']", "made by hand"),
          type("//*[@id='field_3_3']", "3"),
          click("//input[@id='buttonYes']"),
          said
        ],
        byHand: async (page) => {
          await tabByHand(page, "table/change")
          await page.locator("#field_1_3").fill("100")
          await page.locator("#field_2_3").fill("made by hand")
          await page.locator("#field_3_3").fill("3")
          await page.locator("#buttonYes").click()
          return await saidByHand(page)
        },
        verify: async () =>
          deepStrictEqual(await query("select name, amount from shop.orders where id = 100"), [["made by hand", "3"]])
      }),
      at(whole, {
        name: "run a statement",
        moves: [
          tab("database/sql"),
          type("//textarea[@id='sqlquery']", "update orders set amount = 9\nwhere id = 5"),
          click("//input[@id='button_submit_query']"),
          said
        ],
        byHand: async (page) => {
          await tabByHand(page, "database/sql")
          await page.locator("#sqlqueryform .CodeMirror").click()
          await page.keyboard.press("Control+a")
          await page.keyboard.insertText("update orders set amount = 9\nwhere id = 5")
          await page.locator("#button_submit_query").click()
          return await saidByHand(page)
        },
        verify: async () => deepStrictEqual(await query("select amount from shop.orders where id = 5"), [["9"]])
      }),
      at(table, {
        name: "edit in place",
        moves: [
          doubleClick(cell(3, "2")),
          type("//div[@class='cEdit']//textarea[contains(@class, 'edit_box')]", "threshed"),
          press("{{enter}}"),
          read({ name: text(cell(3, "2")) }, `${cell(3, "2")}[.='threshed']`)
        ],
        byHand: async (page) => {
          const place = page.locator("table.table_results tbody tr").nth(2).locator("td.data").nth(1)
          await place.dblclick()
          await page.locator(".cEdit textarea.edit_box").fill("threshed")
          await page.keyboard.press("Enter")
          await place.getByText("threshed").waitFor()
          return { name: (await place.innerText()).trim() }
        },
        verify: async (read) => {
          deepStrictEqual(read, { name: "threshed" })
          deepStrictEqual(await query("select name from shop.orders where id = 3"), [["threshed"]])
        }
      }),
      at(table, {
        name: "page through",
        moves: [
          read({ ids: numbers }, rows),
          click("(//input[@name='navig'][contains(@title, 'Next')])[1]"),
          read({ ids: numbers }, `${cell(1, "1")}[.='26']`),
          click("(//input[@name='navig'][contains(@title, 'Next')])[1]"),
          read({ ids: numbers }, `${cell(1, "1")}[.='51']`)
        ],
        byHand: async (page) => {
          const ids: Array<string> = []
          for (const first of ["1", "26", "51"]) {
            const column = page.locator("table.table_results tbody tr td.data:nth-child(5)")
            await column.first().getByText(first, { exact: true }).waitFor()
            ids.push(...(await column.allInnerTexts()).map((one) => one.trim()))
            if (first !== "51") await page.locator("input[name=navig][title*=Next]").first().click()
          }
          return { ids }
        },
        verify: async (read) => deepStrictEqual(read, { ids: grains.map((_, index) => String(index + 1)) })
      }),
      at(table, {
        name: "search",
        moves: [
          tab("table/search"),
          type("//input[@id='fieldID_1']", "grain 42"),
          click("//form[@id='tbl_search_form']//input[@name='submit']"),
          read({ ids: numbers }, rows)
        ],
        byHand: async (page) => {
          await tabByHand(page, "table/search")
          await page.locator("#fieldID_1").fill("grain 42")
          await page.locator("#tbl_search_form input[name=submit]").click()
          const row = page.locator("table.table_results tbody tr")
          await row.first().waitFor()
          return { ids: [(await row.locator("td.data").first().innerText()).trim()] }
        },
        verify: async (read) => deepStrictEqual(read, { ids: ["42"] })
      }),
      at(table, {
        name: "download",
        moves: [tab("table/export"), click("//input[@id='buttonGo']"), step("FILE_DOWNLOAD", { metadata: {} })],
        byHand: async (page) => {
          await tabByHand(page, "table/export")
          const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#buttonGo").click()])
          return { files: [await readFile(await download.path(), "utf8")] }
        },
        verify: async (read) => {
          const { files } = read as { files: ReadonlyArray<string> }
          ok(files[0]?.includes("'grain 60'"), files[0]?.slice(0, 400))
        }
      }),
      at(whole, {
        name: "upload",
        moves: [
          tab("database/import"),
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("more.sql", "insert into orders values (200, 'a sheaf', 1);"),
            file_name: "more.sql",
            selector: "//input[@id='input_import_file']"
          }),
          click("//input[@id='buttonGo']"),
          said
        ],
        byHand: async (page) => {
          await tabByHand(page, "database/import")
          const buffer = Buffer.from("insert into orders values (200, 'a sheaf', 1);")
          await page.locator("#input_import_file").setInputFiles({ name: "more.sql", mimeType: "text/plain", buffer })
          await page.locator("#buttonGo").click()
          return await saidByHand(page)
        },
        verify: async () => deepStrictEqual(await query("select name from shop.orders where id = 200"), [["a sheaf"]])
      }),
      at(table, {
        name: "drag a column",
        moves: [
          step("DRAG", {
            selector: "//th[@data-column='amount']",
            position: { x: -4, y: 6 },
            to_selector: "//th[@data-column='id']",
            to_position: { x: 8, y: 6 }
          }),
          read({ columns: texts("//table[contains(@class, 'table_results')]//th[@data-column]/@data-column") })
        ],
        byHand: async (page) => {
          const head = page.locator("th[data-column=amount]")
          const box = await head.boundingBox()
          await head.hover({ position: { x: (box?.width ?? 0) - 4, y: 6 } })
          await page.mouse.down()
          const goal = await page.locator("th[data-column=id]").boundingBox()
          await page.mouse.move((goal?.x ?? 0) + 8, (goal?.y ?? 0) + 6, { steps: 10 })
          await page.mouse.up()
          const all = page.locator("table.table_results th[data-column]")
          return { columns: await all.evaluateAll((heads) => heads.map((one) => one.getAttribute("data-column"))) }
        },
        verify: async (read) => deepStrictEqual(read, { columns: ["amount", "id", "name"] })
      }),
      at(whole, {
        name: "delete",
        moves: [
          click("//tr[@id='row_tbl_1']//a[contains(@class, 'drop_table_anchor')]"),
          click("//div[contains(@class, 'ui-dialog-buttonset')]/button[.='OK']"),
          said
        ],
        byHand: async (page) => {
          await page.locator("#row_tbl_1 a.drop_table_anchor").click()
          await page.locator(".ui-dialog-buttonset button", { hasText: "OK" }).click()
          return await saidByHand(page)
        },
        verify: async () => deepStrictEqual(await query("show tables from shop"), [["orders"]])
      })
    ]
    return {
      origin,
      tasks,
      stop: async () => {
        await server.stop()
        await stopAndRemove(database, state)
      }
    }
  }
}
