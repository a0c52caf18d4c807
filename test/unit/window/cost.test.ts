import { afterAll, assert, it } from "@effect/vitest"
import * as Steps from "../../support/steps.ts"
import type * as Window from "../../support/WindowSteps.ts"

const window = Steps.thread<typeof Window>(new URL("../../support/WindowSteps.ts", import.meta.url))
afterAll(window.end)

const everyDay = "FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366;COUNT=9999"

/** Four times as many steps as are counted. */
const most = 4_000

it("a rule that is counted by position from the year 1 is refused at its path, in few steps", async () => {
  const { count, refused } = await window.ask("checking", everyDay, 1)
  assert.deepStrictEqual(refused, ["special_hours[0].recurrence"])
  assert.isAbove(count, 0)
  assert.isBelow(count, most)
})

it("the same rule is taken from a recent start, whose dates are counted in many steps", async () => {
  const { count, refused } = await window.ask("checking", everyDay, 1990)
  assert.deepStrictEqual(refused, [])
  assert.isAbove(count, most)
})
