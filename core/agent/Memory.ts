/**
 * What a run knows while it goes on, and the evaluation of templates over it.
 */
import { Effect, type Schema } from "effect"
import * as Template from "../workflow/Template.ts"
import type { Page } from "./Browser.ts"
import { StepFailed } from "./Failure.ts"

/** The context of a run: its inputs, what it extracted or set, and the variables of the loops it is in. */
export interface Memory {
  readonly inputs: Schema.JsonObject
  readonly data: Schema.JsonObject
  readonly runtime: Schema.JsonObject
}

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
      const value = yield* Effect.tryPromise({
        try: () => part.compiled.evaluate(roots) as Promise<unknown>,
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

/** What expressions see. The document is fetched only for an expression that reads it. */
const rootsFor = Effect.fnUntraced(function* (template: Template.Template, memory: Memory, page: Page) {
  const context = { ...memory.data, inputs: memory.inputs, runtime: memory.runtime }
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
