/**
 * Keeps a browser away from private networks: a proxy on loopback that resolves every host itself and refuses private,
 * loopback and link-local addresses.
 *
 * The browser sends everything through it, so redirects, subresources and names that resolve to a private address are
 * refused like typed addresses. The address that was checked is the one that is connected to: a name that resolves
 * differently a moment later changes nothing.
 *
 * With an upstream proxy everything goes out through that, and nothing past it. It resolves the names, so what they are to
 * it cannot be known here: private addresses are refused, and so are names that resolve to one here as well.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect, isIP, type LookupFunction, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import type { Proxy } from "../../../core/vault/Proxies.ts"
import * as Names from "../../http/Names.ts"
import { isPrivate } from "../../http/PrivateAddress.ts"
import { sentence } from "../../http/Reach.ts"
import * as ProxyPort from "./ProxyPort.ts"
import * as Upstream from "./Upstream.ts"

export interface Options {
  /** The origins, such as `http://127.0.0.1:4000`, that may be reached although they are private. */
  readonly allowed: ReadonlySet<string>
  /** Lets every address be reached. */
  readonly allowPrivateNetworks: boolean
  /** The proxy for all connections; `null` to connect from here. */
  readonly upstream: Proxy | null
  /**
   * The name or address of this machine for a browser on another one. The proxy listens on all its addresses then, and
   * serves only who knows its password.
   */
  readonly reachedAs?: string
  /**
   * The addresses of a name. Where nothing is given, the guard looks names up on its own, with the bounds of one session: a
   * page whose names are not answered for slows down no other session.
   */
  readonly resolve?: (name: string) => Promise<ReadonlyArray<string>>
}

/** Why a host could not be reached: it may not be, the proxy is not of use, no host has the name, or it is not there. */
export interface Refusal {
  readonly kind: "forbidden" | "proxy" | "unreachable" | "unresolved"
  readonly reason: string
}

export interface Guard {
  /** The address of the proxy, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** The authentication of its users; `null` where only this machine can reach it. */
  readonly credential: { readonly username: string; readonly password: string } | null
  /** Why a host and port were refused when they were last asked for; `null` when they were not. */
  readonly refusal: (host: string, port: number) => Refusal | null
  /** Connects to a host by the same way and under the same rules. */
  readonly connect: (host: string, port: number) => Promise<Socket>
}

/** How long a name may take to be resolved where that only decides whether it is private, in milliseconds. */
const checkMillis = 2_000

/** How long one of several addresses of a host may take to answer before the next one is tried, in milliseconds. */
const attemptMillis = 2_500

