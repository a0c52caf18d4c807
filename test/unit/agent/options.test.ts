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
    const choice = Options.choose(list, wanted, { fuzzy, merges: true })
    assert.strictEqual(choice._tag === "Found" ? choice.index : null, index)
  })

  it("that is disabled differs from one that is missing, and is passed over for one of the same name", () => {
    assert.deepStrictEqual(Options.choose(list, "Closed!", { fuzzy: true, merges: true }), {
      _tag: "Disabled",
      index: 6
    })
    const twice = [
      { value: "a", text: "A", disabled: true },
      { value: "b", text: "A", disabled: false }
    ]
    assert.deepStrictEqual(Options.choose(twice, "A", { fuzzy: false, merges: true }), { _tag: "Found", index: 1 })
  })

  it("is named with the others where several have the value or text", () => {
    const of = (...all: ReadonlyArray<readonly [value: string, text: string]>) =>
      all.map(([value, text]) => ({ value, text, disabled: false }))
    const how = { fuzzy: false, merges: true }
    const same = of(["a", "Red"], ["b", "Red"])
    assert.deepStrictEqual(Options.choose(same, "Red", how), { _tag: "Several", indexes: [0, 1] })
    assert.deepStrictEqual(Options.choose(same, "b", how), { _tag: "Found", index: 1 })
    const crossed = of(["0", "1"], ["1", "2"])
    assert.deepStrictEqual(Options.choose(crossed, "1", how), { _tag: "Several", indexes: [0, 1] })
    assert.deepStrictEqual(Options.choose(crossed, "1", { ...how, by: "text" }), { _tag: "Found", index: 0 })
    assert.deepStrictEqual(Options.choose(crossed, "1", { ...how, by: "value" }), { _tag: "Found", index: 1 })
    const twice = of(["a", "Red"], ["a", "Red"])
    assert.deepStrictEqual(Options.choose(twice, "red", how), { _tag: "Found", index: 0 })
    assert.deepStrictEqual(Options.choose(twice, "Red", { ...how, merges: false }), {
      _tag: "Several",
      indexes: [0, 1]
    })
    assert.deepStrictEqual(Options.choose(of(["US", "x"], ["us", "y"]), "us", how), { _tag: "Found", index: 1 })
    assert.include(Options.several(crossed, [0, 1]), 'number 1 ("1", value "0"), number 2 ("2", value "1")')
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
      assert.strictEqual(
        Options.choose([{ value: one, text: one, disabled: false }], one, { fuzzy: false, merges: true })._tag,
        "Found"
      )
    }
  )
})
