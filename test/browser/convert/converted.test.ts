// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Selenium IDE are written so.
/** Files of other programs, converted and run on real pages: what they did is done. */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as YamlText from "../../../adapters/json/YamlText.ts"
import * as BabelScript from "../../../adapters/script/BabelScript.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { FileSource } from "../../../core/browser/file/FileSource.ts"
import * as Conversion from "../../../core/workflow/convert/Conversion.ts"
import * as Json from "../../../core/workspace/Json.ts"
import { walk } from "../../support/browser.ts"
import { body, Pages, pages } from "../../support/pages.ts"

/** Tells the server what happened. */
const told: Array<string> = []
const tell = (what: string) => `navigator.sendBeacon('/told?' + encodeURIComponent(${what}))`
const on = (event: string, what = "event.target.id") => `on${event}="${tell(`'${event} ' + ${what}`)}"`

const site = pages({
  "/told": (request, response) => {
    told.push(decodeURIComponent((request.url ?? "").slice("/told?".length)))
    response.writeHead(204).end()
  },
  "/frame": body(`<button id=inner ${on("click")}>Inside</button>`),
  "/popup": body(`<h1>Popup</h1><button id=popped ${on("click")}>In the popup</button>`),
  "/next": body("<h1>Next</h1><ul><li>one<li>two</ul>"),
  "/shop": body(`<h1>Shop</h1>
    <label>Name <input id=name ${on("change", "event.target.value")}></label>
    <input id=search placeholder="Search the shop" ${on("keydown", "event.key")}>
    <select id=country ${on("change", "event.target.value")}><option value=DE>Germany</option><option value=NL>Netherlands</option></select>
    <input type=checkbox id=box data-testid=box ${on("change", "String(event.target.checked)")}>
    <button id=twice ${on("dblclick")}>Twice</button>
    <button id=menu ${on("contextmenu")} ${on("mouseover")}>Menu</button>
    <button id=ask onclick="if (confirm('Sure?')) ${tell("'confirmed'")}">Ask</button>
    <button id=late onclick="setTimeout(() => { document.querySelector('#done').hidden = false }, 400)">Late</button>
    <p id=done hidden>Done</p>
    <div id=card draggable=true style="width:60px;height:30px;background:#ccc">Card</div>
    <div id=basket style="width:90px;height:60px;background:#eee" ondragover="event.preventDefault()" ondrop="${tell("'dropped'")}">Basket</div>
    <input type=file id=file ${on("change", "event.target.files[0].name")}>
    <a id=open href=/popup target=_blank>Open</a> <a id=next href=/next>Next</a>
    <iframe name=pay src=/frame></iframe>`)
})

/** The file that is uploaded. */
const file = { path: import.meta.filename, fileName: "converted.test.ts" }

/** Converts a file, runs it, and returns what the pages told. */
const ran = (make: (origin: string) => string, inputs: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { browser, site } = yield* Pages
    const found = Conversion.convert(make(site), { script: BabelScript.parse, yaml: YamlText.parse })
    if (Result.isFailure(found)) return assert.fail(JSON.stringify(found.failure))
    const { report, workflow } = found.success
    assert.deepStrictEqual(
      report.filter(({ outcome }) => outcome === "not_translated").map(({ message }) => message),
      []
    )
    told.length = 0
    const { nodes, edges } = workflow
    const examples = found.success.inputs.flatMap(({ example, name }) =>
      example === undefined ? [] : [[name, example]]
    )
    const seen = yield* walk({ nodes, edges }, { ...Object.fromEntries(examples), ...inputs }).pipe(
      Effect.provideService(Browser, browser),
      Effect.provideService(FileSource, { get: () => Effect.succeed(file) })
    )
    assert.strictEqual(seen.outcome._tag, "Success", JSON.stringify(seen.outcome))
    return { told: [...told], data: Json.objectOf(Json.objectOf(seen.outcome).data) }
  })

