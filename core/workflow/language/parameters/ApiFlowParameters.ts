/**
 * The parameters of API_FLOW: HTTP requests in the session of the page, each of which may use the results of those
 * before it.
 */
import { Result, Schema } from "effect"
import { optional } from "../../../workspace/request/ParsedJson.ts"
import * as Expression from "../expression/Expression.ts"
import * as SafePattern from "../expression/SafePattern.ts"
import { end_here_on_dry_run, filled, not_repeatable, optionalText, text } from "./Fields.ts"
import { Jsonata, Target } from "./TransformParameters.ts"

/** The limits of a flow. */
export const limitsOf = { steps: 20, pairs: 40, iterations: 100, retries: 5 } as const

const Scalar = Schema.Union([text, Schema.Finite, Schema.Boolean])

export const StepId = text.check(
  Schema.makeFilter((id) =>
    /^[a-z][a-z0-9_]{0,63}$/.test(id)
      ? undefined
      : "Expected an id of at most 64 small letters, digits and underscores, with a letter first"
  )
)

/** Names and values, as an object or as a list of pairs. */
const pairs = (valid: (name: string) => boolean, what: string) =>
  Schema.Union([Schema.Record(text, Scalar), Schema.Array(Schema.Struct({ name: filled, value: Scalar }))]).check(
    Schema.makeFilter((given) => {
      const names = Array.isArray(given) ? given.map(({ name }) => name) : Object.keys(given)
      if (names.length > limitsOf.pairs) return `Expected at most ${limitsOf.pairs} ${what}, got ${names.length}`
      const wrong = names.find((name) => !name.includes("{{") && !valid(name))
      return wrong === undefined
        ? undefined
        : `Expected the name of one of the ${what}, got ${JSON.stringify(wrong.slice(0, 100))}`
    })
  )

/** Headers that the HTTP connection sets. */
const ownHeaders = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "trailer",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "accept-encoding"
])

const isHeader = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !ownHeaders.has(name.toLowerCase())

const Part = Schema.Struct({
  name: filled,
  value: optional(text),
  /** Base64, instead of `value`. */
  data: optional(text),
  filename: optional(text),
  content_type: optional(text)
})

const Body = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["json"]), value: Schema.Json }),
  Schema.Struct({ type: Schema.Literals(["form_urlencoded"]), value: pairs((name) => name !== "", "fields") }),
  Schema.Struct({ type: Schema.Literals(["text"]), value: text, content_type: optional(text) }),
  Schema.Struct({
    type: Schema.Literals(["multipart"]),
    value: Schema.Union([Schema.Record(text, Scalar), Schema.Array(Part).check(Schema.isMaxLength(100))])
  }),
  /** Base64. */
  Schema.Struct({ type: Schema.Literals(["binary"]), value: text, content_type: optional(text) })
])
export type Body = typeof Body.Type

const SafeRegex = filled.check(Schema.makeFilter((source) => SafePattern.check(source) ?? undefined))
const Name = text.check(Schema.isPattern(/^[A-Za-z_]\w{0,63}$/))

const Extract = Schema.Union([
  Schema.Struct({
    name: Name,
    source: Schema.Literals(["response_body"]),
    expression: Jsonata,
    required: optional(Schema.Boolean)
  }),
  Schema.Struct({
    name: Name,
    source: Schema.Literals(["response_header"]),
    header: filled,
    required: optional(Schema.Boolean)
  }),
  Schema.Struct({
    name: Name,
    source: Schema.Literals(["response_text"]),
    pattern: SafeRegex,
    required: optional(Schema.Boolean)
  })
])
export type Extract = typeof Extract.Type

/** The target of a cursor: the query, a header, or a place in a JSON or form body. */
const into = text.check(
  Schema.makeFilter((place) =>
    /^(query|header|headers|body)\.[\w.-]{1,200}$/.test(place)
      ? undefined
      : 'Expected where the cursor goes: "query.NAME", "header.NAME" or "body.NAME"'
  )
)

const Repeat = Schema.Struct({
  cursor: optional(Schema.Struct({ from: Jsonata, into })),
  until: Schema.Struct({
    cursor_absent: optional(Schema.Boolean),
    empty_collection: optional(Schema.Union([Schema.Boolean, Jsonata])),
    response_predicate: optional(Jsonata)
  }).check(
    Schema.makeFilter((until) =>
      Object.values(until).some((one) => one !== null && one !== undefined && one !== false)
        ? undefined
        : "Expected at least one of cursor_absent, empty_collection and response_predicate"
    )
  ),
  /** The part of each response that is appended to one list. */
  accumulate: optional(Jsonata),
  max_iterations: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limitsOf.iterations })))
}).check(
  Schema.makeFilter(({ accumulate, cursor, until }) => {
    if (until.cursor_absent === true && !cursor)
      return { path: ["cursor"], issue: "Expected a cursor for cursor_absent" }
    return until.empty_collection === true && !accumulate
      ? { path: ["accumulate"], issue: "Expected accumulate beside empty_collection" }
      : undefined
  })
)
export type Repeat = typeof Repeat.Type

