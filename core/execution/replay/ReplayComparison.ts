/**
 * Compares what came of a replay with what came of the run: the outcome, the output, and the steps.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { isSame } from "./ReplayAnswers.ts"
import type { ReplayRecord, VisitedStep } from "./ReplayRecord.ts"
import type { Replayed } from "./ReplayRun.ts"

/** The first difference, and the step where it shows. */
export interface Difference {
  /**
   * `failed`: the run succeeded, the replay did not. `output`: both succeeded, with other data. `failure`: both failed, in
   * other ways. `succeeded`: the run failed, the replay did not. `steps`: all the same, by another way.
   */
  readonly kind: "failed" | "output" | "failure" | "succeeded" | "steps"
  /** The step of the replay, counted from 1; `null` where there is none. */
  readonly step: { readonly number: number; readonly name: string } | null
  readonly message: string
}

/** Whether a difference makes a version worse than the one that ran. */
export const isWorse = ({ kind }: Difference): boolean => kind === "failed" || kind === "output"

/** The first difference between a run and its replay; `null` for none. Another workflow may take other steps. */
export const compare = (record: ReplayRecord, replayed: Replayed, isOwnWorkflow: boolean): Difference | null => {
  const [before, after] = [record.ending, replayed.ending]
  const { steps } = replayed
  const numbered = (at: number): Difference["step"] => {
    const step = steps[at]
    return step === undefined ? null : { number: at + 1, name: step.name }
  }
  const { failure } = after
  const failedAt = failure === null ? -1 : steps.findLastIndex(({ id }) => id === failure.node?.id)
  if (before.success && failure !== null) {
    return { kind: "failed", step: numbered(failedAt), message: `${failure.code}: ${failure.message}` }
  }
  if (!before.success && after.success) {
    return { kind: "succeeded", step: null, message: `it succeeds, and the run failed with ${before.failure?.code}` }
  }
  if (before.failure !== null && failure !== null) {
    const isOther = before.failure.code !== failure.code || before.failure.node?.id !== failure.node?.id
    if (isOther) {
      const message = `${failure.code}, and the run failed with ${before.failure.code}: ${failure.message}`
      return { kind: "failure", step: numbered(failedAt), message }
    }
  }
  const path = before.success ? differingPath(before.output, after.output, "") : null
  if (path !== null) {
    const at = producing(record, steps, path.path)
    return { kind: "output", step: numbered(at), message: `${path.path || "the output"} ${path.message}` }
  }
  const other = isOwnWorkflow ? differingStep(record.steps, steps) : -1
  if (other < 0) return null
  const [was, is] = [record.steps[other]?.name ?? "the end", steps[other]?.name ?? "the end"]
  return { kind: "steps", step: numbered(other), message: `${is}, where the run went to ${was}` }
}

const differingStep = (before: ReadonlyArray<VisitedStep>, after: ReadonlyArray<VisitedStep>): number => {
  for (let at = 0; at < Math.max(before.length, after.length); at++) if (before[at]?.id !== after[at]?.id) return at
  return -1
}

/** The position of the last step whose parameters name the first field of a path; -1 where none does. */
const producing = ({ content }: ReplayRecord, steps: ReadonlyArray<VisitedStep>, path: string): number => {
  const name = JSON.stringify(/^[^.[]*/.exec(path)?.[0] ?? "")
  const nodes = Array.isArray(content.nodes) ? content.nodes.filter(Json.isObject) : []
  const naming = new Set(
    nodes.filter((node) => JSON.stringify(node.parameters ?? {}).includes(name)).map(({ id }) => id)
  )
  return steps.findLastIndex(({ id }) => naming.has(id))
}

interface At {
  readonly path: string
  readonly message: string
}

/** Where two values differ first; `null` where they do not, apart from what changes by itself. */
const differingPath = (before: Schema.Json | undefined, after: Schema.Json | undefined, path: string): At | null => {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) {
      return { path, message: `has ${after.length} elements, and had ${before.length}` }
    }
    return firstOf(before.map((_, index) => () => differingPath(before[index], after[index], `${path}[${index}]`)))
  }
  if (Json.isObject(before) && Json.isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
    return firstOf(
      names.map((name) => () => differingPath(before[name], after[name], path === "" ? name : `${path}.${name}`))
    )
  }
  const isEqual = typeof before === typeof after && isSame(String(before), String(after))
  return isEqual && Json.isObject(before) === Json.isObject(after) && Array.isArray(before) === Array.isArray(after)
    ? null
    : { path, message: `is ${shown(after)}, and was ${shown(before)}` }
}

const firstOf = (all: ReadonlyArray<() => At | null>): At | null => {
  for (const one of all) {
    const found = one()
    if (found !== null) return found
  }
  return null
}

const shown = (value: Schema.Json | undefined): string => {
  const text = value === undefined ? "missing" : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
