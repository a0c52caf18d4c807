/**
 * What a file must not bring into a workflow: passwords, codes and tokens become credentials or inputs, and values of
 * persons become inputs with the value as their example.
 */
import type { Schema } from "effect"
import { type Act, type Element, literalOf, type Step, type Text } from "./Recording.ts"

export interface FoundInput {
  readonly name: string
  /** The value in the file; absent for a secret. */
  readonly example?: string
  readonly reason: string
}

export interface FoundCredential {
  readonly alias: string
  readonly domain: string
  /** The fields that the workflow reads of it, such as `PASSWORD`. */
  readonly fields: ReadonlyArray<string>
}

export interface Protected {
  readonly steps: ReadonlyArray<Step>
  readonly inputs: ReadonlyArray<FoundInput>
  readonly credentials: ReadonlyArray<FoundCredential>
  /** The text without the secrets of the file. */
  readonly clean: <J extends Schema.Json>(value: J) => J
}

type Kind = "password" | "code" | "token" | "card" | "person" | null

const secretWords =
  /pass-?(?:word|wd|code|phrase)|passw|\bpwd\b|\bpw\b|kennwort|passwort|mot-?de-?passe|contrase|senha/i
const codeWords =
  /\b(?:otp|totp|2fa|mfa|tan|pin|cvv|cvc)\d?\b|one[-_ ]?time|(?:verification|security|auth|sms)[-_ ]?code|tfa/i
const tokenWords = /token|api[-_ ]?key|secret|bearer|credential/i
const personWords =
  /e-?mail|phone|\btel\b|mobile|user|login|account|first|last|full-?name|\bname\b|surname|street|address|city|\bzip\b|postal|birth|\bdob\b|iban|\bssn\b|tax|card|passport|company/i

const wordsIn = (text: string): string => text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.]/g, " ")

/**
 * The kind of a value that is typed into a field with these words. `own` are those about the field alone: other selectors
 * may tell of what is around it.
 */
const kindOf = (words: string, value: string, own: string = words): Kind => {
  const plain = wordsIn(words)
  if (value === "") return null
  if (secretWords.test(plain)) return "password"
  if (codeWords.test(plain)) return "code"
  if (tokenWords.test(plain) || isToken(value)) return "token"
  if (/^(?:\d[ -]?){13,19}$/.test(value) && /card|\bpan\b|number/i.test(plain)) return "card"
  if (isMail(value)) return "person"
  if (/^\+?\d[\d ()/-]{7,20}$/.test(value) || /^[A-Z]{2}\d{2}[A-Z0-9 ]{11,32}$/.test(value)) return "person"
  return personWords.test(wordsIn(own)) ? "person" : null
}

/** Whether a value with this name must not stay in a workflow. */
export const isSecret = (name: string, value: string): boolean => {
  if (/^(?:(?:proxy-)?authorization|cookie)$/i.test(name)) return value !== ""
  const kind = kindOf(name, value)
  return kind !== null && kind !== "person"
}

const isMail = (value: string): boolean => {
  const [user = "", host = "", more] = value.split("@")
  return user !== "" && more === undefined && !/\s/.test(value) && /[^.]\.[^.]/.test(host)
}

const isToken = (value: string): boolean =>
  /^(?:eyJ[\w-]{10,}\.|sk[-_]|pk_live|ghp_|gho_|github_pat_|xox[abp]-|AKIA[A-Z0-9]{12})/.test(value) ||
  /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_\-+/=]{32,}$/.test(value) ||
  /^(?:Bearer|Basic) \S{6,}/.test(value)

const wordsOf = (element: Element | null): string =>
  element === null ? "" : `${element.name} ${element.selectors.join(" ")}`

/** A name that expressions can read. */
export const identifier = (text: string, fallback: string): string => {
  const plain = text
    .normalize("NFD")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^\w\s-]/g, "")
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")
    .replace(/^(\d)/, "_$1")
    .slice(0, 40)
  return /[a-z]/.test(plain) ? plain : fallback
}

/** Maximum number of acts between a user name and its password. */
const mostBetween = 6

interface Place {
  readonly step: number
  readonly act: number
}

/** Takes secrets and values of persons out of the steps. `site` is that of the first page; `null` if it is not known. */
export const protect = (
  steps: ReadonlyArray<Step>,
  site: string | null,
  taken: ReadonlyArray<string> = []
): Protected => {
  const guard = new Guard(steps, site, taken)
  guard.takeSecrets()
  guard.takePersons()
  return guard.protected()
}

