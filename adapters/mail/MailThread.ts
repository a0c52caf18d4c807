/**
 * Reads mails in a thread of its own, within bounds of time and memory: whatever a stranger sends, the event loop of the
 * process stays free. The thread starts with the first mail and does not keep the process alive.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Body } from "../../core/vault/inbox/ReceivedMessage.ts"
import * as MailParser from "./MailParser.ts"

/** What the thread is asked. The answer is a `Mail` for a mail, and a list of bodies for texts. */
export type Question =
  | { readonly kind: "mail"; readonly raw: Uint8Array }
  | { readonly kind: "bodies"; readonly html: string; readonly text: string }

/** How long one mail may take, in milliseconds. The start of the thread counts as well. */
const deadlineMillis = 5_000

/** How much memory the thread may take, in megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** What can be read of HTML and plain text is within this many characters. */
const maxCharacters = MailParser.maxBytes

/** One question at a time; a thread that takes too long or dies is replaced with the next question. */
export const make = (program: URL, millis: number) => {
  let worker: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  const started = (): Worker => {
    const made = new Worker(program, { resourceLimits, env: {}, execArgv: ["--disable-warning=ExperimentalWarning"] })
    made.unref()
    made.on("error", () => {})
    made.once("exit", () => {
      if (worker === made) worker = null
    })
    worker = made
    return made
  }

  /** The answer; `undefined` where none came in time. */
  const answer = (question: Question): Promise<unknown> =>
    new Promise((resolve) => {
      const asked = worker ?? started()
      const end = (value: unknown) => {
        clearTimeout(timer)
        asked.off("message", end)
        asked.off("exit", dies)
        resolve(value)
      }
      const dies = () => end(undefined)
      const timer = setTimeout(() => {
        if (worker === asked) worker = null
        void asked.terminate()
        end(undefined)
      }, millis)
      asked.on("message", end)
      asked.on("exit", dies)
      asked.postMessage(question)
    })

  return (question: Question): Promise<unknown> => {
    const next = last.then(() => answer(question))
    last = next
    return next
  }
}

const ask = make(new URL("./MailReader.ts", import.meta.url), deadlineMillis)

/** Reads a mail. One that cannot be read in time has no text; nothing makes this fail. */
export const mail = (raw: Uint8Array): Effect.Effect<MailParser.Mail> =>
  Effect.promise(async () => {
    const bytes = MailParser.readable(raw)
    return ((await ask({ kind: "mail", raw: bytes })) as MailParser.Mail | undefined) ?? MailParser.unread(bytes)
  })

/** The forms of a text, HTML first; none where they cannot be read in time. */
export const bodies = (
  html: string | null | undefined,
  text: string | null | undefined
): Effect.Effect<ReadonlyArray<Body>> =>
  Effect.promise(async () => {
    const question = {
      kind: "bodies",
      html: (html ?? "").slice(0, maxCharacters),
      text: (text ?? "").slice(0, maxCharacters)
    } as const
    return ((await ask(question)) as ReadonlyArray<Body> | undefined) ?? []
  })
