/**
 * Mails and texts, each with the code that a person would take from it, and the judgement of a finder over them.
 *
 * `open.jsonl` is what the finder was written with. `apart.jsonl` was written before it and first read when it was done.
 * `hostile.jsonl` was written afterwards, to break it. Each was measured before what it found was mended: the comments
 * of `corpus.test.ts` say what it was.
 */
import { readFileSync } from "node:fs"
import { bodiesOf } from "../../../../adapters/mail/MailParser.ts"
import type { Message } from "../../../../core/vault/inbox/ReceivedMessage.ts"

export interface Text {
  readonly language: string
  /** How the code is brought: `none` where there is none. */
  readonly form: string
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly code: string | null
}

export const read = (name: "open" | "apart" | "hostile"): ReadonlyArray<Text> =>
  readFileSync(new URL(`./${name}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Text)

export const messageOf = ({ html, subject = "", text }: Text): Message => ({
  from: "no-reply@acme.example",
  subject,
  bodies: bodiesOf(html, text)
})

/** A finder: the code that it takes from a message. */
export type Finder = (message: Message) => string | null

/** The judgement of a finder over texts of one form. */
export interface Verdict {
  readonly form: string
  /** A code that is not the code, or one where there is none. */
  readonly wrong: ReadonlyArray<string>
  readonly missed: ReadonlyArray<string>
  readonly texts: number
}

/** At most so large a share of the texts may have a code that is missed. */
const mostMissed = 0.02

/** What is not good about a finder: the forms in which it takes a number that is not the code, or misses too many. */
export const faultsOf = (texts: ReadonlyArray<Text>, finder: Finder): ReadonlyArray<Verdict> => {
  const forms = [...new Set(texts.map(({ form }) => form))]
  return forms
    .map((form) => {
      const own = texts.filter((text) => text.form === form)
      const read = own
        .map((text) => ({ text, found: finder(messageOf(text)) }))
        .filter((one) => one.found !== one.text.code)
      const shown = ({ found, text }: (typeof read)[number]) => `${found} in ${JSON.stringify(text)}`
      return {
        form,
        wrong: read.filter(({ found }) => found !== null).map(shown),
        missed: read.filter(({ found }) => found === null).map(shown),
        texts: own.length
      }
    })
    .filter(({ missed, texts, wrong }) => wrong.length > 0 || missed.length > texts * mostMissed)
}
