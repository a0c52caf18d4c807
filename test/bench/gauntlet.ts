/**
 * The gauntlet, many times over: whether any challenge ever goes another way than it has to.
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

const measure = (rounds: number) =>
  Effect.gen(function* () {
    const flakes: Array<string> = []
    const runs = Array.from({ length: rounds }, () => challenges).flat()
    const began = performance.now()
    yield* Effect.forEach(
      runs,
      (challenge) =>
        attempt(challenge).pipe(
          Effect.map((seen) => {
            const { actual, expected } = compared(challenge, seen)
            return isDeepStrictEqual(actual, expected) ? null : JSON.stringify(actual)
          }),
          Effect.catchCause((cause) => Effect.succeed(Cause.pretty(cause))),
          Effect.map((wrong) => wrong === null || flakes.push(`${challenge.name}: ${wrong}`))
        ),
      { concurrency, discard: true }
    )
    return { flakes, millis: (performance.now() - began) / rounds }
  }).pipe(Effect.provide(layer), Effect.scoped)

export const gauntlet = async (): Promise<ReadonlyArray<Row>> => {
  const rounds = Number(process.env.SLUICE_GAUNTLET_ROUNDS ?? 20)
  const { flakes, millis } = await Effect.runPromise(measure(rounds))
  for (const flake of flakes) process.stdout.write(`  ${flake.slice(0, 300)}\n`)
  return [
    {
      name: `${challenges.length} challenges, ${rounds} times each, ${(millis / 1_000).toFixed(1)} s a round`,
      value: `${flakes.length} flakes`,
      reference: `${challenges.length * rounds} runs`,
      ratio: flakes.length,
      target: "0 flakes",
      ok: flakes.length === 0
    }
  ]
}
