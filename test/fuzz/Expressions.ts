/** Expressions, drawn and changed, each carried out by the agent as a step of a workflow. */
import { Effect, ManagedRuntime, Result } from "effect"
import * as GraphCheck from "../../core/workflow/language/graph/GraphCheck.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import { graphOf, walk } from "../support/browser.ts"
import { type Draw, draws, pick } from "../support/JsonSchema.ts"
import * as RelativeCost from "../support/relativeCost.ts"
import * as Hostile from "./Hostile.ts"
import { shrink, simpler } from "./Shrink.ts"
import * as Structures from "./Structures.ts"

/** The outcome of an expression. */
export interface Outcome {
  /** `refused` when it was not saved, `null` when the run succeeded, and else the code that the run ended with. */
  readonly code: string | null
  readonly refusals: ReadonlyArray<{ readonly path: string; readonly message: string }>
  /** In fixed works (`relativeCost.ts`). */
  readonly cost: number
}

export type Evaluate = (source: string) => Promise<Outcome>

const home = "https://a.example/"
const inputs = { npi: "1234567890", list: [1, "two", { three: 3 }], text: "a".repeat(2_000) }

/** Carries expressions out in memory. */
export const evaluate = (): Evaluate => {
  const runtime = ManagedRuntime.make(ScriptedBrowser.layer({ [home]: [] }))
  return async (source) => {
    const operation = { type: "SET", target: "context.result", value: source }
    const graph = graphOf(home, [{ action: "TRANSFORM", parameters: { operations: [operation] } }])
    const evaluated = Effect.gen(function* () {
      const read = GraphCheck.read(graph.nodes, graph.edges)
      if (Result.isFailure(read)) return { code: "refused", refusals: read.failure }
      const { outcome } = yield* walk(graph, inputs)
      return { code: outcome._tag === "Failed" ? outcome.failure.code : null, refusals: [] }
    })
    const { cost, value } = await runtime.runPromise(RelativeCost.leastOf(mostCost, evaluated))
    return { ...value, cost }
  }
}

/** The most that one expression may cost, in fixed works, with room for what else the thread does. */
export const mostCost = 150

export const faultOf = ({ code, cost, refusals }: Outcome): string | null => {
  if (cost >= mostCost) return `cost ${Math.round(cost)} fixed works`
  if (code === "refused") {
    const isWhole = refusals.length > 0 && refusals.every(({ message, path }) => path !== "" && message !== "")
    return isWhole ? null : `was refused without a path: ${JSON.stringify(refusals)}`
  }
  return code === null || /^[A-Z0-9_]+-E\d{4}$/.test(code) ? null : `ended with the code ${code}`
}

/** The expression with this number: one as people write it, or a text that was changed at one place. */
export const expressionAt = (seed: number, index: number): string => {
  const draw = draws(Math.imul(seed + 0x2c1b3c6d, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
  draw()
  const source = Structures.expression(draw)
  return draw() < 0.6 ? source : changed(source, draw)
}

const signs = [
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "$",
  ".",
  "**",
  "%",
  "@$x",
  "#$i",
  "^(",
  "~>",
  "|",
  ":=",
  "?",
  ":",
  "/a/",
  '"',
  "`"
]

const changed = (source: string, draw: Draw): string => {
  const at = Math.floor(draw() * (source.length + 1))
  const [before, after] = [source.slice(0, at), source.slice(at)]
  const how = draw()
  if (how < 0.3) return `${before}${pick(signs, draw)}${after}`
  if (how < 0.5) return `${before}${after.slice(1)}`
  if (how < 0.7) return `${before}${pick(Hostile.texts, draw).slice(0, 300)}${after}`
  return how < 0.85 ? `${source} & ${source}` : before.repeat(3) + after
}

export interface Finding {
  readonly index: number
  readonly what: string
  readonly smallest: string
}

/** Carries out so many expressions. */
export const run = async (options: {
  readonly evaluate: Evaluate
  readonly sources: (index: number) => string
  readonly count: number
  readonly onFinding?: (finding: Finding) => void
}): Promise<ReadonlyArray<Finding>> => {
  const judged = async (source: string) => {
    try {
      return faultOf(await options.evaluate(source))
    } catch (error) {
      return `is a defect: ${String(error).slice(0, 500)}`
    }
  }
  const findings: Array<Finding> = []
  for (let index = 0; index < options.count; index++) {
    const source = options.sources(index)
    const what = await judged(source)
    if (what === null) continue
    const fails = async (one: unknown) => (await judged(String(one))) !== null
    const smallest = String(await shrink<unknown>(source, simpler, fails, what.startsWith("took") ? 10 : 100))
    findings.push({ index, what, smallest })
    options.onFinding?.({ index, what, smallest })
  }
  return findings
}

export const describe = ({ index, smallest, what }: Finding, seed: number): string =>
  `Expression ${index} of seed ${seed} ${what}\n  ${JSON.stringify(smallest)}`
