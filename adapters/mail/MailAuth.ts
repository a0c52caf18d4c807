/**
 * Verifies the origin of a mail: SPF for the sending host, DKIM for the signature. A mail that fails is still read,
 * because many forwarded mails fail; the result is stored with the codes and links from the mail.
 */
import { Resolver } from "node:dns/promises"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import type { DNSResolver } from "mailauth"

export interface Options {
  readonly resolver: DNSResolver
  /**
   * Maximum time of the verification from the end of the headers, in milliseconds. After it, the result is `temperror`.
   */
  readonly budgetMillis: number
}

/** The client that handed a mail over. */
export interface MailClient {
  readonly remoteAddress: string
  readonly helo: string
  readonly sender: string
}

/** Maximum number of name lookups for one mail, so that a mail cannot cause unlimited lookups. */
const maxQuestions = 20

const system = new Resolver({ timeout: 1_000, tries: 1 })

/** Asks the name servers of the machine. */
export const defaults: Options = {
  // The verification queries only types whose records are texts or lists of texts.
  resolver: (name, type) => system.resolve(name, type) as Promise<Array<Array<string>> | Array<string>>,
  budgetMillis: 3_000
}

/** The results in one line, such as `spf=pass dkim=fail`. Never fails: an unknown result is `temperror`. */
export const verify = (mail: Readable, { helo, remoteAddress, sender }: MailClient, options: Options) =>
  Effect.tryPromise(async () => {
    // Loaded with the first mail, because the module is large and most processes receive no mail.
    const { authenticate } = await import("mailauth")
    let asked = 0
    const { dkim, spf } = await authenticate(mail, {
      ip: remoteAddress,
      helo,
      sender,
      disableArc: true,
      disableDmarc: true,
      disableBimi: true,
      resolver: (name, type) => {
        asked++
        if (asked <= maxQuestions) return options.resolver(name, type)
        return Promise.reject(Object.assign(new Error("Too many names"), { code: "ETIMEOUT" }))
      }
    })
    const signatures = (dkim?.results ?? []).map(({ status }) => String(status?.result ?? "none"))
    return line(spf === false ? "none" : String(spf?.status?.result ?? "none"), best(signatures))
  }).pipe(
    Effect.timeout(options.budgetMillis),
    Effect.orElseSucceed(() => unknown)
  )

const line = (spf: string, dkim: string): string => `spf=${word(spf)} dkim=${word(dkim)}`

/** The result for a mail that was not verified. */
export const unknown = "spf=temperror dkim=temperror"

/** One valid signature is enough. */
const best = (results: ReadonlyArray<string>): string =>
  results.find((result) => result === "pass") ?? results.find((result) => result !== "none") ?? "none"

const word = (text: string): string => (/^[a-z]{1,20}$/.test(text) ? text : "none")