const Status = Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))
const Range = text.check(
  Schema.makeFilter((range) =>
    /^([1-5]xx|[1-5]\d\d(-[1-5]\d\d)?)$/.test(range) ? undefined : 'Expected a range such as "2xx", "404" or "200-299"'
  )
)
const ExpectedStatus = Schema.Union([Status, Range, Schema.Struct({ range: Schema.Union([Range, Status]) })])
export type ExpectedStatus = typeof ExpectedStatus.Type

const attempts = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limitsOf.retries }))

const Step = Schema.Struct({
  id: StepId,
  label: optionalText,
  method: Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]),
  url: filled.check(
    Schema.makeFilter((url) =>
      url.includes("{{") || /^(https?:\/\/|\/)/i.test(url)
        ? undefined
        : "Expected an address, such as https://example.com/api"
    )
  ),
  replay_target: optional(Schema.JsonObject),
  query: optional(pairs((name) => name !== "", "query parameters")),
  headers: optional(pairs(isHeader, "headers")),
  body: optional(Body),
  extract: optional(Schema.Array(Extract).check(Schema.isMaxLength(100))),
  repeat: optional(Repeat),
  expected_status: optional(Schema.Array(ExpectedStatus).check(Schema.isMinLength(1), Schema.isMaxLength(50))),
  graphql_error_policy: optional(Schema.Literals(["fail", "ignore"])),
  retry: optional(
    Schema.Union([
      attempts,
      Schema.Struct({
        max_attempts: attempts,
        delay_ms: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 })))
      })
    ])
  ),
  timeout_ms: optional(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 120_000 })))
}).check(
  Schema.makeFilter(({ body, method, retry }) => {
    const times = typeof retry === "object" ? (retry?.max_attempts ?? 0) : (retry ?? 0)
    if (times > 0 && (method === "POST" || method === "PATCH")) {
      return { path: ["retry"], issue: `A ${method} is never retried, because it could take effect twice` }
    }
    return body && (method === "GET" || method === "HEAD")
      ? { path: ["body"], issue: `A ${method} has no body` }
      : undefined
  })
)
export type Step = typeof Step.Type

const Ordering = Schema.Union([StepId, Schema.Struct({ before: StepId, after: StepId })])

/** An expression whose value is an object, or expressions by their places in the context. */
const FieldMap = Schema.Union([Jsonata, Schema.Record(text, Jsonata)]).check(
  Schema.makeFilter((map) => {
    if (typeof map === "string") return undefined
    return Object.keys(map).flatMap((name) =>
      Schema.is(Target)(placeOf(name))
        ? []
        : [{ path: [name], issue: "Expected a place in the context, such as user.name" }]
    )
  })
)

/** A path in the context, normalised to begin with `context.`. */
export const placeOf = (name: string): string => (name.startsWith("context.") ? name : `context.${name}`)

/** The order of the steps: as written, but each step after those that it depends on. `null` for a cycle. */
export const orderOf = (
  steps: ReadonlyArray<{ readonly id: string }>,
  ordering: ReadonlyArray<typeof Ordering.Type>
): ReadonlyArray<string> | null => {
  const after = new Map<string, Set<string>>(steps.map(({ id }) => [id, new Set()]))
  const names = ordering.filter((one) => typeof one === "string")
  for (const [index, id] of names.entries()) if (index > 0) after.get(id)?.add(names[index - 1] ?? "")
  for (const one of ordering) if (typeof one === "object") after.get(one.after)?.add(one.before)
  const done: Array<string> = []
  while (done.length < after.size) {
    const next = [...after].find(([id, needs]) => !done.includes(id) && [...needs].every((need) => done.includes(need)))
    if (next === undefined) return null
    done.push(next[0])
  }
  return done
}

interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly issue: string
}

