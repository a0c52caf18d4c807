/**
 * The connections of a process to a PostgreSQL server, so that those to a server that hangs can be ended: nothing else
 * ends a statement whose server neither answers nor closes the connection.
 */
import { connect, type Socket } from "node:net"

export interface Sockets {
  /** Opens a connection. It throws while connections are refused. */
  readonly open: () => Socket
  /** The age of the oldest unanswered statement, in milliseconds; 0 if none waits. */
  readonly longestWait: () => number
  /** How many connections are open. */
  readonly count: () => number
  /** Ends all connections; the statements on them fail. */
  readonly endAll: () => void
  /** Refuses new connections, so that work that waits for one fails at once, or allows them again. */
  readonly refuse: (isRefusing: boolean) => void
}

/** Idle connections are checked by the operating system after this time, in milliseconds. */
const keepAliveMillis = 30_000

/** The connections to the server at a URL such as `postgres://user:password@host/database`. */
export const make = (url: string): Sockets => {
  /** The open connections, each with the instant since when it waits for an answer. */
  const open = new Map<Socket, number | null>()
  let isRefusing = false
  return {
    open: () => {
      if (isRefusing) throw new Error("the server does not answer")
      const socket = connect(targetOf(new URL(url)))
      socket.setKeepAlive(true, keepAliveMillis)
      open.set(socket, null)
      const write = socket.write
      // It passes on the arguments of each overload, which its own type does not list.
      socket.write = ((...args: Parameters<typeof write>) => {
        if (open.get(socket) === null) open.set(socket, performance.now())
        return write.apply(socket, args)
      }) as typeof write
      socket.prependListener("data", () => void open.set(socket, null))
      socket.once("close", () => void open.delete(socket))
      return socket
    },
    longestWait: () => {
      const now = performance.now()
      return Math.max(0, ...[...open.values()].map((since) => (since === null ? 0 : now - since)))
    },
    count: () => open.size,
    endAll: () => {
      for (const socket of open.keys()) socket.destroy(new Error("the server does not answer"))
    },
    refuse: (refusing) => {
      isRefusing = refusing
    }
  }
}

/** The address that the PostgreSQL client uses for a URL. A host that begins with a slash is a folder of sockets. */
const targetOf = (url: URL) => {
  const named = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  const host = named.replace(/^\[(.*)\]$/, "$1") || "localhost"
  const port = Number(url.searchParams.get("port") ?? (url.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, noDelay: true }
}
