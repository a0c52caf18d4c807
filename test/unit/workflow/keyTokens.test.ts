import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as KeyTokens from "../../../core/workflow/language/parameters/KeyTokens.ts"

const key = (source: string) => {
  const read = KeyTokens.read(source)
  return read === null ? null : Result.isSuccess(read) ? read.success : `refused: ${read.failure.slice(0, 20)}`
}

describe("keys in braces", () => {
  it.each([
    ["enter", "Enter"],
    [" Tab ", "Tab"],
    ["F2", "F2"],
    ["page_down", "PageDown"],
    ["ctrl_a", "ControlOrMeta+a"],
    ["Ctrl+S", "ControlOrMeta+s"],
    ["Shift+Tab", "Shift+Tab"],
    ["Shift + Alt + Ctrl + F12", "ControlOrMeta+Alt+Shift+F12"],
    ["Ctrl+/", "ControlOrMeta+/"],
    ["Ctrl++", "ControlOrMeta++"],
    ["Shift+Insert", "ControlOrMeta+v"],
    ["ctrl+shift+V", "ControlOrMeta+v"],
    ["Shift+Delete", "ControlOrMeta+x"]
  ])("%s is a key", (source, expected) => {
    assert.strictEqual(key(source), expected)
  })

  it.each(["context.name", "F13", "a", "1 + 2", "context.a+context.b", "Ctrl", "shift.code + 1"])(
    "%s is an expression",
    (source) => {
      assert.isNull(key(source))
    }
  )

  it.each([
    ["Ctrl+Entr", 'refused: "entr" is not a key: exp'],
    ["Ctrl+Foo+S", 'refused: "foo" is not a key: expe'],
    ["Shift+F13", 'refused: "f13" is not a key: expe']
  ])("%s is refused with what would be taken", (source, expected) => {
    assert.strictEqual(key(source), expected.slice(0, 29))
  })

  it("a text is split at its keys, and expressions stay in it", () => {
    assert.deepStrictEqual(KeyTokens.split("a {{context.b}}{{Ctrl+S}}{{entr}}{{tab}}"), [
      { _tag: "Text", text: "a {{context.b}}" },
      { _tag: "Key", key: "ControlOrMeta+s" },
      { _tag: "Text", text: "{{entr}}" },
      { _tag: "Key", key: "Tab" }
    ])
    assert.strictEqual(KeyTokens.without("a{{Ctrl+S}}b"), "ab")
  })
})
