/** Receives the webhooks that the server sends, on a port of this machine, and serves its browser a page. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Delivery, Receiver } from "./Server.ts"

/** The longest wait for a delivery, in milliseconds. */
const longest = 10_000

/** The path of the page behind the form. */
export const accepted = "/accepted"

/** The path of the same page behind the link, which sets a cookie. */
export const linked = `${accepted}/linked`

/** The cookie that is set behind the link. */
export const cookie = { name: "conformance", value: "kept" }

const pageOf = (content: string) => `<!doctype html><html lang="en"><title>Conformance</title>${content}</html>`

/**
 * A page that asks for a code, with a link, and the page that follows any code and the link. The field has no name, so no
 * address has the code.
 */
const asking = pageOf(`<form action="${accepted}"><label>Code <input></label></form><a href="${linked}">Skip</a>`)
const following = pageOf("<p>Accepted</p>")

/** The largest body that is kept, in bytes. */
const largest = 4 << 20

/**
 * Listens on the port of the address at which the server reaches this machine; for the port 0 on a free one. Rejects when
 * the port is in use.
 */
export const listen = async (
  address: string
): Promise<{ readonly receiver: Receiver; readonly close: () => Promise<void> }> => {
  const arrived = new Map<string, Array<Delivery>>()
  const waiting = new Set<() => void>()
  const server = createServer((incoming, answer) => {
    if (incoming.method === "GET") {
      const page = incoming.url?.startsWith(accepted) === true ? following : asking
      const setting = incoming.url === linked ? { "set-cookie": `${cookie.name}=${cookie.value}; Max-Age=86400` } : {}
      answer.writeHead(200, { "content-type": "text/html; charset=utf-8", ...setting }).end(page)
      return
    }
    const pieces: Array<Buffer> = []
    let size = 0
    incoming.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= largest) pieces.push(piece)
    })
    incoming.on("end", () => {
      const path = incoming.url ?? "/"
      const signature = incoming.headers["x-hmac-signature"]
      const delivery = {
        body: new Uint8Array(Buffer.concat(pieces)),
        signature: typeof signature === "string" ? signature : null
      }
      arrived.set(path, [...(arrived.get(path) ?? []), delivery])
      answer.writeHead(200, { "content-type": "application/json" }).end("{}")
      for (const look of waiting) look()
    })
  })
  const url = new URL(address)
  await new Promise<void>((done, failed) => {
    server.once("error", failed)
    server.listen(Number(url.port || 80), () => done())
  })
  // An address without an explicit port stays without one.
  if (url.port === "0") url.port = String((server.address() as AddressInfo).port)
  const received: Receiver["received"] = (path, count) =>
    new Promise((done) => {
      const has = () => arrived.get(path) ?? []
      const end = () => {
        clearTimeout(timer)
        waiting.delete(look)
        done(has())
      }
      const look = () => {
        if (has().length >= count) end()
      }
      const timer = setTimeout(end, longest)
      waiting.add(look)
      look()
    })
  return {
    receiver: { url: url.origin, received },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}
