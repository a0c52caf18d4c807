/**
 * A compiled window: whether it is open at an instant, since when, and until when.
 *
 * The normative question is wall-clock membership: an instant is open when its local date and time lie in the plan of
 * that date. All else follows by walking over the pieces of time in which local time runs evenly: one date under one
 * offset. Instants are epoch milliseconds.
 */
import * as Zone from "./calendar/Zone.ts"
import * as DayPlan from "./DayPlan.ts"
import { horizonMillis, type ValidRunWindow } from "./Definition.ts"

export interface Schedule {
  readonly window: ValidRunWindow
  readonly zone: Zone.Zone
  readonly plans: DayPlan.DayPlans
}

/** A maximal interval `[opensAt, closesAt)` in which the window is open. */
export interface Opening {
  readonly opensAt: number
  readonly closesAt: number | null
}

/** The wall-clock date and time of an instant in a zone. */
export interface Local {
  readonly day: number
  readonly time: number
  readonly offset: number
}

export const compile = (window: ValidRunWindow): Schedule => ({
  window,
  zone: Zone.get(window.time_zone),
  plans: DayPlan.make(window)
})

export const localAt = (schedule: Schedule, at: number): Local => {
  const { offset } = schedule.zone.segmentAt(at)
  const local = at + offset
  const day = Math.floor(local / DayPlan.dayMillis)
  return { day, time: local - day * DayPlan.dayMillis, offset }
}

export const isOpen = (schedule: Schedule, at: number): boolean => {
  const local = at + schedule.zone.segmentAt(at).offset
  const day = Math.floor(local / DayPlan.dayMillis)
  return DayPlan.contains(schedule.plans.stretches(day), local - day * DayPlan.dayMillis)
}

/** The first instant in `[at, limit]` that is open, or closed, as `wanted` says; `null` when there is none. */
export const first = (schedule: Schedule, wanted: "open" | "closed", at: number, limit: number): number | null => {
  for (let from = at; from <= limit; ) {
    const segment = schedule.zone.segmentAt(from)
    const local = from + segment.offset
    const day = Math.floor(local / DayPlan.dayMillis)
    const midnight = day * DayPlan.dayMillis - segment.offset
    const until = Math.min(segment.until, midnight + DayPlan.dayMillis)
    const found = midnight + firstTime(schedule.plans.stretches(day), wanted, from - midnight)
    if (found < until) return found <= limit ? found : null
    from = until
  }
  return null
}

/**
 * The instant at which the state that holds at `at` began; `null` when it began more than 400 days before.
 */
export const since = (schedule: Schedule, at: number): number | null => {
  const open = isOpen(schedule, at)
  for (let upTo = at; upTo >= at - horizonMillis; ) {
    const segment = schedule.zone.segmentAt(upTo)
    const local = upTo + segment.offset
    const day = Math.floor(local / DayPlan.dayMillis)
    const midnight = day * DayPlan.dayMillis - segment.offset
    const from = Math.max(segment.from, midnight)
    const began = midnight + lastChange(schedule.plans.stretches(day), upTo - midnight)
    if (began > from) return began
    if (isOpen(schedule, from - 1) !== open) return from
    upTo = from - 1
  }
  return null
}

/** The opening that holds `at`, or else the next one; `null` when there is none within `horizonMillis` of `at`. */
export const opening = (schedule: Schedule, at: number): Opening | null => {
  const from = first(schedule, "open", at, at + horizonMillis)
  if (from === null) return null
  return {
    opensAt: from === at ? (since(schedule, at) ?? at) : from,
    closesAt: first(schedule, "closed", from, from + horizonMillis)
  }
}

/** The first time of day at or after `time` that is in a stretch, or in none; the end of the day when there is none. */
const firstTime = (stretches: DayPlan.OpenIntervals, wanted: "open" | "closed", time: number): number => {
  for (let index = 0; index < stretches.length; index += 2) {
    const start = stretches[index] ?? 0
    const end = stretches[index + 1] ?? 0
    if (time >= end) continue
    if (wanted === "open") return Math.max(time, start)
    return time < start ? time : end
  }
  return wanted === "open" ? DayPlan.dayMillis : time
}

/** The last edge of a stretch at or before `time`; 0 when there is none. */
const lastChange = (stretches: DayPlan.OpenIntervals, time: number): number => {
  let last = 0
  for (const edge of stretches) if (edge <= time) last = edge
  return last
}
