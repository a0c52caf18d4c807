import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TextLength from "../../../core/window/TextLength.ts"

const texts = ["", "a", "é", "😀", "a😀b", "👩‍👩‍👧", "\ud83d", "\ude00", "\ude00\ud83d", "😀\ud83d", "\ud83d😀"]

describe("the length of a text", () => {
  it("is its number of code points", () => {
    for (const text of texts) assert.strictEqual(TextLength.of(text), [...text].length, JSON.stringify(text))
  })

  it("is compared with a limit, and cut to it, between code points", () => {
    for (const text of texts) {
      for (let most = 0; most < 8; most++) {
        assert.strictEqual(TextLength.fits(text, most), [...text].length <= most, `${JSON.stringify(text)} ${most}`)
        assert.strictEqual(TextLength.first(text, most), [...text].slice(0, most).join(""))
      }
    }
  })

  it("is checked and described in the same characters", () => {
    const name = Schema.String.check(TextLength.atMost(3))
    assert.deepStrictEqual(["😀😀😀", "😀😀😀😀", "abcd"].map(Schema.is(name)), [true, false, false])
    assert.deepInclude(Schema.toJsonSchemaDocument(name).schema, { type: "string", maxLength: 3 })
  })
})
