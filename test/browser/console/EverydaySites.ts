/** What people come with: a shop, a form with a calendar and a file, and a mailbox of two panes. */
import type { IncomingMessage } from "node:http"
import { Effect, type Scope } from "effect"
import { html, serve } from "../../support/site.ts"

const page = (title: string, body: string, script = "") =>
  html(`<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,">
    <style>body { font: 16px sans-serif; margin: 2em } .cards, .panes { display: flex; gap: 24px } .card { border: 1px solid; padding: 16px }
      .panes > * { flex: 1 } [role=option] { padding: 12px; cursor: pointer } td button { width: 3em }</style>
    <h1>${title}</h1>${body}<script>${script}</script></html>`)

export const products = [
  { name: "Lamp", price: "1.249,00 €", text: "Bright and small" },
  { name: "Chair", price: "89,90 €", text: "Made of oak" },
  { name: "Desk", price: "412,50 €", text: "Goes up and down" }
]

const shop = page(
  "Shop",
  `<div class="cards">${products
    .map(
      ({ name, price }, at) =>
        `<article class="card"><a href="/shop/${at}"><h3>${name}</h3></a><span class="price">${price}</span><button>Buy</button></article>`
    )
    .join("")}</div>`
)

/** A form whose date is chosen in a calendar, and whose file is taken by a field. */
const form = page(
  "Claim",
  `<form method="post" action="/claim" enctype="multipart/form-data">
    <p><label>Name <input name="name"></label></p>
    <p><label>Born <input name="born" type="date"></label></p>
    <p><label for="day">Day</label> <input id="day" name="day" readonly></p>
    <table id="calendar" hidden><tbody><tr>${[14, 15, 16].map((day) => `<td><button type="button">${day}</button></td>`).join("")}</tr></tbody></table>
    <p><label>Receipt <input name="receipt" type="file"></label></p>
    <p><label><input name="agreed" type="checkbox"> I agree</label></p>
    <button>Send</button></form>`,
  `day.onclick = () => { calendar.hidden = false }
  for (const button of calendar.querySelectorAll("button")) button.onclick = () => {
    day.value = "2026-11-" + button.textContent
    calendar.hidden = true
  }`
)

export const mails = [
  { from: "Ada", subject: "Minutes", text: "We met on Monday" },
  { from: "Ben", subject: "Order", text: "Please send two" },
  { from: "Cleo", subject: "Thanks", text: "It arrived well" }
]

/** A mail is shown beside the list, a moment after it was pressed. */
const mail = page(
  "Mail",
  `<div class="panes"><div role="listbox" aria-label="Mails">${mails
    .map(({ from, subject }) => `<div role="option" class="mail"><b>${from}</b> <span>${subject}</span></div>`)
    .join("")}</div><section aria-label="Mail"><h2></h2><p id="text"></p></section></div>`,
  `const all = ${JSON.stringify(mails)}
  for (const [at, one] of [...document.querySelectorAll("[role=option]")].entries()) one.onclick = async () => {
    await fetch("/moment")
    document.querySelector("h2").textContent = all[at].subject
    document.querySelector("#text").textContent = all[at].text
  }`
)

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** The sites, and what was sent by the form. */
export const open: Effect.Effect<
  { readonly origin: string; readonly sent: ReadonlyArray<string> },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const sent: Array<string> = []
  const origin = yield* serve({
    "/shop": shop,
    ...Object.fromEntries(
      products.map(({ name, text }, at) => [`/shop/${at}`, page(name, `<p class="about">${text}</p>`)])
    ),
    "/form": form,
    "/receipt.txt": (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("12.50"),
    "/claim": (request, response) =>
      void textOf(request).then((text) => {
        sent.push(text)
        page("Thank you", "")(request, response)
      }),
    "/mail": mail,
    "/moment": (_, response) => void setTimeout(() => response.writeHead(204).end(), 300)
  })
  return { origin, sent }
})
