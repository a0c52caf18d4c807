/**
 * What a schedule promises, told minute by minute: a list of firings that are not decided, and one rule for each thing that
 * happens. It knows no cursor, and no calendar but minutes of the day in UTC.
 */
import type { Terms } from "../../../core/schedule/RunSchedule.ts"

const minute = 60_000
const dayMinutes = 1_440

/** What happens to a schedule at an instant. */
export type Happening =
  | { readonly kind: "tick" }
  | { readonly kind: "ended" }
  | { readonly kind: "edit"; readonly terms: Terms; readonly times: ReadonlySet<number> }
  | { readonly kind: "window"; readonly opensAt: number }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }

export interface History {
  readonly start: number
  readonly terms: Terms
  /** The minutes of the day at which the terms fire. */
  readonly times: ReadonlySet<number>
  /** The hour at which the window opens. */
  readonly opensAt: number
  readonly happenings: ReadonlyArray<{ readonly at: number; readonly happening: Happening }>
}

/** The last record of each instant, as `outcome reason-word`. */
export type Records = ReadonlyMap<number, string>

interface Undecided {
  readonly instant: number
  readonly due: number
  kept: boolean
}

/** The records that a history leaves. `delay` is the delay of an instant, in milliseconds, by the jitter of the terms. */
export const records = (history: History, delay: (terms: Terms, instant: number) => number): Records => {
  const found = new Map<number, string>()
  let { opensAt, start: seen, terms, times } = history
  let undecided: Array<Undecided> = []
  let queue: Array<number> = []
  let [running, paused] = [false, false]

  const fires = (at: number) => {
    if (at < (terms.startsAt ?? at) || at > (terms.endsAt ?? at)) return false
    const ofDay = (at / minute) % dayMinutes
    return terms.timing.kind === "window_opening" ? ofDay === opensAt * 60 : times.has(ofDay)
  }
  const pass = (at: number) => {
    for (let instant = (Math.floor(seen / minute) + 1) * minute; instant <= at; instant += minute) {
      if (!paused && fires(instant)) undecided.push({ instant, due: instant + delay(terms, instant), kept: false })
    }
    seen = at
  }
  const isMissed = (one: Undecided, at: number) => !one.kept && one.due < at - minute
  const drop = (one: Undecided) => {
    undecided = undecided.filter((other) => other !== one)
  }
  const fire = (instant: number) => {
    found.set(instant, "submitted")
    running = true
  }
  const decide = (one: Undecided) => {
    drop(one)
    if (!running && queue.length === 0) return fire(one.instant)
    if (terms.overlap === "replace") {
      for (const instant of queue) found.set(instant, "skipped replaced")
      queue = []
      return fire(one.instant)
    }
    const waits = terms.overlap === "queue_all" || (terms.overlap === "queue_one" && queue.length === 0)
    found.set(one.instant, waits ? "queued" : "skipped busy")
    if (waits) queue.push(one.instant)
  }
  const tick = (at: number) => {
    while (!paused) {
      const [head, ...others] = queue
      if (head !== undefined && !running) {
        queue = others
        fire(head)
        continue
      }
      const due = undecided.filter((one) => one.due <= at).sort((a, b) => a.due - b.due || a.instant - b.instant)
      const [first] = due
      if (first === undefined) return
      if (!isMissed(first, at)) {
        decide(first)
        continue
      }
      const kept = terms.catchUp === "none" ? 0 : terms.catchUp === "last" ? 1 : terms.catchUpLimit
      for (const one of due.slice(0, Math.max(0, due.length - kept))) {
        if (!isMissed(one, at)) continue
        drop(one)
        found.set(one.instant, "missed")
      }
      for (const one of due) one.kept = true
    }
  }

  for (const { at, happening } of history.happenings) {
    pass(at)
    switch (happening.kind) {
      case "tick":
        tick(at)
        break
      case "ended":
        running = false
        break
      case "edit":
        ;({ terms, times } = happening)
        break
      case "window":
        opensAt = happening.opensAt
        break
      case "pause":
        if (paused) break
        for (const instant of queue) found.set(instant, "skipped paused")
        for (const one of undecided) found.set(one.instant, isMissed(one, at) ? "missed" : "skipped paused")
        queue = []
        undecided = []
        paused = true
        break
      case "resume":
        paused = false
    }
  }
  return found
}
