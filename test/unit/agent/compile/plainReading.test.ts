/** The paths that may read what a model has read. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as PageTree from "../../../../core/agent/compile/PageTree.ts"
import * as PlainReading from "../../../../core/agent/compile/PlainReading.ts"
import type { DataModel } from "../../../../core/workflow/language/parameters/DataModel.ts"

const one = (name: string, type = "string", more: object = {}): DataModel => ({
  type: "object",
  properties: { [name]: { type, ...more } }
})

/** The path of the only field; `null` where there is none. */
const path = (html: string, model: DataModel, value: string | number | null) => {
  const [name = ""] = Object.keys(model.properties ?? {})
  const found = PlainReading.modelFor(`<body>${html}</body>`, model, { [name]: value })
  const field = found?.properties?.[name]
  return typeof field === "object" && "path" in field ? field.path : null
}

describe("a value", () => {
  it("is found by what the page calls it", () => {
    for (const [html, wanted] of [
      ['<b id="total">12.50</b>', '//b[@id="total"]'],
      [
        "<dl><dt>Net</dt><dd>9.00</dd><dt>Total</dt><dd>12.50 €</dd></dl>",
        '//dt[normalize-space()="Total"]/following-sibling::*[1][self::dd]'
      ],
      [
        "<tr><th>Total</th><td><b>12,50</b></td></tr>",
        '//th[normalize-space()="Total"]/following-sibling::*[1][self::td]'
      ],
      [
        "<p><i>Total due:</i> <span>$12.50</span></p>",
        '//i[normalize-space()="Total due:"]/following-sibling::*[1][self::span]'
      ]
    ] as const) {
      assert.strictEqual(path(html, one("total", "number"), 12.5), wanted, html)
    }
  })

  it("is not read where the same value stands by chance, or under another name", () => {
    for (const html of [
      '<b id="items">12.50</b>',
      "<p><i>Discount</i><b>12.50</b></p>",
      "<p>12.50</p>",
      '<b id="net-total">12.50</b><b id="gross-total">12.50</b>',
      '<b class="total">12.50</b><b class="total">12.50</b>',
      '<b id="total-4711">12.50</b>',
      "<p>The total is 12.50 or 13.50</p>"
    ]) {
      assert.isNull(path(html, one("total", "number"), 12.5), html)
    }
  })

  it("that is a long text of its own needs no name, but never stands in a row", () => {
    assert.strictEqual(path('<b id="ref">INV-20931</b>', one("rechnung"), "INV-20931"), '//b[@id="ref"]')
    assert.isNull(path('<ul><li><b class="ref">INV-20931</b></li></ul>', one("rechnung"), "INV-20931"))
  })

  it("that a model did not find, worked out or translated has no path", () => {
    assert.isNull(path('<b id="total"></b>', one("total", "number"), null))
    assert.isNull(path('<b id="total">twelve</b>', one("total", "number"), 12))
    assert.isNull(path('<b id="date">1 March 2027</b>', one("date"), "2027-03-01"))
  })
})

describe("a list", () => {
  const rows = (...all: ReadonlyArray<readonly [string, string, string]>) =>
    `<table id="t"><tr><th>Number</th><th>Net</th><th>Total</th></tr>${all.map(([a, b, c]) => `<tr><td>${a}</td><td>${b}</td><td>${c}</td></tr>`).join("")}</table>`
  const model = (more: object = {}): DataModel => ({
    type: "object",
    properties: {
      rows: { type: "array", items: { type: "object", properties: { number: "string", total: "number" } }, ...more }
    }
  })
  const of = (html: string, found: ReadonlyArray<{ number: string; total: number | null }>, more: object = {}) =>
    PlainReading.modelFor(html, model(more), { rows: found })

  it("is read by the columns that have its values in every row", () => {
    const found = of(rows(["A", "1", "2"], ["B", "3", "4"]), [
      { number: "A", total: 2 },
      { number: "B", total: 4 }
    ])
    assert.deepNestedInclude(found, {
      "properties.rows.path":
        '//table[@id="t"][.//tr[th[1][normalize-space()="Number"]][th[2][normalize-space()="Net"]][th[3][normalize-space()="Total"]]]/tr[td]'
    })
    assert.deepNestedInclude(found, { "properties.rows.items.properties.total.path": "./td[3]" })
  })

  it("is read by the column of its name where two columns are the same now", () => {
    const found = of(rows(["A", "2", "2"], ["B", "4", "4"]), [
      { number: "A", total: 2 },
      { number: "B", total: 4 }
    ])
    assert.deepNestedInclude(found, { "properties.rows.items.properties.total.path": "./td[3]" })
  })

  it("is not read where rows are left out, sorted, described, or have a value that is not there", () => {
    const html = rows(["A", "1", "2"], ["B", "3", "4"])
    assert.isNull(of(html, [{ number: "A", total: 2 }]))
    assert.isNull(
      of(html, [
        { number: "B", total: 4 },
        { number: "A", total: 2 }
      ])
    )
    assert.isNull(
      of(html, [
        { number: "A", total: 2 },
        { number: "B", total: null }
      ])
    )
    assert.isNull(of(html, []))
    assert.isNull(
      of(
        html,
        [
          { number: "A", total: 2 },
          { number: "B", total: 4 }
        ],
        { description: "Only what is unpaid" }
      )
    )
  })
})

it("a path never holds a value of the page, and is the same for any value at its place", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 99_999 }), fc.integer({ min: 100, max: 99_999 }), (total, net) => {
      fc.pre(total !== net)
      const html = (one: number, other: number) => `<dl><dt>Net</dt><dd>${other}</dd><dt>Total</dt><dd>${one}</dd></dl>`
      const found = path(html(total, net), one("total", "number"), total)
      assert.strictEqual(found, '//dt[normalize-space()="Total"]/following-sibling::*[1][self::dd]')
    })
  )
})

it("any HTML is read as elements with their texts, whatever ends are missing", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("<p>", "</p>", '<td a="1 &lt; 2">', "</td>", "<br>", "x", " ", "&amp;")),
      (parts) => {
        const { all } = PageTree.read(parts.join(""))
        assert.isTrue(
          all.every(({ children, parent }) => parent === null || parent.children.length > 0 || children.length === 0)
        )
      }
    )
  )
  const {
    all: [first]
  } = PageTree.read('<p class="a">1 &amp; <b>2</b><br>3</p>')
  assert.strictEqual(first?.text, "1 & 2 3")
})

it("a page with too many elements, or too many around one, is not searched", () => {
  assert.lengthOf(PageTree.read("<p></p>".repeat(20_000)).all, 20_000)
  assert.lengthOf(PageTree.read("<p></p>".repeat(20_001)).all, 0)
  assert.lengthOf(PageTree.read("<p>x".repeat(200)).all, 200)
  assert.lengthOf(PageTree.read("<p>x".repeat(201)).all, 0)
})
