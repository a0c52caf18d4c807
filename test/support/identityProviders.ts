/**
 * Sites with sign-ins on scripted pages, whose sessions end by a clock and whose accounts are locked by failures, and the
 * workflow that signs in to them where its saved session has ended.
 */
import { Clock, Effect, Layer } from "effect"
import { Browser } from "../../core/browser/Browser.ts"
import type * as Session from "../../core/browser/Session.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import { altered } from "./alteredSessions.ts"
import { graphOf, type Step } from "./browser.ts"

/** What follows the password: nothing, or what the kind of provider asks for. */
export type ProviderKind = "password" | "totp" | "mail" | "sms" | "two domains" | "device prompt" | "was this you?"

/** A provider, as a test changes it. */
export interface Provider {
  readonly host: string
  readonly kind: ProviderKind
  /** For how long a session is accepted. */
  sessionMillis: number
  /** Sessions that were given before are not accepted. */
  endedBefore: number
  /** What is wrong with the account: the password was changed, or a second factor is demanded. */
  trouble: "none" | "refused" | "second factor"
  /** Sign-ins that failed in a row: the third locks the account. */
  failures: number
  /** How often its work was done. */
  works: number
}

export const provider = (host: string, kind: ProviderKind, sessionMillis: number): Provider => ({
  host,
  kind,
  sessionMillis,
  endedBefore: 0,
  trouble: "none",
  failures: 0,
  works: 0
})

export const lockedAfter = 3
export const isLocked = ({ failures }: Provider): boolean => failures >= lockedAfter

const cookieOf = (host: string, at: number): Session.Cookie => ({
  name: "session",
  value: String(at),
  domain: host,
  path: "/",
  expires: null,
  httpOnly: true,
  secure: true,
  sameSite: "Lax"
})

/** Whether a browser that brings these cookies is signed in. */
const isSignedIn = ({ endedBefore, host, sessionMillis }: Provider, { cookies }: Session.Session, now: number) =>
  cookies.some(
    ({ domain, value }) => domain === host && Number(value) >= endedBefore && Number(value) + sessionMillis > now
  )

const signInPages = (provider: Provider): ScriptedBrowser.ScriptedSite => {
  const { host, kind, trouble } = provider
  const signInHost = kind === "two domains" ? `login.${host}` : host
  const work = `https://${host}/work`
  const code = `https://${signInHost}/code`
  const hasCode = kind !== "password" && kind !== "two domains"
  const home = { selector: "//work" }
  const after = trouble === "second factor" ? `https://${host}/enrol` : hasCode ? code : work
  const locked = isLocked(provider)
  return {
    [`https://${host}/`]: [
      { selector: "#user", value: "" },
      {
        selector: "#password",
        value: "",
        type: "password",
        takes: { values: trouble === "refused" || locked ? [] : "any", leadsTo: after }
      },
      ...(locked ? [{ selector: "//p", text: "This account is locked" }] : []),
      ...(trouble === "refused" ? [{ selector: "//p", text: "The user name or password is incorrect" }] : [])
    ],
    [code]: [{ selector: "#code", value: "", takes: { values: "any", leadsTo: work } }],
    [`https://${host}/enrol`]: [{ selector: "//h1", text: "Set up two-factor authentication before you continue" }],
    [work]: [home]
  }
}

/** A browser on these providers. Each session that is not signed in when it opens counts as an attempt to sign in. */
export const browser = (providers: () => ReadonlyArray<Provider>) =>
  Layer.succeed(
    Browser,
    Browser.of({
      open: Effect.fnUntraced(function* (session) {
        const now = yield* Clock.currentTimeMillis
        const site: Record<string, ScriptedBrowser.ScriptedSite[string]> = {}
        for (const one of providers()) {
          if (isSignedIn(one, session, now)) {
            site[`https://${one.host}/`] = [{ selector: "//home" }, { selector: "//work" }]
            continue
          }
          one.failures = one.trouble === "refused" ? one.failures + 1 : isLocked(one) ? one.failures : 0
          Object.assign(site, signInPages(one))
        }
        const page = yield* Effect.flatMap(Browser, ({ open }) => open(session)).pipe(
          Effect.provide(ScriptedBrowser.layer(site))
        )
        const at = (address: string) => providers().find(({ host }) => address === `https://${host}/work`)
        return altered(page, {
          elements: {
            click: Effect.fnUntraced(function* (query, kind) {
              const address = yield* page.navigation.address
              const clicked = yield* page.elements.click(query, kind)
              const one = at(address) ?? providers().find(({ host }) => address === `https://${host}/`)
              if (one !== undefined && query.selector === "//work") one.works++
              return clicked
            })
          },
          observation: {
            // Who has come to the work is signed in.
            remembered: Effect.fnUntraced(function* (keeps) {
              const stored = yield* page.observation.remembered(keeps)
              const one = at(yield* page.navigation.address)
              return one === undefined ? stored : { ...stored, cookies: [...stored.cookies, cookieOf(one.host, now)] }
            })
          }
        })
      })
    })
  )

/** Signs in at a provider where that is needed, and does the work there. */
export const workflowOf = ({ host, kind }: Provider) => {
  const type = (selector: string, name: string, more: object = {}): Step => ({
    action: "INPUT_TEXT",
    parameters: { selector, text: `{{context.inputs.SITE.${name}}}`, wait_time: 0, ...more }
  })
  const tfaTypes: Partial<Record<ProviderKind, string>> = {
    totp: "AUTHENTICATOR",
    mail: "EMAIL",
    sms: "SMS",
    "device prompt": "SMS",
    "was this you?": "SMS"
  }
  const tfa = tfaTypes[kind]
  const codes: ReadonlyArray<Step> =
    tfa === undefined
      ? []
      : [{ action: "TFA", parameters: { tfa_type: tfa, credential: "SITE", selector: "#code", wait_time: 0 } }]
  const work = 4 + codes.length
  return {
    name: `Work at ${host}`,
    ...graphOf(`https://${host}/`, [
      {
        action: "BOOL_CONDITION",
        parameters: { comparison_operator: "IS_NOT_NULL", comparison_value_1: "<<xpath://home>>" },
        to: { yes: work, no: 2 }
      },
      type("#user", "USER_NAME"),
      type("#password", "PASSWORD", { submit_after_input: true }),
      ...codes,
      { action: "CLICK", parameters: { selector: "//work", wait_time: 0 } },
      { action: "CLICK", parameters: { selector: "//work", wait_time: 0 } }
    ]),
    vault_schema: { SITE: { type: "credential", domain: `https://${host}` } }
  }
}
