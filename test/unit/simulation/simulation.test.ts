import { assert, describe, it } from "@effect/vitest"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Scenario from "../../kit/simulation/Scenario.ts"
import { shortest } from "../../kit/simulation/Shortest.ts"
import * as Simulation from "../../kit/simulation/Simulation.ts"
import { type Mutant, mutants } from "../../simulation/mutants.ts"

const actions = 40

it("ten thousand steps of simulated weeks full of faults break no promise", () => {
  let [steps, starts] = [0, 0]
  for (let seed = 1; steps < 10_000; seed++) {
    const report = Simulation.run(Scenario.make(seed, actions), Memory.layer)
    assert.deepStrictEqual(report.violations, [], `npm run simulate -- --seed ${seed} --seeds 1 --actions ${actions}`)
    steps += report.steps
    starts += report.history.starts.length
  }
  assert.isAbove(starts, 100)
})

it("a scenario has the same history each time", () => {
  const [once, again] = [1, 2].map(() => Simulation.run(Scenario.make(7, 12), Memory.layer))
  assert.deepStrictEqual(once, again)
})

/** The first scenario from a seed on that breaks a promise on these stores. */
const caught = ({ stores }: Mutant, from: number) => {
  for (let seed = from; seed < from + 60; seed++) {
    const scenario = Scenario.make(seed, actions)
    const { violations } = Simulation.run(scenario, stores)
    if (violations.length > 0) return { scenario, broken: violations.map(({ promise }) => promise) }
  }
  return assert.fail("It was not caught by 60 scenarios")
}

describe("a planted fault is caught:", () => {
  it.each(Object.entries(mutants))("%s", (_, mutant) => {
    const { broken, scenario } = caught(mutant, mutant.seed)
    assert.isTrue(
      broken.some((promise) => mutant.breaks.includes(promise)),
      `seed ${scenario.seed} broke: ${broken.join(", ")}`
    )
  })
})

it("a scenario that breaks a promise is cut down to what it takes", () => {
  const mutant = mutants["the event of an end is lost"]
  if (mutant === undefined) return assert.fail("There is no such mutant")
  const short = Simulation.shortened(Scenario.make(1, 8), mutant.stores)
  assert.deepStrictEqual(
    short?.scenario.steps.map(({ _tag }) => _tag),
    ["submit"]
  )
  assert.isNotEmpty(short?.report.violations ?? [])
})

it("the shortest list that fails has all that it takes to fail, and nothing else", () => {
  const list = Array.from({ length: 100 }, (_, index) => index)
  const fails = (some: ReadonlyArray<number>) => [3, 40, 41, 97].every((one) => some.includes(one))
  assert.deepStrictEqual(shortest(list, fails), [3, 40, 41, 97])
})
