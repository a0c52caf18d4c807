/**
 * A server on loopback that holds files: GET reads one, PUT makes one, and each asks for a token. With folders it is one of
 * WebDAV: MKCOL makes a folder, and nothing is made where its folder is missing (RFC 4918, 9.3 and 9.7).
 */
import { createServer } from "node:http"
import { Effect } from "effect"
import { listening } from "./listening.ts"

export const token = "the-token-of-the-file-server"

/** Listens until the scope closes. */
export const fileServer = (hasFolders = false) =>
  Effect.gen(function* () {
    const folders = new Set([""])
    const isBelowNothing = (path: string) =>
      hasFolders && !folders.has(path.slice(0, Math.max(0, path.lastIndexOf("/"))))
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
        if (hasFolders && incoming.method === "MKCOL") {
          const folder = path.replace(/\/$/, "")
          if (folders.has(folder) || files.has(folder)) return void answer.writeHead(405).end()
          if (isBelowNothing(folder)) return void answer.writeHead(409).end()
          folders.add(folder)
          return void answer.writeHead(201).end()
        }
        if (incoming.method !== "PUT") return void answer.writeHead(405).end()
        if (isBelowNothing(path)) return void answer.writeHead(409).end()
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
