/**
 * The site of the demo workflow: a login, for some users with a second factor, a table over several pages, and a page for
 * each row. It listens on loopback only.
 */
import { createServer, type IncomingMessage } from "node:http"
import { Clock, Effect } from "effect"
import { type DemoUser, demoUsers } from "./DemoUsers.ts"
import { orders, type Status } from "./Orders.ts"
import * as Pages from "./Pages.ts"
import { type Message, SignIn } from "./SignIn.ts"

/** Delivers a message of the site to a user. It completes when the message is sent. */
export type DeliverMessage = (message: Message) => Promise<void>

export interface Options {
  readonly post: DeliverMessage
  /** The users of the site. */
  readonly users: ReadonlyArray<DemoUser>
}

const defaults: Options = { post: () => Promise.resolve(), users: Object.values(demoUsers) }

/** Serves the site on a port, or on a free one when the port is in use, and answers its origin. */
export const serve = (wantedPort: number, options: Partial<Options> = {}) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const site = { ...defaults, ...options, signIn: new SignIn(() => clock.currentTimeMillisUnsafe()) }
    const listening = Effect.callback<{ readonly origin: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        answer(site, request)
          .then(({ body, headers, status }) => void response.writeHead(status, headers).end(body))
          .catch(() => response.destroy())
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
    })
    const { origin } = yield* Effect.acquireRelease(listening, ({ close }) => Effect.sync(close))
    return origin
  })

interface SiteState extends Options {
  readonly signIn: SignIn
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const html = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body
})

const redirect = (location: string, headers: Record<string, string> = {}): Answer => ({
  status: 303,
  headers: { location, ...headers },
  body: ""
})

const answer = async ({ signIn, post, users: known }: SiteState, request: IncomingMessage): Promise<Answer> => {
  const url = URL.parse(request.url ?? "", "http://demo")
  if (url === null) return html(400, Pages.problem("Bad request", "The address is not valid"))
  const origin = `http://${request.headers.host ?? "127.0.0.1"}`
  const session = sessionOf(request)
  const standing = signIn.standing(session)
  const asks = standing._tag === "secondFactor" ? standing.second : null

  if (request.method === "POST") {
    const form = await readForm(request)
    if (form === null) return html(413, Pages.problem("Too much", "This form is too large"))
    if (url.pathname === "/login") {
      const [user, password] = [form.get("user"), form.get("password")]
      const demoUser = known.find((one) => one.user === user && one.password === password)
      if (demoUser === undefined) return html(401, Pages.login("Unknown user name or wrong password"))
      const begun = signIn.begin(demoUser, origin)
      if (begun.message !== null) await post(begun.message)
      const to = demoUser.second === null ? "/orders" : "/verify"
      return redirect(to, { "set-cookie": `${cookie}=${begun.session}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400` })
    }
    if (url.pathname === "/verify" && session !== null && asks !== null) {
      if (signIn.enter(session, (form.get("code") ?? "").trim())) return redirect("/orders")
      return signIn.standing(session)._tag === "secondFactor"
        ? html(401, Pages.verify(asks, "This code is not right, or was used before"))
        : html(401, Pages.login("Too many wrong codes: sign in again"))
    }
    if (url.pathname === "/verify/again" && session !== null && asks !== null) {
      const message = signIn.again(session, origin)
      if (message !== null) await post(message)
      return redirect("/verify")
    }
    return html(405, Pages.problem("Not allowed", "This address accepts no POST requests"))
  }
  if (request.method !== "GET") return html(405, Pages.problem("Not allowed", "This page accepts only GET requests"))
  if (url.pathname === "/login") return html(200, Pages.login(null))
  if (url.pathname === "/logout") {
    if (session !== null) signIn.leave(session)
    return redirect("/login", { "set-cookie": `${cookie}=; Path=/; Max-Age=0` })
  }
  if (url.pathname === "/verify" && asks !== null) return html(200, Pages.verify(asks, null))
  if (url.pathname === "/enter" && session !== null && asks?._tag === "link") {
    return signIn.enter(session, url.searchParams.get("ticket") ?? "")
      ? redirect("/orders")
      : html(401, Pages.problem("This link is not valid", "It was used, or replaced by a newer one"))
  }
  if (standing._tag !== "signedIn") return redirect(standing._tag === "secondFactor" ? "/verify" : "/login")
  return show(url)
}

/** The pages behind the login. */
const show = (url: URL): Answer => {
  if (url.pathname === "/" || url.pathname === "/orders") {
    const status = url.searchParams.get("status") || null
    if (status !== null && !isStatus(status))
      return html(400, Pages.problem("Bad request", "This status does not exist"))
    const page = Number(url.searchParams.get("page") ?? "1")
    if (!Number.isInteger(page) || page < 1) return html(400, Pages.problem("Bad request", "Pages are numbered from 1"))
    const wanted = orders.filter((order) => status === null || order.status === status)
    return html(200, Pages.list(wanted, { page, status }))
  }
  const [, number, lines] = /^\/orders\/([^/]+)(\/lines)?$/.exec(url.pathname) ?? []
  const order = orders.find((one) => one.number === number)
  if (order === undefined) return html(404, Pages.problem("Not found", "There is no such page"))
  if (lines === undefined) return html(200, Pages.detail(order))
  const body = order.lines.map((line) => ({
    article: line.article,
    quantity: line.quantity,
    price: Pages.money(line.unitCents)
  }))
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
}

const isStatus = (text: string): text is Status => text === "open" || text === "shipped" || text === "cancelled"

const cookie = "marlow"

const sessionOf = (request: IncomingMessage): string | null => {
  const pairs = (request.headers.cookie ?? "").split(/;\s*/).map((pair) => pair.split("="))
  return pairs.find(([name]) => name === cookie)?.[1] ?? null
}

const maxForm = 10_000

const readForm = async (request: IncomingMessage): Promise<URLSearchParams | null> => {
  let text = ""
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > maxForm) return null
  }
  return new URLSearchParams(text)
}
