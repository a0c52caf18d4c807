/**
 * A receiver of webhooks on loopback.
 */
import { createServer, type ServerResponse } from "node:http"
import { Effect, Queue } from "effect"
import { listening } from "./listening.ts"

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly text: string
  readonly body: {
    readonly event: string
    readonly expires_at: number
    readonly payload: Readonly<Record<string, unknown>>
    readonly metadata?: unknown
  }
}

export interface Receiver {
  readonly url: string
  /** The next request that was not taken yet. */
  readonly next: Effect.Effect<Received>
  /** The number of requests so far. */
  readonly count: () => number
}

/** Answers with a status or with a function. A function that never answers makes the request hang. */
export type Behaviour = number | ((received: Received, answer: ServerResponse, count: number) => void)

/** Listens until the scope closes. */
export const receiver = (behaviour: Behaviour) =>
  Effect.gen(function* () {
    const arrived = yield* Queue.unbounded<Received>()
    let count = 0
    const server = createServer((incoming, answer) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const received = { path: incoming.url ?? "", headers: incoming.headers, text, body: JSON.parse(text) }
        count += 1
        Queue.offerUnsafe(arrived, received)
        if (typeof behaviour === "number") answer.writeHead(behaviour).end("{}")
        else behaviour(received, answer, count)
      })
    })
    const port = yield* listening(server)
    return {
      url: `http://127.0.0.1:${port}/hook`,
      next: Queue.take(arrived),
      count: () => count
    } satisfies Receiver
  })
