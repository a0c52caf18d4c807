/** Lets effects of one key run one after the other, within this process. */
import { Effect, RcMap, Scope, Semaphore } from "effect"

/** Runs an effect alone among those of its key. A key takes memory only while an effect runs or waits under it. */
export type KeyedMutex = (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A new set of keys, which lasts as long as the scope. */
export const make: Effect.Effect<KeyedMutex, never, Scope.Scope> = Effect.gen(function* () {
  const semaphores = yield* RcMap.make({ lookup: (_key: string) => Semaphore.make(1) })
  return (key) => (effect) =>
    Effect.scopedWith((scope) =>
      RcMap.get(semaphores, key).pipe(
        Scope.provide(scope),
        Effect.flatMap((semaphore) => semaphore.withPermit(effect))
      )
    )
})
