/**
 * Operations in memory that happen as one step.
 *
 * A fiber gives way to others after a number of steps, even in the middle of an operation that never waits. Two operations
 * that read, decide and write would then lose one of the writes. Operations made atomic here do not give way.
 */
import { Effect, References } from "effect"

/** The effect, without giving way to other fibers unless it waits. */
export const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, References.PreventSchedulerYield, true)

/**
 * Makes all operations of a store atomic. Not for a store that runs effects of its caller: these may take long, and
 * other operations must run in the meantime.
 */
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
