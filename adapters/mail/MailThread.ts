/**
 * Reads mails in a thread, within bounds of time and memory: whatever a stranger sends, the event loop of the process stays
 * free. The thread starts with the first mail and does not keep the process alive while there is none.
 */
import { Effect } from "effect"
import type { Body } from "../../core/vault/inbox/ReceivedMessage.ts"
import { type Ending, type Options, ThreadPool } from "../threads/ThreadPool.ts"
import * as MailParser from "./MailParser.ts"

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
  /** Some 32 MB of mails. */
  waiting: 64,
  idleMillis: 300_000
}

/**
 * So many mails wait already that this one is not read. It is a defect for all but the edges of the service, which answer
 * that the mail may be sent again later: nothing is wrong with it.
 */
export class MailsWaiting extends Error {
  override readonly name = "MailsWaiting"
}

/** The most characters of HTML and plain text that are read. */
const maxCharacters = MailParser.maxBytes

/** Reads what it is asked, one after the other; `undefined` where that takes too long or too much memory. */
export const make = (options: Partial<Options<Question["kind"]>> = {}) => {
  const all = { ...defaults, ...options }
  const pool = new ThreadPool(all)
  return (question: Question): Effect.Effect<unknown> =>
    Effect.callback<unknown>((resume) => {
      const end = (ending: Ending): void => {
        const isFull = ending._tag === "Refused" && ending.error.exceeded === "queue"
        if (ending._tag === "Answered") resume(Effect.sync(() => JSON.parse(ending.text)))
        else if (isFull) resume(Effect.die(new MailsWaiting(`${all.waiting} mails wait to be read already`)))
        else resume(Effect.undefined)
      }
      const giveUp = pool.submit({ owner: "mail", name: question.kind, asked: question, end })
      return Effect.sync(giveUp)
    })
}

const ask = make()

/** Reads a mail. One that cannot be read in time has no text; it fails only with the defect `MailsWaiting`. */
export const mail = (raw: Uint8Array): Effect.Effect<MailParser.Mail> =>
  Effect.suspend(() => {
    const bytes = MailParser.readable(raw)
    return Effect.map(
      ask({ kind: "mail", raw: bytes }),
      // The answer to a question of this kind.
      (read) => (read as MailParser.Mail | undefined) ?? MailParser.unread(bytes)
    )
  })

/** The forms of a text, HTML first; none where they cannot be read in time. It fails as `mail` does. */
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
