import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Options from "../../../core/browser/element/Options.ts"

const options = (...texts: ReadonlyArray<string>): ReadonlyArray<Options.Option> =>
  texts.map((text, index) => ({ value: `v${index}`, text, disabled: text.endsWith("!") }))
const list = options("Berlin", "Bern", "Zürich", "São Paulo (Brazil)", "New York", "New Orleans", "Closed!")

describe("an option", () => {
  it.each<readonly [string, boolean, number | null]>([
    ["Bern", false, 1],
    ["v2", false, 2],
    ["  bern ", false, 1],
    ["zurich", false, null],
    ["zurich", true, 2],
    ["Sao Paulo", true, 3],
    ["York, New", true, 4],
    ["new", true, null],
    ["Paris", true, null],
    ["Berlinn", true, 0]
  ])("%s, fuzzy %s, is %s", (wanted, fuzzy, index) => {
    const choice = Options.choose(list, wanted, fuzzy)
    assert.strictEqual(choice._tag === "Found" ? choice.index : null, index)
  })

  it("that is disabled differs from one that is missing, and is passed over for one of the same name", () => {
    assert.deepStrictEqual(Options.choose(list, "Closed!", true), { _tag: "Disabled", index: 6 })
    const twice = [
      { value: "a", text: "A", disabled: true },
      { value: "b", text: "A", disabled: false }
    ]
    assert.deepStrictEqual(Options.choose(twice, "A", false), { _tag: "Found", index: 1 })
  })

  it("that is spelt otherwise is searched for by parts of what is wanted", () => {
    assert.deepStrictEqual(Options.partsOf("New Orlens, La"), ["Orlens", "New", "Orl"])
    assert.deepStrictEqual(Options.partsOf("Bärlin"), ["Bär"])
    assert.deepStrictEqual(Options.partsOf("NY"), [])
  })

  it("that is missing is reported with the nearest of many", () => {
    assert.include(Options.missing(list, "Paris", false), '"Berlin", "Bern"')
    const many = options(...Array.from({ length: 500 }, (_, index) => `Row ${index}`), "Paris East")
    const reason = Options.missing(many, "Paris", true)
    assert.include(reason, 'of 501 options the nearest are "Paris East"')
    assert.isBelow(reason.length, 400)
    assert.include(Options.missing([], "x", false), "no options")
  })

  it.prop(
    "is as like itself as can be, and likeness does not depend on the order",
    [Schema.String, Schema.String],
    ([one, other]) => {
      const like = Options.likeness(one, other)
      assert.strictEqual(like, Options.likeness(other, one))
      assert.isTrue(like >= 0 && like <= 1)
      assert.strictEqual(Options.choose([{ value: one, text: one, disabled: false }], one, false)._tag, "Found")
    }
  )
})
