import { assert, it } from "@effect/vitest"
import { compared } from "./Transitions.ts"

const zones: ReadonlyArray<readonly [string, number, number, number]> = [
  ["Europe/Berlin", 2026, 2027, 2],
  ["Australia/Lord_Howe", 2026, 2027, 2],
  ["Africa/Casablanca", 2025, 2026, 2],
  ["Africa/Monrovia", 1972, 1973, 1],
  ["Asia/Gaza", 2040, 2041, 4],
  ["Pacific/Apia", 2011, 2012, 3]
]

it.each(zones)("windows agree with the changes of clocks in %s from %i until %i", (zone, from, until, count) => {
  const { problems, transitions } = compared(zone, Date.UTC(from, 0), Date.UTC(until, 0))
  assert.strictEqual(transitions, count)
  assert.deepStrictEqual(problems, [])
})