class Guard {
  readonly #steps: ReadonlyArray<Step & { acts: Array<Act>; changes: Array<string> }>
  readonly #inputs = new Map<string, FoundInput>()
  readonly #credentials = new Map<string, Omit<FoundCredential, "fields"> & { readonly fields: Set<string> }>()
  /** The expression in place of each secret. */
  readonly #secrets = new Map<string, string>()
  /** Names of inputs that the file reads. */
  readonly #taken: ReadonlySet<string>
  #origin: string | null
  /** What was typed since a page of another site was opened. */
  #typed: ReadonlyArray<{ readonly at: Place; readonly value: string; readonly words: string }> = []

  constructor(steps: ReadonlyArray<Step>, site: string | null, taken: ReadonlyArray<string>) {
    this.#taken = new Set(taken)
    this.#steps = steps.map((one) => ({ ...one, acts: [...one.acts], changes: [...one.changes] }))
    this.#origin = site
  }

  takeSecrets(): void {
    this.#steps.forEach(({ acts }, step) => {
      acts.forEach((act, index) => {
        if (act._tag === "Open") this.#open(act.url, { step, act: index })
        else this.#type(act, { step, act: index })
      })
    })
  }

  /** User names of credentials are expressions by now: what is left of persons becomes inputs. */
  takePersons(): void {
    this.#steps.forEach(({ acts }, step) => {
      acts.forEach((act, index) => {
        const field = act._tag === "Type" ? fieldOf(act) : null
        if (field === null || kindOf(field.words, field.value, field.own) !== "person") return
        const name = this.#inputFor(field.name, field.value, "person")
        const change = `The value is the input ${name}, with the typed one as its example`
        this.#replace({ step, act: index }, [{ expression: `context.inputs.${name}` }], change)
      })
    })
  }

  protected(): Protected {
    const secrets = [...this.#secrets].toSorted(([one], [other]) => other.length - one.length)
    return {
      steps: this.#steps,
      inputs: [...this.#inputs.values()].map((input) => cleaned(input, secrets)),
      credentials: [...this.#credentials.values()].map(({ fields, ...one }) => ({ ...one, fields: [...fields] })),
      clean: (value) => cleaned(value, secrets)
    }
  }

  #type(act: Act, at: Place): void {
    const field = fieldOf(act)
    if (field === null) return
    const { value, words } = field
    const kind = kindOf(words, value)
    if (kind === "password") {
      this.#password(value, at)
      return
    }
    this.#typed = [...this.#typed.slice(-mostBetween), { at, value, words }]
    if (kind === null || kind === "person") return
    const name = this.#inputFor(field.name, value, kind)
    const advice = kind === "code" ? ". A code that changes is typed by the action TFA, with a credential" : ""
    const change = `The ${kind} is the input ${name}, and its value is not kept${advice}`
    this.#replace(at, [{ expression: `context.inputs.${name}` }], change)
  }

  #password(value: string, at: Place): void {
    const user = userBefore(this.#typed, at.step)
    const { alias, fields } = this.#credentialFor(value, user?.value ?? "")
    fields.add("PASSWORD")
    const change = `The password is read from the credential ${alias} of the vault`
    this.#replace(at, [{ expression: `context.inputs.${alias}.PASSWORD` }], change)
    if (user === null || fields.has("USER_NAME")) return
    fields.add("USER_NAME")
    const ofUser = `The user name is read from the credential ${alias} of the vault`
    this.#replace(user.at, [{ expression: `context.inputs.${alias}.USER_NAME` }], ofUser)
  }

  /** Follows the site, and takes passwords and tokens out of an address. */
  #open(text: Text, at: Place): void {
    const written = literalOf(text)
    const url = written === null ? null : URL.parse(written)
    if (written === null || url === null) return
    if (/^https?:$/.test(url.protocol)) {
      if (url.origin !== this.#origin) this.#typed = []
      this.#origin = url.origin
    }
    const parts: Array<Text[number]> = [written]
    if (url.password !== "") {
      const { alias, fields } = this.#credentialFor(decoded(url.password), url.username)
      fields.add("PASSWORD").add("USER_NAME")
      parts.splice(
        0,
        1,
        `${url.protocol}//`,
        { expression: `context.inputs.${alias}.USER_NAME` },
        ":",
        { expression: `context.inputs.${alias}.PASSWORD` },
        `@${url.host}${url.pathname}${url.search}${url.hash}`
      )
      this.#note(at, `The user and the password of the address are the credential ${alias} of the vault`)
    }
    for (const [name, value] of url.searchParams) {
      const kind = kindOf(name, value)
      const last = parts.at(-1)
      if (kind === null || kind === "person" || typeof last !== "string") continue
      const [head = "", ...tail] = last.split(last.includes(value) ? value : encodeURIComponent(value))
      if (tail.length === 0) continue
      const input = this.#inputFor(name, value, kind)
      parts.splice(-1, 1, head, { expression: `context.inputs.${input}` }, tail.join(value))
      this.#note(at, `The ${kind} in the address is the input ${input}, and its value is not kept`)
    }
    if (parts.length > 1) this.#steps[at.step]?.acts.splice(at.act, 1, { _tag: "Open", url: parts })
  }

  #inputFor(name: string, value: string, kind: Exclude<Kind, null>): string {
    const kept = kind === "person" ? null : /^context\.inputs\.(\w+)$/.exec(this.#secrets.get(value) ?? "")?.[1]
    if (kept != null) return kept
    const reason =
      kind === "person" ? "The value of a person: it is the example of the input" : `A ${kind}: the value is not kept`
    const wanted = identifier(name, kind === "person" ? "value" : kind)
    for (let count = 1; ; count++) {
      const free = count === 1 ? wanted : `${wanted}_${count}`
      if (this.#taken.has(free)) continue
      const known = this.#inputs.get(free)
      if (known !== undefined && (kind !== "person" || known.example !== value)) continue
      if (kind !== "person") this.#secrets.set(value, `context.inputs.${free}`)
      this.#inputs.set(free, { name: free, ...(kind === "person" ? { example: value } : {}), reason })
      return free
    }
  }

  #credentialFor(value: string, user: string): { readonly alias: string; readonly fields: Set<string> } {
    const key = JSON.stringify([this.#origin, user, value])
    const count = this.#credentials.size
    const alias = count === 0 ? "LOGIN" : `LOGIN_${count + 1}`
    const domain = this.#origin ?? "https://example.com"
    const found = this.#credentials.get(key) ?? { alias, domain, fields: new Set<string>() }
    this.#credentials.set(key, found)
    this.#secrets.set(value, `context.inputs.${found.alias}.PASSWORD`)
    return found
  }

  #replace({ act, step }: Place, text: Text, change: string): void {
    const before = this.#steps[step]?.acts[act]
    const after = before === undefined ? null : replaced(before, text)
    if (after === null) return
    this.#steps[step]?.acts.splice(act, 1, after)
    this.#note({ act, step }, change)
  }

  #note({ step }: Place, change: string): void {
    this.#steps[step]?.changes.push(change)
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The value that an act types or keeps, with the words about its field; `null` for other acts and for expressions. */
const fieldOf = (
  act: Act
): { readonly value: string; readonly words: string; readonly own: string; readonly name: string } | null => {
  const found =
    act._tag === "Type"
      ? { text: act.text, words: wordsOf(act.element), name: act.element?.name ?? "" }
      : act._tag === "Choose"
        ? { text: act.value, words: wordsOf(act.element), name: act.element.name }
        : act._tag === "Set" && !("computed" in act.value)
          ? { text: act.value, words: act.name, name: act.name }
          : null
  const value = found === null ? null : literalOf(found.text)
  if (found === null || value === null) return null
  const [first = ""] = "element" in act && act.element !== null ? act.element.selectors : []
  return { value, words: found.words, own: `${found.name} ${first}`, name: found.name }
}

const replaced = (act: Act, text: Text): Act | null => {
  switch (act._tag) {
    case "Type":
      return { ...act, text }
    case "Choose":
      return { ...act, value: text }
    case "Set":
      return { ...act, value: text }
    default:
      return null
  }
}

/** The user name that was typed before a password. */
const userBefore = <T extends { readonly at: Place; readonly value: string; readonly words: string }>(
  typed: ReadonlyArray<T>,
  step: number
): T | null => {
  const near = typed.filter(({ at, value }) => step - at.step <= mostBetween && value !== "")
  return (
    near.findLast(({ value, words }) => /user|login|mail|account|name|customer/i.test(words) || value.includes("@")) ??
    near.findLast(() => true) ??
    null
  )
}

/** Whether a secret is a usual word, which other texts contain for other reasons. */
const isWord = (secret: string): boolean => secret.length < 6 || /^[a-z]+$/i.test(secret)

/** A value with expressions in place of the secrets, wherever they are. */
const cleaned = <J>(value: J, secrets: ReadonlyArray<readonly [string, string]>): J => {
  if (secrets.length === 0) return value
  if (typeof value === "string") {
    let text: string = value
    for (const [secret, expression] of secrets) {
      if (text === secret || (!isWord(secret) && text.includes(secret)))
        text = text.split(secret).join(`{{${expression}}}`)
    }
    return text as J & string
  }
  if (Array.isArray(value)) return value.map((one) => cleaned(one, secrets)) as J & Array<unknown>
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(one, secrets)])) as J & object
}
