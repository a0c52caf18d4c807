/**
 * Whether an act that a model proposes may be done: it may, it waits for a person, or it is refused. What the page shows
 * is only evidence against an act.
 *
 * - Nothing is done outside of the sites of the task, and nothing is sent there.
 * - A secret is a reference that stands alone in the text for a field, and a password goes into a password field.
 * - What cannot be undone waits for a person. To sign in with a credential of the task is part of the task.
 */
import type { Schema } from "effect"
import type { ElementFacts } from "../../browser/element/ElementFacts.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import * as Json from "../../workspace/Json.ts"
import type { Candidate } from "../Command.ts"
import * as Irreversible from "./Irreversible.ts"

export type Verdict =
  | { readonly _tag: "Allowed" }
  /** A person decides; `why` is a part of a sentence. */
  | { readonly _tag: "Waits"; readonly why: string }
  | { readonly _tag: "Refused"; readonly why: string }

/** An act that is about to be done on the page. */
export type Act =
  | { readonly _tag: "Open"; readonly address: string }
  | { readonly _tag: "Click"; readonly facts: ElementFacts }
  /** `sends` where the Enter key follows, `isPassword` where the text is the password of a credential. */
  | { readonly _tag: "Type"; readonly facts: ElementFacts; readonly sends: boolean; readonly isPassword: boolean }
  | { readonly _tag: "Choose"; readonly facts: ElementFacts }

export interface Surroundings {
  /** Where acts may be done: the site of the start page, those that the task names, and those of its credentials. */
  readonly sites: ReadonlyArray<SecretSites.Home>
  /** Whether the password of a credential was typed, and nothing was sent since. */
  readonly signsIn: boolean
}

const allowed: Verdict = { _tag: "Allowed" }
const refused = (why: string): Verdict => ({ _tag: "Refused", why })
const waits = (why: string): Verdict => ({ _tag: "Waits", why })

