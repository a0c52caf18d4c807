/**
 * The gauntlet, many times over: whether any challenge ever goes another way than it has to. What ends as success over a
 * wrong value counts apart from what fails.
 *
 * `SLUICE_GAUNTLET_ROUNDS` says how often each is run, 20 times when it does not.
 */
import { isDeepStrictEqual } from "node:util"
import { Cause, Effect } from "effect"
import { compared } from "../gauntlet/Challenge.ts"
import { challenges } from "../gauntlet/Challenges.ts"
import { attempt, layer } from "../gauntlet/Gauntlet.ts"
import type { Row } from "./Row.ts"

/** The number of concurrent runs, as on a worker. */
const concurrency = 4

/** A run that went another way than it has to. */
interface Astray {
  /** Whether it ended as success, over a wrong value or where it had to fail. */
  readonly isGreen: boolean
  readonly said: string
}

const measure = (rounds: number) =>
  Effect.gen(function* () {
    const astray: Array<Astray> = []
    const runs = Array.from({ length: rounds }, () => challenges).flat()
    const began = performance.now()
    yield* Effect.forEach(
      runs,
      (challenge) =>
        attempt(challenge).pipe(
          Effect.map((seen): Astray | null => {
            const { actual, expected } = compared(challenge, seen)
            if (isDeepStrictEqual(actual, expected)) return null
            return { isGreen: seen.outcome._tag === "Success", said: JSON.stringify(actual) }
          }),
          Effect.catchCause((cause) => Effect.succeed({ isGreen: false, said: Cause.pretty(cause) })),
          Effect.map((one) => one && astray.push({ ...one, said: `${challenge.name}: ${one.said}` }))
        ),
      { concurrency, discard: true }
    )
    return { astray, millis: (performance.now() - began) / rounds }
  }).pipe(Effect.provide(layer), Effect.scoped)

export const gauntlet = async (): Promise<ReadonlyArray<Row>> => {
  const rounds = Number(process.env.SLUICE_GAUNTLET_ROUNDS ?? 20)
  const { astray, millis } = await Effect.runPromise(measure(rounds))
  for (const { said } of astray) process.stdout.write(`  ${said.slice(0, 300)}\n`)
  const rowOf = (name: string, count: number): Row => ({
    name,
    value: String(count),
    reference: `${challenges.length * rounds} runs`,
    ratio: count,
    target: "0",
    ok: count === 0
  })
  const green = astray.filter(({ isGreen }) => isGreen).length
  const all = `${challenges.length} challenges, ${rounds} times each, ${(millis / 1_000).toFixed(1)} s a round`
  return [
    rowOf(`${all}: success over a wrong value`, green),
    rowOf(`${all}: failed, or went another way`, astray.length - green)
  ]
}
