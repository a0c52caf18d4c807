/**
 * Proxies on free ports of loopback: HTTP, HTTPS and SOCKS5, with a user name and a password. They record the requested
 * hosts, and resolve every name to loopback.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { connect, createServer as createTcpServer, type Socket } from "node:net"
import { Effect } from "effect"
import { listening } from "./listening.ts"

export interface TestProxy {
  readonly port: number
  /** The requested hosts with their ports, in order. */
  readonly asked: ReadonlyArray<string>
  /** The number of refused clients. */
  readonly refused: () => number
}

const username = "robot"
const password = "canary:p@ss/word"

/** The credentials of every proxy here, in the form of a URL. */
export const credentials = `${username}:${encodeURIComponent(password)}`
export const wrongCredentials = `${username}:canary-wrong`

const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

const serving = (make: (answer: (incoming: IncomingMessage, response: ServerResponse) => void) => Server) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    let refused = 0
    const isRefused = (incoming: IncomingMessage): boolean => {
      const wrong = incoming.headers["proxy-authorization"] !== expected
      if (wrong) refused++
      return wrong
    }
    const server = make((incoming, response) => {
      if (isRefused(incoming)) return void response.writeHead(407, { "proxy-authenticate": "Basic" }).end("Who?")
      const url = new URL(incoming.url ?? "")
      asked.push(url.host)
      const { "proxy-authorization": _, ...headers } = incoming.headers
      const onward = request(
        { host: "127.0.0.1", port: url.port || 80, path: url.pathname + url.search, method: incoming.method, headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        }
      )
      onward.on("error", () => response.writeHead(502).end())
      incoming.pipe(onward)
    })
    server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
      socket.on("error", () => socket.destroy())
      if (isRefused(incoming)) {
        return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n")
      }
      const authority = incoming.url ?? ""
      asked.push(authority)
      const onward = connect(Number(authority.split(":").at(-1)), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        onward.pipe(socket).pipe(onward)
      })
      onward.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"))
    })
    return { port: yield* listening(server), asked, refused: () => refused } satisfies TestProxy
  })

export const http = serving((answer) => createServer(answer))

export const https = (keyPair: { readonly key: string; readonly cert: string }) =>
  serving((answer) => createTlsServer(keyPair, answer) as Server)

/** Speaks RFC 1928 with the passwords of RFC 1929, for connections to names and addresses. */
export const socks5 = Effect.gen(function* () {
  const asked: Array<string> = []
  let refused = 0
  const server = createTcpServer((socket) => {
    let stage: "hello" | "password" | "request" | "open" = "hello"
    socket.on("data", (data: Buffer) => {
      if (stage === "hello") {
        stage = "password"
        const offersPassword = [...data.subarray(2, 2 + (data[1] ?? 0))].includes(2)
        if (!offersPassword) refused++
        return void (offersPassword ? socket.write(Buffer.from([5, 2])) : socket.end(Buffer.from([5, 0xff])))
      }
      if (stage === "password") {
        stage = "request"
        const length = data[1] ?? 0
        const given = [data.subarray(2, 2 + length), data.subarray(3 + length)].map(String)
        const isRight = given[0] === username && given[1] === password
        if (!isRight) refused++
        return void (isRight ? socket.write(Buffer.from([1, 0])) : socket.end(Buffer.from([1, 1])))
      }
      if (stage !== "request") return
      stage = "open"
      const [, , , type] = data
      const [host, at] =
        type === 3
          ? [String(data.subarray(5, 5 + (data[4] ?? 0))), 5 + (data[4] ?? 0)]
          : [data.subarray(4, 8).join("."), 8]
      const port = data.readUInt16BE(at)
      asked.push(`${host}:${port}`)
      const onward = connect(port, "127.0.0.1", () => {
        socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
        onward.pipe(socket).pipe(onward)
      })
      onward.on("error", () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])))
    })
  })
  return { port: yield* listening(server), asked, refused: () => refused } satisfies TestProxy
})
