/**
 * Human-like pointer movements to an element, and clicks.
 */
import { Effect, Random } from "effect"

/** One point of the path, and the time to reach it. */
export interface Move {
  /** The progress along the straight line to the destination of the pointer: 0 to 1. */
  readonly along: number
  /** The distance from that line, as a part of its length. */
  readonly aside: number
  readonly millis: number
}

export interface Gesture {
  readonly moves: ReadonlyArray<Move>
  /** The point in the element, as parts of its width and height. */
  readonly landing: { readonly x: number; readonly y: number }
  /** How long the button is held, in milliseconds. */
  readonly holdMillis: number
}

/**
 * Generates a gesture: it accelerates and slows down, curves slightly to one side, jitters, and ends near the middle.
 * It takes 250 to 750 ms.
 */
export const draw: Effect.Effect<Gesture> = Effect.gen(function* () {
  const between = (least: number, most: number) => Effect.map(Random.next, (drawn) => least + drawn * (most - least))
  const count = 16 + Math.floor(yield* between(0, 12))
  const bow = yield* between(-0.12, 0.12)
  const moves: Array<Move> = []
  for (let step = 1; step <= count; step++) {
    const time = step / count
    const along = time ** 3 * (10 - 15 * time + 6 * time ** 2)
    const tremble = step === count ? 0 : yield* between(-0.006, 0.006)
    moves.push({
      along,
      aside: step === count ? 0 : bow * Math.sin(Math.PI * along) + tremble,
      millis: yield* between(12, 24)
    })
  }
  return {
    moves,
    landing: { x: yield* between(0.35, 0.65), y: yield* between(0.35, 0.65) },
    holdMillis: yield* between(40, 110)
  }
})
