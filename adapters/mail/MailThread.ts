/**
 * Parses mails in a thread with limits of time and memory, so that no mail blocks the event loop of the process. The
 * thread starts with the first mail and does not keep the process alive while idle.
 */
import { Effect } from "effect"
import type { Body } from "../../core/vault/inbox/ReceivedMessage.ts"
import { type Ending, type Options, ThreadPool } from "../threads/ThreadPool.ts"
import * as Mail from "./Mail.ts"

/** A request to the thread. The answer is a `Mail` for a mail, and a list of bodies for texts. */
export type Question =
  | { readonly kind: "mail"; readonly raw: Uint8Array }
  | { readonly kind: "bodies"; readonly html: string; readonly text: string }

const defaults: Options<Question["kind"]> = {
  name: "reader of mails",
  module: new URL("./MailReader.ts", import.meta.url),
  threads: 1,
  deadlineMillis: () => 5_000,
  memoryMegabytes: 128,
  /** About 32 MB of mails. */
  waiting: 64,
  waitingOfAsker: 64,
  idleMillis: 300_000
}

/**
 * Thrown when the maximum number of mails wait. Only the HTTP and SMTP servers handle it: they answer that the mail may
 * be sent again later.
 */
export class MailsWaiting extends Error {
  override readonly name = "MailsWaiting"
}

/** The most characters of HTML and plain text that are read. */
const maxCharacters = Mail.maxBytes

/** Answers requests one after the other; `undefined` for a request that exceeds its time or memory. */
export const make = (options: Partial<Options<Question["kind"]>> = {}) => {
  const all = { ...defaults, ...options }
  const pool = new ThreadPool(all)
  return (question: Question): Effect.Effect<unknown> =>
    Effect.callback<unknown>((resume) => {
      const end = (ending: Ending): void => {
        const isFull = ending._tag === "Refused" && ending.error.exceeded === "queue"
        if (ending._tag === "Answered") resume(Effect.sync(() => JSON.parse(ending.text)))
        else if (isFull) resume(Effect.die(new MailsWaiting(`${all.waiting} mails are already waiting to be read`)))
        else resume(Effect.undefined)
      }
      const giveUp = pool.submit({ owner: "mail", asker: "mail", name: question.kind, asked: question, end })
      return Effect.sync(giveUp)
    })
}

const ask = make()

/** Parses a mail. The text of a mail that takes too long is empty. Fails only with the defect `MailsWaiting`. */
export const mail = (raw: Uint8Array): Effect.Effect<Mail.Mail> =>
  Effect.suspend(() => {
    const bytes = Mail.readable(raw)
    return Effect.map(
      ask({ kind: "mail", raw: bytes }),
      // The answer to a question of this kind.
      (read) => (read as Mail.Mail | undefined) ?? Mail.unread(bytes)
    )
  })

/** The bodies of a text, HTML first; none if they take too long. Fails like `mail`. */
export const bodies = (
  html: string | null | undefined,
  text: string | null | undefined
): Effect.Effect<ReadonlyArray<Body>> =>
  Effect.suspend(() => {
    const question = {
      kind: "bodies",
      html: (html ?? "").slice(0, maxCharacters),
      text: (text ?? "").slice(0, maxCharacters)
    } as const
    // The answer to a question of this kind.
    return Effect.map(ask(question), (read) => (read as ReadonlyArray<Body> | undefined) ?? [])
  })
