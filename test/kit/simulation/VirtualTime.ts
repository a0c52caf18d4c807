/**
 * The time of a simulation, and whose turn it is.
 *
 * Fibers take turns in one fixed order. Time passes only when all of them wait: it continues to the next timer. So a program
 * that waits for nothing else does the same each time, in as much time as its work takes.
 */
import { type Clock, Duration, Effect, Scheduler } from "effect"

/** The owner of a timer, which learns when the timer goes off. A poll only looks whether there is something to do. */
export interface Owner {
  readonly polls: boolean
  /** By how much its clock is ahead, in milliseconds. */
  readonly skew: () => number
  readonly wake: (resume: () => void) => void
}

interface Timer {
  readonly at: number
  readonly polls: boolean
  readonly fire: () => void
}

export interface VirtualTime {
  readonly scheduler: Scheduler.Scheduler
  readonly now: () => number
  readonly clockOf: (owner: Owner) => Clock.Clock
  /** Gives every fiber its turns, until all of them wait. */
  readonly settle: () => void
  /** The instant of the first timer; `Infinity` when there is none. `work`: of the first that is no poll. */
  readonly next: (kind: "any" | "work") => number
  /** Sets off the first timer at its instant. */
  readonly step: () => void
  /** Passes over the time until an instant; polls in between go off once, at that instant. */
  readonly jump: (to: number) => void
}

/** A clock that tells the time as it is, for what does not poll. */
export const exact: Owner = { polls: false, skew: () => 0, wake: (resume) => resume() }

/** Makes a time that begins at `start`, in epoch milliseconds. */
export const make = (start: number): VirtualTime => {
  let now = start
  let ready: Array<() => void> = []
  /** By their instants; of equal ones the first made comes first. */
  const timers: Array<Timer> = []

  const later = (run: () => void) => {
    let cancelled = false
    ready.push(() => {
      if (!cancelled) run()
    })
    return () => {
      cancelled = true
    }
  }
  const plain = new Scheduler.MixedScheduler("async", later)
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    // An operation in memory is never interrupted by another.
    shouldYield: () => false,
    makeDispatcher: () => plain.makeDispatcher()
  }

  const settle = () => {
    while (ready.length > 0) {
      const round = ready
      ready = []
      for (const run of round) run()
    }
  }

  const insert = (timer: Timer) => {
    let from = 0
    let to = timers.length
    while (from < to) {
      const middle = (from + to) >> 1
      if ((timers[middle]?.at ?? Infinity) <= timer.at) from = middle + 1
      else to = middle
    }
    timers.splice(from, 0, timer)
  }

  const clockOf = ({ polls, skew, wake }: Owner): Clock.Clock => {
    const millis = () => now + skew()
    const nanos = () => BigInt(Math.round(millis() * 1_000)) * 1_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const slept = Duration.toMillis(duration)
          if (slept === Infinity) return
          const timer = { at: now + Math.max(0, slept), polls, fire: () => wake(() => resume(Effect.void)) }
          insert(timer)
          return Effect.sync(() => {
            const place = timers.indexOf(timer)
            if (place >= 0) timers.splice(place, 1)
          })
        })
    }
  }

  const next = (kind: "any" | "work") =>
    (kind === "any" ? timers[0] : timers.find(({ polls }) => !polls))?.at ?? Infinity

  const step = () => {
    const timer = timers.shift()
    if (timer === undefined) return
    now = Math.max(now, timer.at)
    timer.fire()
    settle()
  }

  const jump = (to: number) => {
    now = Math.max(now, to)
    const due = timers.filter(({ at }) => at < now)
    timers.splice(0, due.length)
    for (const { fire } of due) {
      fire()
      settle()
    }
  }

  return { scheduler, now: () => now, clockOf, settle, next, step, jump }
}
