/**
 * Logins with one-time codes at a bank with scripted pages.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { Failure, Outcome } from "../../core/agent/Outcome.ts"
import type { Person, Question } from "../../core/agent/Person.ts"
import type { Account } from "../../core/vault/Account.ts"
import * as Inbox from "../../core/vault/inbox/Inbox.ts"
import { LoginCodes, PhoneNumberOf } from "../../core/vault/otp/LoginCodes.ts"
import * as Otp from "../../core/vault/otp/Otp.ts"
import type { VaultEntry } from "../../core/vault/VaultEntry.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import * as accounts from "./accounts.ts"
import { graphOf, type Step, walk } from "./browser.ts"

export const site = "https://bank.example/code"
export const home = "https://bank.example/home"
export const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const totp = Result.getOrThrow(Otp.parse(Redacted.make(secret)))
export const codeAt = (at: number) => (totp._tag === "Totp" ? Redacted.value(Otp.timed(totp, at).code) : "")

export const services = (inboxDomain: string | null, phone: string | null = null) =>
  LoginCodes.layer.pipe(
    Layer.provide(Layer.succeed(Inbox.InboxDomain, inboxDomain)),
    Layer.provide(Layer.succeed(PhoneNumberOf, () => Effect.succeed(phone))),
    Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
    Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer))
  )

export const tfa = (parameters: object): Step => ({
  action: "TFA",
  parameters: { credential: "BANK", selector: "#code", wait_time: 0, ...parameters }
})
export const title: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
  }
}

export const pages = (values: ReadonlyArray<string>): ScriptedBrowser.ScriptedSite => ({
  [site]: [{ selector: "#code", value: "", takes: { values, leadsTo: home } }],
  [home]: [{ selector: "//h1", text: "Welcome" }]
})

export const run = (
  step: Step,
  values: ReadonlyArray<string>,
  options: {
    readonly tfaSecret?: string
    readonly entry?: VaultEntry
    readonly providedCode?: NonNullable<Account["providedCode"]>
    readonly person?: Person
    readonly pages?: ScriptedBrowser.ScriptedSite
  } = {}
) =>
  Effect.gen(function* () {
    const codes = yield* LoginCodes
    const own = accounts.account(
      "BANK",
      options.tfaSecret === undefined ? {} : { tfaSecret: options.tfaSecret },
      options.entry
    )
    const account: Account = options.providedCode === undefined ? own : { ...own, providedCode: options.providedCode }
    return yield* walk(
      graphOf(site, [step, title]),
      { BANK: "robot" },
      {
        accounts: [account],
        codes,
        ...(options.person === undefined ? {} : { person: options.person })
      }
    )
  }).pipe(Effect.provide(ScriptedBrowser.layer(options.pages ?? pages(values))))

export const failureOf = (outcome: Outcome): Failure => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}

export const welcome: Outcome = { _tag: "Success", data: { title: "Welcome" } }

/** A person who gives these answers in turn, and the questions that were asked. */
export const person = (answers: ReadonlyArray<Record<string, string> | null>) => {
  const asked: Array<Question> = []
  const one: Person = {
    ask: (question) =>
      Effect.sync(() => {
        asked.push(question)
        return answers[asked.length - 1] ?? null
      }),
    correct: () => Effect.succeed(null)
  }
  return { asked, person: one }
}
