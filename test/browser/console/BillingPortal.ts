/**
 * A billing portal as sites have them: a banner, a password, a one-time code in six boxes, and three pages of invoices that fill
 * late, each invoice a PDF that opens in a tab.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Clock, Effect, Redacted, Result, type Scope } from "effect"
import * as Otp from "../../../core/vault/otp/Otp.ts"
import { type Answer, html, serve } from "../../support/site.ts"

export const customer = { user: "front-desk", password: "tide-and-timber", secret: "JBSWY3DPEHPK3PXP" }

/** Another second factor of the customer, whose codes are counted: none has to wait for the one before to be over. */
export const counted = `otpauth://hotp/front-desk?secret=${customer.secret}&counter=0`

export const pages = 3
const perPage = 4

/** The invoices of a page. */
export const invoicesOf = (page: number): ReadonlyArray<string> =>
  Array.from({ length: perPage }, (_, row) => `R-${100 + (page - 1) * perPage + row}`)

/** How the portal differs from what a workflow was made for. */
export interface Changes {
  /** The label and the name of the field for the user. */
  readonly user?: readonly [label: string, name: string]
  readonly signIn?: string
  /** A password is enough: each code would have to wait for the one before to be over. */
  readonly withoutCode?: boolean
  /** The files are in the first column. */
  readonly filesFirst?: true
  /** A message covers the page until it is closed. */
  readonly news?: true
  /** No banner asks for cookies. */
  readonly withoutBanner?: true
  /** The heading of the column of totals. */
  readonly total?: string
  /** The links to the next page are above the list as well. */
  readonly pagerTwice?: true
  /** The labels of the fields for user and password. */
  readonly labels?: readonly [user: string, password: string]
  /** The field for the user stands in a box beside its label. */
  readonly wrapped?: true
}

export interface BillingPortal {
  readonly origin: string
  /** Changes the portal, from what it was at first. */
  readonly change: (changes: Changes) => void
  /** The paths that were asked for since this was last asked. */
  readonly asked: () => ReadonlyArray<string>
}

const page = (title: string, body: string, script = ""): Answer =>
  html(`<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,">
    <style>body { font: 16px sans-serif; margin: 2em } td, th { padding: 8px 16px; text-align: left }
      #banner { position: fixed; inset: auto 0 0; padding: 24px; background: #ffd } [data-digit] { width: 2em }</style>
    <h1>${title}</h1>${body}<script>${script}</script></html>`)

const banner = `<div id="banner">This portal keeps cookies. <button onclick="document.cookie = 'agreed=1; path=/'; banner.remove()">Accept all</button></div>`

const news = `<div id="news" style="position: fixed; inset: 0; background: #fffd; padding: 4em">We have a new look.
  <button onclick="document.cookie = 'seen=1; path=/'; news.remove()">Not now</button></div>`

const login = (
  { labels, news: isNew, signIn = "Sign in", withoutBanner, wrapped, ...changes }: Changes,
  complaint = ""
) => {
  const [label, name] = changes.user ?? [labels?.[0] ?? "User", "user"]
  const field = `<input id="u" name="${name}">`
  return page(
    "Sign in",
    `<form method="post" action="/login"><p>${wrapped ? `<label for="u">${label}</label> <span>${field}</span>` : `<label>${label} ${field}</label>`}</p>
      <p><label>${labels?.[1] ?? "Password"} <input name="password" type="password"></label></p><p role="alert">${complaint}</p>
      <button>${signIn}</button></form>${withoutBanner ? "" : banner}${isNew ? news : ""}`,
    "if (/agreed/.test(document.cookie)) banner.remove(); if (/seen/.test(document.cookie)) news.remove()"
  )
}

const boxes = `<fieldset><legend>Enter the code of your app</legend>${Array.from(
  { length: 6 },
  (_, at) => `<input data-digit name="d${at}" aria-label="Digit ${at + 1}" maxlength="1" inputmode="numeric">`
).join("")}</fieldset>`

const code = page(
  "Second step",
  `<form method="post" action="/code">${boxes}<button>Continue</button></form>`,
  `const boxes = [...document.querySelectorAll("[data-digit]")]
  for (const [at, box] of boxes.entries()) box.oninput = () => { if (box.value !== "") boxes[at + 1]?.focus() }`
)