/** The addresses in a task, as a person writes them. */
export const addressesIn = (task: string): ReadonlyArray<string> =>
  [...task.matchAll(/https?:\/\/[^\s"'<>()]+/g)].flatMap(([found]) => {
    let written = found
    while (/[.,;:!?]$/.test(written)) written = written.slice(0, -1)
    return URL.parse(written) === null ? [] : [written]
  })

/** Whether an address is on one of the sites. */
export const isOnSites = (sites: Surroundings["sites"], address: string): boolean =>
  sites.some((site) => SecretSites.permits(site, address))

/** The host of an address, for a person: what follows it may be secret. */
const hostOf = (address: string): string => {
  const url = URL.parse(address)
  return url === null || url.host === "" ? "an address that is none of a site" : url.host
}

export const judge = (act: Act, around: Surroundings): Verdict => {
  if (act._tag === "Open") return opening(act.address, around)
  const { address, form, link } = act.facts
  if (!isOnSites(around.sites, address)) return elsewhere(`acts on ${hostOf(address)}`)
  if (form !== null && form.address !== "" && !isOnSites(around.sites, form.address)) {
    return elsewhere(`fills in or sends a form that goes to ${hostOf(form.address)}`)
  }
  switch (act._tag) {
    case "Click":
      if (link !== null && isLeading(link.address) && !isOnSites(around.sites, link.address)) {
        return elsewhere(`leads to ${hostOf(link.address)}`)
      }
      return clicking(act.facts, around)
    case "Type":
      if (act.isPassword && !isPasswordField(act.facts)) {
        return refused("a password goes into a password field alone, and this is another one")
      }
      return act.sends ? sending(act.facts, around) : allowed
    case "Choose":
      return allowed
  }
}

/** Links within a page, and those that only run a program of it, lead nowhere. */
const isLeading = (address: string): boolean => address !== "" && !/^(#|javascript:)/i.test(address)

const elsewhere = (what: string): Verdict =>
  refused(`it ${what}, which is none of the sites of the task; a person may name that site in the task`)

const opening = (address: string, { sites }: Surroundings): Verdict => {
  if (!isOnSites(sites, address)) return elsewhere(`opens ${hostOf(address)}`)
  const found = Irreversible.named(Irreversible.pathOf(address))
  return found === null ? allowed : waits(`the address says "${found.word}", so it ${found.deed} something`)
}

const isPasswordField = ({ attributes }: ElementFacts): boolean =>
  attributes.some(({ name, value }) => name === "type" && value.toLowerCase() === "password")

const clicking = (facts: ElementFacts, around: Surroundings): Verdict => {
  const signsIn = around.signsIn && isSignIn(facts)
  const found = Irreversible.byWords(facts)
  if (found !== null && !(signsIn && found.deed === "sends")) {
    return waits(`the page says "${found.word}", so it ${found.deed} something`)
  }
  if (signsIn || facts.form === null || !Irreversible.isSubmit(facts)) return allowed
  return Irreversible.changes(facts.form) ? waits(`it sends a form by ${facts.form.method.toUpperCase()}`) : allowed
}

const sending = (facts: ElementFacts, around: Surroundings): Verdict => {
  if (facts.form === null) return waits("the Enter key may send what is typed")
  const found = Irreversible.named(Irreversible.pathOf(facts.form.address))
  if (around.signsIn && isSignIn(facts) && (found === null || found.deed === "sends")) return allowed
  if (found !== null) return waits(`the form says "${found.word}", so it ${found.deed} something`)
  return Irreversible.changes(facts.form) ? waits(`it sends a form by ${facts.form.method.toUpperCase()}`) : allowed
}

/** Values of boxes that are ticked, such as the one to stay signed in. */
const ticked = /^(on|true|yes|1)?$/i

/** Whether a form is that of a sign-in: a secret that is filled in, and of the other fields only the user name. */
const isSignIn = ({ form }: ElementFacts): boolean => {
  const fields = form?.fields ?? []
  const isFilled = fields.some(({ kind, value }) => kind === "secret" && value !== "")
  return isFilled && fields.filter(({ kind, value }) => kind === "shown" && !ticked.test(value)).length <= 1
}

/** What is known about the draft that a proposal extends. */
export interface Known {
  /** The aliases of its credentials. */
  readonly aliases: ReadonlySet<string>
  /** Whether it has a step that asks a model in each run. */
  readonly hasPrompt: boolean
}

/** The most characters of the parameters of a proposed step. */
const longest = 20_000

/** The paths that a proposed text may read, and the number of a turn from 1. */
const plainPath = /^\{\{\s*context((?:\.[A-Za-z_]\w{0,63}){1,5})\s*(?:\+ 1\s*)?\}\}$/

/** Whether a text is the reference to the password of a credential. */
export const isPassword = (text: string): boolean => /^\{\{\s*context\.inputs\.\w+\.PASSWORD\s*\}\}$/.test(text)

/** Why a proposed step is refused whatever the page is; `null` where it is not. */
export const objection = ({ action, parameters }: Candidate, known: Known): string | null => {
  if (JSON.stringify(parameters).length > longest) return `A step has at most ${longest} characters`
  if (typeof parameters.prompt === "string" && known.hasPrompt) {
    return "The workflow has a step already that asks a model in each run, the only one that it may have: expected plain steps"
  }
  for (const { place, text } of textsIn(parameters, "")) {
    const wrong = textObjection(text, known, action === "INPUT_TEXT" && place === "text")
    if (wrong !== null) return `${place}: ${wrong}`
  }
  return null
}

const textObjection = (text: string, { aliases }: Known, mayBeSecret: boolean): string | null => {
  if (text.includes("<<")) return "expected no << in it"
  const parts = text.match(/\{\{[\s\S]*?(\}\}|$)/g) ?? []
  for (const part of parts) {
    const [, path] = plainPath.exec(part) ?? []
    if (path === undefined) {
      return `cannot use ${part.slice(0, 80)}: expected a plain path such as {{context.inputs.NAME}} or {{context.runtime.ITEM.FIELD}}`
    }
    const [, root = "", alias = "", field = ""] = path.split(".")
    if (root === "inputs" && alias === "") return "expected one input, such as {{context.inputs.NAME}}"
    if (root === "inputs" && aliases.has(alias)) {
      if (!mayBeSecret || part !== text) return "a credential stands alone, in the text for a field"
      if (field !== "USER_NAME" && field !== "PASSWORD") {
        return `a credential is read as {{context.inputs.${alias}.USER_NAME}} or {{context.inputs.${alias}.PASSWORD}}`
      }
    }
  }
  return null
}

/** All texts of a value, and the names of its objects, each with its place. */
const textsIn = (
  value: Schema.Json,
  place: string
): ReadonlyArray<{ readonly place: string; readonly text: string }> => {
  if (typeof value === "string") return [{ place, text: value }]
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, `${place}[${index}]`))
  return Object.entries(Json.objectOf(value)).flatMap(([name, one]) => {
    const at = place === "" ? name : `${place}.${name}`
    return [{ place: at, text: name }, ...textsIn(one, at)]
  })
}
