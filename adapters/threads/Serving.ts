/** The message loop of a thread, which runs one operation after the other. */
import { parentPort } from "node:worker_threads"
import * as Bounds from "../../core/workflow/sandbox/Bounds.ts"
import type { Reply } from "./ThreadPool.ts"

/** Maximum number of characters and parts of an answer, because reading it blocks the calling process. */
const longestAnswer = 8_000_000
const mostParts = 250_000

/** Serves the operations of a `ThreadPool`. */
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