/** How late the rows of a page come, in milliseconds. */
const lateMillis = 400

const list = ({ filesFirst, pagerTwice, total = "Total" }: Changes) =>
  page(
    "Invoices",
    `${pagerTwice ? "<p data-pager></p>" : ""}<table><thead><tr>${filesFirst ? "<th>File" : ""}<th>Number<th>${total}${filesFirst ? "" : "<th>File"}</tr></thead><tbody></tbody></table>
      <p data-pager></p>`,
    `const number = Number(new URLSearchParams(location.search).get("page") ?? 1)
  fetch("/rows?page=" + number).then((answer) => answer.json()).then((rows) => {
    document.querySelector("tbody").innerHTML = rows.map((row) => {
      const file = "<td><a target=_blank href=/invoices/" + row + ".pdf>PDF</a></td>"
      const others = "<td>" + row + "</td><td>" + Number(row.slice(2)) / 4 + "</td>"
      return ${filesFirst === true} ? "<tr>" + file + others : "<tr>" + others + file
    }).join("")
    if (number === ${pages}) return
    for (const pager of document.querySelectorAll("[data-pager]")) pager.innerHTML = "<a href='/invoices?page=" + (number + 1) + "'>Next</a>"
  })`
  )

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"))
}

const redirect = (response: ServerResponse, location: string, cookie: string) =>
  void response.writeHead(303, { location, "set-cookie": `${cookie}; HttpOnly; Path=/` }).end()

export const open: Effect.Effect<BillingPortal, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const totp = Result.getOrThrow(Otp.parse(Redacted.make(customer.secret)))
  const hotp = Result.getOrThrow(Otp.parse(Redacted.make(counted)))
  /** A code of this half minute, or of the one before or after; or one of the first that are counted. */
  const isCode = (given: string) =>
    (totp._tag === "Totp" &&
      [-30_000, 0, 30_000].some(
        (more) => Redacted.value(Otp.timed(totp, clock.currentTimeMillisUnsafe() + more).code) === given
      )) ||
    (hotp._tag === "Hotp" && [0, 1, 2, 3].some((count) => Redacted.value(Otp.counted(hotp, count)) === given))
  const asked: Array<string> = []
  let changes: Changes = {}
  /** A page as it is at present. */
  const now =
    (made: (changes: Changes) => Answer): Answer =>
    (request, response) =>
      made(changes)(request, response)
  const known =
    (answer: Answer): Answer =>
    (request, response) => {
      asked.push(request.url ?? "")
      if (/session=known/.test(request.headers.cookie ?? "")) answer(request, response)
      else login(changes, "Sign in first")(request, response)
    }
  const pdf: Answer = (request, response) =>
    void response.writeHead(200, { "content-type": "application/pdf" }).end(`%PDF-1.4\n% ${request.url}\n%%EOF`)
  const all = Array.from({ length: pages }, (_, at) => invoicesOf(at + 1)).flat()
  const origin = yield* serve({
    "/": now(login),
    "/login": (request, response) =>
      void formOf(request).then((form) =>
        form.get(changes.user?.[1] ?? "user") === customer.user && form.get("password") === customer.password
          ? changes.withoutCode
            ? redirect(response, "/invoices", "session=known")
            : code(request, response)
          : login(changes, "Wrong user or password")(request, response)
      ),
    "/code": (request, response) =>
      void formOf(request).then((form) =>
        isCode([...form.values()].join("")) ? redirect(response, "/invoices", "session=known") : code(request, response)
      ),
    "/invoices": known(now(list)),
    "/rows": known(({ url = "" }, response) => {
      const rows = JSON.stringify(invoicesOf(Number(new URL(url, "http://portal.example").searchParams.get("page"))))
      setTimeout(() => void response.writeHead(200, { "content-type": "application/json" }).end(rows), lateMillis)
    }),
    ...Object.fromEntries(all.map((number) => [`/invoices/${number}.pdf`, known(pdf)]))
  })
  return {
    origin,
    change: (given) => {
      changes = given
    },
    asked: () => asked.splice(0)
  }
})
