/** Lets effects of one name run one after the other, within this process. */
import { Effect, Semaphore } from "effect"

export type Turns = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A new set of names. A name is kept while an effect runs or waits under it. */
export const make = (): Turns => {
  const queues = new Map<string, { readonly semaphore: Semaphore.Semaphore; waiting: number }>()
  return (name) => (effect) =>
    Effect.suspend(() => {
      const queue = queues.get(name) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
      queues.set(name, queue)
      queue.waiting++
      return Effect.ensuring(
        queue.semaphore.withPermit(effect),
        Effect.sync(() => {
          if (--queue.waiting === 0) queues.delete(name)
        })
      )
    })
}
