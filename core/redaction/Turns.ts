/**
 * Work on texts of any length, cut into turns: between two of them the event loop serves others.
 */
import { Effect } from "effect"

/** Work that tells after each step how many characters it has looked at since the step before. */
export type Work<A> = Generator<number, A, void>

/**
 * How many characters are looked at in one turn. The most costly patterns take about a microsecond for each of them, the
 * usual ones a hundredth of that.
 */
const charactersPerTurn = 16_384

/** The result of work that is done in turns. What has little to do ends in its first turn. */
export const inTurns = <A>(begin: () => Work<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const work = begin()
    const turn = (): Effect.Effect<A> => {
      for (let looked = 0; looked < charactersPerTurn; ) {
        const step = work.next()
        if (step.done === true) return Effect.succeed(step.value)
        looked += step.value
      }
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
