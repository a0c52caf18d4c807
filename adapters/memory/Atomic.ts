/**
 * Atomic operations in memory.
 *
 * A fiber yields to others after a number of steps, even within an operation that never waits. Two concurrent
 * operations that read, decide and write could then lose a write. Atomic operations do not yield.
 */
import { Effect, References } from "effect"

/** The effect without yielding to other fibers, unless it waits. */
export const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, References.PreventSchedulerYield, true)

/** Makes all operations of a store atomic. Not for a store that runs effects of its caller, which may take long. */
export const atomicStore = <S extends object>(store: S): S =>
  Object.fromEntries(Object.entries(store).map(([name, member]) => [name, atomicMember(member)])) as S

const atomicMember = (member: unknown): unknown => {
  if (Effect.isEffect(member)) return atomic(member)
  if (typeof member !== "function") return member
  return (...args: ReadonlyArray<unknown>) => {
    const result = member(...args)
    return Effect.isEffect(result) ? atomic(result) : result
  }
}
