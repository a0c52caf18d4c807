import { assert, describe, it } from "@effect/vitest"
import { merged, type Row } from "../../../adapters/playwright/settling/RowWindows.ts"

/** Rows by their values, each 10 pixels high; the first of them is at `from`. */
const placed = (from: number | null, ...values: ReadonlyArray<unknown>): ReadonlyArray<Row> =>
  values.map((value, at) => ({ value, index: null, top: from === null ? null : from + at * 10 }))

const numbered = (...rows: ReadonlyArray<readonly [number, unknown]>): ReadonlyArray<Row> =>
  rows.map(([index, value]) => ({ value, index, top: null }))

describe("the parts of a list", () => {
  it.each<readonly [string, ReadonlyArray<ReadonlyArray<Row>>, ReadonlyArray<unknown>]>([
    ["are one part", [placed(0, "a", "b")], ["a", "b"]],
    ["are the same twice", [placed(0, "a", "b"), placed(0, "a", "b")], ["a", "b"]],
    ["have rows in common", [placed(null, "a", "b", "c"), placed(null, "b", "c", "d")], ["a", "b", "c", "d"]],
    [
      "have records in common",
      [placed(null, { a: 1 }, { a: 2 }), placed(null, { a: 2 }, { a: 3 })],
      [{ a: 1 }, { a: 2 }, { a: 3 }]
    ],
    ["have no rows in common", [placed(null, "a", "b"), placed(null, "c")], ["a", "b", "c"]],
    [
      "have equal rows in other places",
      [placed(0, "x", "x", "x"), placed(20, "x", "x", "x")],
      ["x", "x", "x", "x", "x"]
    ],
    ["have equal rows behind each other", [placed(0, "x", "x"), placed(20, "x", "x")], ["x", "x", "x", "x"]],
    ["move a little while rows are measured", [placed(0, "a", "b"), placed(12, "b", "c")], ["a", "b", "c"]],
    ["have numbers", [numbered([1, "a"], [2, "a"]), numbered([2, "a"], [3, "b"])], ["a", "a", "b"]],
    ["have numbers and a gap", [numbered([1, "a"]), numbered([5, "b"])], ["a", "b"]],
    [
      "begin with a heading",
      [
        [...placed(0, "Name"), ...numbered([1, "a"], [2, "b"])],
        [...placed(50, "Name"), ...numbered([2, "b"], [3, "c"])]
      ],
      ["Name", "a", "b", "c"]
    ]
  ])("that %s are put together", (_name, parts, rows) => assert.deepStrictEqual(merged(parts), rows))
})
