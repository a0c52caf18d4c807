/**
 * The loop of the modules of threads: a thread does one operation after the other, each as its message asks.
 */
import { parentPort } from "node:worker_threads"
import * as Bounds from "../../core/workflow/sandbox/Bounds.ts"
import type { Reply } from "./ThreadPool.ts"

/** The most characters and parts of an answer: reading it holds the process that asked for it. */
const longestAnswer = 8_000_000
const mostParts = 250_000

/** Answers a `ThreadPool` with what an operation comes to. */
export const serve = (operate: (name: string, asked: unknown) => unknown): void => {
  const port = parentPort
  if (port === null) throw new Error("The module of a thread needs the thread that started it")
  const answer = (reply: Reply): void => port.postMessage(reply)

  port.on("message", async (message: { readonly name: string; readonly asked: unknown }) => {
    try {
      const answered = await operate(message.name, message.asked)
      const text = JSON.stringify(answered)
      if (text.length > longestAnswer) answer({ _tag: "TooLarge", limit: `${longestAnswer} characters as JSON` })
      else if (Bounds.weightOf(answered, mostParts) === null) {
        answer({ _tag: "TooLarge", limit: `${mostParts} values` })
      } else answer({ _tag: "Answered", text })
    } catch (error) {
      answer({ _tag: "Broken", message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })

  answer({ _tag: "Ready" })
}
