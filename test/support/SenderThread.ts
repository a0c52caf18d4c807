/**
 * Sends large bodies from a separate thread, so that the sending does not count for the measured thread.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"

export interface Answer {
  readonly status: number
  readonly text: string
}

const program = `
const { request } = require("node:http")
const { parentPort } = require("node:worker_threads")
parentPort.on("message", ({ body, headers, url }) => {
  const bytes = Buffer.from(new Uint8Array(body))
  let isAnswered = false
  const answerOnce = (status, text) => {
    if (!isAnswered) parentPort.postMessage({ status, text })
    isAnswered = true
  }
  const sent = request(url, { method: "POST", headers: { ...headers, "content-length": bytes.length } }, (answer) => {
    const pieces = []
    answer.on("data", (piece) => pieces.push(piece))
    answer.on("end", () => answerOnce(answer.statusCode, Buffer.concat(pieces).toString()))
    answer.on("error", (error) => answerOnce(0, String(error)))
  })
  // A server that refuses a body may close the connection before or after its answer is read.
  sent.on("error", (error) => answerOnce(0, String(error)))
  sent.end(bytes)
})`

/** A thread that sends one request after the other, until the scope closes. */
export const start = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Worker(program, { eval: true })),
    (worker) => Effect.promise(() => worker.terminate())
  ),
  (worker) => ({
    /** Sends a body at each run of the effect. A status of 0 means no answer; its text is the reason. */
    post: (url: string, headers: Readonly<Record<string, string>>, text: string): Effect.Effect<Answer> => {
      const bytes = new TextEncoder().encode(text)
      // Shared memory is passed to the thread without a copy.
      const body = new SharedArrayBuffer(bytes.length)
      new Uint8Array(body).set(bytes)
      return Effect.callback((resume) => {
        worker.once("message", (answer: Answer) => resume(Effect.succeed(answer)))
        worker.postMessage({ url, headers, body })
      })
    }
  })
)
