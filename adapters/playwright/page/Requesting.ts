/**
 * Requests of a run in the session of its page: with the cookies and the network path of the browser context, and with
 * a limit on the size of an answer in memory.
 */
import { request as httpRequest, type IncomingMessage } from "node:http"
import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from "node:net"
import type { Readable } from "node:stream"
import { connect as tlsConnect } from "node:tls"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { Effect } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import { type ApiAnswer, type ApiRequest, RequestFailed, type Requests } from "../../../core/browser/Requests.ts"
import type { SiteHeaders } from "../../../core/browser/Session.ts"
import * as Names from "../../http/Names.ts"
import * as World from "../inpage/World.ts"
import * as SetCookie from "./SetCookie.ts"

export interface NetworkRoute {
  /** Connects to a host, unless it may not be reached; `null` connects from here. */
  readonly connect: ((host: string, port: number) => Promise<Socket>) | null
  /** Why a host was refused when it was last asked for. */
  readonly refusal: (url: URL) => { readonly kind: string; readonly reason: string } | null
  /** Looks up the hosts that are connected to from here. */
  readonly lookup: LookupFunction
  /** Headers that are sent to some origins. */
  readonly headers: ReadonlyArray<SiteHeaders>
}

const maxRedirects = 20

class Failed extends Error {
  readonly kind: RequestFailed["kind"]
  constructor(kind: RequestFailed["kind"], reason: string) {
    super(reason)
    this.kind = kind
  }
}

export const make = (page: () => Page, given: Omit<NetworkRoute, "lookup">): Requests => {
  const way: NetworkRoute = { ...given, lookup: Names.lookupOf(Names.make(Names.forSession)) }
  return {
    request: (asked) =>
      Effect.tryPromise({
        try: (signal) =>
          inTime(asked, page(), way, AbortSignal.any([signal, AbortSignal.timeout(asked.timeoutMillis)])),
        catch: (error) => {
          if (error instanceof Failed) return new RequestFailed({ kind: error.kind, reason: error.message })
          const isLate = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")
          const reason = isLate ? `no answer within ${Math.round(asked.timeoutMillis)} ms` : causeOf(error)
          return new RequestFailed({ kind: "unreachable", reason })
        }
      })
  }
}

/** Ends with the signal, even if the server, the browser or a stream is still waiting. */
const inTime = (asked: ApiRequest, page: Page, way: NetworkRoute, signal: AbortSignal): Promise<ApiAnswer> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.throwIfAborted()
    signal.addEventListener("abort", stop, { once: true })
    follow(asked, page, way, signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop))
  })

/** The code of an error of the network; its text may name addresses. */
const causeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : ""
  return `the server could not be reached${code}`
}

const follow = async (asked: ApiRequest, page: Page, way: NetworkRoute, signal: AbortSignal): Promise<ApiAnswer> => {
  const context = page.context()
  const origin = originOf(page.url())
  const agent = await userAgent(page)
  let url = new URL(asked.url)
  let { body, method } = asked
  let headers = asked.headers
  for (let hops = 0; ; hops++) {
    const foreign = body === null && headers.length === 0 && hops > 0 ? null : (asked.guard?.(url.href) ?? null)
    if (foreign !== null) throw new Failed("foreign", foreign)
    const own = way.headers.filter(({ origins }) => origins.includes(url.origin)).flatMap((header) => header.headers)
    const hasCookies = asked.credentials === "include" || (asked.credentials === "same-origin" && url.origin === origin)
    const all = new Map<string, string>([["accept", "*/*"]])
    if (agent !== null) all.set("user-agent", agent)
    if (origin !== null && method !== "GET" && method !== "HEAD") all.set("origin", origin)
    for (const { name, value } of own) all.set(name.toLowerCase(), value)
    if (hasCookies) {
      const cookies = (await context.cookies(url.href)).map(({ name, value }) => `${name}=${value}`)
      if (cookies.length > 0) all.set("cookie", cookies.join("; "))
    }
    for (const [name, value] of headers) all.set(name.toLowerCase(), value)
    const answer = await once({ ...asked, method, body }, url, all, way, signal)
    if (hasCookies) await keepCookies(context, url, answer.setCookies)
    const { location } = answer.headers
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined
    if (!isRedirect || asked.redirects === "manual") {
      const { setCookies: _told, ...rest } = answer
      return rest
    }
    if (hops >= maxRedirects) throw new Failed("redirects", `it was redirected more than ${maxRedirects} times`)
    if (URL.parse(location, url) === null)
      throw new Failed("redirects", "it was redirected to an address that is not valid")
    const next = new URL(location, url)
    if (next.protocol !== "http:" && next.protocol !== "https:") {
      throw new Failed("redirects", `it was redirected to an address with ${next.protocol}`)
    }
    const isDropped = answer.status === 303 ? method !== "HEAD" : answer.status < 303 && method === "POST"
    if (isDropped) {
      method = "GET"
      body = null
      headers = headers.filter(([name]) => !/^content-/i.test(name))
    }
    // Credentials of one site are not sent to another.
    if (next.origin !== url.origin) headers = headers.filter(([name]) => !/^(authorization|cookie)$/i.test(name))
    url = next
  }
}

