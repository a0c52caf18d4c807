/**
 * The connections of a process to a PostgreSQL server, so that those to a server that hangs can be ended: nothing else
 * ends a statement whose server neither answers nor closes the connection.
 */
import { connect, type Socket } from "node:net"
import type { Host, Target } from "./ConnectionUrl.ts"

export interface Sockets {
  /** Opens a connection. It throws while connections are refused. */
  readonly open: () => Socket
  /** The age of the oldest unanswered statement, in milliseconds; 0 if none waits. */
  readonly longestWait: () => number
  /** How many connections are open. */
  readonly count: () => number
  /** How many connections could not be opened so far. */
  readonly failures: () => number
  /** Ends all connections; the statements on them fail for this reason. */
  readonly endAll: (reason: string) => void
  /** Refuses new connections, so that work that waits for one fails at once, or allows them again. */
  readonly refuse: (isRefusing: boolean) => void
}

/** Connections to the host that is chosen when each is opened. */
export const make = (host: () => Host, { keepAliveMillis }: Pick<Target, "keepAliveMillis">): Sockets => {
  /** The open connections, each with the instant since when it waits for an answer. */
  const open = new Map<Socket, number | null>()
  let isRefusing = false
  let failures = 0
  return {
    open: () => {
      if (isRefusing) throw new Error("the server does not answer")
      const socket = connect(placeOf(host()))
      if (keepAliveMillis !== null) socket.setKeepAlive(true, keepAliveMillis)
      open.set(socket, null)
      const write = socket.write
      // It passes on the arguments of each overload, which its own type does not list.
      socket.write = ((...args: Parameters<typeof write>) => {
        if (open.get(socket) === null) open.set(socket, performance.now())
        return write.apply(socket, args)
      }) as typeof write
      socket.prependListener("data", () => void open.set(socket, null))
      socket.once("close", () => {
        if (socket.connecting || socket.bytesRead === 0) failures++
        open.delete(socket)
      })
      return socket
    },
    longestWait: () => {
      const now = performance.now()
      return Math.max(0, ...[...open.values()].map((since) => (since === null ? 0 : now - since)))
    },
    count: () => open.size,
    failures: () => failures,
    endAll: (reason) => {
      for (const socket of open.keys()) socket.destroy(new Error(reason))
    },
    refuse: (refusing) => {
      isRefusing = refusing
    }
  }
}

/** A host that begins with a slash is a folder of sockets. */
const placeOf = ({ address, name, port }: Host) =>
  name.startsWith("/") && address === null
    ? { path: `${name}/.s.PGSQL.${port}` }
    : { host: address ?? name, port, noDelay: true }
