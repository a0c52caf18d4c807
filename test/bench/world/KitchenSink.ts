/** The kitchen sink of Cypress: pages of all kinds of fields, and a list of tasks that the browser keeps. */
import { deepStrictEqual, ok } from "node:assert/strict"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { choose, click, doubleClick, list, read, rightClick, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import { npm } from "./Packages.ts"
import { freePort, start } from "./Processes.ts"

const version = "7.0.0"

const nothing = async () => undefined

const newTodo = "//input[@data-test='new-todo']"

/** The tasks that are in the list of a browser that has never been there. */
const given = ["Pay electric bill", "Walk the dog"]

const shownTodos = { todos: texts("//ul[contains(@class, 'todo-list')]/li//label") }

const added = (names: ReadonlyArray<string>) => names.map((name) => type(newTodo, `${name}{{enter}}`))

const addedByHand = async (page: Page, url: string, names: ReadonlyArray<string>) => {
  await page.goto(url, { waitUntil: "domcontentloaded" })
  for (const name of names) {
    await page.locator(".new-todo").fill(name)
    await page.locator(".new-todo").press("Enter")
  }
}

const todosByHand = async (page: Page) => ({ todos: await page.locator(".todo-list li label").allTextContents() })

const menu = "//a[contains(@class, 'dropdown-toggle')]"

const titles = ["Querying", "Traversal", "Window"] as const

export const application: Application = {
  name: "KitchenSink",
  version,
  start: async (folder) => {
    const root = join(await npm(folder, "cypress-example-kitchensink", version), "node_modules")
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const pages = join(root, "cypress-example-kitchensink/app")
    const { stop } = await start(
      process.execPath,
      [join(root, "serve/build/main.js"), "--no-clipboard", "--no-request-logging", "-l", `tcp://127.0.0.1:${port}`],
      { cwd: pages, url: origin }
    )
    const todo = `${origin}/todo`
    const actions = `${origin}/commands/actions`

    const tasks: ReadonlyArray<Task> = [
      {
        name: "send a form",
        prepare: nothing,
        url: actions,
        targets: ["#email1", "#couponCode1", ".action-form button[type=submit]"],
        workflow: [
          type("//input[@id='email1']", "ada@example.com"),
          type("//input[@id='couponCode1']", "HALFOFF"),
          click("//form[.//input[@id='couponCode1']]//button[@type='submit']"),
          read({ said: text("//p[.='Your form has been submitted!']") }, "//p[.='Your form has been submitted!']")
        ],
        byHand: async (page) => {
          await page.goto(actions, { waitUntil: "domcontentloaded" })
          await page.locator("#email1").fill("ada@example.com")
          await page.locator("#couponCode1").fill("HALFOFF")
          await page.locator(".action-form button").click()
          return { said: await page.locator(".action-form + p").textContent() }
        },
        verify: async (read) => deepStrictEqual(read, { said: "Your form has been submitted!" })
      },
      {
        name: "create",
        prepare: nothing,
        url: todo,
        targets: [".new-todo"],
        workflow: [
          ...added(["mow", "thresh", "winnow"]),
          read(
            { ...shownTodos, left: text("//span[@class='todo-count']") },
            "//ul[contains(@class, 'todo-list')]/li[5]"
          )
        ],
        byHand: async (page) => {
          await addedByHand(page, todo, ["mow", "thresh", "winnow"])
          await page.locator(".todo-list li").nth(4).waitFor()
          return { ...(await todosByHand(page)), left: await page.locator(".todo-count").textContent() }
        },
        verify: async (read) =>
          deepStrictEqual(read, { todos: [...given, "mow", "thresh", "winnow"], left: "5 items left" })
      },
      {
        name: "edit",
        prepare: nothing,
        url: todo,
        workflow: [
          ...added(["mow", "thresh"]),
          doubleClick("//li[.//label[.='mow']]//label"),
          type("//input[@class='edit']", "bind{{enter}}"),
          read(shownTodos, "//label[.='bind']")
        ],
        byHand: async (page) => {
          await addedByHand(page, todo, ["mow", "thresh"])
          await page.locator(".todo-list label", { hasText: "mow" }).dblclick()
          await page.locator(".todo-list .edit").fill("bind")
          await page.locator(".todo-list .edit").press("Enter")
          await page.getByText("bind").waitFor()
          return await todosByHand(page)
        },
        verify: async (read) => deepStrictEqual(read, { todos: [...given, "bind", "thresh"] })
      },
      {
        name: "filter",
        prepare: nothing,
        url: todo,
        targets: [".new-todo", ".filters a[href='#/active']"],
        workflow: [
          ...added(["mow", "thresh"]),
          click("//li[.//label[.='mow']]//input[@class='toggle']"),
          click("//ul[@class='filters']//a[@href='#/active']"),
          read(shownTodos, "//a[@href='#/active' and contains(@class, 'selected')]")
        ],
        byHand: async (page) => {
          await addedByHand(page, todo, ["mow", "thresh"])
          await page.locator(".todo-list li", { hasText: "mow" }).locator(".toggle").click()
          await page.locator(".filters a[href='#/active']").click()
          await page.locator(".filters a.selected[href='#/active']").waitFor()
          return await todosByHand(page)
        },
        verify: async (read) => deepStrictEqual(read, { todos: [...given, "thresh"] })
      },
      {
        name: "delete",
        prepare: nothing,
        url: todo,
        targets: [".new-todo", ".clear-completed"],
        workflow: [
          ...added(["mow", "thresh", "winnow"]),
          step("CLICK", { selector: "//li[.//label[.='mow']]", click_type: "hover" }),
          click("//li[.//label[.='mow']]//button[contains(@class, 'destroy')]"),
          click("//li[.//label[.='thresh']]//input[@class='toggle']"),
          click("//button[contains(@class, 'clear-completed')]"),
          read(shownTodos, "//ul[contains(@class, 'todo-list')][count(li) = 3]")
        ],
        byHand: async (page) => {
          await addedByHand(page, todo, ["mow", "thresh", "winnow"])
          await page.locator(".todo-list li", { hasText: "mow" }).hover()
          await page.locator(".todo-list li", { hasText: "mow" }).locator(".destroy").click()
          await page.locator(".todo-list li", { hasText: "thresh" }).locator(".toggle").click()
          await page.locator(".clear-completed").click()
          await page.locator(".todo-list li").nth(3).waitFor({ state: "detached" })
          return await todosByHand(page)
        },
        verify: async (read) => deepStrictEqual(read, { todos: [...given, "winnow"] })
      },
      {
        name: "edit in place",
        prepare: nothing,
        url: actions,
        workflow: [
          doubleClick("//div[@class='action-div']"),
          type("//input[contains(@class, 'action-input-hidden') and not(contains(@class, 'rightclick'))]", "mown"),
          rightClick("//div[@class='rightclick-action-div']"),
          type("//input[contains(@class, 'rightclick-action-input-hidden')]", "bound"),
          read({
            first: text("//input[contains(@class, 'action-input-hidden') and not(contains(@class, 'rightclick'))]"),
            second: text("//input[contains(@class, 'rightclick-action-input-hidden')]")
          })
        ],
        byHand: async (page) => {
          await page.goto(actions, { waitUntil: "domcontentloaded" })
          await page.locator(".action-div").dblclick()
          await page.locator(".action-input-hidden").fill("mown")
          await page.locator(".rightclick-action-div").click({ button: "right" })
          await page.locator(".rightclick-action-input-hidden").fill("bound")
          return {
            first: await page.locator(".action-input-hidden").inputValue(),
            second: await page.locator(".rightclick-action-input-hidden").inputValue()
          }
        },
        verify: async (read) => deepStrictEqual(read, { first: "mown", second: "bound" })
      },
      {
        name: "choose",
        prepare: nothing,
        url: actions,
        targets: [".action-select", ".action-checkboxes input[value=checkbox3]", "#optionsRadios2"],
        workflow: [
          choose("//select[contains(@class, 'action-select')][not(@multiple)]", "bananas"),
          click("//div[@class='action-checkboxes']//input[@value='checkbox3']"),
          click("//input[@name='optionsRadios'][@value='radio2']"),
          read({ fruit: text("//select[not(@multiple)]") })
        ],
        byHand: async (page) => {
          await page.goto(actions, { waitUntil: "domcontentloaded" })
          await page.locator(".action-select").selectOption("bananas")
          await page.locator(".action-checkboxes input[value=checkbox3]").check()
          await page.locator("input[name=optionsRadios][value=radio2]").check()
          return { fruit: await page.locator(".action-select").inputValue() }
        },
        verify: async (read) => deepStrictEqual(read, { fruit: "fr-bananas" })
      },
      {
        name: "drag",
        prepare: nothing,
        url: actions,
        workflow: [
          step("DRAG", {
            selector: "//input[@name='range-input']",
            position: { x: 8, y: 8 },
            to_selector: "//input[@name='range-input']"
          }),
          read({ value: text("//input[@name='range-input']/following-sibling::p") })
        ],
        byHand: async (page) => {
          await page.goto(actions, { waitUntil: "domcontentloaded" })
          const slider = page.locator(".trigger-input-range")
          await slider.scrollIntoViewIfNeeded()
          const box = await slider.boundingBox()
          if (box === null) throw new Error("There is no slider")
          await page.mouse.move(box.x + 8, box.y + 8)
          await page.mouse.down()
          await page.mouse.move(box.x + box.width / 2, box.y + 8, { steps: 5 })
          await page.mouse.up()
          return { value: await page.locator(".trigger-input-range + p").textContent() }
        },
        verify: async (read) => {
          const { value } = read as { value: string }
          ok(Number(value) > 40 && Number(value) < 60, value)
        }
      },
      {
        name: "page through",
        prepare: nothing,
        url: actions,
        targets: [
          "a.dropdown-toggle",
          ...titles.map((one) => `.dropdown-menu a[href='/commands/${one.toLowerCase()}']`)
        ],
        workflow: titles.flatMap((title) => [
          click(menu),
          click(`//ul[@class='dropdown-menu']//a[@href='/commands/${title.toLowerCase()}']`),
          read({ titles: list("//div[@class='banner']//h1", { title: text("/.") }) }, `//h1[.='${title}']`)
        ]),
        byHand: async (page) => {
          await page.goto(actions, { waitUntil: "domcontentloaded" })
          const read: Array<{ title: string }> = []
          for (const title of titles) {
            await page.locator("a.dropdown-toggle").click()
            await page.locator(`.dropdown-menu a[href='/commands/${title.toLowerCase()}']`).click()
            await page.locator("h1", { hasText: title }).waitFor()
            read.push({ title: (await page.locator(".banner h1").textContent()) ?? "" })
          }
          return { titles: read }
        },
        verify: async (read) => deepStrictEqual(read, { titles: titles.map((title) => ({ title })) })
      }
    ]
    return { origin, tasks, stop, alteredAfterScripts: true }
  }
}
