/**
 * The cost of work as a multiple of a fixed work in the same process. Both are measured in processor time of the calling
 * thread, so that neither a slow machine nor a busy one changes it much. A bound is at least four times what is usual.
 */
import { Effect } from "effect"

/** The least of several rounds of the same work, up to the first round below the bound. */
export const least = (bound: number, work: () => unknown, rounds = 8): number => {
  let cost = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds && cost >= bound; round++) {
    const began = usedMillis()
    work()
    cost = Math.min(cost, relative(usedMillis() - began, bound))
  }
  return cost
}

/** The same for an effect, with its last result, while nothing else runs in its thread. */
export const leastOf = Effect.fnUntraced(function* <A, E, R>(bound: number, work: Effect.Effect<A, E, R>, rounds = 8) {
  let cost = Number.POSITIVE_INFINITY
  for (let round = 1; ; round++) {
    const began = usedMillis()
    const value = yield* work
    cost = Math.min(cost, relative(usedMillis() - began, bound))
    if (cost < bound || round === rounds) return { value, cost }
  }
})

let known: number | undefined

/** Processor time as a multiple of the fixed work. What seems to reach the bound is compared with that work as it is now. */
export const relative = (millis: number, bound: number): number => {
  known ??= fixedMillis()
  return millis / (millis < bound * known ? known : Math.max(known, fixedMillis()))
}

/** The processor time that the calling thread has used, in milliseconds. */
const usedMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** The processor time of the fixed work: the least of three rounds, which excludes a collection of garbage. */
const fixedMillis = (): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const began = usedMillis()
      fixedWork()
      return usedMillis() - began
    })
  )

/**
 * Reads, writes and searches a megabyte of JSON five times. That uses the processor and the memory, as most bounded work
 * does, and takes many of the ticks of 4 ms in which the kernel counts: about 40 ms.
 */
export const fixedWork = (): void => {
  for (let pass = 0; pass < 5; pass++) JSON.stringify(JSON.parse(text)).replace(/[0-9]{5}/g, "")
}

const text = JSON.stringify(
  Array.from({ length: 10_000 }, (_, index) => ({ id: index, name: `entry ${index * 7}`, text: "\\ab ".repeat(10) }))
)
