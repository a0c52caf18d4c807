/** Work whose steps are known, for the test of the counter; runs in a thread of `steps.ts`. */
import { steps } from "./StepsThread.ts"

/** The steps of a pass over so many elements, and of a pass over them for each of them. */
export const passes = (count: number): ReadonlyArray<number> => {
  const sums: Array<number> = []
  return steps(
    () => {
      for (let one = 0; one < count; one++) sums[one] = one
    },
    () => {
      for (let one = 0; one < count; one++) for (let other = 0; other < count; other++) sums[other] = other
    }
  )
}

export const fails = (): number => {
  throw new Error("planted")
}
