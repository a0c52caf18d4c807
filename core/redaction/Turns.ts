/**
 * Work on texts of any length, cut into turns: between two of them the event loop serves others.
 */
import { Effect } from "effect"

/** Work that yields after each step how many characters it has looked at since the step before. */
export type Work<A> = Generator<number, A, void>

/** The number of characters that are read in one turn. Each of them takes less than a microsecond. */
const charactersPerTurn = 16_384

/** The number of characters read since the last turn, by all work: many short texts hold the loop like a long one. */
let looked = 0

/** The result of work that is done in turns. Short work ends in the turn in which it began. */
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

/** The result of work that is done at once. The caller bounds what there is to do. */
export const atOnce = <A>(work: Work<A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
