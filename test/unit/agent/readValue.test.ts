import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as DatePattern from "../../../core/workflow/language/format/DatePattern.ts"
import { RootModel } from "../../../core/workflow/language/parameters/DataModel.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { dataOf, failureOf } from "../../support/shop.ts"

const home = "https://shop.example/"

const read = (properties: object, parts: ReadonlyArray<string>, options: Parameters<typeof walk>[2] = {}) => {
  const rows = parts.map((text) => ({ selector: "//tr", text, parts: { "/td": text } }))
  const named = parts.map((text, at) => ({ selector: `//p[${at + 1}]`, text }))
  const graph = graphOf(home, [
    { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: { type: "object", properties } } }
  ])
  return walk(graph, {}, options).pipe(Effect.provide(ScriptedBrowser.layer({ [home]: [...rows, ...named] })))
}

const column = (type: string, more: object = {}) => ({
  rows: { type: "array", path: "//tr", items: { type: "object", properties: { v: { type, path: "/td", ...more } } } }
})

describe("values of texts", () => {
  it.effect("a column of figures warns once of each kind of doubt, with its first text", () =>
    Effect.gen(function* () {
      const seen = yield* read(column("number"), ["5 of 12", "7", "3 of 4", "1,234"])
      assert.deepStrictEqual(dataOf(seen), { rows: [{ v: null }, { v: 7 }, { v: null }, { v: 1234 }] })
      assert.deepStrictEqual(
        seen.warnings.map(({ code, message, value }) => ({ code, message, value })),
        [
          {
            code: "FIGURE-W0001",
            message: 'Read no number for rows.v from "5 of 12": it has 2 figures: 5, 12 (and 1 more)',
            value: "5 of 12"
          },
          {
            code: "FIGURE-W0001",
            message:
              'Read 1234 for rows.v from "1,234": its comma can part thousands or decimals, and was read as 1234: a "format" says which',
            value: "1,234"
          }
        ]
      )
    })
  )

  it.effect("a strict execution fails by the first doubt", () =>
    Effect.gen(function* () {
      const failure = failureOf(yield* read(column("number"), ["5 of 12"], { strict: true }))
      assert.strictEqual(failure.code, "STRICT-E0001")
      assert.include(failure.message, '"5 of 12"')
    })
  )

  it.effect("an output that requires the number names the text and why none was read", () =>
    Effect.gen(function* () {
      const outputSchema = { type: "object", properties: { total: { type: "number" } } }
      const seen = yield* read({ total: { type: "number", path: "//p[1]" } }, ["5 of 12 seats"], { outputSchema })
      assert.strictEqual(failureOf(seen).code, "OUTPUT_SCHEMA_MISMATCH")
      assert.include(failureOf(seen).message, 'from "5 of 12 seats": it has 2 figures')
    })
  )

  it.effect("a path of one value that selects two fails with what both show, unless it takes the first", () =>
    Effect.gen(function* () {
      const total = { type: "number", path: "//tr" }
      const failure = failureOf(yield* read({ total }, ["5", "7"]))
      assert.strictEqual(failure.code, "SELECTOR-E0001")
      assert.include(failure.message, '//tr: 2 elements match, such as "5" and "7"')
      assert.deepStrictEqual(dataOf(yield* read({ total: { ...total, first: true } }, ["5", "7"])), { total: 5 })
      assert.deepStrictEqual(dataOf(yield* read({ total }, ["5", "5"])), { total: 5 })
    })
  )

  it.effect("figures of other fields decide what a separator means", () =>
    Effect.gen(function* () {
      const total = { type: "number", path: "//p[1]" }
      const seen = yield* read({ total, tax: { type: "number", path: "//p[2]" } }, ["1.234", "0,19"])
      assert.deepStrictEqual(dataOf(seen), { total: 1234, tax: 0.19 })
      assert.deepStrictEqual(seen.warnings, [])
    })
  )

  it.effect.each([
    ["number", { locale: "de-DE" }, ["1.234", "1.234,50"], [1234, 1234.5], 0],
    ["number", { decimal: "," }, ["1,234", "12.50"], [1.234, null], 1],
    ["integer", undefined, ["12", "12,00", "12.5", "n/a"], [12, 12, null, null], 1],
    ["boolean", undefined, ["Yes", "no", "ON", "0", "perhaps", ""], [true, false, true, false, null, null], 1],
    ["string", { date: "dd.MM.yyyy" }, ["05.03.2024", "31.02.2024", ""], ["2024-03-05", null, null], 1],
    ["string", undefined, ["05.03.2024"], ["05.03.2024"], 0]
  ] as const)("%s in the format %j: %j is %j", ([type, format, texts, values, warnings]) =>
    Effect.gen(function* () {
      const seen = yield* read(column(type, format === undefined ? {} : { format }), texts)
      assert.deepStrictEqual(dataOf(seen), { rows: values.map((v) => ({ v })) })
      assert.strictEqual(seen.warnings.length, warnings)
    })
  )

  it.each<readonly [text: string, pattern: string, locale: string, date: string | null]>([
    ["05.03.2024", "dd.MM.yyyy", "en", "2024-03-05"],
    ["5.3.2024", "d.M.yyyy", "en", "2024-03-05"],
    ["05.03.2024", "d.M.yyyy", "en", "2024-03-05"],
    ["5.3.2024", "dd.MM.yyyy", "en", null],
    ["3/5/24", "M/d/yy", "en", "2024-03-05"],
    ["3/5/99", "M/d/yy", "en", "1999-03-05"],
    ["5. März 2024", "d. MMMM yyyy", "de", "2024-03-05"],
    ["5 mars 2024", "d MMMM yyyy", "fr", "2024-03-05"],
    ["Mar 5, 2024", "MMM d, yyyy", "en", "2024-03-05"],
    ["5 Sept 2024", "d MMM yyyy", "en", "2024-09-05"],
    ["5 марта 2024", "d MMMM yyyy", "ru", "2024-03-05"],
    ["5 Ju 2024", "d MMM yyyy", "en", null],
    ["29.02.2023", "dd.MM.yyyy", "en", null],
    ["13/13/2024", "dd/MM/yyyy", "en", null],
    ["due 05.03.2024, sent", "dd.MM.yyyy", "en", "2024-03-05"],
    ["05.03.2024 to 06.03.2024", "dd.MM.yyyy", "en", null],
    ["05.03.2024 05.03.2024", "dd.MM.yyyy", "en", "2024-03-05"],
    ["105.03.2024", "dd.MM.yyyy", "en", null],
    ["2024-03-05", "yyyy-MM-dd", "en", "2024-03-05"],
    ["05-03-2024", "dd-MM-yyyy", "en", "2024-03-05"]
  ])("%s by %s in %s is %s", (text, pattern, locale, date) => {
    assert.strictEqual(DatePattern.read(text, pattern, locale), date)
  })

  it.each<readonly [field: object, path: string, issue: string]>([
    [{ type: "number", format: { locale: "de_DE" } }, "locale", "Expected a language tag"],
    [{ type: "number", format: { decimal: ";" } }, "decimal", "Expected"],
    [{ type: "string", format: { date: "dd.mm.yyyy" } }, "date", '"mm" is no part of a date'],
    [{ type: "string", format: { date: "dd.MM" } }, "date", "Expected one day, one month and one year"],
    [{ type: "number", format: { date: "dd.MM.yyyy" } }, "format", "Expected the type string for a date"],
    [{ type: "string", format: { locale: "de" } }, "format", "Expected the type number or integer"],
    [{ type: "number", format: {} }, "format", "Expected locale, decimal or date"]
  ])("a model with %j is refused at its path", (field, path, issue) => {
    const model = { type: "object", properties: { rows: { type: "array", path: "//tr", items: field } } }
    const decoded = Schema.decodeUnknownResult(RootModel, { errors: "all" })(model)
    const said = Result.isFailure(decoded) ? String(decoded.failure) : "accepted"
    assert.include(said, issue)
    assert.include(said, `["${path}"]`)
  })

  it("a format that is a note is accepted as before", () => {
    const model = { type: "object", properties: { a: { type: "number", format: "currency" } } }
    assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(RootModel)(model)))
  })
})
