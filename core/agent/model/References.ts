/**
 * Secrets of credentials by reference: a model sees `{{secret:BANK.PASSWORD}}`, and may ask to have it typed. The agent
 * inserts the value, only on a site of that credential.
 */
import { Effect, Result } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { Guard } from "../../browser/element/ElementQuery.ts"
import type { Account } from "../../vault/Account.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import * as CredentialUse from "../../workflow/language/graph/CredentialUse.ts"
import { StepFailed } from "../Failure.ts"
import * as Credentials from "../variables/Credentials.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"

/**
 * A text of the workflow for a model: its expressions evaluated, apart from those that are a secret of a credential,
 * which become references and are not evaluated. An expression that derives another value from a secret is refused,
 * because the derived value could not be recognised as secret.
 */
export const evaluate = Effect.fnUntraced(function* (
  text: string,
  memory: Memory.Memory,
  page: SessionParts<"navigation">
): Effect.fn.Return<string, StepFailed> {
  if (!Template.isTemplate(text)) return text
  const parts = text.split(/(\{\{(?:(?!\{\{)[\s\S])*?\}\})/)
  const resolved: Array<string> = []
  for (const part of parts) {
    const read = secretOf(part, memory)
    const [account] = read === null ? yield* SecretUse.usedBy(part, memory) : []
    if (account !== undefined) return yield* exposing(account)
    resolved.push(read === null ? yield* Memory.evaluateText(part, memory, page) : reference(read.alias, read.name))
  }
  return resolved.join("")
})

const exposing = ({ alias, entry }: Account) => {
  const sentence = `Cannot ask a model: an expression derives another value from a secret of ${entry.domain}; expected the secret alone, as {{context.inputs.${alias}.PASSWORD}}`
  return new StepFailed({ code: "MODEL-E0006", sentence, original: null })
}

const reference = (alias: string, name: string): string => `{{secret:${alias}.${name}}}`

/** The secret that an expression is and nothing else; `null` for any other. */
const secretOf = (part: string, { credentials }: Memory.Memory) => {
  const source = /^\{\{\s*([\w.$`]+)\s*\}\}$/.exec(part)?.[1]
  if (source === undefined) return null
  const path = source.split(".").map((name) => name.replace(/^`(.*)`$/, "$1"))
  const read = CredentialUse.readBy(path, (name) => credentials.accounts.has(name))
  return path.length === 4 && read !== null && CredentialUse.isSecretName(read.name) ? read : null
}

/** The references that may be typed, one a line; empty when nothing may. */
export const offered = ({ credentials }: Memory.Memory): string =>
  [...credentials.accounts.values()]
    .flatMap(({ alias, entry }) =>
      typed.map((name) => `${reference(alias, name)}: ${words[name]} of ${alias}, for ${entry.domain} only`)
    )
    .join("\n")

const typed = ["USER_NAME", "PASSWORD"] as const
const words = { USER_NAME: "the user name", PASSWORD: "the password" }

/** The text to type: a plain text, or a secret. */
export interface ToType {
  readonly text: string
  readonly isSecret: boolean
  readonly guard?: Guard
}

/**
 * Resolves a text that a model asks to type into a document with this address. A reference is refused if it was not
 * offered, is mixed with other text, or belongs to another site.
 */
export const resolve = Effect.fnUntraced(function* (
  text: string,
  { credentials }: Memory.Memory,
  address: string
): Effect.fn.Return<Result.Result<ToType, string>, StepFailed> {
  if (!text.includes("{{secret:")) return Result.succeed({ text, isSecret: false })
  const [, alias = "", name = ""] = /^\{\{secret:([^.{}]+)\.(\w+)\}\}$/.exec(text.trim()) ?? []
  const account = credentials.accounts.get(alias)
  const known = typed.find((one) => one === name)
  if (account === undefined || known === undefined) {
    return Result.fail("A reference is typed alone, and must be one of those that are offered")
  }
  const host = URL.parse(address)?.host ?? ""
  if (!SecretSites.permits(account.entry, address)) {
    return Result.fail(
      `The secret belongs to ${account.entry.domain}; it is not typed on ${host === "" ? "this page" : host}`
    )
  }
  const value = yield* Credentials.read(credentials, account, known)
  return value === null
    ? Result.fail(`The credential ${alias} has no ${words[known]}`)
    : Result.succeed({ text: value, isSecret: true, guard: SecretUse.guardFor(account) })
})
