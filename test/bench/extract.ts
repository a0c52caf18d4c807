/**
 * The cost of reading a table of 1,000 rows by 10 columns, by either engine, against one hand-written visit to the
 * page.
 */
import { deepStrictEqual } from "node:assert/strict"
import { Context, Effect, Layer } from "effect"
import { chromium } from "playwright-core"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser } from "../../core/browser/Browser.ts"
import type { ExtractionPlan } from "../../core/browser/element/Extraction.ts"
import * as Session from "../../core/browser/Session.ts"
import { executablePath } from "../support/realBrowser.ts"
import { html, serve } from "../support/site.ts"
import { rest } from "./ProcessTime.ts"
import { inTurn, millis, type Row, timed } from "./Row.ts"

const rows = 1_000
const columns = Array.from({ length: 10 }, (_, index) => `c${index}`)

const table = `<table>${Array.from({ length: rows }, (_, row) => `<tr>${columns.map((name) => `<td class="${name}">Row ${row} ${name}</td>`).join("")}</tr>`).join("")}</table>`

/** The table as a data model: rows, and in them paths that are relative to each. */
const plan = (cell: (column: number) => string): ExtractionPlan => ({
  kind: "list",
  path: "//table//tr",
  item: {
    kind: "object",
    fields: Object.fromEntries(
      columns.map((name, index) => [name, { kind: "value", path: cell(index + 1), type: "string" } as const])
    )
  }
})

const byHand = (names: ReadonlyArray<string>) =>
  [...document.querySelectorAll("table tr")].map((row) =>
    Object.fromEntries(names.map((name, index) => [name, row.querySelectorAll("td")[index]?.textContent?.trim()]))
  )

const measured = Effect.gen(function* () {
  const site = yield* serve({ "/": html(table) })
  const layer = PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true })
  const browser = Context.get(yield* Layer.build(Layer.fresh(layer)), Browser)
  const page = yield* browser.open(Session.empty)
  yield* page.navigation.goto(`${site}/`)
  const hand = yield* Effect.promise(() => chromium.launch({ executablePath, args: [...PlaywrightBrowser.switches] }))
  yield* Effect.addFinalizer(() => Effect.promise(() => hand.close()))
  const other = yield* Effect.promise(() => hand.newPage())
  yield* Effect.promise(() => other.goto(`${site}/`))
  const expected = Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map((name) => [name, `Row ${row} ${name}`]))
  )
  /** Times a reading of the table once everything is at rest, and sees that all of it was read. */
  const reading = (read: () => Promise<unknown>, change: (text: string) => string) => async () => {
    await rest()
    let found: unknown
    const took = await timed(async () => {
      found = await read()
    })
    const wanted = expected.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, text]) => [name, change(text)]))
    )
    deepStrictEqual(found, wanted)
    return took
  }
  const asItIs = (text: string) => text
  const against = (one: ExtractionPlan, change: (text: string) => string) =>
    Effect.promise(() =>
      inTurn(
        15,
        reading(() => Effect.runPromise(page.elements.extract(one)), change),
        reading(() => other.evaluate(byHand, columns), asItIs)
      )
    )
  return {
    plain: yield* against(
      plan((column) => `/td[${column}]`),
      asItIs
    ),
    modern: yield* against(
      plan((column) => `upper-case(/td[${column}])`),
      (text) => text.toUpperCase()
    )
  }
}).pipe(Effect.scoped)

export const extract = async (): Promise<ReadonlyArray<Row>> => {
  const { modern, plain } = await Effect.runPromise(measured)
  const row = (name: string, [took, reference]: readonly [number, number]): Row => ({
    name,
    value: millis(took),
    reference: `${millis(reference)} by hand`,
    ratio: took / 300,
    target: "≤ 300 ms",
    ok: took <= 300
  })
  return [row("a table of 1,000 by 10, XPath 1.0", plain), row("a table of 1,000 by 10, XPath 3.1", modern)]
}
