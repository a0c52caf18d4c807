/** Work on texts of any length, divided into turns, between which it yields to other fibers. */
import { Effect } from "effect"

/** Work that yields after each step the number of characters that the step has read. */
export type Work<A> = Generator<number, A, void>

/** The number of characters that are read in one turn. Each of them takes less than a microsecond. */
const charactersPerTurn = 16_384

/**
 * The number of characters read since the last turn, by all work, because many short texts block the event loop like a
 * long one.
 */
let looked = 0

/** Runs work in turns. Short work ends in the turn in which it began. */
export const inTurns = <A>(begin: () => Work<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const work = begin()
    const turn = (): Effect.Effect<A> => {
      while (looked < charactersPerTurn) {
        const step = work.next()
        if (step.done === true) return Effect.succeed(step.value)
        looked += step.value
      }
      looked = 0
      return Effect.flatMap(Effect.yieldNow, turn)
    }
    return turn()
  })

/** Runs work synchronously. The caller bounds the amount of work. */
export const atOnce = <A>(work: Work<A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
