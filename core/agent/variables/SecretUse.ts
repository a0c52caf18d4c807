/**
 * Which secrets a step is about to use, and why they may not be used where it would use them.
 *
 * A text uses a secret when an expression in it reads the credential, when it reads a value that such an expression made
 * before, and when the text that comes of it holds a secret however it is written.
 */

import { Effect } from "effect"
import type { Guard } from "../../browser/element/ElementQuery.ts"
import type { Account } from "../../vault/Account.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import * as Expression from "../../workflow/language/expression/Expression.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import * as CredentialUse from "../../workflow/language/graph/CredentialUse.ts"
import { StepFailed } from "../Failure.ts"
import * as Expressions from "./Expressions.ts"
import * as SecretWays from "./SecretWays.ts"

/** The credentials whose secrets a text of the workflow reads, directly or by way of values that were made of them. */
export const usedBy = Effect.fnUntraced(function* (
  text: string,
  memory: SecretWays.Holder
): Effect.fn.Return<ReadonlyArray<Account>, StepFailed> {
  if (memory.credentials.accounts.size === 0 || !Template.isTemplate(text)) return []
  const reads = yield* Effect.forEach(SecretWays.sourcesIn(text), Expressions.describe)
  return readBy(
    reads.flatMap((read) => read.reads),
    memory
  )
})

/** The same of an expression that is written without braces. */
export const usedByExpression = Effect.fnUntraced(function* (
  source: string,
  memory: SecretWays.Holder
): Effect.fn.Return<ReadonlyArray<Account>, StepFailed> {
  if (memory.credentials.accounts.size === 0 || source.trim() === "") return []
  return readBy((yield* Expressions.describe(source.trim())).reads, memory)
})

const readBy = (
  paths: ReadonlyArray<ReadonlyArray<string>>,
  { credentials }: SecretWays.Holder
): ReadonlyArray<Account> => {
  const { accounts, secrets } = credentials
  const aliases = new Set<string>()
  for (const path of paths) {
    const read = CredentialUse.readBy(path, (name) => accounts.has(name))
    if (read !== null) aliases.add(read.alias)
    for (const alias of secrets.madeOf(path)) aliases.add(alias)
  }
  return [...accounts.values()].filter(({ alias }) => aliases.has(alias))
}

/**
 * Guards what a step does with texts: `written` as they stand in the workflow, `texts` with their expressions evaluated.
 * Absent where nothing needs to be guarded. `pastes` where the step may paste what a field held.
 */
export const guard = Effect.fnUntraced(function* (
  written: ReadonlyArray<string>,
  texts: ReadonlyArray<string>,
  memory: SecretWays.Holder,
  pastes = false
): Effect.fn.Return<Guard | undefined, StepFailed> {
  const used = [...new Set((yield* Effect.forEach(written, (one) => usedBy(one, memory))).flat())]
  const evaluated = written.some(Template.isTemplate) ? texts : []
  // Values that an expression computes from a secret may be read from the page again.
  if (written.some(makes)) {
    memory.credentials.secrets.own(
      used.map(({ alias }) => alias),
      evaluated
    )
  }
  const ways = yield* Effect.forEach(written, (one) => SecretWays.wayOfText(one, memory))
  return yield* guardOf(used, evaluated, memory, pastes, SecretWays.together(ways.flatMap((way) => way ?? [])))
})

/** Whether an expression of a text is more than the name of a value. */
const makes = (text: string): boolean =>
  Template.isTemplate(text) && SecretWays.sourcesIn(text).some((source) => Expression.pathOf(source) === null)

/** The same where it is known which credentials are used. */
export const guardOf = Effect.fnUntraced(function* (
  used: ReadonlyArray<Account>,
  texts: ReadonlyArray<string>,
  memory: SecretWays.Holder,
  pastes = false,
  secret: SecretWays.SecretWay | null = null
): Effect.fn.Return<Guard | undefined> {
  const { accounts, secrets } = memory.credentials
  const isHidden = accounts.size > 0 && texts.some((text) => holdsHidden.test(text))
  if (secret?.way === "part") secrets.partsAreTyped = true
  const aliases = used.map(({ alias }) => alias)
  const held = (yield* Effect.forEach(texts, (text) => secrets.ownersIn(text, aliases))).flat()
  if (used.length === 0 && held.length === 0 && !isHidden && !(pastes && accounts.size > 0)) return undefined
  const refusal = (texts: ReadonlyArray<ReadonlySet<string>>, address: string): string | null => {
    const foreign = used.find(({ entry }) => !SecretSites.permits(entry, address))
    if (foreign !== undefined) return SecretSites.refusal(foreign.entry, address)
    for (const owners of texts) {
      const homes = [...owners].flatMap((alias) => accounts.get(alias) ?? [])
      const [first] = homes
      // One value may be that of several credentials.
      if (first !== undefined && !homes.some(({ entry }) => SecretSites.permits(entry, address))) {
        return SecretSites.refusal(first.entry, address)
      }
    }
    return isHidden ? "the text has a value in it that is hidden because it is secret" : null
  }
  return Object.assign((address: string) => refusal(held, address), {
    ...(secret?.way === "part" ? { hiddenOnly: partsAreHidden } : {}),
    pasting: (address: string, text: string) =>
      Effect.map(secrets.ownersIn(text, []), (owners) => refusal([...held, ...owners], address))
  })
})

/** What an expression sees in place of a secret, also in an address. */
const holdsHidden = /(\[|%5B)secret(\]|%5D)/i

const partsAreHidden =
  "the text has a part of a secret in it, which is typed into a password field alone: what others show could not be hidden"

/**
 * Why an address that a step has made of a text must not be opened, or sent anything; `null` where it may. `here` is the
 * address of the page. The host is named only where the text, or the page, has it in clear: it may be made of a secret.
 */
export const objection = (guard: Guard | undefined, written: string, address: string, here: string): string | null => {
  if (guard === undefined) return null
  const reason = guard(address) ?? guard.hiddenOnly ?? null
  if (reason === null || URL.parse(address) === null) return reason
  const { host } = new URL(address)
  const isKnown = written.includes(`//${host}`) || (URL.parse(here) !== null && new URL(here).host === host)
  return isKnown ? reason : guard("")
}

/** Guards what is typed for one credential alone, such as its one-time codes. */
export const guardFor =
  ({ entry }: Pick<Account, "entry">): Guard =>
  (address) =>
    SecretSites.permits(entry, address) ? null : SecretSites.refusal(entry, address)

/** The failure of a step that would use secrets where they may not be used. */
export const refused = (tried: string, reason: string): StepFailed =>
  new StepFailed({ code: "CREDENTIAL-E0002", sentence: `Cannot ${tried}: ${reason}`, original: reason })
