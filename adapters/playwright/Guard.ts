/**
 * Keeps a browser away from private networks: a proxy on loopback that resolves every host itself and refuses private,
 * loopback and link-local addresses.
 *
 * The browser sends everything through it, so redirects, subresources and names that resolve to a private address are
 * refused like typed addresses. The address that was checked is the one that is connected to: a name that resolves
 * differently a moment later changes nothing.
 */
import { lookup } from "node:dns/promises"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect, isIP, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { isPrivate } from "../http/PrivateAddress.ts"

export interface Guard {
  /** The address of the proxy, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** Why a host and port were refused when they were last asked for; `null` when they were not. */
  readonly refusal: (host: string, port: number) => string | null
}

/** Starts a guard. `allowed` are the origins, such as `http://127.0.0.1:4000`, that may be reached all the same. */
export const make = (allowed: ReadonlySet<string>): Effect.Effect<Guard, never, Scope.Scope> =>
  Effect.gen(function* () {
    const refusals = new Map<string, string>()

    const addressOf = async (host: string, port: number): Promise<string> => {
      const key = `${host}:${port}`
      const bare = host.replace(/^\[|\]$/g, "")
      const addresses = isIP(bare) > 0 ? [bare] : (await lookup(bare, { all: true })).map(({ address }) => address)
      const refused = addresses.find(isPrivate)
      const exempt = allowed.has(`http://${key}`) || allowed.has(`https://${key}`)
      if (refused !== undefined && !exempt) {
        const reason = `${host} is at ${refused}, a private or loopback address; SLUICE_ALLOW_PRIVATE_NETWORKS=1 allows them`
        if (refusals.size > 1_000) refusals.clear()
        refusals.set(key, reason)
        throw new Refused(reason)
      }
      refusals.delete(key)
      return addresses[0] ?? bare
    }

    const forward = async (incoming: IncomingMessage, answer: ServerResponse) => {
      const url = URL.canParse(incoming.url ?? "") ? new URL(incoming.url ?? "") : null
      if (url === null || url.protocol !== "http:") return void answer.writeHead(400).end()
      const port = Number(url.port || 80)
      const address = await addressOf(url.hostname, port)
      const onward = request(
        { host: address, port, path: url.pathname + url.search, method: incoming.method, headers: incoming.headers },
        (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers)
          response.pipe(answer)
        }
      )
      onward.on("error", (error) => fail(answer, error))
      answer.on("close", () => onward.destroy())
      incoming.pipe(onward)
    }

    const server = createServer((incoming, answer) => {
      forward(incoming, answer).catch((error: unknown) => fail(answer, error))
    })
    const sockets = new Set<Socket>()
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    server.on("connect", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      const { hostname, port } = new URL(`http://${incoming.url}`)
      socket.on("error", () => socket.destroy())
      addressOf(hostname, Number(port || 443))
        .then((address) => {
          const onward = connect(Number(port || 443), address, () => {
            socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
            onward.write(head)
            onward.pipe(socket).pipe(onward)
          })
          onward.on("error", () => socket.destroy())
          socket.on("close", () => onward.destroy())
        })
        .catch((error: unknown) => {
          socket.end(`HTTP/1.1 ${error instanceof Refused ? "403 Forbidden" : "502 Bad Gateway"}\r\n\r\n`)
        })
    })

    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
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
    return { server: `http://127.0.0.1:${port}`, refusal: (host, at) => refusals.get(`${host}:${at}`) ?? null }
  })

class Refused extends Error {}

const fail = (answer: ServerResponse, error: unknown): void => {
  if (answer.headersSent) return void answer.destroy()
  answer.writeHead(error instanceof Refused ? 403 : 502, { "content-type": "text/plain; charset=utf-8" })
  answer.end(error instanceof Refused ? error.message : "The host could not be reached")
}
