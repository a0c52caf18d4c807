/**
 * The site that the demo workflow works on: a login, a table over several pages, and a page for each row. It listens on
 * loopback only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"
import { orders, type Status } from "./Orders.ts"
import * as Pages from "./Pages.ts"

/** The credentials that the site accepts. They guard nothing. */
export const credentials = { user: "clerk@marlow.example", password: "tide-and-timber" } as const

/** Serves the site on the wanted port, or on a free one if that is taken, and answers its origin. */
export const serve = (wantedPort: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly origin: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        answer(request, response).catch(() => response.destroy())
      })
      server.on("error", () => server.listen(0, "127.0.0.1"))
      server.on("listening", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, close }))
      })
      server.listen(wantedPort, "127.0.0.1")
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ origin }) => origin))

/** The cookie of a signed-in visitor. Whoever knows it may read the orders of a wholesaler that does not exist. */
const cookie = "marlow=signed-in"

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const html = (status: number, page: string, headers: Record<string, string> = {}) =>
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(page)
  const redirect = (location: string, headers: Record<string, string> = {}) =>
    response.writeHead(303, { location, ...headers }).end()

  const url = URL.canParse(request.url ?? "", "http://demo") ? new URL(request.url ?? "", "http://demo") : null
  if (url === null) return void html(400, Pages.problem("Bad request", "This is no address"))
  if (url.pathname === "/login" && request.method === "POST") {
    const form = await readForm(request)
    if (form === null) return void html(413, Pages.problem("Too much", "This form is too large"))
    const known = form.get("user") === credentials.user && form.get("password") === credentials.password
    return void (known
      ? redirect("/orders", { "set-cookie": `${cookie}; Path=/; HttpOnly; SameSite=Lax` })
      : html(401, Pages.login("Unknown user name or wrong password")))
  }
  if (request.method !== "GET") return void html(405, Pages.problem("Not allowed", "This page can only be read"))
  if (url.pathname === "/login") return void html(200, Pages.login(null))
  if (url.pathname === "/logout") return void redirect("/login", { "set-cookie": "marlow=; Path=/; Max-Age=0" })
  if (!(request.headers.cookie ?? "").split(/;\s*/).includes(cookie)) return void redirect("/login")
  if (url.pathname === "/" || url.pathname === "/orders") {
    const status = url.searchParams.get("status") || null
    if (status !== null && !isStatus(status))
      return void html(400, Pages.problem("Bad request", "There is no such status"))
    const page = Number(url.searchParams.get("page") ?? "1")
    if (!Number.isInteger(page) || page < 1)
      return void html(400, Pages.problem("Bad request", "Pages are numbered from 1"))
    return void html(
      200,
      Pages.list(
        orders.filter((order) => status === null || order.status === status),
        { page, status }
      )
    )
  }
  const [, number, lines] = /^\/orders\/([^/]+)(\/lines)?$/.exec(url.pathname) ?? []
  const order = orders.find((one) => one.number === number)
  if (order === undefined) return void html(404, Pages.problem("Not found", "There is no such page"))
  if (lines === undefined) return void html(200, Pages.detail(order))
  const body = order.lines.map((line) => ({
    article: line.article,
    quantity: line.quantity,
    price: Pages.money(line.unitCents)
  }))
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const isStatus = (text: string): text is Status => text === "open" || text === "shipped" || text === "cancelled"

const maxForm = 10_000

const readForm = async (request: IncomingMessage): Promise<URLSearchParams | null> => {
  let text = ""
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > maxForm) return null
  }
  return new URLSearchParams(text)
}
