/**
 * A connection to a PostgreSQL server through a listener of the test. Cutting and freezing it looks like a stop or a hang of
 * the server, while other tests use the server.
 */
import { createServer, connect as dial, type Socket } from "node:net"
import { Effect } from "effect"

export interface DatabaseLink {
  /** The URL of the database through the link. */
  readonly url: string
  /** Ends all connections, and refuses new ones. */
  readonly cut: Effect.Effect<void>
  /** Ends all connections, and new ones as soon as they are there. */
  readonly hangUp: Effect.Effect<void>
  /** Ends all connections once, when so many messages of clients have come from now on. The answer says whether that has happened. */
  readonly cutAfter: (messages: number) => () => boolean
  /** Keeps all connections open and accepts new ones, but passes no data, like a server that hangs. */
  readonly freeze: Effect.Effect<void>
  /** Connections from now on lead to the server of this URL. */
  readonly turn: (database: string) => Effect.Effect<void>
  /** Passes data again. */
  readonly restore: Effect.Effect<void>
  /** The number of connections opened so far. */
  readonly opened: () => number
}

/** Opens a link to the database of a URL, until the scope closes. */
export const linkTo = (database: string) =>
  Effect.gen(function* () {
    let target = new URL(database)
    const pairs = new Set<readonly [Socket, Socket]>()
    let frozen = false
    let isHangingUp = false
    let opened = 0
    let left = Number.POSITIVE_INFINITY
    const server = createServer({ pauseOnConnect: true }, (client) => {
      opened += 1
      if (isHangingUp) return void client.destroy()
      const upstream = dial(Number(target.port), target.hostname)
      const pair = [client, upstream] as const
      pairs.add(pair)
      for (const [from, to] of [pair, [upstream, client]] as const) {
        from.on("data", (chunk) => {
          if (from === client && --left === 0) for (const one of pairs) for (const end of one) end.destroy()
          else to.write(chunk)
        })
        from.on("error", () => {})
        from.on("close", () => {
          pairs.delete(pair)
          to.destroy()
        })
        if (frozen) from.pause()
        else from.resume()
      }
    })
    const listen = (port: number) =>
      Effect.callback<number>((resume) => {
        server.listen(port, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      })
    const cut = Effect.callback<void>((resume) => {
      if (server.listening) server.close(() => resume(Effect.void))
      else resume(Effect.void)
      for (const pair of pairs) for (const one of pair) one.destroy()
    })
    const listenAgain = Effect.suspend(() => (server.listening ? Effect.void : listen(port)))
    const port = yield* Effect.acquireRelease(listen(0), () => cut)
    const url = new URL(database)
    url.host = `127.0.0.1:${port}`
    return {
      url: url.href,
      opened: () => opened,
      cut,
      cutAfter: (messages) => {
        left = messages
        return () => left <= 0
      },
      freeze: Effect.sync(() => {
        frozen = true
        for (const pair of pairs) for (const one of pair) one.pause()
      }),
      hangUp: Effect.gen(function* () {
        isHangingUp = true
        for (const pair of pairs) for (const one of pair) one.destroy()
        yield* listenAgain
      }),
      turn: (to) =>
        Effect.sync(() => {
          target = new URL(to)
        }),
      restore: Effect.gen(function* () {
        frozen = false
        isHangingUp = false
        for (const pair of pairs) for (const one of pair) one.resume()
        yield* listenAgain
      })
    } satisfies DatabaseLink
  })
