import { assert, describe, it } from "@effect/vitest"
import * as FairShare from "../../../core/event/FairShare.ts"

const of = (workflowId: string, number: number, characters = 1) => ({ workflowId, number, characters })
const limit = { characters: 1_000, events: 8 }
const nothing: ReadonlySet<string> = new Set()
const numbers = (all: ReadonlyArray<{ readonly number: number }>) => all.map(({ number }) => number)

describe("the share of each workflow in a page of events", () => {
  it("is everything where no workflow has many", () => {
    const page = ["a", "b", "c", "a", "b", "c"].map((id, number) => of(id, number))
    assert.deepStrictEqual(FairShare.share(page, nothing, limit), { taken: page, putOff: new Map(), seen: 6 })
  })

  it("is a quarter for one with many; the rest is put off, and others behind it are taken", () => {
    const page = [...Array.from({ length: 20 }, (_, number) => of("a", number)), of("b", 20)]
    const { putOff, seen, taken } = FairShare.share(page, nothing, limit)
    assert.deepStrictEqual([numbers(taken), seen], [[0, 1, 20], 21])
    assert.deepStrictEqual(putOff, new Map([["a", { first: of("a", 2), last: of("a", 19) }]]))
  })

  it("is nothing for one of which something is put off already, so that its order stays", () => {
    const { putOff, taken } = FairShare.share([of("a", 0), of("b", 1)], new Set(["a"]), limit)
    assert.deepStrictEqual([numbers(taken), [...putOff.keys()]], [[1], ["a"]])
  })

  it("ends where as many are taken as may be, or as many characters", () => {
    const page = Array.from({ length: 12 }, (_, number) => of(String(number), number))
    assert.strictEqual(FairShare.share(page, nothing, limit).seen, 8)
    const large = page.map((one) => ({ ...one, characters: 600 }))
    assert.strictEqual(FairShare.share(large, nothing, limit).seen, 2)
    assert.lengthOf(FairShare.firstOf(large, limit), 2)
    assert.lengthOf(FairShare.firstOf(page, limit), 8)
  })
})
