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
import { lookup } from "node:dns/promises"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect, isIP, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import type { Proxy } from "../../../core/vault/Proxies.ts"
import { isPrivate } from "../../http/PrivateAddress.ts"
import * as Upstream from "./Upstream.ts"

export interface Options {
  /** The origins, such as `http://127.0.0.1:4000`, that may be reached all the same. */
  readonly allowed: ReadonlySet<string>
  /** Lets every address be reached. */
  readonly allowPrivateNetworks: boolean
  /** What everything goes out through; `null` to go out from here. */
  readonly upstream: Proxy | null
  /**
   * The name or address of this machine for a browser on another one. The proxy listens on all its addresses then, and
   * serves only who knows its password.
   */
  readonly reachedAs?: string
}

/** Why a host could not be reached: it may not be, the proxy is not of use, or it did not come to the host. */
export interface Refusal {
  readonly kind: "forbidden" | "proxy" | "navigation"
  readonly reason: string
}

export interface Guard {
  /** The address of the proxy, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** What it asks of who uses it; `null` where only this machine can reach it. */
  readonly credential: { readonly username: string; readonly password: string } | null
  /** Why a host and port were refused when they were last asked for; `null` when they were not. */
  readonly refusal: (host: string, port: number) => Refusal | null
  /** Connects to a host by the same way and under the same rules. */
  readonly connect: (host: string, port: number) => Promise<Socket>
}

/** How long a name may take to be resolved where that only tells whether it is private, in milliseconds. */
const checkMillis = 2_000

export const make = ({
  allowPrivateNetworks,
  allowed,
  reachedAs,
  upstream
}: Options): Effect.Effect<Guard, never, Scope.Scope> =>
  Effect.gen(function* () {
    const credential =
      reachedAs === undefined ? null : { username: "sluice", password: randomBytes(24).toString("base64url") }
    const isKnown = ({ headers }: IncomingMessage): boolean =>
      credential === null || isSame(headers["proxy-authorization"] ?? "", basic(credential))
    const refusals = new Map<string, Refusal>()
    const refuse = (key: string, refusal: Refusal): void => {
      if (refusals.size > 1_000) refusals.clear()
      refusals.set(key, refusal)
    }

    /** Where to connect to for a host: its address, or with an upstream proxy its name. */
    const addressOf = async (host: string, port: number): Promise<string> => {
      const key = `${host}:${port}`
      const bare = host.replace(/^\[|\]$/g, "")
      if (upstream !== null && allowPrivateNetworks) return bare
      const addresses = isIP(bare) > 0 ? [bare] : upstream === null ? await resolved(bare) : await knownHere(bare)
      const refused = allowPrivateNetworks ? undefined : addresses.find(isPrivate)
      const exempt = allowed.has(`http://${key}`) || allowed.has(`https://${key}`)
      if (refused !== undefined && !exempt) {
        const reason = `${host} is at ${refused}, a private or loopback address; SLUICE_ALLOW_PRIVATE_NETWORKS=1 allows them`
        refuse(key, { kind: "forbidden", reason })
        throw new Refused(reason)
      }
      return upstream === null ? (addresses[0] ?? bare) : bare
    }

    /** Keeps why a host was not reached, where it is for the proxy to say. */
    const note = (host: string, port: number, error: unknown): void => {
      if (error instanceof Upstream.ProxyFailed) {
        refuse(`${host}:${port}`, { kind: error.isItsOwn ? "proxy" : "navigation", reason: error.message })
      }
    }

    const reach = async (host: string, port: number): Promise<Socket> => {
      const address = await addressOf(host, port)
      const socket =
        upstream === null
          ? await connected(address, port)
          : await Upstream.connect(upstream, allowPrivateNetworks, address, port)
      refusals.delete(`${host}:${port}`)
      return socket
    }

    const forward = async (incoming: IncomingMessage, answer: ServerResponse) => {
      const url = URL.canParse(incoming.url ?? "") ? new URL(incoming.url ?? "") : null
      if (url === null || url.protocol !== "http:") return void answer.writeHead(400).end()
      const host = url.hostname
      const port = Number(url.port || 80)
      const unanswered = (error: unknown): void => {
        note(host, port, error)
        fail(answer, error)
      }
      const address = await addressOf(host, port)
      const { "proxy-authorization": _own, "proxy-connection": _hop, ...headers } = incoming.headers
      const asked = { method: incoming.method, headers }
      const onward =
        upstream === null
          ? request({ ...asked, host: address, port, path: url.pathname + url.search })
          : await Upstream.request(upstream, allowPrivateNetworks, url, asked)
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
          // What a site says need not make sense.
          response.destroy()
          return unanswered(error)
        }
        response.on("close", () => {
          if (!response.complete) answer.destroy()
        })
        response.pipe(answer)
      })
      onward.on("error", (error) => unanswered(upstream === null ? error : Upstream.failureOf(upstream, { error })))
      answer.on("close", () => onward.destroy())
      incoming.pipe(onward)
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
      const { hostname } = new URL(`http://${incoming.url}`)
      const port = Number(/:(\d+)$/.exec(incoming.url ?? "")?.[1] ?? 443)
      socket.on("error", () => socket.destroy())
      if (!isKnown(incoming)) {
        const refused = `HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${challenge}\r\n`
        return void socket.end(`${refused}content-length: 0\r\nconnection: close\r\n\r\n`)
      }
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

    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, reachedAs === undefined ? "127.0.0.1" : "::", () => {
          const address = server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      }),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
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

const challenge = 'Basic realm="sluice"'

const basic = ({ password, username }: NonNullable<Guard["credential"]>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHash("sha256").update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}

const resolved = async (name: string): Promise<ReadonlyArray<string>> =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/** What a name is here, where anybody here knows it. */
const knownHere = async (name: string): Promise<ReadonlyArray<string>> => {
  if (/(^|\.)localhost\.?$/i.test(name)) return ["127.0.0.1"]
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<ReadonlyArray<string>>((resolve) => {
    timer = setTimeout(resolve, checkMillis, [])
  })
  return Promise.race([resolved(name).catch(() => []), late]).finally(() => clearTimeout(timer))
}

const connected = (address: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, address, () => {
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
