import { assert, describe, it } from "@effect/vitest"
import type { Gesture } from "../../../core/browser/vision/RemoteHand.ts"
import { TypedText } from "../../../core/execution/live/TypedText.ts"

const keys = (...names: ReadonlyArray<string>): ReadonlyArray<Gesture> =>
  names.flatMap(
    (key): ReadonlyArray<Gesture> => [
      { kind: "key_down", key },
      { kind: "key_up", key }
    ]
  )
const words = (text: string) => keys(...text)
const paste = (text: string): Gesture => ({ kind: "text", text })
const press: Gesture = { kind: "press", x: 0, y: 0, button: "left", clicks: 1 }
const held = (key: string, within: ReadonlyArray<Gesture>): ReadonlyArray<Gesture> => [
  { kind: "key_down", key },
  ...within,
  { kind: "key_up", key }
]

describe("what a person types from afar", () => {
  it.each<readonly [string, ReadonlyArray<Gesture>, ReadonlyArray<string>]>([
    ["ends with Enter", [...words("abc d"), ...keys("Enter")], ["abc d"]],
    [
      "ends with Tab, and what follows is something else",
      [...words("ada"), ...keys("Tab"), ...words("pin1")],
      ["ada", "pin1"]
    ],
    ["ends when they press elsewhere", [...words("abcd"), press], ["abcd"]],
    ["is read with its capitals", [...held("Shift", words("A")), ...words("bc")], ["Abc"]],
    ["is without what was taken back", [...words("abcx"), ...keys("Backspace"), ...words("d")], ["abcx", "abcd"]],
    ["is no shortcut", [...held("Control", words("a")), ...words("bcde")], ["bcde"]],
    [
      "holds the pasted text, which is reported separately too",
      [...words("ab"), paste("cd 報")],
      ["cd 報", "abcd 報", "abcd 報"]
    ],
    ["may be sent on before its end", words("secret-12"), ["secret-1", "secret-12", "secret-12"]],
    ["is nothing where they only move", [{ kind: "move", x: 0, y: 0 }, press], []]
  ])("%s", (_, gestures, expected) => {
    const typed = new TypedText()
    assert.deepStrictEqual([...gestures.flatMap(typed.take), ...typed.end()], expected)
  })
})