interface Once extends ApiAnswer {
  readonly setCookies: ReadonlyArray<string>
}

const once = async (
  { body, maxBytes, method }: ApiRequest,
  url: URL,
  headers: ReadonlyMap<string, string>,
  way: NetworkRoute,
  signal: AbortSignal
): Promise<Once> => {
  const stream = await connected(url, way, signal)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = httpRequest({
        method,
        path: url.pathname + url.search,
        headers: {
          ...Object.fromEntries(headers),
          host: url.host,
          connection: "close",
          "accept-encoding": "gzip, deflate, br",
          ...(body === null ? {} : { "content-length": String(body.length) })
        },
        createConnection: () => stream,
        signal
      })
      onward.on("response", resolve)
      // No request asks for another protocol. An unhandled upgrade would leave the request pending.
      onward.on("upgrade", (_response, socket) => {
        socket.destroy()
        reject(
          new Failed("unreachable", "the server switched to another protocol (status 101), which was not asked for")
        )
      })
      onward.on("error", reject)
      // The connection ended without an answer and without an error.
      onward.on("close", () => reject(new Error("no answer")))
      onward.end(body ?? undefined)
    })
    const sent = Number(response.headers["content-length"] ?? 0)
    if (sent > maxBytes && method !== "HEAD") throw tooLarge(maxBytes)
    return {
      url: url.href,
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(", ") : (value ?? "")
        ])
      ),
      body: method === "HEAD" ? new Uint8Array() : await bodyOf(response, maxBytes, signal),
      setCookies: response.headers["set-cookie"] ?? []
    }
  } finally {
    stream.destroy()
  }
}

const tooLarge = (maxBytes: number): Failed => new Failed("too_large", `its answer is larger than ${maxBytes} bytes`)

/** Reads an answer to its end, counting what comes in and what that unpacks to. */
const bodyOf = async (response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
  const packing = (response.headers["content-encoding"] ?? "").trim().toLowerCase()
  const unpack =
    packing === "gzip" || packing === "x-gzip"
      ? createGunzip()
      : packing === "br"
        ? createBrotliDecompress()
        : packing === "deflate"
          ? createInflate()
          : null
  const source: Readable = unpack === null ? response : response.pipe(unpack)
  response.on("error", (error) => unpack?.destroy(error))
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    for await (const chunk of source) {
      if (signal.aborted) throw signal.reason
      // A stream without an encoding gives bytes.
      const bytes = chunk as Uint8Array
      length += bytes.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(bytes)
    }
  } finally {
    source.destroy()
    response.destroy()
  }
  return new Uint8Array(Buffer.concat(chunks))
}

const connected = async (url: URL, way: NetworkRoute, signal: AbortSignal): Promise<Socket> => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const secure = url.protocol === "https:"
  const port = Number(url.port || (secure ? 443 : 80))
  const socket = await reached(url, port, way, signal)
  if (!secure) return socket
  return new Promise((resolve, reject) => {
    const over = tlsConnect({ socket, ALPNProtocols: ["http/1.1"], ...(isIP(host) > 0 ? {} : { servername: host }) })
    const stop = () => over.destroy(signal.reason instanceof Error ? signal.reason : undefined)
    signal.addEventListener("abort", stop, { once: true })
    over.once("secureConnect", () => resolve(over))
    over.once("error", reject)
    over.once("close", () => signal.removeEventListener("abort", stop))
  })
}

const reached = async (
  url: URL,
  port: number,
  { connect, lookup, refusal }: NetworkRoute,
  signal: AbortSignal
): Promise<Socket> => {
  signal.throwIfAborted()
  const before = refusal(url)
  if (before?.kind === "forbidden") throw new Failed("forbidden", before.reason)
  if (connect === null) {
    return new Promise((resolve, reject) => {
      const socket = tcpConnect({ host: url.hostname.replace(/^\[|\]$/g, ""), port, lookup, signal }, () =>
        resolve(socket)
      )
      socket.on("error", reject)
    })
  }
  try {
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    })
    const socket = connect(url.hostname, port)
    // Destroy a socket that connects after the caller stopped waiting.
    socket.then((socket) => signal.aborted && socket.destroy()).catch(() => undefined)
    const found = await Promise.race([socket, late])
    found.on("error", () => found.destroy())
    return found
  } catch (error) {
    const refused = refusal(url)
    if (refused !== null && (refused.kind === "forbidden" || refused.kind === "proxy")) {
      throw new Failed(refused.kind, refused.reason)
    }
    throw error
  }
}

const keepCookies = async (context: BrowserContext, url: URL, lines: ReadonlyArray<string>): Promise<void> => {
  for (const line of lines) {
    const cookie = SetCookie.read(line, url, Date.now())
    // One that the browser does not accept is left out, as it would leave it out itself.
    if (cookie !== null) await context.addCookies([cookie]).catch(() => undefined)
  }
}

const originOf = (address: string): string | null =>
  URL.parse(address) !== null && /^https?:/.test(address) ? new URL(address).origin : null

const userAgent = (page: Page): Promise<string | null> =>
  Promise.race([
    World.run(World.injectedTabOf(page), page.mainFrame(), "userAgent", null).catch(() => null),
    new Promise<null>((resolve) => setTimeout(resolve, 2_000, null).unref())
  ])
