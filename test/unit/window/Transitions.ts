/**
 * Compares run windows with the changes of clocks that this runtime knows. The changes come from `Temporal`, and whether a
 * window is open from the slow reference: both ask the runtime themselves, and share nothing with the evaluator.
 */
import { Temporal as Polyfill } from "@js-temporal/polyfill"
import { Result } from "effect"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import { Day } from "../../../core/window/Definition.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { isOpen as slowlyOpen } from "../../kit/windows/ReferenceWindow.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A change of the offset of a zone. The instant and the offsets are in milliseconds. */
interface Transition {
  readonly at: number
  readonly before: number
  readonly after: number
}

const temporal = (globalThis as { readonly Temporal?: typeof Polyfill }).Temporal ?? Polyfill

const offsetAt = (zone: string, at: number): number =>
  temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000

const transitionsOf = (zone: string, from: number, until: number): ReadonlyArray<Transition> => {
  const found: Array<Transition> = []
  let next = temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone).getTimeZoneTransition("next")
  while (next !== null && next.epochMilliseconds < until) {
    const at = next.epochMilliseconds
    const [before, after] = [offsetAt(zone, at - 1), offsetAt(zone, at)]
    // Some changes of rules do not move the clocks.
    if (before !== after) found.push({ at, before, after })
    next = next.getTimeZoneTransition("next")
  }
  return found
}

/** The changes of offset of a zone by the segments that the evaluator works with. */
const changesOfSegments = (name: string, from: number, until: number): ReadonlyArray<Transition> => {
  const zone = Zone.get(name)
  const found: Array<Transition> = []
  for (let segment = zone.segmentAt(from); segment.until < until; ) {
    const next = zone.segmentAt(segment.until)
    if (next.offset !== segment.offset) found.push({ at: next.from, before: segment.offset, after: next.offset })
    segment = next
  }
  return found
}

/**
 * Whether a change that is not listed is one nevertheless. The polyfill looks for changes two weeks apart, and so misses a
 * summer time of a week, as in Gaza in 2040; what it says of single instants is right. A native `Temporal` lists all.
 */
const isUnlisted = (zone: string, { after, at, before }: Transition): boolean =>
  temporal === Polyfill && offsetAt(zone, at - 1) === before && offsetAt(zone, at) === after

/** A window of one weekly period from one local time to another, both as milliseconds from the local epoch. */
const period = (time_zone: string, from: number, to: number): RunWindow.ValidRunWindow => {
  const start = Math.floor(from / minute) * minute
  const end = Math.min(Math.ceil(to / minute) * minute, start + day - minute)
  const dayOf = (local: number): Day => Day.literals[(((Math.floor(local / day) + 3) % 7) + 7) % 7] ?? "MONDAY"
  const timeOf = (local: number) => {
    const minutes = (((local % day) + day) % day) / minute
    return { hours: Math.floor(minutes / 60), minutes: minutes % 60 }
  }
  const regular_hours = [
    {
      active_start_day: dayOf(start),
      active_start_time: timeOf(start),
      active_end_day: dayOf(end),
      active_end_time: timeOf(end)
    }
  ]
  return Result.getOrThrow(RunWindow.validate({ time_zone, regular_hours })).window
}

/** The problems of windows of which an edge lies within a change of clocks, at instants on both sides of it. */
const windowProblems = (zone: string, { after, at, before }: Transition): ReadonlyArray<string> => {
  const [low, high] = [at + Math.min(before, after), at + Math.max(before, after)]
  const middle = (low + high) / 2
  const changed = high - low
  const windows = [period(zone, low - hour / 2, middle), period(zone, middle, high + hour / 2)]
  const beside = [at, at - changed / 2, at + changed / 2, at - changed, at + changed, at - hour / 2, at + hour / 2]
  const instants = beside.flatMap((one) => [Math.floor(one) - 1, Math.floor(one), Math.ceil(one / minute) * minute])
  return windows.flatMap((window) => {
    const schedule = RunWindow.compile(window)
    const wrong = instants.filter((one) => RunWindow.isOpen(schedule, one) !== slowlyOpen(window, one))
    const { nextOpenAt } = RunWindow.state(schedule, at - changed - 2 * hour)
    if (nextOpenAt !== null && (!slowlyOpen(window, nextOpenAt) || slowlyOpen(window, nextOpenAt - 1))) {
      wrong.push(nextOpenAt)
    }
    return wrong.map((one) => `${JSON.stringify(window)} at ${new Date(one).toISOString()}`)
  })
}

const text = ({ after, at, before }: Transition): string =>
  `from ${before} to ${after} at ${new Date(at).toISOString()}`

/** How many changes of clocks a zone has from one instant until another, and where the evaluator has another opinion. */
export const compared = (
  zone: string,
  from: number,
  until: number
): { readonly transitions: number; readonly problems: ReadonlyArray<string> } => {
  const listed = transitionsOf(zone, from, until)
  const changes = changesOfSegments(zone, from, until)
  const [wanted, got] = [new Set(listed.map(text)), new Set(changes.map(text))]
  const others = changes.filter((change) => !wanted.has(text(change)))
  const transitions = [...listed, ...others.filter((change) => isUnlisted(zone, change))]
  return {
    transitions: transitions.length,
    problems: [
      ...listed.filter((change) => !got.has(text(change))).map((change) => `${zone}: ${text(change)} is missing`),
      ...others.filter((change) => !isUnlisted(zone, change)).map((change) => `${zone}: ${text(change)} is no change`),
      ...transitions.flatMap((transition) => windowProblems(zone, transition))
    ]
  }
}
