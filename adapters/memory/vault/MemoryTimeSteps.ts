/** Used time steps in memory. */
import { Effect, Layer, Option } from "effect"
import { TimeSteps } from "../../../core/vault/otp/TimeSteps.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  TimeSteps,
  Effect.map(Tables, ({ timeSteps }) => {
    const note = (key: string, last: number, periodMillis: number) =>
      timeSteps.set(key, { last, until: (last + 1) * periodMillis })

    return TimeSteps.of({
      reserve: (key, { from, latest }, periodMillis) =>
        Effect.sync(() => {
          const step = Math.max((timeSteps.get(key)?.last ?? -1) + 1, from)
          if (step > latest) return Option.none()
          note(key, step, periodMillis)
          return Option.some(step)
        }),
      mark: (key, step, periodMillis) =>
        Effect.sync(() => void note(key, Math.max(timeSteps.get(key)?.last ?? -1, step), periodMillis)),
      forgetBefore: (at) =>
        Effect.sync(() => {
          const old = [...timeSteps].filter(([, { until }]) => until < at)
          for (const [key] of old) timeSteps.delete(key)
          return old.length
        })
    })
  }).pipe(Effect.map(atomicStore))
)
