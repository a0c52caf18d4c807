/**
 * A site with constant pages on a free port, for tests with a real browser.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import { listening } from "./listening.ts"

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An HTML page. */
export const html =
  (body: string): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body)

/** Serves answers by their path, and 404 for any other. Succeeds with the origin. */
export const serve = (pages: Readonly<Record<string, Answer>>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    listening(
      createServer((request, response) => {
        const answer = pages[(request.url ?? "").split("?")[0] ?? ""]
        if (answer === undefined) response.writeHead(404).end()
        else answer(request, response)
      })
    ),
    (port) => `http://127.0.0.1:${port}`
  )
