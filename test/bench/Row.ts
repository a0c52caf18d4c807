/**
 * One measured number against its reference in the same run, and how such numbers are taken.
 */
export interface Row {
  readonly name: string
  readonly value: string
  readonly reference: string
  /** How many times the reference it is, in the sense of the target. */
  readonly ratio: number
  readonly target: string
  readonly ok: boolean
}

/** How often `act` runs in a second, measured over about `millis` after a warm-up. */
export const perSecond = (act: (index: number) => unknown, millis = 400): number => {
  const round = (until: number) => {
    const began = performance.now()
    let count = 0
    while (performance.now() - began < until) for (let inner = 0; inner < 16; inner++) act(count++)
    return (count / (performance.now() - began)) * 1_000
  }
  round(millis / 4)
  return round(millis)
}

export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** The value that a share of sorted values does not exceed. */
export const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** The medians of two acts, taken in turn so that both see the same machine. */
export const inTurn = async (
  rounds: number,
  one: (round: number) => Promise<number>,
  other: (round: number) => Promise<number>
): Promise<readonly [number, number]> => {
  const [ones, others]: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ones.push(await one(round))
    others.push(await other(round))
  }
  return [median(ones), median(others)]
}

export const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await act()
  return performance.now() - began
}

export const millis = (value: number): string => `${value.toFixed(2)} ms`

export const rate = (value: number): string => `${Math.round(value).toLocaleString("en")}/s`
