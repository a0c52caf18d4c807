/** The promises of saving a structure: problems have paths, and a saved structure reads back equal. */
import { isDeepStrictEqual } from "node:util"
import type { Document } from "../support/description.ts"
import { type Draw, draws } from "../support/JsonSchema.ts"
import { type Case, encode, fill, show, type Things } from "./Case.ts"
import * as Hostile from "./Hostile.ts"
import { shrink, simpler } from "./Shrink.ts"
import * as Structures from "./Structures.ts"
import type { Target } from "./Target.ts"
import * as Verdict from "./Verdict.ts"
import { type Answered, make as makeWire, type Result, type Wire } from "./Wire.ts"

type Fields = Readonly<Record<string, unknown>>

export interface Attempt {
  readonly kind: "workflow" | "import" | "component" | "window"
  readonly body: unknown
  /** Whether nothing was changed after it was made. */
  readonly isWhole: boolean
}

/** The structure with this number: one as people write it, changed in up to two places. */
export const attemptAt = (seed: number, index: number): Attempt => {
  const draw = draws(Math.imul(seed + 0x51ed27, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
  draw()
  const kinds = ["workflow", "workflow", "import", "component", "window"] as const
  const kind = kinds[Math.floor(draw() * kinds.length)] ?? "workflow"
  let body = makers[kind](draw)
  const changes = Math.floor(draw() * 3)
  for (let change = 0; change < changes; change++) body = Hostile.changed(body, draw)
  return { kind, body, isWhole: changes === 0 }
}

const makers: Readonly<Record<Attempt["kind"], (draw: Draw) => unknown>> = {
  workflow: (draw) => Structures.workflow(draw),
  import: (draw) => ({ ...Structures.workflow(draw), format: "sluice.workflow", format_version: 1 }),
  component: (draw) => Structures.component(draw),
  window: (draw) => Structures.window(draw)
}

const addresses: Readonly<Record<Attempt["kind"], readonly [method: string, path: string]>> = {
  workflow: ["POST", "/workflows"],
  import: ["POST", "/workflows/import"],
  component: ["POST", "/workflow-components"],
  window: ["PUT", "/workflows/{workflow_id}/run-window"]
}

const headers = [
  ["cc-key", "{key}"],
  ["content-type", "application/json"]
] as const

export const caseOf = ({ body, kind }: Attempt): Case => {
  const [method, path] = addresses[kind]
  return { method, path, headers, body: { json: body } }
}

export interface Saver {
  /** Saves a structure and says what is wrong with what comes of it; `null` when nothing is. */
  readonly complaint: (attempt: Attempt) => Promise<string | null>
}

export const make = (document: Document, wire: Wire, things: Things): Saver => {
  const verdicts = Verdict.make(document)
  const send = async (one: Case) => {
    const sent = fill(one, things)
    const result = await wire.send(sent)
    const fault = verdicts.of(sent, result)
    return { result, fault: fault === null ? null : `${one.method} ${one.path}: ${fault.what}` }
  }
  const read = (path: string) => send({ method: "GET", path, headers, body: null })

  const complaint = async (attempt: Attempt): Promise<string | null> => {
    const { fault, result } = await send(caseOf(attempt))
    if (fault !== null) return fault
    if (isRefused(result)) return pathless(attempt.body, bodyOf(result))
    const saved = bodyOf(result)
    const path = attempt.kind === "component" ? `/workflow-components/${saved.id}` : `/workflows/${saved.id}`
    const again = await read(attempt.kind === "window" ? addresses.window[1] : path)
    if (again.fault !== null) return again.fault
    const found = bodyOf(again.result)
    if (attempt.kind === "window") return differs(saved.run_window ?? saved, found.run_window ?? found, [])
    if (attempt.kind === "component") return differs(saved, found, ["componentData"])
    const own = differs(saved, found, contents)
    if (own !== null) return own
    if (attempt.isWhole) {
      const asSent = differs(attempt.body as Fields, found, ["name", "nodes", "edges", "input_schema", "output_schema"])
      if (asSent !== null) return asSent
    }
    return savedOnceMore(found, path)
  }

  /** Saves a structure as it was read, which must leave it the same. */
  const savedOnceMore = async (found: Fields, path: string) => {
    const { fault, result } = await send({ method: "PUT", path, headers, body: { json: found } })
    if (fault !== null) return fault
    if (isRefused(result)) return `What was read cannot be saved: ${JSON.stringify(bodyOf(result)).slice(0, 300)}`
    const again = await read(path)
    return again.fault ?? differs(found, bodyOf(again.result), contents)
  }

  return { complaint }
}

const contents = [
  "name",
  "description",
  "nodes",
  "edges",
  "input_schema",
  "output_schema",
  "vault_schema",
  "max_retries"
]

const isRefused = (result: Result): boolean => result._tag === "Answered" && result.status >= 400

const bodyOf = (result: Result): Fields => JSON.parse((result as Answered).text) as Fields

/** A refusal names the places of its problems, unless there is no place: the whole is not an object, or cannot be read. */
const pathless = (sent: unknown, refusal: Fields): string | null => {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return null
  const told = JSON.stringify(refusal).slice(0, 300)
  if (typeof refusal.field === "string" || /nested more than/.test(String(refusal.message))) return null
  if (!Array.isArray(refusal.errors) || refusal.errors.length === 0) return `Refused without problems: ${told}`
  const problems = refusal.errors as ReadonlyArray<{ readonly path?: unknown; readonly message?: unknown }>
  const whole = problems.every(({ message, path }) => typeof path === "string" && String(message) !== "")
  return whole ? null : `Problems without paths: ${told}`
}

const differs = (one: unknown, other: unknown, fields: ReadonlyArray<string>): string | null => {
  if (fields.length === 0) return isDeepStrictEqual(one, other) ? null : `Reads back as ${JSON.stringify(other)}`
  const [left, right] = [one as Fields, other as Fields]
  const name = fields.find((field) => left[field] !== undefined && !isDeepStrictEqual(left[field], right[field]))
  return name === undefined
    ? null
    : `${name} reads back as ${JSON.stringify(right[name])?.slice(0, 300)}, not ${JSON.stringify(left[name])?.slice(0, 300)}`
}

export interface Finding {
  readonly index: number
  readonly what: string
  readonly smallest: Attempt
}

export interface Options {
  readonly document: Document
  readonly start: () => Promise<Target>
  readonly seed: number
  readonly count: number
  readonly onFinding?: (finding: Finding) => void
}

/** Saves so many structures. Stops at a service that hangs or ends. */
export const run = async ({ count, document, onFinding, seed, start }: Options) => {
  const target = await start()
  const wire = makeWire(target.url)
  const findings: Array<Finding> = []
  try {
    let saver = make(document, wire, await target.things())
    for (let index = 0; index < count; index++) {
      if (index > 0 && index % 500 === 0) saver = make(document, wire, await target.things())
      const attempt = attemptAt(seed, index)
      const what = await saver.complaint(attempt)
      if (what === null) continue
      const fails = async (body: unknown) => (await saver.complaint({ ...attempt, body })) !== null
      const body = await shrink(attempt.body, simpler, fails, 150)
      const finding = { index, what, smallest: { ...attempt, body } }
      findings.push(finding)
      onFinding?.(finding)
      if (findings.length === 20) break
    }
    return findings
  } finally {
    wire.close()
    await target.kill()
  }
}

/** A finding as a person reads it, with the command that sends it once more. */
export const describe = ({ index, smallest, what }: Finding, seed: number): string =>
  [
    `${smallest.kind} ${index} of seed ${seed}: ${what}`,
    `  ${show(caseOf(smallest))}`,
    `  npm run fuzz -- --replay ${encode(caseOf(smallest))}`
  ].join("\n")
