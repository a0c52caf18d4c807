/** The counts that other tests compare find what grows with more than the size of the work. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import type * as Planted from "../../support/PlantedSteps.ts"
import * as Steps from "../../support/steps.ts"

const planted = Steps.thread<typeof Planted>(new URL("../../support/PlantedSteps.ts", import.meta.url))
afterAll(planted.end)

describe("counted steps", () => {
  it("grow with the size of linear work, and with its square where there is a loop in a loop", async () => {
    const [linear = 0, square = 0] = await planted.ask("passes", 200)
    const [longLinear = 0, longSquare = 0] = await planted.ask("passes", 800)
    assert.closeTo(longLinear / linear, 4, 0.4)
    assert.closeTo(longSquare / square, 16, 1.6)
    assert.closeTo(linear, 200, 20)
  })

  it("are the same again", async () => {
    const [first = 0] = await planted.ask("passes", 500)
    const [second = 0] = await planted.ask("passes", 500)
    assert.closeTo(second, first, first / 20)
  })

  it("fail with what the work throws, and go on", async () => {
    const failure = await planted.ask("fails").catch((error: unknown) => String(error))
    assert.include(failure, "planted")
    assert.lengthOf(await planted.ask("passes", 1), 2)
  })

  it("fail where the work cannot be loaded", async () => {
    const none = Steps.thread<typeof Planted>(new URL("../../support/NoSuchSteps.ts", import.meta.url))
    const failure = await none.ask("passes", 1).catch((error: unknown) => String(error))
    assert.include(failure, "NoSuchSteps")
    await none.end()
  })
})
