/** Counts the turns of the event loop into which an effect is divided. */
import { Effect, Scheduler } from "effect"

/** A scheduler that tells when a turn begins, apart from the one in which it is first used. */
export const telling = (begin: () => void): Scheduler.Scheduler =>
  new Scheduler.MixedScheduler("async", (run) => {
    const immediate = setImmediate(() => {
      begin()
      run()
    })
    return () => clearImmediate(immediate)
  })

/** The result of an effect, and how often it left the rest of its work to a later turn. */
export const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let turns = 0
    const scheduler = telling(() => turns++)
    return Effect.map(Effect.provideService(effect, Scheduler.Scheduler, scheduler), (value) => ({ value, turns }))
  })
