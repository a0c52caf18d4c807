/**
 * Ports that a process opens.
 */
import { createServer } from "node:net"
import { Effect } from "effect"

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses the port",
  EACCES: "this user may not open the port",
  EADDRNOTAVAIL: "this machine does not have the address",
  ENOTFOUND: "the name of the host is unknown"
}

/** Why a port could not be opened, in words that say what to look for. */
export const reasonOf = ({ code = "", message }: NodeJS.ErrnoException): string => reasons[code] ?? message

/**
 * A port near another one, for what no setting gives a port; 0, which selects a free one, where that is a port of a
 * setting, or there is none.
 */
export const beside = (port: number, distance: number, named: ReadonlyArray<number>): number => {
  const wanted = port + distance
  return port === 0 || wanted > 65_535 || named.includes(wanted) ? 0 : wanted
}

/** Why a port cannot be opened now; nothing for one that can. */
export const refusal = (host: string, port: number): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(reasonOf(error))))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resume(Effect.succeed(null))))
  })
