/** The pages of the contract of browsers, on servers of this machine. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer as createSecure } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Site } from "../kit/contracts/browser/BrowserContract.ts"
import { member, pages } from "../kit/contracts/browser/BrowserPages.ts"
import { certificate } from "./certificate.ts"
import { listening } from "./listening.ts"
import { type Answer, html, serve } from "./site.ts"

const status =
  (code: number): Answer =>
  (_request, response) =>
    void response.writeHead(code).end(code % 2 === 0 ? "" : "<p>An error</p>")

const authorization = `Basic ${Buffer.from(`${member.userName}:${member.password}`).toString("base64")}`

const answers: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, html(page.html)])),
  ...Object.fromEntries([404, 410, 429, 503].map((code) => [`/status/${code}`, status(code)])),
  "/orders.csv": (_request, response) =>
    void response
      .writeHead(200, { "content-type": "text/csv", "content-disposition": "attachment; filename=orders.csv" })
      .end("id,total\n"),
  "/data": (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'),
  "/arrival": (_request, response) => void setTimeout(() => response.end(), 300),
  "/silent": () => undefined,
  "/auth": (request, response) =>
    request.headers.authorization === authorization
      ? html(pages["/auth"]?.html ?? "")(request, response)
      : void response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end("<p>No</p>")
}

export const layer = Layer.effect(
  Site,
  Effect.gen(function* () {
    const origin = yield* serve(answers)
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "sluice-test-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true }))
    )
    const path = join(folder, "file")
    yield* Effect.promise(() => writeFile(path, "scan"))
    const hangsUp = yield* listening(createServer((socket) => void socket.destroy()))
    const secure = yield* listening(createSecure(certificate))
    return Site.of({
      origin,
      // Another host, whose name passkeys can be for. It is the same server.
      elsewhere: origin.replace("127.0.0.1", "localhost"),
      failing: {
        unreachable: `http://127.0.0.1:${hangsUp}/`,
        unresolved: "http://nobody.invalid/",
        untrusted: `https://127.0.0.1:${secure}/`,
        timeout: `${origin}/silent`,
        auth: `${origin}/auth`
      },
      file: { path, fileName: "scan.pdf" }
    })
  })
)
