/**
 * Verifies the origin of a mail: SPF for the sending host, DKIM for the signature. A mail that fails is still read,
 * because many forwarded mails fail; the result is stored with the codes and links from the mail.
 */
import { Resolver } from "node:dns/promises"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import type * as Mailauth from "mailauth"
import * as MailSender from "../../core/vault/inbox/MailSender.ts"

export interface Options {
  readonly resolver: Mailauth.DNSResolver
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

/** Headers that a mail has once. A signature covers one of them only, and a reader may take another. */
const single = new Set(["from", "subject", "mime-version", "content-type", "content-transfer-encoding"])

/** The results, as `MailSender` writes them. Never fails: an unknown result is `temperror`. */
export const verify = (mail: Readable, client: MailClient, options: Options) =>
  // Loaded with the first mail, because the module is large and most processes receive no mail.
  Effect.flatMap(
    Effect.promise(() => import("mailauth")),
    ({ authenticate }) =>
      Effect.tryPromise(() => verdictOf(authenticate, mail, client, options)).pipe(
        Effect.timeout(options.budgetMillis),
        Effect.orElseSucceed(() => unknown)
      )
  )

const verdictOf = async (
  authenticate: typeof Mailauth.authenticate,
  mail: Readable,
  { helo, remoteAddress, sender }: MailClient,
  options: Options
): Promise<string> => {
  let asked = 0
  const { dkim, spf } = await authenticate(mail, {
    ip: remoteAddress,
    helo,
    sender,
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    rejectRsaSha1: true,
    resolver: (name, type) => {
      asked++
      if (asked <= maxQuestions) return options.resolver(name, type)
      return Promise.reject(Object.assign(new Error("Too many names"), { code: "ETIMEOUT" }))
    }
  })
  const headers = (dkim.headers?.parsed ?? []).map(({ key }) => key).filter((key) => single.has(key))
  const isPlain = new Set(headers).size === headers.length
  const signatures = (dkim.results ?? []).map(({ signingDomain = "", status }) => {
    const result = String(status?.result ?? "none")
    const isWhole = isPlain && !status?.underSized
    return { domain: signingDomain, result: result === "pass" && !isWhole ? "policy" : result }
  })
  return MailSender.verdict({
    spf: spf === false ? none : { result: String(spf.status?.result ?? "none"), domains: [spf.domain ?? ""] },
    dkim: {
      result: best(signatures.map(({ result }) => result)),
      domains: signatures.filter(({ result }) => result === "pass").map(({ domain }) => domain)
    }
  })
}

const none = { result: "none", domains: [] }

/** The result for a mail that was not verified. */
export const unknown = "spf=temperror dkim=temperror"

/** One valid signature is enough. */
const best = (results: ReadonlyArray<string>): string =>
  results.find((result) => result === "pass") ?? results.find((result) => result !== "none") ?? "none"
