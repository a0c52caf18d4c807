/**
 * The variables of a run in progress, and the evaluation of templates over them.
 */
import { Effect, type Schema } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import * as Expression from "../../workflow/language/expression/Expression.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import * as Comparison from "../../workflow/language/graph/Comparison.ts"
import * as CredentialUse from "../../workflow/language/graph/CredentialUse.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import * as Json from "../../workspace/Json.ts"
import { ofPage, type StepFailed } from "../Failure.ts"
import * as Credentials from "./Credentials.ts"
import * as Expressions from "./Expressions.ts"
import * as SecretWays from "./SecretWays.ts"

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

/** The variables before the first step. */
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

/** What was gathered by these names. */
export const named = ({ data }: Memory, names: ReadonlySet<string>): Schema.JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([name]) => names.has(name)))

/** The output of a successful run: what it gathered, and of the answers those that the schema names. */
export const gathered = ({ answers, data }: Memory, outputSchema: Schema.JsonObject): Schema.JsonObject => {
  const { properties } = outputSchema
  const named = typeof properties === "object" && properties !== null ? properties : {}
  return { ...data, ...Object.fromEntries(Object.entries(answers).filter(([name]) => Object.hasOwn(named, name))) }
}

const without = (values: Schema.JsonObject, others: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(others, name)))

/**
 * Adds extracted values. A list is appended to the list that is there, unless its path is in `overwrite`; objects are
 * merged, and so are the lists within them by the same rule.
 */
export const remember = (
  data: Schema.JsonObject,
  found: Schema.JsonObject,
  overwrite: ReadonlySet<string>,
  prefix = ""
): Schema.JsonObject => {
  const merged: Record<string, Schema.Json> = { ...data }
  for (const [name, value] of Object.entries(found)) {
    const before = Object.hasOwn(data, name) ? data[name] : undefined
    if (Array.isArray(value) && Array.isArray(before) && !overwrite.has(prefix + name)) {
      merged[name] = before.length === 0 ? value : [...before, ...value]
    } else if (Json.isObject(value) && Json.isObject(before)) {
      merged[name] = remember(before, value, overwrite, `${prefix}${name}.`)
    } else merged[name] = value
  }
  return merged
}

/** One object merged into another: objects in the same place become one, everything else is replaced. */
export const merged = (before: Schema.JsonObject, more: Schema.JsonObject): Schema.JsonObject => {
  const all: Record<string, Schema.Json> = { ...before }
  for (const [name, value] of Object.entries(more)) {
    const own = Object.hasOwn(before, name) ? before[name] : undefined
    all[name] = Json.isObject(value) && Json.isObject(own) ? merged(own, value) : value
  }
  return all
}

/**
 * What a step does with the values of expressions over secrets.
 *
 * - `refused`: it fails. The value would show by what the step does next, such as which element it finds.
 * - `hidden`: their place is taken by `[secret]`, for texts that people read.
 * - `guarded`: it gets them. The step asks a guard before it uses them, or keeps them as a secret.
 *
 * In the first two cases, values of the context have no secrets in them either. They can be there because a page has shown
 * them.
 */
export type SecretPolicy = "refused" | "hidden" | "guarded"

/**
 * Evaluates the templates in a text. A text that is one expression keeps the type of its value; otherwise values become
 * text, and `null` becomes nothing. Values are put in as they are: who builds a selector from one must expect any
 * character in it.
 */
export const evaluate = Effect.fnUntraced(function* (
  text: string,
  memory: Memory,
  page: SessionParts<"navigation">,
  policy: SecretPolicy = "refused",
  more: Schema.JsonObject = {}
) {
  if (!Template.isTemplate(text)) return text
  const { excess, parts, whole } = Template.split(text)
  if (excess !== null) return yield* Expressions.refuse(excess.source, excess.reason)
  const read: Array<string | Expressions.Readable> = []
  for (const part of parts) read.push(typeof part === "string" ? part : yield* Expressions.describe(part.source))
  const expressions = read.filter((part) => typeof part !== "string")
  const roots = { ...(yield* rootsFor(expressions, memory, page)), ...more }
  const values: Array<Schema.Json> = []
  for (const part of read) values.push(typeof part === "string" ? part : yield* valueOf(part, memory, roots, policy))
  const [only] = values
  return whole && only !== undefined ? only : values.map(asText).join("")
})

/** What a comparison may do with a secret: ask whether the credential has it, and nothing else. */
export const policyOf = (source: string, operator: string): SecretPolicy => {
  const path = operator.endsWith("_NULL") ? Expression.pathOf(source.trim()) : null
  return path?.length === 4 && path[0] === "context" && path[1] === "inputs" ? "guarded" : "refused"
}

/** The value of an expression that is written without braces. `more` are roots beside those that all expressions have. */
export const evaluateExpression = Effect.fnUntraced(function* (
  source: string,
  memory: Memory,
  page: SessionParts<"navigation">,
  policy: SecretPolicy = "refused",
  more: Schema.JsonObject = {}
) {
  const expression = yield* Expressions.describe(source.trim())
  const roots = yield* rootsFor([expression], memory, page)
  return yield* valueOf(expression, memory, { ...roots, ...more }, policy)
})

/** Whether an expression whose value is `null` has none: JSONata leaves a field without a value out of an object. */
export const isMissing = (source: string, memory: Memory, page: SessionParts<"navigation">) =>
  Effect.map(evaluateExpression(`{"value": (${source}\n)}`, memory, page, "guarded"), (found) =>
    Json.isObject(found) ? !Object.hasOwn(found, "value") : true
  )

/**
 * The value of an expression over something other than the context. `bindings` are variables, such as `$context`. What is
 * more than a path does not see the secrets in them, so that nothing is computed from what a site sent back.
 */