export const make = ({
  allowPrivateNetworks,
  allowed,
  reachedAs,
  resolve = Names.make(Names.forSession).resolve,
  upstream
}: Options): Effect.Effect<Guard, never, Scope.Scope> =>
  Effect.gen(function* () {
    const credential =
      reachedAs === undefined ? null : { username: "sluice", password: randomBytes(24).toString("base64url") }
    const isKnown = ({ headers }: IncomingMessage): boolean =>
      credential === null || isSame(headers["proxy-authorization"] ?? "", basic(credential))
    const refusals = new Map<string, Refusal>()
    // Apart from the names of pages, which could fill up all that may be looked up at once.
    const proxyNames = Names.make(Names.defaults)
    const way = upstream === null ? null : Upstream.make(upstream, allowPrivateNetworks, proxyNames)
    const refuse = (key: string, refusal: Refusal): void => {
      if (refusals.size > 1_000) refusals.clear()
      refusals.set(key, refusal)
    }

    /** The addresses to try for a host: its own, or with an upstream proxy its name. */
    const addressesOf = async (host: string, port: number): Promise<ReadonlyArray<string>> => {
      const key = `${host}:${port}`
      const bare = bareOf(host)
      if (upstream !== null && allowPrivateNetworks) return [bare]
      const addresses =
        isIP(bare) > 0 ? [bare] : upstream === null ? await resolve(bare) : await knownHere(resolve, bare)
      const refused = allowPrivateNetworks ? undefined : addresses.find(isPrivate)
      // As an origin, without the port that is usual.
      const exempt = ["http", "https"].some((scheme) => allowed.has(new URL(`${scheme}://${key}`).origin))
      if (refused !== undefined && !exempt) {
        const reason = sentence(host)
        refuse(key, { kind: "forbidden", reason })
        throw new Refused(reason)
      }
      return upstream === null ? addresses : [bare]
    }

    /** Keeps why a host was not reached: the browser receives only the status 502. */
    const note = (host: string, port: number, error: unknown): void => {
      const refusal = refusalOf(host, error)
      if (refusal !== null) refuse(`${host}:${port}`, refusal)
    }

    const reach = async (host: string, port: number): Promise<Socket> => {
      const addresses = await addressesOf(host, port)
      const socket =
        way === null ? await connected(bareOf(host), port, addresses) : await way.connect(bareOf(host), port)
      refusals.delete(`${host}:${port}`)
      return socket
    }

    const forward = async (incoming: IncomingMessage, answer: ServerResponse) => {
      const url = URL.parse(incoming.url ?? "")
      if (url === null || url.protocol !== "http:") return void answer.writeHead(400).end()
      const host = url.hostname
      const port = Number(url.port || 80)
      const unanswered = (error: unknown): void => {
        note(host, port, error)
        fail(answer, error)
      }
      const addresses = await addressesOf(host, port)
      const { "proxy-authorization": _own, "proxy-connection": _hop, ...headers } = incoming.headers
      const asked = { method: incoming.method, headers }
      const direct = (isFresh: boolean): ClientRequest => {
        const to = { ...oneOf(addresses), host: bareOf(host), port, path: url.pathname + url.search }
        return request({ ...asked, ...to, ...(isFresh ? { agent: false } : {}) })
      }
      const pass = (onward: ClientRequest): void => {
        onward.on("response", (response) => {
          const { statusCode: status = 502 } = response
          if (upstream !== null && status === 407) {
            response.resume()
            return unanswered(Upstream.failureOf(upstream, { status }))
          }
          refusals.delete(`${host}:${port}`)
          // Trailers are not passed on, and may not be announced then.
          const { trailer: _trailer, ...passed } = response.headers
          try {
            answer.writeHead(status, passed)
          } catch (error) {
            // The answer of a site may be malformed.
            response.destroy()
            return unanswered(error)
          }
          response.on("close", () => {
            if (!response.complete) answer.destroy()
          })
          response.pipe(answer)
        })
        // Browsers upgrade through tunnels only. An upgrade that no one handles would leave the request without an end.
        onward.on("upgrade", (_response, socket) => {
          socket.destroy()
          unanswered(new Error("upgraded"))
        })
        onward.on("error", (error) => {
          // The host closed the connection that was kept for more just as this one began.
          const isStale = onward.reusedSocket && !answer.headersSent && !answer.destroyed
          if (isStale) return pass(direct(true))
          unanswered(upstream === null ? error : Upstream.failureOf(upstream, { error }))
        })
        answer.on("close", () => onward.destroy())
        // The browser may have closed the connection.
        if (answer.destroyed) onward.destroy()
        else incoming.pipe(onward)
      }
      // A request that must not be repeated goes over an unused connection.
      const isFresh = !/^(GET|HEAD|OPTIONS)$/.test(incoming.method ?? "") || hasBody(incoming)
      pass(way === null ? direct(isFresh) : await way.request(url, asked))
    }

    const server = createServer((incoming, answer) => {
      if (!isKnown(incoming)) return void answer.writeHead(407, { "proxy-authenticate": challenge }).end()
      forward(incoming, answer).catch((error: unknown) => {
        const url = new URL(incoming.url ?? "")
        note(url.hostname, Number(url.port || 80), error)
        fail(answer, error)
      })
    })
    const sockets = new Set<Socket>()
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    server.on("connect", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on("error", () => socket.destroy())
      if (!isKnown(incoming)) {
        const refused = `HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${challenge}\r\n`
        return void socket.end(`${refused}content-length: 0\r\nconnection: close\r\n\r\n`)
      }
      const authority = `http://${incoming.url}`
      if (URL.parse(authority) === null) return void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
      const { hostname } = new URL(authority)
      const port = Number(/:(\d+)$/.exec(incoming.url ?? "")?.[1] ?? 443)
      reach(hostname, port)
        .then((onward) => {
          onward.on("error", () => socket.destroy())
          socket.on("close", () => onward.destroy())
          if (socket.destroyed) return void onward.destroy()
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
          onward.write(head)
          onward.pipe(socket).pipe(onward)
        })
        .catch((error: unknown) => {
          note(hostname, port, error)
          socket.end(`HTTP/1.1 ${error instanceof Refused ? "403 Forbidden" : "502 Bad Gateway"}\r\n\r\n`)
        })
    })

    const port = yield* ProxyPort.open(server, sockets, reachedAs === undefined ? "127.0.0.1" : "::")
    const address = `http://${reachedAs ?? "127.0.0.1"}:${port}`
    return {
      server: address,
      credential,
      refusal: (host, at) => refusals.get(`${host}:${at}`) ?? null,
      connect: (host, at) =>
        reach(host, at).catch((error: unknown) => {
          note(host, at, error)
          throw error
        })
    }
  })

