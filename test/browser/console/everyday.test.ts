/** Three sites that people come with, each automated by pointing alone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Desk, hand, looked } from "./Desk.ts"
import * as EverydaySites from "./EverydaySites.ts"

const recording = async (page: Page, name: string, address: string) => {
  await page.evaluate("location.hash = '#/author'")
  const one = hand(page)
  await one.fill("Name", name)
  await one.fill("First page", address)
  await one.press("Start recording")
  return one
}

const dataRead = async (page: Page): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(await page.getByRole("region", { name: "What was read as JSON" }).innerText())

/** Ends the recording without a save. */
const end = async (page: Page, { press }: ReturnType<typeof hand>) => {
  await press("End")
  await page.getByRole("dialog").getByRole("button", { name: "End without saving" }).click()
  await page.getByText("Nothing is being recorded").waitFor()
}

layer(Desk.layer, { excludeTestServices: true })("a person who is new", (it) => {
  it.effect("reads the products of a shop with their prices, and what is on the page of each", () =>
    Effect.gen(function* () {
      const { origin } = yield* EverydaySites.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, "Products", `${origin}/shop`)
        await one.press("Read data")
        await one.press("Read: text “1.249,00 €”")
        await one.press("Read: text “89,90 €”")
        await page.getByText(/rows, as they would be read$/).waitFor()
        await looked(page, "shop")
        await one.press("Read")
        await one.said(/Done: Read rows/)
        const { rows } = await dataRead(page)
        await one.press("Point")
        await one.press("Choose: link “Lamp”")
        await one.press("For each of the 3 rows")
        await page.getByRole("heading", { name: "For each of rows" }).waitFor()
        await one.press("Click: link “Lamp”")
        await one.said(/Done: Click/)
        await one.press("Read data")
        await one.press("Read: text “Bright and small”")
        await one.press("Read")
        await one.said(/Done: Read/)
        await page.getByLabel("Action").selectOption({ label: "Go back" })
        await one.press("Do it")
        await one.said(/Done: Go back/)
        await one.press("End the loop")
        await one.said(/^Did \d+ steps/)
        const read = JSON.stringify([rows, await dataRead(page)])
        for (const { name, text } of EverydaySites.products) {
          assert.include(read, name)
          assert.include(read, text)
        }
        assert.include(read, "1249")
        await end(page, one)
      })
    })
  )

  it.effect("fills a form, chooses a day in its calendar, and puts a file into it", () =>
    Effect.gen(function* () {
      const { origin, sent } = yield* EverydaySites.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, "Claim", `${origin}/form`)
        await one.press("Type into: textbox “Name”")
        await one.fill("Text", "Ada")
        await one.press("Type it as input “name”")
        await one.said(/Done: Type into Name/)
        await one.press(/^Type into: .*“Born”$/)
        await looked(page, "date")
        await one.fill("Date", "1990-02-03")
        await one.press("Type it")
        await one.said(/Done: Type into Born/)
        await one.press("Type into: textbox “Day”")
        await one.press("Click it instead")
        await one.said(/Done: Click Day/)
        await one.press("Click: button “15”")
        await one.said(/Done: Click 15/)
        await one.press("Put a file into: file field “Receipt”")
        await looked(page, "upload")
        await one.fill("Address of the file", `${origin}/receipt.txt`)
        await one.press(/^Put it there as input/)
        await one.said(/Done: Put a file into Receipt/)
        await one.press(/“I agree”$/)
        await one.said(/Done: Click I agree/)
        await one.press("Click: button “Send”")
        await one.said(/Done: Click Send/)
        await end(page, one)
      })
      const [text = ""] = sent
      for (const part of ["Ada", "1990-02-03", "2026-11-15", "12.50", "on"]) assert.include(text, part)
    })
  )

  it.effect("reads every mail of a mailbox of two panes, which shows one beside the list", () =>
    Effect.gen(function* () {
      const { origin } = yield* EverydaySites.open
      const { page } = yield* Desk
      yield* Effect.promise(async () => {
        const one = await recording(page, "Mails", `${origin}/mail`)
        await one.press("Point")
        await one.press(/^Choose: option “Ada/)
        await looked(page, "mailbox")
        await one.press("For each of the 3 rows")
        await page.getByRole("heading", { name: "For each row" }).waitFor()
        await one.press(/^Click: option “Ada/)
        await one.said(/Done: Click/)
        await one.press("Read data")
        await one.press("Read: heading “Minutes”")
        await one.press("Read: text “We met on Monday”")
        await looked(page, "mail")
        await one.press("Read")
        await one.said(/Done: Read/)
        await one.press("End the loop")
        await one.said(/^Did \d+ steps/)
        const read = JSON.stringify(await dataRead(page))
        for (const { text } of EverydaySites.mails) assert.include(read, text)
        await end(page, one)
      })
    })
  )
})
