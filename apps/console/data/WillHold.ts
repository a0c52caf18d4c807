/** Whether new runs are held from their submission, by what and until when, in words. */
import type * as Gates from "../../api/gate/GatesApi.ts"

type Gate = Pick<typeof Gates.RunWindowResponse.Type, "manual_pause" | "run_window" | "state">

/** The new runs of one workflow. */
export interface NewRuns {
  /** The name of the workflow, where runs of several are submitted. */
  readonly name: string | null
  readonly count: number
  readonly gate: Gate
}

/** What holds runs that are submitted now, and until when; `null` where nothing does. */
export const holderOf = (
  { manual_pause, run_window, state }: Gate,
  words: (instant: string) => string
): string | null => {
  const opens = state?.nextOpenAt ?? null
  const holders = [
    ...(run_window === null || state?.open !== false
      ? []
      : [`its run window is closed${opens === null ? ", and no opening is in sight" : ` until ${words(opens)}`}`]),
    ...(manual_pause === null
      ? []
      : [`it is paused${manual_pause.until === null ? ", without an end" : ` until ${words(manual_pause.until)}`}`])
  ]
  return holders.length === 0 ? null : holders.join(", and ")
}

/** Sentences for the workflows whose new runs are held, and one for all others. */
export const willHoldWords = (
  all: ReadonlyArray<NewRuns>,
  words: (instant: string) => string
): ReadonlyArray<string> => {
  const held = all.flatMap(({ count, gate, name }) => {
    const holder = holderOf(gate, words)
    return holder === null
      ? []
      : [{ count, line: `${runs(count)}${name === null ? "" : ` of ${name}`} will be held: ${holder}.` }]
  })
  const count = all.reduce((sum, one) => sum + one.count, 0)
  const rest = count - held.reduce((sum, one) => sum + one.count, 0)
  if (rest === 0) return held.map(({ line }) => line)
  const free = `${runs(rest)} may start as soon as a worker is free.`
  return [...held.map(({ line }) => line), free]
}

const runs = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "run" : "runs"}`
