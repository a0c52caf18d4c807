/** The time and the random seed of one evaluation. The caller gives both, so that an evaluation can be repeated. */

export interface Moment {
  /**
   * The value of `$now()` and `$millis()`, in epoch milliseconds. It does not change while an expression is evaluated.
   */
  readonly at: number
  /** The source of `$random()` and `$shuffle()`: the same seed gives the same values in the same order. */
  readonly seed: number
}

/** A generator of numbers from 0 up to, but not including, 1: the 32-bit generator known as Mulberry32. */
export const generator = (seed: number): (() => number) => {
  let state = Math.floor(seed) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
