/** The program of the thread that reads mails: one answer for each question. */
import { parentPort } from "node:worker_threads"
import * as MailParser from "./MailParser.ts"
import type { Question } from "./MailThread.ts"

parentPort?.on("message", async (question: Question) => {
  const answer =
    question.kind === "mail" ? await MailParser.parse(question.raw) : MailParser.bodiesOf(question.html, question.text)
  parentPort?.postMessage(answer)
})
