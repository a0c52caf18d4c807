/** What the expressions of n8n stand for, and the secrets that its parameters hold. */
import type { Schema } from "effect"
import { type Text, written } from "./Recording.ts"
import { identifier, isSecret } from "./Sensitive.ts"

/** What `$json` is at a node: fields that are variables of their own, and the variable that has all others. */
export interface Scope {
  /** The expression of the item; `null` where the file does not say where it comes from. */
  readonly item: string | null
  /** Whether it may be the list of all items: the answer of a request, or a field that is split. */
  readonly isList: boolean
  readonly fields: ReadonlyMap<string, string>
}

const nothing: Scope = { item: null, isList: false, fields: new Map() }

/** A name that expressions can read. */
export const plain = (name: string): string =>
  name.trim().replace(/\W+/g, "_").replace(/^(\d)/, "_$1").slice(0, 60) || "value"

const expression = /\{\{((?:[^{}]|\{(?!\{)|\}(?!\})){1,500})\}\}/

/** A path such as `.a["b c"][0]`, as its names and numbers; `null` for anything else. */
const pathOf = (text: string): ReadonlyArray<string | number> | null => {
  const parts: Array<string | number> = []
  const part = /\??\.?\[\s*(?:"([^"\\`]*)"|'([^'\\`]*)'|(\d{1,9}))\s*\]|\??\.([A-Za-z_$][\w$]*)/y
  while (part.lastIndex < text.length) {
    const found = part.exec(text)
    if (found === null) return null
    const [, double, single, number, name] = found
    parts.push(number === undefined ? (name ?? double ?? single ?? "") : Number(number))
  }
  return parts
}

const added = (root: string, path: ReadonlyArray<string | number>): string =>
  root +
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `.\`${part}\``))
    .join("")

export class Data {
  scope: Scope = nothing
  /** Whether a page was opened. */
  hasPage = false
  readonly #scopes = new Map<string, Scope>()
  readonly #inputs = new Map<string, { readonly reason: string }>()
  readonly #secrets = new Map<string, string>()
  readonly #variables = new Set(["inputs", "runtime"])

  reads(): ReadonlyArray<{ readonly name: string; readonly reason: string }> {
    return [...this.#inputs].map(([name, input]) => ({ name, ...input }))
  }

  /** Notes what the items are after a node. */
  keep(node: string, scope: Scope = this.scope): void {
    this.scope = scope
    this.#scopes.set(node, scope)
  }

  /** A free name of a variable. */
  variable(wanted: string): string {
    const name = plain(wanted)
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${name}_${count}`
      if (this.#variables.has(free)) continue
      this.#variables.add(free)
      return free
    }
  }

  input(wanted: string, reason: string): string {
    const name = plain(wanted)
    if (!this.#inputs.has(name)) this.#inputs.set(name, { reason })
    return `context.inputs.${name}`
  }

  /** The input in place of a secret: the same for the same value. */
  #secret(name: string, value: string): string {
    const known = this.#secrets.get(value)
    if (known !== undefined) return known
    const wanted = identifier(name, "secret")
    let free = wanted
    for (let count = 2; this.#inputs.has(free); count++) free = `${wanted}_${count}`
    const input = this.input(free, "A secret of the file: the value is not kept")
    this.#secrets.set(value, input)
    return input
  }

  /** The expression of a reference such as `$json.a.b` or `$('Node').item.json.a`; `null` for any other. */
  #expressionOf(given: string): string | null {
    const text = given.trim()
    if (/^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false|"[^"\\`]*")$/.test(text)) return text
    const quoted = /^'([^'\\`]*)'$/.exec(text)?.[1]
    if (quoted !== undefined) return JSON.stringify(quoted)
    const [, variable] = /^\$(?:env|vars)((?:\.|\[).+)$/.exec(text) ?? []
    if (variable !== undefined) {
      const [name, more] = pathOf(variable) ?? []
      if (typeof name !== "string" || more !== undefined) return null
      return this.input(identifier(name, "variable"), `The workflow reads the variable ${name} of its environment`)
    }
    const [, own] = /^\$json(.*)$/.exec(text) ?? []
    if (own !== undefined) return this.#at(this.scope, own)
    const [, first, second, third, path] =
      /^\$(?:node)?(?:\(\s*(?:"([^"]*)"|'([^']*)')\s*\)\.(?:item|first\(\)|last\(\)|all\(\)\[0\])|\[\s*["']([^"']*)["']\s*\])\.json(.*)$/.exec(
        text
      ) ?? []
    if (path === undefined) return null
    return this.#at(this.#scopes.get(first ?? second ?? third ?? "") ?? nothing, path)
  }

  #at({ fields, item }: Scope, text: string): string | null {
    const path = pathOf(text)
    if (path === null) return null
    for (let count = path.length; count > 0; count--) {
      const field = fields.get(path.slice(0, count).join("."))
      if (field !== undefined) return added(field, path.slice(count))
    }
    if (item !== null) return added(item, path)
    const [name] = path
    if (typeof name !== "string") return null
    return added(this.input(name, "The workflow reads this value and does not set it"), path.slice(1))
  }

  /** A parameter with its expressions; `null` where one of them is not translated. */
  text(given: unknown): Text | null {
    if (given === undefined || given === null) return []
    if (typeof given === "object") return [JSON.stringify(given)]
    const value = String(given)
    if (!value.startsWith("=")) return value === "" ? [] : [value]
    const parts: Array<Text[number]> = []
    let rest = value.slice(1)
    for (let found = expression.exec(rest); found !== null; found = expression.exec(rest)) {
      const reference = this.#expressionOf(found[1] ?? "")
      if (reference === null) return null
      if (found.index > 0) parts.push(rest.slice(0, found.index))
      parts.push({ expression: reference })
      rest = rest.slice(found.index + found[0].length)
    }
    if (rest.includes("{{")) return null
    return rest === "" ? parts : [...parts, rest]
  }

  /** A named value as a template, with an input in place of a secret; `null` where an expression is not translated. */
  value(name: string, given: unknown): string | null {
    const text = this.text(given)
    if (text === null) return null
    const literal = text.filter((part) => typeof part === "string").join("")
    return isSecret(name, literal) ? `{{${this.#secret(name, literal)}}}` : written(text)
  }

  /** The secrets of a text of JSON, and those in the query of an address, become inputs. */
  withoutSecrets(text: Text): Text {
    return text.flatMap((part): Text => (typeof part === "string" ? this.#safe(part) : [part]))
  }

  #safe(part: string): Text {
    const parts: Array<Text[number]> = []
    const named =
      /"([^"\\]{1,100})"\s*:\s*"((?:[^"\\]|\\.)+)"|(?<=[?&])([^=&#?]{1,100})=([^&#\s]+)|(?<=["\s])((?:Bearer|Basic) [^"\s]{6,})/g
    let from = 0
    for (const found of part.matchAll(named)) {
      const [whole, member, value, parameter, given, token] = found
      const name = member ?? parameter ?? "token"
      const secret = value ?? given ?? token ?? ""
      if (!isSecret(name, secret)) continue
      const at = found.index + whole.lastIndexOf(secret)
      parts.push(part.slice(from, at), { expression: this.#secret(name, secret) })
      from = at + secret.length
    }
    return [...parts, part.slice(from)]
  }

  /** The list that a loop goes over: that of the node before, or an input. */
  list(node: string): Schema.Json {
    const { isList, item } = this.scope
    if (isList && item !== null) return `{{${item}}}`
    return `{{${this.input(`${plain(node)}_items`, "The list that the loop goes over, as JSON: the file computes it")}}}`
  }
}
