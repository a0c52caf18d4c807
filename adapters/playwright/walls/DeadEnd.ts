/** A proxy that reaches nothing: what a browser behind it sends beside its answered requests ends here. */
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import * as ProxyPort from "./ProxyPort.ts"

export interface DeadEnd {
  /** The address of the proxy, such as `http://127.0.0.1:40123`. */
  readonly server: string
  /** Hears of each connection that is refused, by its host and port. */
  refused: (authority: string) => void
}

export const make: Effect.Effect<DeadEnd, never, Scope.Scope> = Effect.gen(function* () {
  const end: { -readonly [Name in keyof DeadEnd]: DeadEnd[Name] } = { server: "", refused: () => undefined }
  const sockets = new Set<Socket>()
  const server = createServer((incoming, answer) => {
    end.refused(URL.parse(incoming.url ?? "")?.host ?? "")
    answer.writeHead(502).end()
  })
  server.on("connect", (incoming, socket: Socket) => {
    end.refused(incoming.url ?? "")
    socket.on("error", () => socket.destroy())
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  const port = yield* ProxyPort.open(server, sockets, "127.0.0.1")
  end.server = `http://127.0.0.1:${port}`
  return end
})
