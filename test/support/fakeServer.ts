/**
 * Fake HTTP servers on loopback in place of external services.
 */
import { createServer, type ServerResponse } from "node:http"
import { Effect, Queue } from "effect"
import { listening } from "./listening.ts"

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly text: string
}

/** An answer: a status with JSON, or a function that writes the response. */
export type Answer = readonly [status: number, json: unknown] | ((response: ServerResponse) => void)

export interface StandIn {
  readonly url: string
  /** Every request so far. */
  readonly asked: ReadonlyArray<Asked>
  /** The next request that was not taken yet. */
  readonly next: Effect.Effect<Asked>
  /** Replaces the answers to the next requests. */
  readonly instead: (...answers: ReadonlyArray<Answer>) => void
}

export const standIn = (answer: (asked: Asked) => Answer) =>
  Effect.gen(function* () {
    const arrived = yield* Queue.unbounded<Asked>()
    const asked: Array<Asked> = []
    const instead: Array<Answer> = []
    const server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        const one: Asked = {
          method: incoming.method ?? "",
          url: new URL(incoming.url ?? "", "http://stand-in"),
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString("utf8")
        }
        asked.push(one)
        Queue.offerUnsafe(arrived, one)
        const given = instead.shift() ?? answer(one)
        if (typeof given === "function") return given(response)
        const [status, json] = given
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json))
      })
    })
    const port = yield* listening(server)
    return {
      url: `http://127.0.0.1:${port}`,
      asked,
      next: Queue.take(arrived),
      instead: (...answers) => void instead.push(...answers)
    } satisfies StandIn
  })
