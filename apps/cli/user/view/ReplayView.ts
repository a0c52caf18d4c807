/**
 * What replays came to, for a person and as JSON.
 */
import { type Difference, isWorse } from "../../../../core/execution/replay/ReplayComparison.ts"
import type { ReplayRecord } from "../../../../core/execution/replay/ReplayRecord.ts"
import type { Replayed } from "../../../../core/execution/replay/ReplayRun.ts"
import { cell, counted } from "./Table.ts"

/** A run, its replay, and the first difference; `null` for none. */
export interface Compared {
  readonly record: ReplayRecord
  readonly replayed: Replayed
  readonly difference: Difference | null
}

/** The most requests and runs that are listed. */
const mostListed = 20

const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1)} s`

const placed = ({ step }: Difference): string =>
  step === null ? "" : ` at step ${step.number} (${cell(step.name, 60)})`

const sentences: Readonly<Record<Difference["kind"], string>> = {
  failed: "It fails",
  output: "It answers otherwise",
  failure: "It fails otherwise",
  succeeded: "It does better",
  steps: "It goes another way"
}

const notAnswered = ({ unanswered }: Replayed): ReadonlyArray<string> =>
  unanswered.length === 0
    ? []
    : [
        `${counted(unanswered.length, "request")} had no recorded answer:`,
        ...unanswered
          .slice(0, mostListed)
          .map(({ method, reason, url }) => `  ${method} ${cell(url, 200)}: ${cell(reason, 120)}`),
        ...(unanswered.length > mostListed ? [`  and ${unanswered.length - mostListed} more`] : [])
      ]

const leftOut = ({ leftOut }: ReplayRecord): ReadonlyArray<string> =>
  leftOut === 0 ? [] : [`${counted(leftOut, "answer")} of the run are not in its record, which has its full size`]

/** The replay of one run. */
export const one = ({ difference, record, replayed }: Compared): string =>
  [
    difference === null
      ? `The replay of run ${record.runId} has the same ${record.ending.success ? "output" : "failure"}`
      : `${sentences[difference.kind]}${placed(difference)}: ${cell(difference.message, 400)}`,
    `${counted(replayed.steps.length, "step")} in ${seconds(replayed.tookMillis)}, of the run in ${seconds(record.tookMillis)}`,
    ...notAnswered(replayed),
    ...leftOut(record)
  ].join("\n")

export const json = ({ difference, record, replayed }: Compared) => ({
  session_id: record.runId,
  same: difference === null,
  difference,
  outcome: replayed.ending.success ? "success" : "failed",
  data: replayed.ending.output,
  failure: replayed.ending.failure,
  steps: replayed.steps,
  unanswered: replayed.unanswered,
  left_out: record.leftOut,
  duration_ms: replayed.tookMillis,
  run_duration_ms: record.tookMillis
})

/** The replays of the last runs with a changed workflow. */
export const tried = (all: ReadonlyArray<Compared>): string => {
  const worse = all.filter(({ difference }) => difference !== null && isWorse(difference))
  const better = all.filter(({ difference }) => difference?.kind === "succeeded").length
  const first = worse.flatMap(({ difference }) => difference ?? [])[0]
  return [
    first === undefined
      ? `This version does as well in the last ${counted(all.length, "recorded run")}`
      : `This version would have failed ${worse.length} of the last ${all.length},${placed(first)}: ${cell(first.message, 400)}`,
    ...(better === 0 ? [] : [`It succeeds in ${counted(better, "run")} that failed`]),
    ...worse
      .slice(0, mostListed)
      .flatMap(({ difference, record, replayed }) => [
        ...(difference === null ? [] : [`  ${record.runId}${placed(difference)}: ${cell(difference.message, 200)}`]),
        ...notAnswered(replayed).map((line) => `    ${line}`)
      ]),
    ...(worse.length > mostListed ? [`  and ${worse.length - mostListed} more`] : [])
  ].join("\n")
}

export const triedJson = (all: ReadonlyArray<Compared>) => ({
  runs: all.length,
  worse: all.filter(({ difference }) => difference !== null && isWorse(difference)).length,
  results: all.map(json)
})