/** Why a host was not reached; `null` where the error does not say. */
const refusalOf = (host: string, error: unknown): Refusal | null => {
  if (error instanceof Upstream.ProxyFailed) {
    return { kind: error.isItsOwn ? "proxy" : "unreachable", reason: error.message }
  }
  if (error instanceof Names.NotResolved) {
    return { kind: error.code === "ENOTFOUND" ? "unresolved" : "unreachable", reason: error.message }
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return unreached.test(code) ? { kind: "unreachable", reason: `${host} could not be reached: ${code}` } : null
}

/** The errors of a connection that is not made, or breaks before an answer. */
const unreached = /^E(CONNREFUSED|CONNRESET|CONNABORTED|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|TIMEDOUT|PIPE)$/

const challenge = 'Basic realm="sluice"'

const basic = ({ password, username }: NonNullable<Guard["credential"]>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHash("sha256").update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}

/** The addresses of a name as resolved here; none where it is unknown or not answered for in time. */
const knownHere = async (resolve: NonNullable<Options["resolve"]>, name: string): Promise<ReadonlyArray<string>> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<ReadonlyArray<string>>((resolve) => {
    timer = setTimeout(resolve, checkMillis, [])
  })
  return Promise.race([resolve(name).catch(() => []), late]).finally(() => clearTimeout(timer))
}

/** A host in the form for a name lookup. */
const bareOf = (host: string): string => host.replace(/^\[|\]$/g, "")

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** Connects to the first of some addresses that answers, and looks nothing up again. */
const oneOf = (addresses: ReadonlyArray<string>) => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_host, options, answer) => {
    if (options.all === true) answer(null, all)
    else answer(null, all[0]?.address ?? "", all[0]?.family ?? 4)
  }
  return { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptMillis }
}

const connected = (host: string, port: number, addresses: ReadonlyArray<string>): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ ...oneOf(addresses), host, port }, () => {
      socket.off("error", reject)
      resolve(socket)
    })
    socket.once("error", reject)
  })

class Refused extends Error {}

const fail = (answer: ServerResponse, error: unknown): void => {
  if (answer.headersSent) return void answer.destroy()
  const isKnown = error instanceof Refused || error instanceof Upstream.ProxyFailed
  answer.writeHead(error instanceof Refused ? 403 : 502, { "content-type": "text/plain; charset=utf-8" })
  answer.end(isKnown ? error.message : "The host could not be reached")
}
