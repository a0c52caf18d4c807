/**
 * The input of a run that a schedule submits: texts with `{{ expression }}` in them, where an expression is JSONata over
 * the firing.
 */
import { Effect, type Schema } from "effect"
import * as CivilDate from "../window/calendar/CivilDate.ts"
import type { Zone } from "../window/calendar/Zone.ts"
import { Day } from "../window/Definition.ts"
import * as Template from "../workflow/language/expression/Template.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import type { Problem } from "../workflow/Workflow.ts"
import * as Json from "../workspace/Json.ts"
import * as LocalTimes from "./LocalTimes.ts"
import type { RunSchedule } from "./RunSchedule.ts"

/** The value of `schedule` in expressions. */
export const rootOf = ({ id, terms }: Pick<RunSchedule, "id" | "terms">, zone: Zone, instant: number) => {
  const day = LocalTimes.dayAt(zone, instant)
  const local = LocalTimes.shown(zone, instant)
  return {
    id,
    name: terms.name,
    scheduled_at: new Date(instant).toISOString(),
    local,
    date: dateText(day),
    time: local.slice(11, 16),
    day_before: dateText(day - 1),
    day_after: dateText(day + 1),
    weekday: Day.literals[CivilDate.weekday(day)] ?? "",
    time_zone: zone.name
  }
}

const dateText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

/** An input with its templates evaluated, and their problems. */
export interface RenderedInput {
  readonly input: Schema.JsonObject
  readonly problems: ReadonlyArray<Problem>
}

/** The maximum depth at which templates of an input are evaluated. */
const maxDepth = 200

/** Fills in an input for the firing of an instant. The same firing always gives the same input. */
export const render = Effect.fnUntraced(function* (
  schedule: Pick<RunSchedule, "id" | "terms" | "workspaceId">,
  zone: Zone,
  instant: number
) {
  const problems: Array<Problem> = []
  const root = rootOf(schedule, zone, instant)

  const valueOf = Effect.fnUntraced(function* (source: string, path: string) {
    const answered = yield* Sandbox.run(schedule.workspaceId, "evaluate", {
      source,
      roots: { schedule: root },
      bindings: {},
      apart: {},
      moment: { at: instant, seed: instant }
    }).pipe(
      Effect.catchTag(
        "TooCostly",
        Sandbox.refused((reason) => Effect.succeed({ failure: { reason } }))
      )
    )
    if ("success" in answered && answered.success !== null) return answered.success
    const why = "success" in answered ? "it has no value" : answered.failure.reason
    problems.push({ path, message: `{{ ${source.slice(0, 100)} }} cannot be filled in: ${why}` })
    return null
  })

  const fill = (value: Schema.Json, path: string, depth: number): Effect.Effect<Schema.Json> =>
    Effect.gen(function* () {
      if (typeof value === "string") return Template.isTemplate(value) ? yield* fillText(value, path) : value
      if (typeof value !== "object" || value === null) return value
      if (depth > maxDepth) {
        problems.push({ path, message: `Expected at most ${maxDepth} levels` })
        return null
      }
      if (!Json.isObject(value)) {
        // What is no object here is a list, which the compiler does not exclude for read-only lists.
        return yield* Effect.forEach(value as ReadonlyArray<Schema.Json>, (one, at) =>
          fill(one, `${path}.${at}`, depth + 1)
        )
      }
      const filled: Array<readonly [string, Schema.Json]> = []
      for (const [key, one] of Object.entries(value))
        filled.push([key, yield* fill(one ?? null, `${path}.${key}`, depth + 1)])
      return Object.fromEntries(filled)
    })

  const fillText = Effect.fnUntraced(function* (text: string, path: string) {
    const { excess, parts, whole } = Template.split(text)
    if (excess !== null) problems.push({ path, message: excess.reason })
    const values = yield* Effect.forEach(parts, (part) =>
      typeof part === "string" ? Effect.succeed(part) : valueOf(part.source, path)
    )
    return whole
      ? (values[0] ?? null)
      : values.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("")
  })

  const { input } = schedule.terms
  // Most inputs hold no template.
  if (!JSON.stringify(input).includes("{{")) return { input, problems } satisfies RenderedInput
  const filled = yield* fill(input, "run_input_variables", 0)
  return { input: Json.objectOf(filled), problems } satisfies RenderedInput
})
