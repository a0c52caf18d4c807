import { assert, describe, it } from "@effect/vitest"
import { pointedAt, previewOf, type Reading, readingOf } from "../../../apps/console/author/AuthorModel.ts"
import type { PageTarget } from "../../../apps/console/author/Conversation.ts"
import { columnsBetween, fieldOf, formatOf, rowsBetween, wrongFormat } from "../../../apps/console/author/ListModel.ts"

const element = (path: string, name = "x", given: Partial<PageTarget> = {}): PageTarget => ({
  kind: "read",
  role: "span",
  name,
  secret: false,
  code: false,
  options: [],
  box: { x: 0, y: 0, width: 10, height: 10 },
  selectors: [
    { selector: `//*[.='${name}']`, matches: 1 },
    { selector: path, matches: 1 }
  ],
  row: null,
  heading: null,
  ...given
})

const cell = (row: number, path: string, name: string, heading: string): PageTarget =>
  element(`/html/body/table/tbody/tr[${row}]${path}`, name, {
    heading,
    role: path.endsWith("/a") ? "link" : "td",
    kind: path.endsWith("/a") ? "press" : "read",
    row: { selector: "//table/tbody/tr[td]", matches: 20, path }
  })

const table = [1, 2, 3].flatMap((row) => [
  cell(row, "/td[1]/a", `A-${row}`, "Order"),
  cell(row, "/td[2]", `2${row}.09.2026`, "Date"),
  cell(row, "/td[3]", `1.234,5${row} €`, "Total"),
  cell(row, "/td[4]/a", "PDF", "Invoice"),
  ...(row === 2 ? [cell(row, "/td[5]", "late", "Note")] : [])
])

describe("two elements of a kind", () => {
  it.each([
    ["/html/body/div[2]/div[1]/span", "/html/body/div[2]/div[3]/span", "/html/body/div[2]/div"],
    ["/html/body/ul/li[1]", "/html/body/ul/li[2]", "/html/body/ul/li"],
    ["/html/body/div[1]/p[2]", "/html/body/div[4]/p[2]", "/html/body/div"],
    // Other columns, other tags, other depths, two differences, the same element.
    ["/html/body/div[1]/p[1]", "/html/body/div[2]/p[2]", null],
    ["/html/body/div[1]/p", "/html/body/section[2]/p", null],
    ["/html/body/div[1]/p", "/html/body/div[2]/p/b", null],
    ["/html/body/div[1]/p", "/html/body/div[1]/p", null]
  ])("%s and %s have the rows %s", (one, other, rows) => {
    assert.strictEqual(rowsBetween(element(one), element(other)), rows)
  })

  it("are in one column of a list that the page knows", () => {
    const [order, date] = table
    const other = table[4]
    if (order === undefined || date === undefined || other === undefined) throw new Error("no table")
    assert.strictEqual(rowsBetween(order, other), "//table/tbody/tr[td]")
    assert.isNull(rowsBetween(order, date))
  })

  it("are the whole list, without columns of few rows, fields and buttons", () => {
    const [order] = table
    const other = table[4]
    if (order === undefined || other === undefined) throw new Error("no table")
    const press = { kind: "press", role: "button" } as const
    const more = [1, 2, 3].map((row) => ({ ...cell(row, "/td[6]/button", "Delete", "Actions"), ...press }))
    const columns = columnsBetween(order, other, [element("/html/body/h1", "Orders"), ...table, ...more])
    assert.deepStrictEqual(
      columns?.map(({ samples, target }) => [target.heading, target.row?.path, samples[0]]),
      [
        ["Order", "/td[1]/a", "A-1"],
        ["Date", "/td[2]", "21.09.2026"],
        ["Total", "/td[3]", "1.234,51 €"],
        ["Invoice", "/td[4]/a", "PDF"]
      ]
    )
  })

  it("are a list of parts that the page does not call one", () => {
    const card = (n: number) => [
      element(`/html/body/div[${n}]/p[1]`, `Item ${n}`),
      element(`/html/body/div[${n}]/p[2]`, `€ ${n}.50`)
    ]
    const cards = [1, 2, 3].flatMap(card)
    const [one, , , , other] = cards
    if (one === undefined || other === undefined) throw new Error("no cards")
    const columns = columnsBetween(one, other, [...cards, element("/html/body/divide/p[1]", "Footer")])
    assert.deepStrictEqual(
      columns?.map(({ samples, target }) => [target.row, samples]),
      [
        [{ selector: "/html/body/div", matches: 3, path: "/p[1]" }, ["Item 1", "Item 2", "Item 3"]],
        [{ selector: "/html/body/div", matches: 3, path: "/p[2]" }, ["€ 1.50", "€ 2.50", "€ 3.50"]]
      ]
    )
  })
})

