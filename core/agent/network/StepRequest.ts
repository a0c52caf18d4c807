/**
 * Makes the request of a step from its parameters, with every expression in it evaluated.
 */
import { Effect, type Schema } from "effect"
import type { ApiRequest } from "../../browser/Requests.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Body, Flow, Step } from "../../workflow/language/parameters/ApiFlowParameters.ts"
import * as Json from "../../workspace/Json.ts"
import type { StepFailed } from "../Failure.ts"
import * as Bytes from "./Bytes.ts"
import { refuse } from "./Refusal.ts"

/** Evaluates a text with the roots that the steps of a flow have. */
export type Evaluate = (text: string) => Effect.Effect<Schema.Json, StepFailed>

/** A cursor and where it goes, such as `query.page`. */
export interface Cursor {
  readonly into: string
  readonly value: string
}

/** How large one answer may be. */
export const maxBytes = 10_000_000

const defaultTimeoutMillis = 30_000

export const requestOf = Effect.fnUntraced(function* (
  step: Step,
  flow: Flow,
  base: string,
  evaluate: Evaluate,
  cursor: Cursor | null,
  secrets: Secrets
) {
  const text = (one: string) => Effect.map(evaluate(one), Bytes.asText)
  const [place = "", ...rest] = cursor === null ? [] : cursor.into.split(".")
  const name = rest.join(".")
  const written = yield* text(step.url)
  if (URL.parse(written, base) === null) {
    return yield* refuse(step, `"${secrets.hideWithin(written, 200)}" is not an address`)
  }
  const url = new URL(written, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return yield* refuse(step, `addresses with ${url.protocol} are not allowed, only http: and https:`, "API-E0003")
  }
  for (const [key, value] of yield* pairsOf(step.query ?? {}, text)) url.searchParams.append(key, value)
  if (place === "query") url.searchParams.set(name, cursor?.value ?? "")
  const headers = (yield* pairsOf(step.headers ?? {}, text)).filter(
    ([key]) => !(place.startsWith("header") && key.toLowerCase() === name.toLowerCase())
  )
  if (place.startsWith("header")) headers.push([name, cursor?.value ?? ""])
  const wrong = headers.find(([, value]) => /[\r\n\0]/.test(value))
  if (wrong !== undefined) return yield* refuse(step, `the header ${wrong[0]} would have more than one line`)
  const body = step.body ? yield* bodyOf(step, step.body, evaluate, place === "body" ? cursor : null) : null
  const hasType = headers.some(([key]) => key.toLowerCase() === "content-type")
  if (body !== null && !hasType) headers.push(["content-type", body.type])
  return {
    method: step.method,
    url: url.href,
    headers,
    body: body === null ? null : body.bytes,
    credentials: flow.credentials ?? "include",
    redirects: flow.redirect_policy ?? "follow",
    maxBytes,
    timeoutMillis: step.timeout_ms ?? defaultTimeoutMillis
  } satisfies ApiRequest
})

type Pairs = NonNullable<Step["query"]>

const pairsOf = (pairs: Pairs, text: (one: string) => Effect.Effect<string, StepFailed>) => {
  const list = Array.isArray(pairs)
    ? pairs.map(({ name, value }) => [name, value] as const)
    : // `isArray` does not tell the compiler that a read-only list is none here.
      Object.entries(pairs as Readonly<Record<string, string | number | boolean>>)
  return Effect.forEach(list, ([name, value]) =>
    Effect.map(Effect.all([text(name), text(String(value))]), ([key, one]): [string, string] => [key, one])
  )
}

const bodyOf = Effect.fnUntraced(function* (step: Step, body: Body, evaluate: Evaluate, cursor: Cursor | null) {
  const text = (one: string) => Effect.map(evaluate(one), Bytes.asText)
  const names = cursor === null ? [] : cursor.into.split(".").slice(1)
  switch (body.type) {
    case "json": {
      const value = yield* deep(body.value, evaluate)
      const whole = cursor === null ? value : placed(value, names, cursor.value)
      return { type: "application/json", bytes: Bytes.ofText(JSON.stringify(whole)) }
    }
    case "form_urlencoded": {
      const form = new URLSearchParams(yield* pairsOf(body.value, text))
      if (cursor !== null) form.set(names.join("."), cursor.value)
      return { type: "application/x-www-form-urlencoded", bytes: Bytes.ofText(form.toString()) }
    }
    case "text":
      return { type: body.content_type ?? "text/plain; charset=utf-8", bytes: Bytes.ofText(yield* text(body.value)) }
    case "binary": {
      const bytes = Bytes.ofBase64(yield* text(body.value))
      if (bytes === null) return yield* refuse(step, "its body is not in base64")
      return { type: body.content_type ?? "application/octet-stream", bytes }
    }
    case "multipart": {
      const { value } = body
      const given = Array.isArray(value)
        ? value
        : // As above.
          Object.entries(value as Readonly<Record<string, string | number | boolean>>).map(([name, one]) => ({
            name,
            value: String(one)
          }))
      const parts = yield* Effect.forEach(given, (part: Part) =>
        Effect.gen(function* () {
          const data = typeof part.data === "string" ? Bytes.ofBase64(yield* text(part.data)) : undefined
          if (data === null) return yield* refuse(step, `the part ${part.name} is not in base64`)
          return {
            name: yield* text(part.name),
            fileName: typeof part.filename === "string" ? yield* text(part.filename) : null,
            type: part.content_type ?? null,
            bytes: data ?? Bytes.ofText(yield* text(part.value ?? ""))
          }
        })
      )
      return Bytes.multipart(parts)
    }
  }
})

interface Part {
  readonly name: string
  readonly value?: string | null
  readonly data?: string | null
  readonly filename?: string | null
  readonly content_type?: string | null
}

/** A JSON value with every text in it evaluated. Saved values are not deep. */
const deep = (value: Schema.Json, evaluate: Evaluate): Effect.Effect<Schema.Json, StepFailed> => {
  if (typeof value === "string") return evaluate(value)
  if (Array.isArray(value)) return Effect.forEach(value, (one: Schema.Json) => deep(one, evaluate))
  if (!Json.isObject(value)) return Effect.succeed(value)
  return Effect.map(
    Effect.forEach(Object.entries(value), ([name, one]) =>
      Effect.map(deep(one, evaluate), (result) => [name, result] as const)
    ),
    (entries): Schema.Json => Object.fromEntries(entries)
  )
}

const placed = (value: Schema.Json, [name, ...rest]: ReadonlyArray<string>, cursor: string): Schema.Json => {
  if (name === undefined) return cursor
  const object = Json.objectOf(value)
  return { ...object, [name]: placed(Object.hasOwn(object, name) ? (object[name] ?? null) : null, rest, cursor) }
}
