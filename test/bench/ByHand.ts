/**
 * The steps of the demo workflow as a good engineer would write them with Playwright: locators, and no waiting that is not
 * for something.
 */
import type { Page } from "playwright-core"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"

const amount = (text: string): number => Number(text.replace(/[^\d.]/g, ""))

export const runByHand = async (page: Page, site: string, status: string) => {
  await page.goto(`${site}/orders`, { waitUntil: "domcontentloaded" })
  await page.locator("#user").fill(demoUsers.clerk.user)
  await page.locator("#password").fill(demoUsers.clerk.password)
  await page.locator("#sign-in").click()
  if ((await page.locator("h1").textContent()) !== "Orders") throw new Error("Not signed in")
  await page.locator("#status").selectOption(status)
  await page.locator("#filter").click()
  const orders: Array<unknown> = []
  while (true) {
    await page.locator("#orders").waitFor()
    const rows = await page
      .locator("#orders tbody tr")
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? ""))
      )
    orders.push(
      ...rows.map(([number, date, customer, , total = ""]) => ({ number, date, customer, total: amount(total) }))
    )
    if ((await page.locator("#next").count()) === 0) break
    await page.locator("#next").click()
  }
  await page.goto(`${site}/orders/${(orders[0] as { number: string }).number}`, { waitUntil: "domcontentloaded" })
  await page.locator("#lines[data-loaded]").waitFor()
  const newest = await page.evaluate(() => {
    const text = (selector: string) => document.querySelector(selector)?.textContent?.trim() ?? ""
    return {
      number: text("#number"),
      customer: text("#customer"),
      city: text("#city"),
      total: text("#total"),
      lines: [...document.querySelectorAll("#lines tbody tr")].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? "")
      )
    }
  })
  await page.screenshot({ fullPage: true, type: "jpeg", quality: 80 })
  return {
    orders,
    newest: {
      ...newest,
      total: amount(newest.total),
      lines: newest.lines.map(([article, quantity, price = ""]) => ({
        article,
        quantity: Number(quantity),
        price: amount(price)
      }))
    }
  }
}
