/** What HTTP asks of a server beyond what Node does by default. */
import type { IncomingMessage, Server } from "node:http"

/** Takes addresses with a scheme and a host, which mean their path: RFC 9112 has every server accept them. */
export const takeAbsoluteForms = (server: Server): void => {
  server.prependListener("request", (incoming: IncomingMessage) => {
    incoming.url = (incoming.url ?? "").replace(/^https?:\/\/[^/?#]*\/?/i, "/")
  })
}

/**
 * Answers what a client asked for before it closed its side of the connection, then closes the other. Node ends such a
 * connection before its answers otherwise, and has no option for that. Answers without an end must end by themselves: a
 * client that is gone closes its side as well, and nothing else is seen of that until more is written.
 */
export const answerHalfClosed = (server: Server): void => {
  Object.assign(server, { httpAllowHalfOpen: true })
}
