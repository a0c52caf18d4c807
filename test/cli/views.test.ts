import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CellTypes from "../../apps/cli/user/CellTypes.ts"
import * as CsvRows from "../../apps/cli/user/CsvRows.ts"
import * as VerbsView from "../../apps/cli/user/view/VerbsView.ts"
import * as WeekView from "../../apps/cli/user/view/WeekView.ts"
import * as WorkflowFile from "../../apps/cli/user/WorkflowFile.ts"
import * as RunWindow from "../../core/window/RunWindow.ts"
import { daily } from "../support/fixtures.ts"

const rowsOf = (...pieces: ReadonlyArray<string>) => {
  const reader = CsvRows.reader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].map(({ cells, line }) => [line, ...cells])
}

describe("the rows of a CSV file", () => {
  it.each([
    [
      ["a,b\nc,d"],
      [
        [1, "a", "b"],
        [2, "c", "d"]
      ]
    ],
    [
      ["\ufeffa\r\n\r\nb\r\n"],
      [
        [1, "a"],
        [3, "b"]
      ]
    ],
    [
      ['"a,""x""\n', 'y",b\nc'],
      [
        [1, 'a,"x"\ny', "b"],
        [3, "c"]
      ]
    ],
    [[",\n"], [[1, "", ""]]]
  ] as const)("of %j are these, whatever pieces they come in", (pieces, rows) => {
    assert.deepStrictEqual(rowsOf(...pieces), rows as never)
    assert.deepStrictEqual(rowsOf(...pieces.join("")), rows as never)
  })
})

describe("a cell", () => {
  it.each([
    ["7", { type: "integer" }, 7],
    ["1e3", { type: "number" }, 1_000],
    ["TRUE", { type: "boolean" }, true],
    ["07", {}, "07"],
    ["12", { type: ["string", "integer"] }, 12],
    ["[1]", { type: "array" }, [1]]
  ] as const)("%s is read by %j", (text, schema, value) => {
    assert.deepStrictEqual(CellTypes.read(text, schema), Result.succeed(value))
  })

  it.each([
    ["7.5", { type: "integer" }, "a whole number"],
    ["", { type: "number" }, "a number"],
    ["x", { enum: ["a", "b"] }, 'one of "a", "b"'],
    ["{", { type: "object" }, "a JSON object"]
  ] as const)("%s is refused by %j", (text, schema, expected) => {
    assert.deepStrictEqual(CellTypes.read(text, schema), Result.fail(expected))
  })
})

describe("the week of a run window", () => {
  it("marks the day that changes the clocks, and leaves out the hour that is skipped", () => {
    const { window } = Result.getOrThrow(RunWindow.validate({ ...daily(1, 4), time_zone: "Europe/Berlin" }))
    const week = WeekView.draw(window, Date.parse("2026-03-27T12:00:00Z"))
    assert.include(week, `Sun 2026-03-29  ··██  ██${"·".repeat(40)}  * clocks go forward 1 h`)
    assert.include(week, `Sat 2026-03-28  ··██████${"·".repeat(40)}\n`)
  })
})

describe("the file of a workflow", () => {
  it("does not depend on the order of members, and differs only where the workflow does", () => {
    const one = { name: "W", id: "1", nodes: [{ name: "Open", id: "n", parameters: { url: "a", wait: 1 } }] }
    const other = { nodes: [{ parameters: { wait: 1, url: "b" }, id: "n", name: "Open" }], id: "1", name: "W" }
    const lines = WorkflowFile.difference(WorkflowFile.content(one), WorkflowFile.content(other)).split("\n")
    assert.deepStrictEqual(
      lines.filter((line) => /^[+-]/.test(line)).map((line) => line.replace(/ +/g, " ")),
      ['- "url": "a",', '+ "url": "b",']
    )
  })
})

describe("the answers of several requests", () => {
  it("are one sentence, with the runs that nothing was done to", () => {
    const result = { session_id: "r", outcome: "released", status: null, message: null }
    const first = { dry_run: false, next_cursor: "c", counts: { released: 1 }, results: [result] }
    const refused = { ...result, session_id: "s", outcome: "held_by_pause", message: "Paused\u001b[2J" }
    const next = { dry_run: false, next_cursor: null, counts: { held_by_pause: 1 }, results: [refused] }
    assert.strictEqual(
      VerbsView.text("release", VerbsView.merged(first, next)),
      "Released 1 of 2 runs (1 held by pause)\n  s  Paused [2J"
    )
  })
})
