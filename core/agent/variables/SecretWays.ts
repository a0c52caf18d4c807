/** How the secrets of credentials reach the values of expressions. */
import { Effect, type Schema } from "effect"
import type { Account } from "../../vault/Account.ts"
import * as Derivation from "../../workflow/language/expression/Derivation.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import * as CredentialUse from "../../workflow/language/graph/CredentialUse.ts"
import { StepFailed } from "../Failure.ts"
import type { Credentials } from "./Credentials.ts"
import * as Expressions from "./Expressions.ts"

/** What has the credentials of a run, such as its memory. */
export interface Holder {
  readonly credentials: Credentials
}

/** How secrets reach the value of an expression: passwords, secrets of codes, and what was computed from them. */
export interface SecretWay {
  readonly way: Derivation.Way
  /** Their credential; `null` where one value may be that of several. */
  readonly account: Account | null
}

/** `null` for an expression without a secret. A user name is none: output may have it. */
export const wayOf = ({ uses }: Expressions.Readable, { credentials }: Holder): SecretWay | null => {
  const { accounts, secrets } = credentials
  if (accounts.size === 0) return null
  const found: Array<SecretWay> = []
  for (const { path, way } of uses) {
    const read = CredentialUse.readBy(path, (name) => accounts.has(name))
    const isSecret = read !== null && CredentialUse.isSecretName(read.name) && read.name !== "USER_NAME"
    const kept = isSecret ? null : secrets.keptAt(path)
    if (!isSecret && kept === null) continue
    const aliases = isSecret ? [read.alias] : [...secrets.madeOf(path)]
    const account = aliases.flatMap((alias) => accounts.get(alias) ?? [])[0] ?? null
    found.push({ way: Derivation.worst(way, kept ?? "whole"), account })
  }
  return together(found)
}

/** The way of several together; `null` for none. */
export const together = (ways: ReadonlyArray<SecretWay>): SecretWay | null =>
  ways.length === 0
    ? null
    : {
        way: ways.map(({ way }) => way).reduce(Derivation.worst),
        account: ways.find(({ account }) => account !== null)?.account ?? null
      }

/** The same of an expression that is written without braces. */
export const wayOfExpression = (source: string, memory: Holder): Effect.Effect<SecretWay | null, StepFailed> =>
  memory.credentials.accounts.size === 0 || source.trim() === ""
    ? Effect.succeed(null)
    : Effect.map(Expressions.describe(source.trim()), (expression) => wayOf(expression, memory))

/** How the secrets in a text of the workflow reach what comes of it. */
export const wayOfText = Effect.fnUntraced(function* (text: string, memory: Holder) {
  if (memory.credentials.accounts.size === 0 || !Template.isTemplate(text)) return null
  const expressions = yield* Effect.forEach(sourcesIn(text), Expressions.describe)
  return together(expressions.flatMap((expression) => wayOf(expression, memory) ?? []))
})

/** Hides what an expression has computed from a secret, as far as it can be found again by its text. */
export const noteComputed = (value: Schema.Json, { account, way }: SecretWay, { credentials }: Holder): void => {
  // What is beside a whole secret in an object or a list is no secret, and the secret is known.
  if (way === "whole" && typeof value === "object") return
  const text = String(value)
  if (way === "whole" && credentials.secrets.hideWithin(text, text.length) !== text) return
  credentials.secrets.add(value, "secret")
  if (account !== null) credentials.secrets.own([account.alias], value)
}

/** Why the value of an expression with a secret is not computed, or not used where it stands. */
export const misused = (source: string, { account, way }: SecretWay): StepFailed => {
  const whose = account === null ? "a secret" : `a secret of the credential for ${account.entry.domain}`
  const reason =
    way === "decides"
      ? `its value would tell more of ${whose} than its text, which may be joined ($join, &), cut ($substring, $split) and encoded ($base64encode, $encodeUrlComponent)`
      : `it reads ${whose}, which is only typed, sent and opened on its own site, and kept by TRANSFORM`
  const shown = source.length <= 500 ? source : `${source.slice(0, 500)}…`
  return new StepFailed({
    code: "CREDENTIAL-E0002",
    sentence: `Cannot use the expression {{${shown}}}: ${reason}`,
    original: reason
  })
}

/** The expressions in a text of the workflow. */
export const sourcesIn = (text: string): ReadonlyArray<string> =>
  Template.split(text).parts.flatMap((part) => (typeof part === "string" ? [] : [part.source]))
