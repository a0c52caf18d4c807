/** Where the one-time code for a field comes from, and the messages that enter it. */
import { aliasFor, type Candidate, type Entry, isFor, messageOf, typeInto } from "./AuthorModel.ts"
import type { Draft, PageTarget } from "./Conversation.ts"
import { record } from "./StepModel.ts"

export interface CodeSource {
  readonly word: string
  /** Whether a person gives it in each run, and in the recording. */
  readonly isAsked: boolean
  /** The message to send before the step may use its credential; `null` when none is needed. */
  readonly adds: string | null
  /** The steps that enter it at a selector. */
  readonly steps: (target: PageTarget, selector: string) => ReadonlyArray<Candidate>
}

type Kind = "AUTHENTICATOR" | "EMAIL" | "SMS"

const asked = "A person is asked for it in each run"

/** How an entry of the vault comes to codes, and in a word whether without a person. */
const kindOf = (entry: Entry): { readonly kind: Kind; readonly by: string | null } => {
  const { secret_provider_id, tfa_email, tfa_method, tfa_phone_number, tfa_secret } = entry
  if (tfa_secret || (secret_provider_id && (tfa_method ?? "AUTHENTICATOR") === "AUTHENTICATOR"))
    return { kind: "AUTHENTICATOR", by: "by its authenticator" }
  if (tfa_method === "EMAIL") return { kind: "EMAIL", by: tfa_email ? `mailed to ${tfa_email}` : null }
  if (tfa_method === "SMS") return { kind: "SMS", by: tfa_phone_number ? `by SMS to ${tfa_phone_number}` : null }
  return { kind: "AUTHENTICATOR", by: null }
}

/** Without a credential, a person's answer is typed. */
const fromPerson = (url: string): CodeSource => ({
  word: asked,
  isAsked: true,
  adds: null,
  steps: (target, selector) => [
    {
      action: "USER_INTERACTION",
      name: "Ask for the code",
      parameters: {
        expected_datamodel: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
        server_message: `The login at ${URL.parse(url)?.host ?? "the site"} asks for a one-time code`
      }
    },
    typeInto(target, selector, "{{context.code}}", true)
  ]
})

/**
 * The sources of a one-time code on a page, the likeliest first: the credential that the draft signs in with there, or the
 * others of the vault for the site. Where the vault has none, a person.
 */
export const codeSourcesOf = (
  entries: ReadonlyArray<Entry>,
  url: string,
  draft: Pick<Draft, "input_schema" | "vault_schema">
): ReadonlyArray<CodeSource> => {
  const origin = URL.parse(url)?.origin ?? ""
  const used = Object.entries(draft.vault_schema).find(([, value]) => record(value).domain === origin)?.[0]
  const all = entries
    .filter((entry) => isFor(entry, url))
    .map((entry): CodeSource => {
      const { permissioned_user_id: user } = entry
      const { by, kind } = kindOf(entry)
      const alias = used ?? aliasFor(user, draft)
      return {
        word: by === null ? `${asked} (${user})` : `Code of ${user}, ${by}`,
        isAsked: by === null,
        adds: used === undefined ? `credential ${alias} ${origin} = ${user}` : null,
        steps: (_, selector) => [
          {
            action: "TFA",
            name: "Enter the code",
            parameters: { execution: "STATIC", tfa_type: kind, credential: alias, selector }
          }
        ]
      }
    })
    .toSorted((one, other) => Number(one.isAsked) - Number(other.isAsked))
  return all.length > 0 ? all : [fromPerson(url)]
}

/** The messages that enter a code; `code` is what a person has given. */
export const entering = (
  { adds, isAsked, steps }: CodeSource,
  target: PageTarget,
  selector: string,
  code: string
): ReadonlyArray<string> => [
  ...(adds === null ? [] : [adds]),
  ...(isAsked ? [`answer code = ${code.trim()}`] : []),
  ...steps(target, selector).map(messageOf)
]
