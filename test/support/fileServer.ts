/** A server on loopback that holds files: GET reads one, PUT makes one, and each asks for a token. */
import { createServer } from "node:http"
import { Effect } from "effect"
import { listening } from "./listening.ts"

export const token = "a token of the file server"

/** Listens until the scope closes. */
export const fileServer = Effect.gen(function* () {
  const files = new Map<string, Buffer>()
  const state = { isAway: false, sent: 0, losesAnswers: false }
  const server = createServer((incoming, answer) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const path = decodeURIComponent((incoming.url ?? "").replace(/^\/files\//, ""))
      if (state.isAway) return void answer.writeHead(503).end()
      if (incoming.headers.authorization !== `Bearer ${token}`) return void answer.writeHead(401).end()
      const kept = files.get(path)
      if (incoming.method === "GET") return void answer.writeHead(kept === undefined ? 404 : 200).end(kept)
      state.sent += 1
      if (incoming.headers["if-none-match"] === "*" && kept !== undefined) return void answer.writeHead(412).end()
      files.set(path, Buffer.concat(chunks))
      if (state.losesAnswers) answer.destroy()
      else answer.writeHead(201).end()
    })
  })
  const port = yield* listening(server)
  return { files, state, port, url: `http://127.0.0.1:${port}/files/` }
})
