/** The port of a proxy of this process. */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** Opens a proxy on a free port of `host`, and answers the port. When the scope closes, these sockets end with the proxy. */
export const open = (
  server: Server,
  sockets: ReadonlySet<Socket>,
  host: string
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, host, () => {
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
