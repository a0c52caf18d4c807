/**
 * Steps of a model by their plain forms: forty tasks, each done once with a model, and then again with other data. Counts the
 * questions to the model, what went wrong, and what was wrong with success.
 *
 * `--runs N` says how often each is done again, 25 times when it does not. A condition is done with the model until both
 * decisions have occurred.
 */
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type { PlainForm } from "../../core/workflow/patch/PlainForm.ts"
import { type CompiledTask, draw, kept, tasks, workshop } from "../support/compiledTasks.ts"
import { inBrowser } from "../support/realBrowser.ts"
import type { Row } from "./Row.ts"

interface Count {
  readonly task: CompiledTask
  /** The runs and the questions until every form was known. */
  readonly learned: number
  readonly calls: number
  readonly right: number
  /** Runs that ended as success over a wrong value. */
  readonly green: number
  readonly millis: number
}

const learningRuns = ({ step }: CompiledTask): number => (step.action === "BOOL_CONDITION" ? 2 : 1)

const print = ({ calls, green, learned, millis, right, task }: Count, rounds: number): void => {
  const cells = [
    task.name.padEnd(56),
    `${learned} calls at first`,
    `then ${calls}`,
    `${right} of ${rounds} right`,
    `${green} wrong with success`,
    `${millis.toFixed(0)} ms a run`
  ]
  process.stdout.write(`  ${cells.join("  ")}\n`)
}

const measure = (rounds: number) =>
  Effect.gen(function* () {
    const run = yield* workshop
    const counts: Array<Count> = []
    for (const task of tasks) {
      let forms: ReadonlyArray<PlainForm> = []
      let learned = 0
      const runs = learningRuns(task)
      for (let k = 0; k < runs; k++) {
        const done = yield* run(task, draw(k), forms)
        forms = kept(forms, done)
        learned += done.calls
      }
      const count = { task, learned, calls: 0, right: 0, green: 0, millis: 0 }
      const began = performance.now()
      for (let k = runs; k < runs + rounds; k++) {
        const done = yield* run(task, draw(k), forms)
        forms = kept(forms, done)
        const isRight = done.outcome._tag === "Success" && isDeepStrictEqual(done.data, task.expected(draw(k)))
        count.calls += done.calls
        if (isRight) count.right++
        else if (done.outcome._tag === "Success") count.green++
      }
      count.millis = (performance.now() - began) / rounds
      print(count, rounds)
      counts.push(count)
    }
    return counts
  }).pipe(Effect.scoped)

export const compile = async (): Promise<ReadonlyArray<Row>> => {
  const given = process.argv[process.argv.indexOf("--runs") + 1]
  const rounds = process.argv.includes("--runs") ? Number(given) : 25
  const counts = await Effect.runPromise(inBrowser(measure(rounds)))
  const sum = (of: (count: Count) => number) => counts.reduce((all, count) => all + of(count), 0)
  const all = counts.length * rounds
  const name = `${counts.length} tasks, ${rounds} times each`
  const rowOf = (what: string, value: number, target: string, ok: boolean): Row => ({
    name: `${name}: ${what}`,
    value: String(value),
    reference: `${all} runs`,
    ratio: value / all,
    target,
    ok
  })
  const [calls, right, green] = [sum((one) => one.calls), sum((one) => one.right), sum((one) => one.green)]
  return [
    rowOf("questions to the model", calls, "0", calls === 0),
    rowOf("right", right, "0.995", right / all >= 0.995),
    rowOf("wrong with success", green, "0", green === 0)
  ]
}
