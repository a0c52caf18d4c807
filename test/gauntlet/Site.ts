/**
 * The site of the gauntlet: one server with the pages of every challenge.
 *
 * Each visit has its own address and memory, so any number of runs may be at the same challenge at once.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import { listening } from "../support/listening.ts"
import type { Challenge, Opened, Reply } from "./Challenge.ts"

export interface Site {
  /** The origins under which the site is reached. */
  readonly origins: ReadonlyArray<string>
  /** Begins a visit. */
  readonly visit: (challenge: Challenge) => { readonly url: string; readonly given: Opened["given"] }
}

/** Serves the pages of challenges on a free port. */
export const serve: Effect.Effect<Site, never, Scope.Scope> = Effect.gen(function* () {
  const visits = new Map<string, Opened>()
  let begun = 0
  const origins: Array<string> = []
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", headers } = request
    const url = new URL(request.url ?? "", `http://${headers.host}`)
    const [, slug = "", visit = "", ...rest] = url.pathname.split("/")
    const route = visits.get(`${slug}/${visit}`)?.routeAt(rest.join("/"))
    const body = await read(request)
    const place = `/${slug}/${visit}/`
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
    const reply = route?.({
      method,
      query: url.searchParams,
      headers,
      cookies: cookiesIn(headers.cookie ?? ""),
      body,
      form: new URLSearchParams(isForm ? body.toString() : ""),
      base: `${origins[0]}${place}`,
      elsewhere: `${origins[1]}${place}`
    })
    send(response, reply ?? { status: 404, body: "<h1>Not found</h1>" })
  }

  const port = yield* listening(server)
  origins.push(`http://127.0.0.1:${port}`, `http://localhost:${port}`)
  return {
    origins,
    visit: (challenge) => {
      const opened = challenge.open(origins[0] ?? "")
      const place = `${challenge.slug}/${++begun}`
      visits.set(place, opened)
      return { url: `${origins[0]}/${place}/`, given: opened.given }
    }
  }
})

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const send = (response: ServerResponse, reply: Reply): void => {
  if (typeof reply === "function") {
    reply(response)
    return
  }
  const { after = 0, body = "", headers = {}, status = 200 } = typeof reply === "string" ? { body: reply } : reply
  const finish = () => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (!response.hasHeader("content-type")) response.setHeader("content-type", "text/html; charset=utf-8")
    response.writeHead(status).end(body)
  }
  if (after === 0) finish()
  else setTimeout(finish, after)
}

const cookiesIn = (header: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    header
      .split("; ")
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
  )
