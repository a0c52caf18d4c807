/** A receiver of OTLP in a separate process: it takes everything and keeps nothing. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const server = createServer((request, answer) => {
  request.resume()
  request.on("end", () => answer.writeHead(200, { "content-type": "application/json" }).end("{}"))
})
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.once("disconnect", () => process.exit(0))
