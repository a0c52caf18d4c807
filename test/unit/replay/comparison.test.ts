import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { compare, isWorse } from "../../../core/execution/replay/ReplayComparison.ts"
import { type Ending, format, type ReplayRecord } from "../../../core/execution/replay/ReplayRecord.ts"
import type { Replayed } from "../../../core/execution/replay/ReplayRun.ts"

const [open, read, end] = ["open", "read", "end"].map((id) => ({ id, name: `${id} it`, action: "CLICK" })) as [
  ReplayRecord["steps"][number],
  ReplayRecord["steps"][number],
  ReplayRecord["steps"][number]
]

const success = (output: Schema.Json): Ending => ({ success: true, output, failure: null })

const failed = (code: string, node = read): Ending => ({
  success: false,
  output: {},
  failure: { code, message: "no such element", node }
})

const record = (ending: Ending): ReplayRecord => ({
  format,
  runId: "run",
  workflowId: "workflow",
  versionId: "version",
  startedAt: 0,
  tookMillis: 0,
  input: {},
  dryRun: null,
  content: {
    nodes: [{ id: "read", parameters: { extract_data_model: { properties: { total: {} } } } }],
    edges: {},
    output_schema: {},
    settings: {}
  },
  session: {
    cookies: [],
    localStorage: {},
    sessionStorage: {},
    userAgent: null,
    place: { locale: null, timeZone: null, geolocation: null },
    allowedSites: []
  },
  credentials: [],
  steps: [open, read, end],
  ending,
  answers: [],
  consulted: [],
  remembered: [],
  plainForms: null,
  models: [],
  leftOut: 0
})

const replayed = (ending: Ending, steps = [open, read, end]): Replayed => ({
  ending,
  steps,
  unanswered: [],
  tookMillis: 0
})

describe("a replay", () => {
  it.prop("with the same output and steps does not differ", [Schema.Json], ([output]) => {
    assert.isNull(compare(record(success(output)), replayed(success(structuredClone(output))), true))
  })

  it.prop("with another number anywhere differs there, and does worse", [Schema.Int, Schema.Int], ([one, other]) => {
    const found = compare(
      record(success({ total: { a: [1, one] } })),
      replayed(success({ total: { a: [1, other] } })),
      false
    )
    if (one === other) return assert.isNull(found)
    assert.deepStrictEqual(found, {
      kind: "output",
      step: { number: 2, name: "read it" },
      message: `total.a[1] is ${other}, and was ${one}`
    })
    assert.isTrue(found !== null && isWorse(found))
  })

  it("differs by a field less, an element more, and another kind of value", () => {
    const pairs: ReadonlyArray<readonly [Schema.Json, Schema.Json, string]> = [
      [{ total: 1 }, {}, "total is missing, and was 1"],
      [{ total: [1] }, { total: [1, 2] }, "total has 2 elements, and had 1"],
      [{ total: 1 }, { total: "1" }, 'total is "1", and was 1'],
      [{ total: null }, { total: {} }, "total is {}, and was null"]
    ]
    for (const [before, after, message] of pairs) {
      assert.strictEqual(compare(record(success(before)), replayed(success(after)), false)?.message, message)
    }
  })

  it("with another instant in its output does not differ", () => {
    const at = (second: number) => success({ at: `2026-11-28T10:00:0${second}Z` })
    assert.isNull(compare(record(at(1)), replayed(at(2)), true))
  })

  it("that fails names the step, whichever of several with its name", () => {
    const found = compare(record(success({})), replayed(failed("SELECTOR-E0001"), [open, read, open, read]), false)
    assert.deepStrictEqual(found?.step, { number: 4, name: "read it" })
    assert.strictEqual(found?.kind, "failed")
  })

  it("of a failed run is the same by the same failure, and better by success", () => {
    const kept = record(failed("SELECTOR-E0001"))
    assert.isNull(compare(kept, replayed(failed("SELECTOR-E0001")), true))
    assert.strictEqual(compare(kept, replayed(failed("SELECTOR-E0001", open)), true)?.kind, "failure")
    const better = compare(kept, replayed(success({})), true)
    assert.isTrue(better?.kind === "succeeded" && !isWorse(better))
  })

  it("by another way differs for its own workflow alone", () => {
    const other = replayed(success({}), [open, end])
    assert.deepInclude(compare(record(success({})), other, true), {
      kind: "steps",
      step: { number: 2, name: "end it" }
    })
    assert.isNull(compare(record(success({})), other, false))
  })
})
