/**
 * Reads an answer: whether it is one that was expected, and what a step takes from it.
 */
import { Effect, type Schema } from "effect"
import type { ApiAnswer } from "../../browser/Requests.ts"
import type { ExpectedStatus, Extract, Step } from "../../workflow/language/parameters/ApiFlowParameters.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import * as Memory from "../variables/Memory.ts"
import * as Bytes from "./Bytes.ts"
import { isWithinLimits } from "./NetworkExtraction.ts"
import { refuse } from "./Refusal.ts"
import * as SiteJson from "./SiteJson.ts"

/** An answer, read. */
export interface ParsedAnswer {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The response as JSON, or as text if it is not JSON; `null` when there is none. */
  readonly body: Schema.Json
}

export const read = Effect.fnUntraced(function* (step: Step, { body: bytes, headers, status, url }: ApiAnswer) {
  const text = Bytes.toText(bytes, headers["content-type"] ?? "")
  const body = yield* SiteJson.read(text)
  if (body === undefined || !isWithinLimits(body))
    return yield* refuse(step, "its answer is nested too deeply or too large")
  return { url, status, headers, text, body } satisfies ParsedAnswer
})

const isIn = (status: number, expected: ExpectedStatus): boolean => {
  const range = typeof expected === "object" ? expected.range : expected
  if (typeof range === "number") return status === range
  if (range.endsWith("xx")) return Math.floor(status / 100) === Number(range[0])
  const [from = 0, to = from] = range.split("-").map(Number)
  return status >= from && status <= to
}

export const isExpected = ({ expected_status }: Step, status: number): boolean =>
  (expected_status ?? [{ range: "2xx" }]).some((one) => isIn(status, one))

/** A server that could not answer now, and may later. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500

/** The errors of a GraphQL answer, as its policy sees them; `null` when there are none. */
export const graphqlErrors = ({ graphql_error_policy }: Step, body: Schema.Json): string | null => {
  if (graphql_error_policy !== "fail" || typeof body !== "object" || body === null || !("errors" in body)) return null
  const { errors } = body
  if (!Array.isArray(errors) || errors.length === 0) return null
  return errors
    .slice(0, 5)
    .map((error: Schema.Json) =>
      typeof error === "object" && error !== null && "message" in error ? String(error.message) : JSON.stringify(error)
    )
    .join("; ")
    .slice(0, 500)
}

/** Variables of the expressions over an answer. */
export type Bindings = Readonly<Record<string, Schema.Json>>

/** The values that a step extracts from an answer, by name. */
export const extracted = Effect.fnUntraced(function* (
  step: Step,
  answer: ParsedAnswer,
  bindings: Bindings,
  memory: Memory.Memory
) {
  const found: Record<string, Schema.Json> = {}
  for (const one of step.extract ?? []) {
    const value = yield* valueOf(step, one, answer, bindings, memory)
    if (value === null && one.required === true) {
      return yield* refuse(step, `its answer does not have "${one.name}", which is required`)
    }
    found[one.name] = value
  }
  return found
})

const valueOf = Effect.fnUntraced(function* (
  step: Step,
  one: Extract,
  answer: ParsedAnswer,
  bindings: Bindings,
  memory: Memory.Memory
) {
  switch (one.source) {
    case "response_body":
      return yield* Memory.evaluateOver(one.expression, answer.body, bindings, memory)
    case "response_header": {
      const name = one.header.toLowerCase()
      return Object.hasOwn(answer.headers, name) ? (answer.headers[name] ?? null) : null
    }
    case "response_text": {
      const asked = { pattern: one.pattern, text: yield* memory.credentials.secrets.hideLong(answer.text) }
      const match = yield* Sandbox.runHere("match", asked).pipe(
        Effect.catch(({ message }) => Effect.succeed({ failure: message }))
      )
      if ("failure" in match) return yield* refuse(step, `the pattern of "${one.name}": ${match.failure}`)
      return match.success === null ? null : (match.success[1] ?? match.success[0] ?? null)
    }
  }
})