export const evaluateOver = Effect.fnUntraced(function* (
  source: string,
  input: Schema.Json,
  bindings: Schema.JsonObject,
  { credentials: { secrets } }: Memory
) {
  const expression = yield* Expressions.describe(source.trim())
  if (Expression.pathOf(expression.source) !== null) {
    return yield* Expressions.valueOf(expression, { roots: input, bindings })
  }
  return yield* Expressions.valueOf(expression, {
    roots: yield* secrets.hideInData(input),
    bindings: yield* shownIn(bindings, secrets)
  })
})

const valueOf = Effect.fnUntraced(function* (
  expression: Expressions.Readable,
  memory: Memory,
  roots: Schema.JsonObject,
  policy: SecretPolicy
): Effect.fn.Return<Schema.Json, StepFailed> {
  const { secrets } = memory.credentials
  const secret = SecretWays.wayOf(expression, memory)
  if (secret === null) {
    const isAsItIs = policy === "guarded" && Expression.pathOf(expression.source) !== null
    const read = Json.objectOf(Expressions.within(roots, expression.reach))
    const apart = yield* secretsFor(expression, memory.credentials)
    return yield* Expressions.valueOf(expression, { roots: isAsItIs ? read : yield* shownIn(read, secrets), apart })
  }
  if (policy === "hidden") return "[secret]"
  if (policy === "refused" || secret.way === "decides") return yield* SecretWays.misused(expression.source, secret)
  const apart = yield* secretsFor(expression, memory.credentials)
  const found = yield* Expressions.valueOf(expression, { roots, apart })
  SecretWays.noteComputed(found, secret, memory)
  return found
})

/** The roots as an expression may see them that is more than the name of a value. */
const shownIn = Effect.fnUntraced(function* (roots: Schema.JsonObject, secrets: Credentials.Credentials["secrets"]) {
  const shown: Record<string, Schema.Json> = {}
  for (const [name, value] of Object.entries(roots)) {
    shown[name] =
      name === "context" && Json.isObject(value)
        ? yield* secrets.hideInContext(value)
        : yield* secrets.hideInData(value)
  }
  return shown
})

/** Like `evaluate`, and makes a text of the value. */
export const evaluateText = (
  text: string,
  memory: Memory,
  page: SessionParts<"navigation">,
  policy: SecretPolicy = "refused"
): Effect.Effect<string, StepFailed> => Effect.map(evaluate(text, memory, page, policy), asText)

/** The same JSON with every text in it evaluated, for people to read. One that is an expression and nothing else is its value. */
export const evaluateWithin = Effect.fnUntraced(function* (
  value: Schema.JsonObject,
  memory: Memory,
  page: SessionParts<"navigation">
): Effect.fn.Return<Schema.JsonObject, StepFailed> {
  const within = (one: Schema.Json): Effect.Effect<Schema.Json, StepFailed> => {
    if (typeof one === "string") return evaluate(one, memory, page, "hidden")
    if (Array.isArray(one)) return Effect.forEach(one, within)
    return Json.isObject(one) ? evaluateWithin(one, memory, page) : Effect.succeed(one)
  }
  const entries = yield* Effect.forEach(Object.entries(value), ([name, one]) =>
    Effect.map(
      Effect.zip(evaluateText(name, memory, page, "hidden"), within(one)),
      ([key, made]) => [key, made] as const
    )
  )
  return Object.fromEntries(entries)
})

/** A value as text: nothing for `null`, JSON for lists and objects. */
export const asText = Comparison.asText

/** The secrets that an expression reads, by alias and name. */
const secretsFor = Effect.fnUntraced(function* ({ reads }: Expressions.Readable, credentials: Credentials.Credentials) {
  const { accounts } = credentials
  const found = new Map<string, Array<readonly [string, string | null]>>()
  for (const path of accounts.size === 0 ? [] : reads) {
    const read = CredentialUse.readBy(path, (name) => accounts.has(name))
    const account = read === null ? undefined : accounts.get(read.alias)
    if (read === null || account === undefined) continue
    const values = found.get(read.alias) ?? []
    found.set(read.alias, values)
    if (CredentialUse.isSecretName(read.name)) {
      values.push([read.name, yield* Credentials.read(credentials, account, read.name)])
    }
  }
  return Object.fromEntries([...found].map(([alias, values]) => [alias, Object.fromEntries(values)]))
})

/** The context as expressions see it. */
export const contextOf = (memory: Memory): Schema.JsonObject => ({
  ...memory.data,
  ...memory.answers,
  inputs: memory.inputs,
  runtime: memory.runtime
})

/** The context of expressions. The document is fetched only for an expression that reads it. */
const rootsFor = Effect.fnUntraced(function* (
  expressions: ReadonlyArray<Expressions.Readable>,
  memory: Memory,
  page: SessionParts<"navigation">
) {
  const context = contextOf(memory)
  const location = locationOf(yield* page.navigation.address)
  const reads = expressions.flatMap(({ reads }) => reads)
  const document = reads.find(([root]) => root === "document")
  if (document === undefined) return { context, window: { location } }
  const sanitized = document[1] === "sanitized"
  const { found } = yield* page.navigation
    .settled(page.navigation.html({ sanitized }), { waitMillis: defaultWaitMillis, isThere: () => "all" })
    .pipe(Effect.mapError((failure) => ofPage("read the document", failure)))
  return { context, window: { location }, document: sanitized ? { sanitized: found } : found }
})

const locationOf = (address: string): Schema.JsonObject => {
  if (URL.parse(address) === null) return { href: address }
  const { hash, host, hostname, href, origin, pathname, port, protocol, search } = new URL(address)
  return { hash, host, hostname, href, origin, pathname, port, protocol, search }
}
