/**
 * `npm run simulate -- --seeds N [--seed S] [--steps N]`: simulated weeks full of faults, judged by what the service promises.
 *
 * Each seed is a week of so many actions of clients and mishaps (`--actions`). `--steps` continues from seed to seed until
 * so many steps were simulated: timers that went off, or times passed over. A scenario that breaks a promise is cut down to
 * the shortest that still does, and printed. The same seed has the same history.
 */
import { parseArgs } from "node:util"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Scenario from "../kit/simulation/Scenario.ts"
import * as Weeks from "../kit/simulation/Weeks.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    steps: { type: "string" },
    actions: { type: "string", default: "60" }
  }
})

const whole = (name: string, text: string): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  process.stderr.write(`--${name}: expected a whole number of at least 1, got ${text}\n`)
  process.exit(1)
}

const first = whole("seed", values.seed)
const actions = whole("actions", values.actions)
const seeds = values.steps === undefined ? whole("seeds", values.seeds) : Number.POSITIVE_INFINITY
const wanted = values.steps === undefined ? Number.POSITIVE_INFINITY : whole("steps", values.steps)

const began = performance.now()
let [count, steps, starts, events, millis, broken] = [0, 0, 0, 0, 0, 0]

const say = (line: string) => process.stdout.write(`${line}\n`)
const total = () => {
  const minutes = (performance.now() - began) / 60_000
  const weeks = millis / Scenario.weekMillis
  say(
    `${count} seeds, ${count * actions} actions, ${steps} steps, ${starts} attempts, ${events} events, ${weeks.toFixed(0)} weeks ` +
      `in ${minutes.toFixed(1)} min (${Math.round((weeks / minutes) * 60)} weeks an hour): ${broken} seeds break a promise`
  )
}

for (let seed = first; count < seeds && steps < wanted; seed++) {
  const week = Weeks.simulate(Memory.layer, { first: seed, weeks: 1, actions })
  count++
  steps += week.steps
  starts += week.attempts
  events += week.events
  millis += week.millis
  for (const { shortest, violations } of week.broken) {
    broken++
    say(
      `\nSeed ${seed} breaks ${violations.length} promises: npm run simulate -- --seed ${seed} --seeds 1 --actions ${actions}`
    )
    for (const { detail, promise, runId } of violations) say(`  ${promise}: run ${runId} ${detail}`)
    for (const { at, ...step } of shortest.steps) say(`  at ${(at / 1_000).toFixed(3)} s: ${JSON.stringify(step)}`)
  }
  if (count % 100 === 0) total()
}
total()
process.exitCode = broken === 0 ? 0 : 1
