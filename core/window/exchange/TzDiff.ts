/**
 * Openings of windows as one version of the time zone data has them, to be compared with another version. Zones change by
 * law a few times a year: a process with newer data then opens windows at other times than one with older data.
 */
import { Result, Schema } from "effect"
import * as RunWindow from "../RunWindow.ts"

const Interval = Schema.Struct({ opensAt: Schema.Finite, closesAt: Schema.Finite })

/** The openings of workflows from one instant to another, in epoch milliseconds, as computed with one version. */
export const OpeningsRecord = Schema.Struct({
  tz_data: Schema.String,
  from: Schema.Finite,
  until: Schema.Finite,
  workflows: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      run_window: RunWindow.RunWindow,
      openings: Schema.Array(Interval)
    })
  )
})
export type OpeningsRecord = typeof OpeningsRecord.Type

/** A workflow with a window. */
export interface WorkflowWindow {
  readonly id: string
  readonly name: string
  readonly run_window: RunWindow.ValidRunWindow
}

/** How far ahead openings are recorded, in milliseconds: 400 days, as far as a window looks ahead. */
export const aheadMillis = RunWindow.horizonMillis

/** Records openings from `from` on with the data of this runtime, whose version the caller knows. */
export const record = (workflows: ReadonlyArray<WorkflowWindow>, tz_data: string, from: number): OpeningsRecord => {
  const until = from + aheadMillis
  return {
    tz_data,
    from,
    until,
    workflows: workflows.map(({ id, name, run_window }) => ({
      id,
      name,
      run_window,
      openings: RunWindow.between(RunWindow.compile(run_window), from, until)
    }))
  }
}

/** A workflow that opens at other times with the data of this runtime, and the first instant at which the two differ. */
export interface Difference {
  readonly id: string
  readonly name: string
  readonly time_zone: string
  readonly at: number
  /** Whether the window is open then with the data of this runtime. With the recorded data it is the opposite. */
  readonly open: boolean
}

/**
 * The workflows whose openings differ with the data of this runtime, in the order of the record. A window that is no
 * longer valid here, as its zone is not known, differs from the first opening on.
 */
export const differences = ({ from, until, workflows }: OpeningsRecord): ReadonlyArray<Difference> =>
  workflows.flatMap(({ id, name, openings, run_window }) => {
    const checked = RunWindow.validate(run_window)
    const now = Result.isSuccess(checked)
      ? RunWindow.between(RunWindow.compile(checked.success.window), from, until)
      : []
    const at = firstDifference(openings, now)
    if (at === null) return []
    const open = now.some(({ closesAt, opensAt }) => opensAt <= at && at < closesAt)
    return [{ id, name, time_zone: run_window.time_zone, at, open }]
  })

type Openings = ReadonlyArray<typeof Interval.Type>

/** The first instant that is in one list of openings and not in the other; `null` for equal lists. */
const firstDifference = (one: Openings, other: Openings): number | null => {
  const count = Math.max(one.length, other.length)
  for (let index = 0; index < count; index++) {
    const [a, b] = [one[index], other[index]]
    if (a === undefined || b === undefined) return (a ?? b)?.opensAt ?? null
    if (a.opensAt !== b.opensAt) return Math.min(a.opensAt, b.opensAt)
    if (a.closesAt !== b.closesAt) return Math.min(a.closesAt, b.closesAt)
  }
  return null
}
