/** What HTTP asks of a server beyond what Node does by default. */
import type { IncomingMessage, Server } from "node:http"

/** Takes addresses with a scheme and a host, which mean their path: RFC 9112 has every server accept them. */
export const takeAbsoluteForms = (server: Server): void => {
  server.prependListener("request", (incoming: IncomingMessage) => {
    incoming.url = (incoming.url ?? "").replace(/^https?:\/\/[^/?#]*\/?/i, "/")
  })
}
