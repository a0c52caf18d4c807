/**
 * Ten tasks of the gauntlet as a good engineer would write them with Playwright: locators, data read in one go, and no
 * waiting that is not for something.
 */
import type { Locator, Page } from "playwright-core"

/** Does the task of a challenge, from opening its first page to the data. */
export type ByHand = (page: Page, url: string) => Promise<unknown>

const goto = (page: Page, url: string) => page.goto(url, { waitUntil: "domcontentloaded" })

const textOf = async (locator: Locator) => (await locator.textContent())?.trim() ?? ""

/** The texts of the cells of all rows. */
const cells = (rows: Locator) =>
  rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? ""))
  )

export const tasks: Readonly<Record<string, ByHand>> = {
  "late element": async (page, url) => {
    await goto(page, url)
    await page.getByText("Continue", { exact: true }).click()
    return { result: await textOf(page.locator("#result")) }
  },

  "re-rendering list": async (page, url) => {
    await goto(page, url)
    await page.getByText("Gamma", { exact: true }).click()
    return { result: await textOf(page.locator("#result")) }
  },

  "cookie banner": async (page, url) => {
    await goto(page, url)
    if ((await page.locator("#accept").count()) > 0) await page.locator("#accept").click()
    await page.locator("#go").click()
    await goto(page, `${url}?again`)
    if ((await page.locator("#accept").count()) > 0) throw new Error("Asked again")
    await page.locator("#go").click()
    return { result: await textOf(page.locator("#result")) }
  },

  "paged table": async (page, url) => {
    await goto(page, url)
    const goods: Array<unknown> = []
    while (true) {
      await page.locator("table").waitFor()
      for (const [name, price] of await cells(page.locator("tbody tr"))) goods.push({ name, price: Number(price) })
      if ((await page.locator("#next").count()) === 0) return { goods }
      await page.locator("#next").click()
    }
  },

  "list with detail pages": async (page, url) => {
    await goto(page, url)
    const names = (await page.locator("ul li a").allTextContents()).map((name) => name.trim())
    const goods: Array<unknown> = []
    for (const name of names) {
      await page.getByText(name, { exact: true }).click()
      await page.locator("dl").waitFor()
      const [title, price = ""] = await page.locator("dd").allTextContents()
      goods.push({ name: title, price: Number(price.replace(/[^\d.]/g, "")) })
      await page.goBack({ waitUntil: "domcontentloaded" })
    }
    return { names, goods }
  },

  autocomplete: async (page, url) => {
    await goto(page, url)
    await page.locator("input").pressSequentially("Hann", { delay: 20 })
    await page.locator("ul:not(:has(li:nth-child(2))) > li", { hasText: "Hannover" }).click()
    return { result: await textOf(page.locator("#result")), field: await page.locator("input").inputValue() }
  },

  "date picker by months": async (page, url) => {
    await goto(page, url)
    await page.locator("input").click()
    const month = page.locator("b")
    let shown = ""
    while (true) {
      const now = await textOf(month)
      if (now === "February 2027") break
      shown = now
      await page.locator("#on").click()
      await page.locator("b", { hasNotText: now }).waitFor()
    }
    await page.locator("td.in").getByText("28", { exact: true }).click()
    return { shown, result: await textOf(page.locator("#result")) }
  },

  "tabs with panels on demand": async (page, url) => {
    await goto(page, url)
    await page.getByRole("tab", { name: "Work" }).click()
    await page.locator("#Work:not([hidden]) > input").fill("Mill Road")
    await page.getByRole("tab", { name: "Home" }).click()
    await page.locator("#Work[hidden]").waitFor({ state: "attached" })
    return {
      home: await page.locator("#Home input").inputValue(),
      work: await page.locator("#Work input").inputValue()
    }
  },

  "wizard on the server": async (page, url) => {
    await goto(page, url)
    await page.locator("input[name=name]").fill("Ada")
    await page.getByText("Next", { exact: true }).click()
    await page.locator("select[name=plan]").selectOption({ label: "Large" })
    await page.locator("form[action=three] button").click()
    await page.locator("input[name=agree]").click()
    await page.getByText("Order", { exact: true }).click()
    return { result: await textOf(page.locator("#result")) }
  },

  "session that expires": async (page, url) => {
    const signIn = async () => {
      await page.locator("input[name=user]").fill("ada")
      await page.locator("input[name=password]").fill("difference")
      await page.locator("#login button").click()
      await page.locator("h1", { hasText: /^Page/ }).waitFor()
    }
    await goto(page, url)
    await signIn()
    const pages: Array<unknown> = []
    for (const no of [1, 2, 3]) {
      await goto(page, `${url}page?no=${no}`)
      if ((await textOf(page.locator("h1"))).includes("expired")) {
        await signIn()
        await goto(page, `${url}page?no=${no}`)
      }
      pages.push({ title: await textOf(page.locator("h1")), logins: await textOf(page.locator("#logins")) })
    }
    return { pages }
  }
}
