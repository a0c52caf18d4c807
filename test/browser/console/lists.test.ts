/** Lists that are read as a whole, and rows that are opened, by pointing alone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { chromiumPath, executablePath } from "../../support/realBrowser.ts"
import { Desk, hand, looked } from "./Desk.ts"
import * as ListSite from "./ListSite.ts"

/** Starts a recording on a page of the site. */
const recording = async (page: Page, address: string) => {
  await page.evaluate("location.hash = '#/author'")
  const one = hand(page)
  await one.fill("Name", "List")
  await one.fill("First page", address)
  await one.press("Start recording")
  return one
}

/** The numbers of the rows that were read, as the last answer has them. */
const numbersRead = async (page: Page): Promise<ReadonlyArray<string>> => {
  const text = await page.getByRole("region", { name: "What was read as JSON" }).innerText()
  const { rows } = JSON.parse(text) as { readonly rows: ReadonlyArray<{ readonly number: string }> }
  return rows.map(({ number }) => number)
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `N-${at + 1}`)

type Hand = ReturnType<typeof hand>

/** Reads the numbers of a list whose first two rows are in view. */
const readNumbers = async (page: Page, { fill, press }: Hand, kind: string) => {
  await press("Read data")
  await press(`Read: ${kind} “N-1”`)
  await press(`Read: ${kind} “N-2”`)
  await page.getByText(/rows, as they would be read$/).waitFor()
  await fill(`Name of ${kind} “N-1”`, "number")
  await page.keyboard.press("Tab")
}

/** Closes the recording without a save. */
const end = async (page: Page, { press }: Hand) => {
  await press("End")
  await page.getByRole("dialog").getByRole("button", { name: "End without saving" }).click()
  await page.getByText("Nothing is being recorded").waitFor()
}

layer(Desk.layer, { excludeTestServices: true })("a list", (it) => {
  it.effect("on pages whose last one leads to itself is read until no new rows come", () =>
    Effect.gen(function* () {
      const origin = yield* ListSite.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, `${origin}/pages`)
        await readNumbers(page, one, "cell")
        await one.press("Read")
        await one.said(/Done: Read rows/)
        await one.press("Point")
        await one.press("Choose: link “Next”")
        await one.choose("The last page is where", "no new rows come")
        await looked(page, "until")
        await one.press("Repeat the last step on every page")
        await one.steps.getByText("Are there new rows?").waitFor()
        await one.press("Run all again")
        await one.said(/^Did \d+ steps/)
        assert.deepStrictEqual(await numbersRead(page), ["N-1", "N-2", "N-0", "N-4", "N-5", "N-0"])
        await looked(page, "until-read")
        await end(page, one)
      })
    })
  )

  it.effect("whose rows come below each other is read once, with all of them", () =>
    Effect.gen(function* () {
      const origin = yield* ListSite.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, `${origin}/below`)
        await readNumbers(page, one, "cell")
        await one.press("Read")
        await one.said(/Done: Read rows/)
        await one.press("Point")
        await one.press("Choose: button “Load more”")
        await one.choose("The last page is where", "no new rows come")
        await page.getByLabel("New rows come below the others").check()
        await one.press("Load all rows before the last step")
        await one.steps.getByText("Are there new rows?").waitFor()
        await one.press("Run all again")
        await one.said(/^Did \d+ steps/)
        assert.deepStrictEqual(await numbersRead(page), numbers(ListSite.size.below))
        await end(page, one)
      })
    })
  )

  it.effect("that has only the rows in view is read as a whole by scrolling", () =>
    Effect.gen(function* () {
      const origin = yield* ListSite.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, `${origin}/view`)
        await readNumbers(page, one, "text")
        await page.getByLabel("More rows come as the list is scrolled").check()
        await looked(page, "scrolled")
        await one.press("Read")
        await one.said(/Done: Read rows/)
        await one.steps.getByText("Scroll to the end of rows").waitFor()
        assert.deepStrictEqual(await numbersRead(page), numbers(ListSite.size.inView))
        await end(page, one)
      })
    })
  )

  it.effect("of files that open in the place of the page keeps each, and goes back", () =>
    Effect.gen(function* () {
      const origin = yield* ListSite.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, `${origin}/files`)
        await one.press("Point")
        await one.press("Choose: link “PDF”")
        await one.press(`For each of the ${ListSite.size.files} rows`)
        await page.getByRole("heading", { name: "For each row" }).waitFor()
        await one.press("Click: link “PDF”")
        // The headless shell has no viewer of PDFs: it saves them, and the page stays.
        const back = executablePath === chromiumPath ? "; Go back" : ""
        await one.said(new RegExp(`Keep the file \\(N-1\\.pdf, \\d+ bytes\\)${back}`))
        await one.press("End the loop")
        await one.said(/^Did \d+ steps/)
        await one.steps.getByText(`N-${ListSite.size.files}.pdf, `).waitFor()
        await looked(page, "files")
        await end(page, one)
      })
    })
  )
})
