/**
 * What a run knows while it goes on, and the evaluation of templates over it.
 */
import { Effect, type Schema } from "effect"
import * as CredentialUse from "../workflow/CredentialUse.ts"
import * as Template from "../workflow/Template.ts"
import type { Page } from "./Browser.ts"
import * as Credentials from "./Credentials.ts"
import { StepFailed } from "./Failure.ts"

/**
 * The context of a run: its inputs, what it extracted or set, what a person answered it, and the variables of the loops it
 * is in. Answers are apart, as they may be secret: only what the output schema names of them leaves the run. So are the
 * credentials: `inputs` has their ids, and a secret is there only for an expression that names it.
 */
export interface Memory {
  readonly inputs: Schema.JsonObject
  readonly data: Schema.JsonObject
  readonly answers: Schema.JsonObject
  readonly runtime: Schema.JsonObject
  readonly credentials: Credentials.Credentials
}

/** What is known before the first step. */
export const initial = (inputs: Schema.JsonObject, credentials: Credentials.Credentials): Memory => ({
  inputs,
  data: {},
  answers: {},
  runtime: {},
  credentials
})

/** Keeps values under their names: what a person answered before under one of them is forgotten. */
export const learn = (memory: Memory, found: Schema.JsonObject, overwrite: ReadonlySet<string>): Memory => ({
  ...memory,
  data: remember(memory.data, found, overwrite),
  answers: without(memory.answers, found)
})

/** Keeps what a person answered, in place of what was known by the same names. */
export const hear = (memory: Memory, answer: Schema.JsonObject): Memory => ({
  ...memory,
  data: without(memory.data, answer),
  answers: { ...memory.answers, ...answer }
})

/** What leaves the run when it ends well: what it gathered, and of the answers those that the schema names. */
export const gathered = ({ answers, data }: Memory, outputSchema: Schema.JsonObject): Schema.JsonObject => {
  const { properties } = outputSchema
  const named = typeof properties === "object" && properties !== null ? properties : {}
  return { ...data, ...Object.fromEntries(Object.entries(answers).filter(([name]) => Object.hasOwn(named, name))) }
}

const without = (values: Schema.JsonObject, others: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(others, name)))

/** Adds extracted values. A list is appended to the list that is there, unless its name is in `overwrite`. */
export const remember = (
  data: Schema.JsonObject,
  found: Schema.JsonObject,
  overwrite: ReadonlySet<string>
): Schema.JsonObject => {
  const merged: Record<string, Schema.Json> = { ...data }
  for (const [name, value] of Object.entries(found)) {
    const before = merged[name]
    merged[name] = Array.isArray(value) && Array.isArray(before) && !overwrite.has(name) ? [...before, ...value] : value
  }
  return merged
}

/**
 * Evaluates the templates in a text. A text that is one expression keeps the type of its value; otherwise values become
 * text, and `null` becomes nothing. Values are put in as they are: who builds a selector from one must expect any
 * character in it.
 */
export const evaluate = Effect.fnUntraced(function* (text: string, memory: Memory, page: Page) {
  if (!Template.isTemplate(text)) return text
  const { template, unreadable } = Template.parse(text)
  const [first] = unreadable
  if (first !== undefined) return yield* refuse(first.source, first.reason)
  const roots = yield* rootsFor(template, memory, page)
  const values: Array<Schema.Json> = []
  for (const part of template.parts) {
    if (typeof part === "string") values.push(part)
    else {
      const secrets = yield* secretsFor(part, memory.credentials)
      const value = yield* Effect.tryPromise({
        try: () => Template.evaluate(part, roots, secrets),
        catch: (error) => error
      }).pipe(Effect.catch((error) => refuse(part.source, Template.reasonOf(error))))
      values.push(toJson(value))
    }
  }
  const [only] = values
  return template.whole && only !== undefined ? only : values.map(asText).join("")
})

/** Like `evaluate`, and makes a text of the value. */
export const evaluateText = (text: string, memory: Memory, page: Page): Effect.Effect<string, StepFailed> =>
  Effect.map(evaluate(text, memory, page), asText)

/** A value as text: nothing for `null`, JSON for lists and objects. */
export const asText = (value: Schema.Json): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

const refuse = (source: string, reason: string): Effect.Effect<never, StepFailed> =>
  Effect.fail(
    new StepFailed({
      code: "TEMPLATE-E0001",
      sentence: `Cannot evaluate the expression {{${source}}}: ${reason}`,
      original: reason
    })
  )

/** The secrets that an expression reads, by alias and name. From then on the expression reads them there. */
const secretsFor = Effect.fnUntraced(function* (expression: Template.Expression, credentials: Credentials.Credentials) {
  const { accounts } = credentials
  const found = new Map<string, Array<readonly [string, string | null]>>()
  for (const path of accounts.size === 0 ? [] : Template.reads(expression)) {
    const read = CredentialUse.readBy(path, (name) => accounts.has(name))
    const account = read === null ? undefined : accounts.get(read.alias)
    if (read === null || account === undefined) continue
    const values = found.get(read.alias) ?? []
    found.set(read.alias, values)
    if (CredentialUse.isSecretName(read.name)) {
      values.push([read.name, yield* Credentials.read(credentials, account, read.name)])
    }
  }
  if (found.size > 0) Template.readApart(expression, new Set(found.keys()))
  return Object.fromEntries([...found].map(([alias, values]) => [alias, Object.fromEntries(values)]))
})

/** What expressions see. The document is fetched only for an expression that reads it. */
const rootsFor = Effect.fnUntraced(function* (template: Template.Template, memory: Memory, page: Page) {
  const context = { ...memory.data, ...memory.answers, inputs: memory.inputs, runtime: memory.runtime }
  const location = locationOf(yield* page.address)
  const reads = template.parts.flatMap((part) => (typeof part === "string" ? [] : Template.reads(part)))
  const document = reads.find(([root]) => root === "document")
  if (document === undefined) return { context, window: { location } }
  const sanitized = document[1] === "sanitized"
  const html = yield* page.html({ sanitized }).pipe(Effect.orElseSucceed(() => ""))
  return { context, window: { location }, document: sanitized ? { sanitized: html } : html }
})

const locationOf = (address: string): Schema.JsonObject => {
  if (!URL.canParse(address)) return { href: address }
  const { hash, host, hostname, href, origin, pathname, port, protocol, search } = new URL(address)
  return { hash, host, hostname, href, origin, pathname, port, protocol, search }
}

/** What an expression answered, as JSON: functions and `undefined` count as `null`. */
const toJson = (value: unknown): Schema.Json => {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as Schema.Json)
}
