import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import * as Presence from "../../../core/browser/element/Presence.ts"
import { type Facts, isUnsure, type Stirring, verdictOf } from "../../../core/browser/element/Rest.ts"

const quiet: Stirring = {
  actTimer: false,
  loadTimer: false,
  soonTimer: false,
  otherTimers: [],
  modules: false,
  loaded: true,
  changedMillis: 60_000,
  changedAt: 40_000,
  busy: false,
  declared: null,
  quiet: false,
  drawn: true
}
const rest: Facts = {
  found: "all",
  requests: 0,
  departing: false,
  documents: [quiet],
  endedMillis: null,
  answeredAt: 100_000,
  answers: [100_000],
  streamMillis: null,
  before: null,
  marksStay: false
}
const document = (some: Partial<Stirring>): Partial<Facts> => ({ documents: [quiet, { ...quiet, ...some }] })
const none = { found: "none" } as const

describe("a page", () => {
  it.each<readonly [string, Partial<Facts>, ReturnType<typeof verdictOf>]>([
    ["is at rest with nothing on its way", {}, "rest"],
    ["is at rest without what was wanted", none, "rest"],
    ["waits for requests", { requests: 1 }, "requests"],
    ["waits for another document", { departing: true }, "requests"],
    ["waits for the timers of an act", document({ actTimer: true }), "moment"],
    ["waits for the timers of an answer", document({ otherTimers: [30_000, 100_040] }), "moment"],
    [
      "does not wait for timers that began before or long after an answer",
      document({ otherTimers: [99_000, 101_000] }),
      "rest"
    ],
    ["does not wait for the timers of its load", document({ loadTimer: true }), "rest"],
    [
      "waits for the timers of its load where nothing was found",
      { ...none, ...document({ loadTimer: true }) },
      "moment"
    ],
    ["does not wait for pictures", document({ loaded: false }), "rest"],
    ["waits for its load where nothing was found", { ...none, ...document({ loaded: false }) }, "moment"],
    ["waits while it says that it is busy", document({ busy: true }), "moment"],
    ["does not believe marks that stay", { ...document({ busy: true }), marksStay: true }, "rest"],
    ["waits for rows without a text to be filled", { found: "shell", before: "same" }, "moment"],
    ["draws a frame after an answer", { endedMillis: 20 }, "frame"],
    ["has drawn a frame after an answer", { endedMillis: 20, before: "same" }, "rest"],
    ["is looked at again after a change", document({ changedMillis: 20 }), "moment"],
    ["is looked at again while rows come", { before: "other" }, "moment"],
    ["changes elsewhere than in the rows", { ...document({ changedMillis: 20 }), before: "same" }, "rest"],
    ["has patience after an answer that brought nothing", { ...none, endedMillis: 400, before: "same" }, "moment"],
    ["has patience with a new stream that brought nothing", { ...none, streamMillis: 1_500 }, "moment"],
    ["has no patience for ever", { ...none, endedMillis: 600, streamMillis: 2_500 }, "rest"]
  ])("%s", (_name, some, verdict) => assert.strictEqual(verdictOf({ ...rest, ...some }), verdict))

  it.each<readonly [string, Partial<Facts>, boolean]>([
    ["nothing is wanting", { endedMillis: 600 }, false],
    ["nothing was loaded", none, false],
    ["nothing changed by the answer", { ...none, endedMillis: 600 }, true],
    ["the page changed by the answer", { ...none, endedMillis: 600, ...document({ changedAt: 100_010 }) }, false]
  ])("without rows: whether that is unsure where %s", (_name, some, unsure) =>
    assert.strictEqual(isUnsure({ ...rest, ...some }), unsure)
  )
})

const text: ExtractionPlan = { kind: "value", path: "//p", type: "string" }
const known: ExtractionPlan = { kind: "known", value: "EUR" }
const list = (item: ExtractionPlan): ExtractionPlan => ({ kind: "list", path: "//tr", item })
const object = (fields: Readonly<Record<string, ExtractionPlan>>): ExtractionPlan => ({ kind: "object", fields })
const rows = object({ title: text, rows: list(object({ name: text, lines: list(text), currency: known })) })

describe("what a plan wants", () => {
  it.each<readonly [ExtractionPlan, Schema.Json, ReturnType<typeof Presence.of>, Schema.Json]>([
    [text, "A", "all", "A"],
    [text, "", "none", ""],
    [text, null, "none", null],
    [known, "EUR", "all", "EUR"],
    [list(text), [], "none", []],
    [list(text), ["", null], "shell", []],
    [list(text), ["", "A"], "all", ["", "A"]],
    [list({ kind: "value", path: "//td", type: "number" }), [0], "all", [0]],
    [list({ kind: "value", path: "//td", type: "boolean" }), [false], "all", [false]],
    [list(object({ currency: known })), [{ currency: "EUR" }], "all", [{ currency: "EUR" }]],
    [object({ title: text, other: text }), { title: null, other: "" }, "none", { title: null, other: "" }],
    [object({ title: text, other: text }), { title: "A", other: "" }, "all", { title: "A", other: "" }],
    [rows, { title: "A", rows: [] }, "none", { title: "A", rows: [] }],
    [rows, { title: "", rows: [{ name: "", lines: ["", ""], currency: "EUR" }] }, "shell", { title: "", rows: [] }],
    [
      rows,
      { title: "", rows: [{ name: "", lines: ["", "1"], currency: "EUR" }] },
      "all",
      { title: "", rows: [{ name: "", lines: ["", "1"], currency: "EUR" }] }
    ]
  ])("%j, of which %j was found, is there: %s", (plan, found, presence, kept) => {
    assert.strictEqual(Presence.of(plan, found), presence)
    assert.deepStrictEqual(Presence.withoutShells(plan, found), kept)
  })

  it("has lists by the names that lead to them", () =>
    assert.deepStrictEqual(Presence.lists(object({ a: rows }), { a: { title: "A", rows: [] } }), [
      { at: ["a", "rows"], path: "//tr", rows: [], isShell: false }
    ]))
})
