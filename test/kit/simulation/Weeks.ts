/**
 * Weeks of the service, simulated on stores that are given: clients submit and change, processes crash, freeze and lose
 * answers. What was seen is judged by the promises of the service. The same seed has the same week on the same stores.
 *
 * **Example** (A week on the stores in memory)
 *
 * ```ts
 * import * as Memory from "@sluice/core/memory"
 * import * as Weeks from "@sluice/testing/weeks"
 *
 * const { broken, millis } = Weeks.simulate(Memory.layer, { weeks: 1, actions: 5 })
 *
 * broken // => []
 * millis > 0 // => true
 * ```
 */
import type { Layer } from "effect"
import type { Violation } from "./Promises.ts"
import * as Scenario from "./Scenario.ts"
import * as Simulation from "./Simulation.ts"
import type { Stores } from "./World.ts"

/** What is to be simulated. */
export interface Options {
  /** The seed of the first week, a whole number of at least 1. 1 when left out. */
  readonly first?: number
  /** How many weeks; each has the seed after the one before. */
  readonly weeks: number
  /** How many actions of clients and mishaps each week has. 60 when left out. */
  readonly actions?: number
}

/** A week that breaks a promise, and the shortest part of it that still does. */
export interface BrokenWeek {
  readonly seed: number
  readonly violations: ReadonlyArray<Violation>
  readonly shortest: Scenario.Scenario
}

/** The results of the simulated weeks. */
export interface Weeks {
  readonly broken: ReadonlyArray<BrokenWeek>
  /** How often a timer went off, or time in which nothing could happen was passed over. */
  readonly steps: number
  readonly attempts: number
  readonly events: number
  /** How much time passed in the simulation, in milliseconds. */
  readonly millis: number
}

/** Simulates weeks, one after the other. The layer of the stores is built once for each. */
export const simulate = (stores: Layer.Layer<Stores>, { actions = 60, first = 1, weeks }: Options): Weeks => {
  const broken: Array<BrokenWeek> = []
  let [steps, attempts, events, millis] = [0, 0, 0, 0]
  for (let seed = first; seed < first + weeks; seed++) {
    const scenario = Scenario.make(seed, actions)
    const report = Simulation.run(scenario, stores)
    steps += report.steps
    attempts += report.history.starts.length
    events += report.history.events.length
    millis += report.millis
    if (report.violations.length === 0) continue
    const short = Simulation.shortened(scenario, stores)
    broken.push({
      seed,
      violations: short?.report.violations ?? report.violations,
      shortest: short?.scenario ?? scenario
    })
  }
  return { broken, steps, attempts, events, millis }
}
