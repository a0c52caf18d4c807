/** *Bring it* of the console in a real Chromium: a file becomes a workflow, which is saved when its report was read. */
import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Page, chromium as playwright } from "playwright-core"
import { buildConsole } from "../../../apps/bootstrap/console.js"
import { hangMillis } from "../../support/limits.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const hostile = `<img src=x onerror="window.harmed=1">\u202e"'`
const password = "Rosebud-1941"

/** A recording of Chrome whose last step no workflow has. */
const recording = JSON.stringify({
  title: `Sign in ${hostile}`,
  steps: [
    { type: "navigate", url: "https://shop.example/" },
    { type: "change", selectors: [["#user"], ["aria/User"]], value: "ada" },
    { type: "change", selectors: [["#password"]], value: password },
    { type: "click", selectors: [["aria/Sign in"], ["#go"]] },
    { type: "customStep", name: `fly ${hostile}`, parameters: {} }
  ]
})

const pictures = process.env.SLUICE_CONSOLE_PICTURES

/** Nothing was harmed, axe finds nothing in either scheme, and nothing is cut off on a narrow screen. */
const looked = async (page: Page, name: string) => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      if (pictures !== undefined) {
        mkdirSync(pictures, { recursive: true })
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true })
      }
      const found = await page.evaluate(
        `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`
      )
      assert.deepStrictEqual(found, [], `${name}, ${colorScheme}, ${width} px`)
      const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      assert.isAtMost(over, 0, `${name}, ${width} px`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  assert.isUndefined(await page.evaluate("window.harmed"))
}

/** The page of a new workspace, signed in, and what goes wrong in it. */
const opened = Effect.gen(function* () {
  yield* Effect.promise(buildConsole)
  const { member, send, url } = yield* Service
  const owner = yield* member("Owner")
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => playwright.launch({ executablePath })),
    (one) => Effect.promise(() => one.close())
  )
  const wrong: Array<string> = []
  const page = yield* Effect.promise(async () => {
    const one = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    one.setDefaultTimeout(hangMillis)
    one.on("pageerror", (error) => wrong.push(error.message))
    await one.goto(url)
    await one.getByLabel("API key").fill(owner.key)
    await one.keyboard.press("Enter")
    await one.getByRole("heading", { name: "Home" }).waitFor()
    return one
  })
  const names = Effect.map(send({ method: "GET", path: "/workflows", key: owner.key }), ({ body }) =>
    (body as unknown as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
  )
  return { names, page, wrong }
})

it.layer(layerInMemory, { excludeTestServices: true })("a file of another program", (it) => {
  it.effect("becomes a workflow by the keyboard, after its report was read, and can be run", () =>
    Effect.gen(function* () {
      const { names, page, wrong } = yield* opened
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Bring a file" }).press("Enter")
        await page.getByRole("heading", { name: "Bring it", level: 1 }).waitFor()
        await looked(page, "bring")
        // The chooser opens by a key, and takes the file.
        const chooser = page.waitForEvent("filechooser")
        await page.getByLabel("Choose a file, or drop it here").press("Enter")
        await (await chooser).setFiles({
          name: "sign-in.json",
          mimeType: "application/json",
          buffer: Buffer.from(recording)
        })
        await page.getByText("5 steps from a recording of Chrome: 1 needs you").waitFor()
        await page.getByRole("row", { name: /customStep.*steps\[4\].*Not translated/s }).waitFor()
        await page.getByRole("row", { name: /LOGIN.*shop\.example.*PASSWORD, USER_NAME/s }).waitFor()
        assert.notInclude(await page.content(), password)
        await looked(page, "bring-report")
        await page.getByRole("button", { name: /^Not translated/ }).press("Enter")
        await page.getByRole("cell", { name: /navigate/ }).waitFor({ state: "detached" })
      })
      assert.deepStrictEqual(yield* names, [])
      yield* Effect.promise(async () => {
        const name = page.getByLabel("Name", { exact: true })
        assert.include(await name.inputValue(), "Sign in")
        await name.fill("Sign in to the shop")
        await name.press("Enter")
        await page.getByRole("link", { name: "Sign in to the shop" }).waitFor()
      })
      assert.deepStrictEqual(yield* names, ["Sign in to the shop"])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Run…" }).press("Enter")
        await page.getByRole("dialog").getByLabel("LOGIN").waitFor()
        await looked(page, "bring-saved")
      })
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("is taken by drop, by paste and as text, and one that cannot be read says why", () =>
    Effect.gen(function* () {
      const { names, page, wrong } = yield* opened
      const given = (event: string, transfer: string, text: string) =>
        page.evaluate(
          `{
            const data = new DataTransfer()
            data.items.add(new File([${JSON.stringify(text)}], "a.json"))
            document.querySelector(".drop").dispatchEvent(
              new ${event === "drop" ? "DragEvent" : "ClipboardEvent"}("${event}", { bubbles: true, cancelable: true, ${transfer}: data })
            )
          }`
        )
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Workflows", exact: true }).click()
        await page.getByRole("link", { name: "Bring it" }).click()
        await page.getByRole("heading", { name: "Bring it", level: 1 }).waitFor()
        await given("drop", "dataTransfer", recording)
        await page.getByText("5 steps from a recording of Chrome").waitFor()
        await given("paste", "clipboardData", '{"title": "a", "steps": [')
        await page.getByRole("alert").getByText("Cannot read the JSON at line 1").waitFor()
        assert.strictEqual(await page.getByText("5 steps from").count(), 0)
        await looked(page, "bring-refused")
        await page.getByLabel("Or paste its text").fill("await page.goto('https://shop.example/')")
        await page.getByRole("button", { name: "Translate the text" }).press("Enter")
        await page.getByText("1 step from Playwright: all are in the workflow").waitFor()
        assert.strictEqual(await page.getByRole("alert").count(), 0)
      })
      assert.deepStrictEqual(yield* names, [])
      assert.deepStrictEqual(wrong, [])
    })
  )
})