describe("the columns of a list", () => {
  it.each([
    [["€ 18.90", "€ 1,234.50"], "/td", "number", "."],
    [["1.234,50 €", "18,90 €"], "/td", "number", ","],
    [["-12,00", "7"], "/td", "number", ","],
    [["1,234", "2,345"], "/td", "number", ""],
    [["1.234.567", "5"], "/td", "number", ","],
    [["USD 12.00", "12.00 USD"], "/td", "number", "."],
    [["1", "2", "30"], "/td", "number", ""],
    [["007", "12"], "/td", "text", ""],
    [["A-1034", "A-1033"], "/td", "text", ""],
    [["12:30", "5–10"], "/td", "text", ""],
    [["2026-09-28", "2026-09-26"], "/td", "date", "yyyy-MM-dd"],
    [["28.09.2026", "01.10.2026"], "/td", "date", "dd.MM.yyyy"],
    [["1.10.2026", "28.9.2026"], "/td", "date", "d.M.yyyy"],
    [["01/02/2026", "03/04/2026"], "/td", "date", "dd/MM/yyyy"],
    [["01/02/2026", "03/24/2026"], "/td", "date", "MM/dd/yyyy"],
    [["Sep 28, 2026", "May 1, 2026"], "/td", "date", "MMM d, yyyy"],
    [["28 September 2026"], "/td", "date", "d MMM yyyy"],
    [["PDF", "PDF"], "/td[4]/a", "link", ""],
    [["A-1", "A-2"], "/td[1]/a", "text", ""],
    [["PDF", "PDF"], "/td[4]", "text", ""],
    [["", " "], "/td", "text", ""]
  ])("%j at %s is of the type %s, written as %j", (samples, path, type, format) => {
    assert.deepStrictEqual(formatOf(samples, path), { type, format } as never)
  })

  it("are fields of a data model", () => {
    const path = "/td/a"
    assert.deepStrictEqual(fieldOf({ type: "number", format: "," }, path), {
      type: "number",
      path,
      format: { decimal: "," }
    })
    assert.deepStrictEqual(fieldOf({ type: "number", format: "" }, path), { type: "number", path })
    assert.deepStrictEqual(fieldOf({ type: "date", format: "d.M.yyyy" }, path), {
      type: "string",
      path,
      format: { date: "d.M.yyyy" }
    })
    assert.deepStrictEqual(fieldOf({ type: "link", format: "" }, path), { type: "string", path: "/td/a/@href" })
    assert.deepStrictEqual(fieldOf({ type: "link", format: "" }, "."), { type: "string", path: "/@href" })
    assert.include(wrongFormat({ type: "date", format: "MM" }), "one day, one month and one year")
    assert.isNull(wrongFormat({ type: "text", format: "" }))
  })
})

describe("what is pointed at one after the other", () => {
  const none: Reading = { cells: [], list: "rows", isEvery: true }
  const pointing = (...targets: ReadonlyArray<PageTarget | undefined>) =>
    targets.reduce<Reading>((before, one) => (one === undefined ? before : pointedAt(before, one, table)), none)
  const names = ({ cells }: Reading) => cells.map(({ name }) => name)

  it("is one value each for each column, and the list with the second of a column", () => {
    assert.deepStrictEqual(names(pointing(table[0], table[2])), ["order", "total"])
    assert.isNull(previewOf(pointing(table[0], table[2])))
    const list = pointing(table[0], table[2], table[4])
    assert.deepStrictEqual(names(list), ["order", "date", "total", "invoice"])
    assert.include(previewOf(list), '"c3":{"type":"string","path":"/td[4]/a/@href"}')
    assert.deepNestedInclude(readingOf(list).parameters, {
      "extract_data_model.properties.rows.path": "//table/tbody/tr[td]"
    })
  })

  it("takes a column of the list away by any of its cells, and back", () => {
    const without = pointing(table[0], table[4], table[6])
    assert.deepStrictEqual(names(without), ["order", "date", "invoice"])
    assert.deepStrictEqual(names(pointedAt(without, table[11] as PageTarget, table)), [
      "order",
      "date",
      "invoice",
      "total"
    ])
  })

  it("stays one value where it is in the row of the turn of a loop", () => {
    const loop = { name: "Each", item: "row", index: "n", rows: "//table/tbody/tr[td]", fields: [] }
    const both = pointedAt(pointedAt(none, table[0] as PageTarget, table, loop), table[4] as PageTarget, table, loop)
    assert.isUndefined(both.proposed)
  })
})
