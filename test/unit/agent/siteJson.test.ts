import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SiteJson from "../../../core/agent/network/SiteJson.ts"

const read = (text: string | null) => Effect.runPromise(SiteJson.read(text))

describe("an answer of a site", () => {
  it.effect.prop("is what JSON.parse makes of it, whether it is short or long", [Schema.Json], ([value]) =>
    Effect.gen(function* () {
      for (const text of [JSON.stringify(value), JSON.stringify([value, "x".repeat(70_000), value], null, 1)]) {
        assert.deepEqual(yield* SiteJson.read(text), JSON.parse(text))
      }
    })
  )

  it.each(["", null])("that is %j is nothing", async (text) => assert.isNull(await read(text)))

  it("that is no JSON is the text that it is, however many commas it has", async () => {
    for (const text of ["<p>", `a,${",".repeat(1_000_000)}`, `[1,${'"'.repeat(100_001)}`]) {
      assert.strictEqual(await read(text), text)
    }
    assert.deepEqual(await read("\uFEFF[1]"), [1])
  })

  it.each([
    ["lists", `[${"[],".repeat(1_000_000)}[]]`],
    ["texts", `[${Array.from({ length: 400_000 }, (_, at) => `"${at}"`).join(",")}]`],
    ["names", `{${Array.from({ length: 400_000 }, (_, at) => `"${at}a":1`).join(",")}}`]
  ])("that has more %s than are parsed in a tenth of a second is not parsed", async (_, text) => {
    assert.isUndefined(await read(text))
  })

  it.each([
    ['{"id": 9007199254740993}', { id: "9007199254740993" }],
    ['{"id": -9007199254740993, "n": 12}', { id: "-9007199254740993", n: 12 }],
    ["[9007199254740991, 9007199254740992, 10000000000000000000]", [9007199254740991, 9007199254740992, 1e19]],
    ["[1e400, -1E+999, 1e300]", ["1e400", "-1E+999", 1e300]],
    [
      '{"a": "9007199254740993, \\"1e400\\"", "b": 0.12345678901234567890}',
      { a: '9007199254740993, "1e400"', b: 0.12345678901234568 }
    ],
    ['{"9007199254740993": 1}', { "9007199254740993": 1 }],
    ["12345678901234567890", "12345678901234567890"],
    ["123456789012345680000", 123456789012345680000],
    ["call 12345678901234567890", "call 12345678901234567890"]
  ])("keeps the digits of numbers that a number cannot hold: %s", async (text, value) => {
    assert.deepEqual(await read(text), value)
  })

  it("is not weighed by what is within its texts", async () => {
    const value = [`${'\\",[{:'.repeat(300_000)}`]
    assert.deepEqual(await read(JSON.stringify(value)), value)
  })
})
