import { assert, describe, it } from "@effect/vitest"
import { forType } from "../../../core/browser/element/FieldValue.ts"

describe("a text for a field", () => {
  it.each<readonly [string, string, string | null]>([
    ["date", "2026-03-01", "2026-03-01"],
    ["date", "3/1/2026", "2026-03-01"],
    ["date", "31/1/2026", "2026-01-31"],
    ["date", "1.3.2026", "2026-03-01"],
    ["date", "1 March 2026", "2026-03-01"],
    ["date", "Mar 1, 2026", "2026-03-01"],
    ["date", "29.2.2024", "2024-02-29"],
    ["date", "29.2.2026", null],
    ["date", "tomorrow", null],
    ["time", "9:05 pm", "21:05"],
    ["time", "12 am", "00:00"],
    ["time", "21:05:30", "21:05:30"],
    ["time", "25:00", null],
    ["time", "13 pm", null],
    ["datetime-local", "3/1/2026 9:05 PM", "2026-03-01T21:05"],
    ["month", "3/2026", "2026-03"],
    ["number", "1,234.50", "1234.50"],
    ["number", "-3", "-3"],
    ["number", "three", null],
    ["color", "#FA0", "#ffaa00"],
    ["text", "3/1/2026", null]
  ])("%s: %s is %s", (type, text, value) => {
    assert.strictEqual(forType(type, text), value)
  })
})