const Flow = Schema.Struct({
  steps: Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(limitsOf.steps)),
  target_step_id: optional(StepId),
  credentials: optional(Schema.Literals(["include", "same-origin", "omit"])),
  redirect_policy: optional(Schema.Literals(["follow", "manual"])),
  ordering: optional(Schema.Array(Ordering).check(Schema.isMaxLength(200))),
  field_json_map: optional(FieldMap),
  error_message: optionalText,
  end_here_on_dry_run,
  not_repeatable
})
export type Flow = typeof Flow.Type

/** The problems of references between the steps. */
const issuesOf = ({ field_json_map, ordering, steps, target_step_id }: Flow): ReadonlyArray<Issue> => {
  const ids = new Set(steps.map(({ id }) => id))
  const issues: Array<Issue> = []
  steps.forEach(({ id }, index) => {
    if (steps.findIndex((one) => one.id === id) < index) {
      issues.push({ path: ["steps", index, "id"], issue: `Another step has the id "${id}" too` })
    }
  })
  const unknown = (path: ReadonlyArray<string | number>, id: string) => {
    if (!ids.has(id)) issues.push({ path, issue: `No step has the id "${id}"` })
  }
  if (target_step_id) unknown(["target_step_id"], target_step_id)
  ordering?.forEach((one, index) => {
    if (typeof one === "string") unknown(["ordering", index], one)
    else {
      unknown(["ordering", index, "before"], one.before)
      unknown(["ordering", index, "after"], one.after)
    }
  })
  if (issues.length > 0) return issues
  const order = orderOf(steps, ordering ?? [])
  if (order === null)
    return [
      {
        path: ["ordering"],
        issue: "The order of the steps is a cycle: expected an order in which no step comes after itself"
      }
    ]
  steps.forEach((step, index) => {
    const known = new Set(order.slice(0, order.indexOf(step.id)))
    for (const { path, source, isOwn } of expressionsIn(step)) {
      for (const name of stepsReadBy(source)) {
        if (known.has(name) || (isOwn && name === step.id)) continue
        const reason = ids.has(name) ? `the step "${name}" does not run before it` : `no step has the id "${name}"`
        issues.push({ path: ["steps", index, ...path], issue: `It reads steps.${name}, but ${reason}` })
      }
    }
  })
  const maps = typeof field_json_map === "string" ? { "": field_json_map } : (field_json_map ?? {})
  for (const [name, source] of Object.entries(maps)) {
    for (const read of stepsReadBy(source).filter((one) => !ids.has(one))) {
      issues.push({
        path: ["field_json_map", ...(name === "" ? [] : [name])],
        issue: `It reads steps.${read}, but no step has the id "${read}"`
      })
    }
  }
  return issues
}

interface Found {
  readonly path: ReadonlyArray<string | number>
  readonly source: string
  /** Whether the expression is evaluated over the response of the same step. */
  readonly isOwn: boolean
}

const marks = /\{\{((?:(?!\{\{)[^}]|\}(?!\}))*)\}\}/g

/** Every expression of a step, in braces or not. */
const expressionsIn = (step: Step): ReadonlyArray<Found> => {
  const { extract, repeat, ...asked } = step
  const found: Array<Found> = []
  const pending: Array<{ readonly value: unknown; readonly path: ReadonlyArray<string | number> }> = [
    { value: asked, path: [] }
  ]
  for (const { path, value } of pending) {
    if (typeof value === "string") {
      for (const [, source = ""] of value.matchAll(marks)) found.push({ path, source, isOwn: false })
    } else if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) pending.push({ value: one, path: [...path, index] })
    } else if (typeof value === "object" && value !== null) {
      for (const [name, one] of Object.entries(value)) pending.push({ value: one, path: [...path, name] })
    }
  }
  const add = (source: unknown, ...path: ReadonlyArray<string | number>) => {
    if (typeof source === "string") found.push({ path, source, isOwn: true })
  }
  extract?.forEach((one, index) => {
    if ("expression" in one) add(one.expression, "extract", index, "expression")
  })
  add(repeat?.cursor?.from, "repeat", "cursor", "from")
  add(repeat?.until.empty_collection, "repeat", "until", "empty_collection")
  add(repeat?.until.response_predicate, "repeat", "until", "response_predicate")
  add(repeat?.accumulate, "repeat", "accumulate")
  return found
}

const stepsReadBy = (source: string): ReadonlyArray<string> => {
  const compiled = Expression.compile(source.trim())
  if (Result.isFailure(compiled)) return []
  return Expression.reads(compiled.success).flatMap(([root, name]) =>
    root === "steps" && name !== undefined ? [name] : []
  )
}

export const apiFlow = {
  API_FLOW: Flow.check(Schema.makeFilter((flow) => issuesOf(flow)))
} as const
