/** The thread that parses mails. */
import { serve } from "../threads/Serving.ts"
import * as MailParser from "./MailParser.ts"
import type { Question } from "./MailThread.ts"

serve((_name, asked) => {
  // The pool sends what `MailThread` asks.
  const question = asked as Question
  return question.kind === "mail" ? MailParser.parse(question.raw) : MailParser.bodiesOf(question.html, question.text)
})