it.layer(site, { excludeTestServices: true })("a converted file", (it) => {
  it.effect("of Chrome DevTools Recorder does what was recorded", () =>
    Effect.gen(function* () {
      const click = (type: string, selector: string, more: object = {}) => ({ type, selectors: [[selector]], ...more })
      const { told } = yield* ran((origin) =>
        JSON.stringify({
          title: "t",
          steps: [
            { type: "navigate", url: `${origin}/shop` },
            { type: "change", value: "Ada", selectors: [["aria/Name"], ["#name"]] },
            { type: "change", value: "NL", selectors: [["select#country"]] },
            click("click", "[data-testid=box]"),
            click("doubleClick", "aria/Twice"),
            click("hover", "text/Menu"),
            click("click", "#menu", { button: "secondary" }),
            click("click", "#search"),
            { type: "keyDown", key: "Escape" },
            { type: "keyUp", key: "Escape" },
            click("click", "#inner", { frame: [0] }),
            click("click", "#ask"),
            click("click", "#late"),
            { type: "waitForElement", selectors: [["#done"]], visible: true, properties: { innerText: "Done" } },
            { type: "scroll", x: 0, y: 200 },
            click("click", "#open"),
            click("click", "#popped", { target: `${origin}/popup` }),
            { type: "close", target: `${origin}/popup` },
            click("click", "#next", {
              target: "main",
              assertedEvents: [{ type: "navigation", url: `${origin}/next` }]
            }),
            { type: "waitForElement", selectors: [["ul li"]], count: 2, operator: "==" }
          ]
        })
      )
      const expected = [
        "change Ada",
        "change NL",
        "change true",
        "dblclick twice",
        "mouseover menu",
        "contextmenu menu",
        "keydown Escape",
        "click inner",
        "confirmed",
        "click popped"
      ]
      for (const one of expected) assert.include(told, one)
    })
  )

  it.effect("of Selenium IDE does what its commands say", () =>
    Effect.gen(function* () {
      const { told } = yield* ran((origin) =>
        JSON.stringify({
          name: "p",
          url: origin,
          suites: [],
          tests: [
            {
              id: "t",
              name: "t",
              commands: [
                ["open", "/shop"],
                ["assertTitle", "Page"],
                ["storeText", "css=h1", "heading"],
                ["type", "id=name", "${heading} Ada"],
                ["assertValue", "id=name", "Shop Ada"],
                ["select", "id=country", "label=Netherlands"],
                ["assertSelectedLabel", "id=country", "Netherlands"],
                ["check", "id=box"],
                ["assertChecked", "id=box"],
                ["dragAndDropToObject", "id=card", "id=basket"],
                ["times", "2"],
                ["doubleClick", "id=twice"],
                ["end"],
                ["if", "${heading} === 'Shop'"],
                ["sendKeys", "id=search", "a${KEY_ESC}"],
                ["else"],
                ["click", "id=ask"],
                ["end"],
                ["selectFrame", "index=0"],
                ["click", "id=inner"],
                ["click", "linkText=Next"],
                ["waitForElementVisible", "css=li:nth-child(2)", "5000"],
                ["assertNotText", "css=h1", "Shop"]
              ].map(([command, target = "", value = ""]) => ({ command, target, value, targets: [] }))
            }
          ]
        })
      )
      const expected = ["change Shop Ada", "change NL", "change true", "dropped", "keydown Escape", "click inner"]
      for (const one of expected) assert.include(told, one)
      assert.lengthOf(
        told.filter((one) => one === "dblclick twice"),
        2
      )
      assert.notInclude(told, "confirmed")
    })
  )

  it.effect("of Playwright does what its calls say", () =>
    Effect.gen(function* () {
      const { site } = yield* Pages
      const { told } = yield* ran(
        (origin) => `
          import { test, expect } from "@playwright/test"
          test("t", async ({ page }) => {
            await page.goto("${origin}/shop")
            await page.getByLabel("Name").fill("Ada")
            await page.getByPlaceholder("search").press("Escape")
            await page.locator("#country").selectOption({ label: "Netherlands" })
            await page.getByTestId("box").setChecked(true)
            await page.getByRole("button", { name: /twice/i }).dblclick()
            await page.getByText("Menu", { exact: true }).click({ button: "right" })
            await page.locator("iframe[name=pay]").contentFrame().getByRole("button").click()
            await page.frameLocator("iframe").locator("#inner").hover()
            await page.locator("#card").dragTo(page.locator("#basket"))
            page.once("dialog", (dialog) => dialog.accept())
            await page.locator("button").filter({ hasText: "Ask" }).first().click()
            await page.locator("#file").setInputFiles("a.txt")
            await page.locator("//button[@id='late']").click()
            await expect(page.locator("#done")).toBeVisible()
            await expect(page.locator("#done")).not.toHaveText("Open")
            if (await page.locator("#done").isVisible()) {
              await page.getByLabel("Name").fill("Bea")
            }
            const popupPromise = page.waitForEvent("popup")
            await page.getByRole("link", { name: "Open" }).click()
            const popup = await popupPromise
            await popup.locator("#popped").click()
            await popup.close()
            await page.getByRole("link", { name: "Next" }).click()
            await expect(page).toHaveURL(/next$/)
            await expect(page.getByRole("listitem")).toHaveCount(2)
          })`,
        { file_url: `${site}/next` }
      )
      const expected = [
        "change Ada",
        "keydown Escape",
        "change NL",
        "change true",
        "dblclick twice",
        "contextmenu menu",
        "click inner",
        "dropped",
        "change converted.test.ts",
        "confirmed",
        "change Bea",
        "click popped"
      ]
      for (const one of expected) assert.include(told, one)
    })
  )
})
