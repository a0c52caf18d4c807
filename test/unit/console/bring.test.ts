import { assert, describe, it } from "@effect/vitest"
import { type Entry, refusalOf, sentenceOf } from "../../../apps/console/bring/BringModel.ts"

const entry = (outcome: Entry["outcome"]): Entry => ({
  step: "1",
  line: null,
  kind: "click",
  outcome,
  message: null,
  nodes: [],
  selectors: []
})

describe("a file of another program", () => {
  it.each([
    [["kept"], "1 step from Playwright: all are in the workflow"],
    [["kept", "translated"], "2 steps from Playwright: all are in the workflow"],
    [["kept", "not_translated", "not_translated"], "3 steps from Playwright: 2 need you"]
  ] as const)("with the steps %j is said to be %s", (outcomes, sentence) => {
    assert.strictEqual(sentenceOf({ format: "playwright", report: outcomes.map(entry) }), sentence)
  })

  it("is not sent when it is too large", () => {
    assert.isNull(refusalOf("a.json", 8_000_000))
    assert.strictEqual(refusalOf("a.json", 8_000_001), "a.json has 8,000,001 bytes: expected at most 8,000,000")
  })
})
