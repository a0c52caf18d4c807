/**
 * Applies changes that depend on time alone: gates open and close, leases run out, runs have waited too long.
 *
 * Any number of schedulers may run at once. Safety does not depend on it: without a scheduler, runs wait longer, and
 * never start while a hold is in force.
 *
 * **Example** (A scheduler on the stores in memory)
 *
 * ```ts
 * import { Effect } from "effect"
 * import * as Memory from "@sluice/core/memory"
 * import * as Scheduler from "@sluice/core/scheduler"
 *
 * // Runs until its scope closes, and needs nothing more than stores.
 * export const scheduling = Effect.forkScoped(Scheduler.run()).pipe(Effect.provide(Memory.layer))
 *
 * // One round instead, for programs that decide themselves when.
 * await Effect.runPromise(Effect.provide(Scheduler.tick(), Memory.layer))
 * ```
 */
import { Clock, Effect } from "effect"
import { GateStore } from "../gate/GateStore.ts"
import * as ZoneData from "../gate/ZoneData.ts"
import * as Background from "../runtime/Background.ts"
import * as Measures from "../runtime/Measures.ts"
import { type Signal, Signals } from "../runtime/Signals.ts"
import * as Wake from "../runtime/Wake.ts"
import * as HoldAnnouncement from "./hold/HoldAnnouncement.ts"
import { RunStore } from "./RunStore.ts"
import * as Transition from "./Transition.ts"

/** How many gates or runs one transaction deals with. */
const batch = 200

/** The longest sleep when the options say nothing. */
const longestSleep = 30_000

/** The pause before a tick retries what it could not do: its clock may be ahead of the clock of the store. */
const undoneMillis = 500

/**
 * Does everything that is due now, wakes the workers, and returns the instant at which it began.
 */
export const tick = Effect.fn("Scheduler.tick")(function* () {
  const gates = yield* GateStore
  const runs = yield* RunStore
  const signals = yield* Signals
  const began = yield* Clock.currentTimeMillis
  yield* ZoneData.whileDeciding(Effect.repeat(gates.review(batch), { while: (reviewed) => reviewed === batch }))
  for (let reaped = batch; reaped === batch; ) {
    const changed = yield* runs.reap(batch, Transition.reap)
    reaped = changed.length
    yield* Effect.forEach(changed, (run) => signals.publish({ _tag: "ended", runId: run.id }), { discard: true })
    if (reaped > 0) yield* signals.publish({ _tag: "events" })
  }
  yield* signals.publish({ _tag: "work" })
  return began
})

/** The pause after a batch of announcements, so that what else is written at the time is not delayed by them. */
const pace = "100 millis"

/** Announces holds to the workflows and runs that an edit holds, in batches, until all have their events. */
export const announceHolds = Effect.fn("Scheduler.announceHolds")(function* () {
  const runs = yield* RunStore
  const signals = yield* Signals
  const announcement = yield* HoldAnnouncement.make
  while (yield* runs.announceHolds(batch, announcement)) {
    yield* signals.publish({ _tag: "events" })
    yield* Effect.sleep(pace)
  }
})

/** Stops, in batches, the runs that waited for a credential whose login failed. */
export const stopAfterFailedLogins = Effect.fn("Scheduler.stopAfterFailedLogins")(function* () {
  const runs = yield* RunStore
  const signals = yield* Signals
  let stopped = false
  while (yield* runs.stopAfterFailedLogins(batch, Transition.stopAfter)) {
    stopped = true
    yield* signals.publish({ _tag: "events" })
  }
  // Runs that were submitted since, or that can use other members of their pool, had to wait for this.
  if (stopped) yield* signals.publish({ _tag: "work" })
})

/**
 * Ticks whenever something is due, without end: sleeps until the next due instant, or until a signal says that it may
 * be earlier. A failed tick, for example without a database, is logged and repeated after a second. It sleeps for 30 s at most
 * unless the options say otherwise.
 */
export const run = ({ longestSleepMillis = longestSleep }: Wake.Polling = {}) => running(longestSleepMillis)

const running = Effect.fn("Scheduler.run")(function* (longestSleepMillis: number) {
  const gates = yield* GateStore
  const runs = yield* RunStore
  const due = (signal: Signal) => signal._tag === "due"
  const ticks = yield* Wake.onSignal(due)
  const edits = yield* Wake.onSignal(due)

  let overdue = -Infinity
  const tickThenSleep = Effect.gen(function* () {
    const ticked = yield* tick()
    while (true) {
      const opening = (yield* gates.nextDue(ticked)) ?? Infinity
      const next = Math.min(opening, (yield* runs.nextDue(ticked)) ?? Infinity)
      const now = yield* Clock.currentTimeMillis
      if (opening <= now) yield* Measures.gateOpened((now - opening) / 1_000)
      const left = Math.min(next, ticked + longestSleepMillis) - now
      // After a clock was set back, the time until `next` is meaningless: tick again.
      if (left <= 0 || now < ticked) {
        const isUndone = next <= now && next === overdue
        overdue = next
        return isUndone ? yield* ticks.sleep(undoneMillis) : undefined
      }
      yield* ticks.sleep(left)
    }
  })
  const announceThenSleep = Effect.andThen(
    Effect.andThen(stopAfterFailedLogins(), announceHolds()),
    edits.sleep(longestSleepMillis)
  )
  // Announcing holds to a million runs takes long, and must not delay the opening of gates.
  yield* Effect.forkScoped(Effect.forever(announceThenSleep.pipe(Background.round("announce holds"))))
  return yield* Effect.forever(tickThenSleep.pipe(Background.round("look after what is due")))
}, Effect.scoped)
