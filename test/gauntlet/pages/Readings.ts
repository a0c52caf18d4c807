/** Values that are easily read wrongly: a run must end with the right one, with a warning, or not at all. */
import { challenge, failing } from "../Challenge.ts"
import { page } from "../Html.ts"
import { list, number, read, step, text, texts, when } from "../Workflow.ts"

const set = (name: string, value: string) =>
  step("TRANSFORM", { operations: [{ type: "SET", target: `context.${name}`, value }] })

const doubtful = ["FIGURE-W0001"]

/** The figure of one cell. */
const figure = (
  name: string,
  difficulty: string,
  html: string,
  total: number | null,
  warnings: ReadonlyArray<string> = [],
  style = ""
) =>
  challenge({
    name,
    difficulty,
    routes: { "": page(`<style>${style}</style><div id="total">${html}</div>`) },
    workflow: [read({ total: number("//div[@id='total']") })],
    expected: { total },
    warnings
  })

export const challenges = [
  figure("number of an invoice", "The hyphen of a number is no sign.", "INV-4711", 4711),
  figure("two figures", "A text has a figure and the sum that it is a part of.", "5 of 12 seats", null, doubtful),
  figure("tax beside a price", "A price names its tax.", "5,00 € (incl. 19% VAT)", null, doubtful),
  figure("range of prices", "A dash stands between two prices.", "5–10 €", null, doubtful),
  figure("version", "Points part the figures of a version.", "1.2.3", null, doubtful),
  figure("telephone", "A telephone number is no figure.", "+49 30 1234567", null, doubtful),
  figure("old price", "The old price is struck out before the new one.", "<s>99.00</s> 79.00", 79),
  figure(
    "old price by a style",
    "The old price is struck out by the style of an element around it.",
    `<span class="was"><b>99.00</b></span> <span>79.00</span>`,
    79,
    [],
    ".was { text-decoration: red line-through }"
  ),
  challenge({
    name: "old prices in a list",
    difficulty: "The prices are items of a list, each with its old one.",
    routes: { "": page("<ul><li><s>99</s> 79.00</li><li>5<br>7</li></ul>") },
    workflow: [read({ prices: { type: "array", path: "//li", items: { type: "number" } } })],
    expected: { prices: [79, null] },
    warnings: doubtful
  }),
  figure("only an old price", "Nothing but a struck-out price is there.", "<del>99.00</del>", 99, doubtful),
  figure("raised cents", "The cents of a price are raised, without a separator.", "€ 12<sup>99</sup>", null, doubtful),
  figure(
    "small cents",
    "The cents of a price are smaller, without a separator.",
    `€ <span>12</span><span style="font-size: 9px">99</span>`,
    null,
    doubtful
  ),
  figure(
    "figures beside one another",
    "A gap that only the layout makes is between two figures.",
    `<span>5</span><span style="margin-left: 2em">12</span>`,
    null,
    doubtful
  ),
  figure("digits of a counter", "Each digit has its own element.", "<b>1</b><b>2</b><b>3</b>", 123),
  figure("square metres", "The unit has a figure.", "5 m<sup>2</sup>", 5),
  figure("debit in parentheses", "Parentheses say that a sum is negative.", "(12.00)", -12),
  figure("sign at the end", "The sign of a sum follows it.", "1.012,00-", -1012),
  figure("decimals of the start", "A comma before three digits parts decimals after a zero.", "0,123", 0.123),
  figure("more digits than a number has", "A number cannot hold the digits.", "9007199254740993", null, doubtful),
  challenge({
    name: "prices of a German shop",
    difficulty: "Only the other rows show what a point means.",
    routes: {
      "": page(["1.234", "0,50", "-", "12.345,00"].map((price) => `<p class="row"><b>${price}</b></p>`).join(""))
    },
    workflow: [read({ rows: list("//p", { price: number("./b") }) })],
    expected: { rows: [{ price: 1234 }, { price: 0.5 }, { price: null }, { price: 12_345 }] },
    warnings: []
  }),
  challenge({
    name: "date of the other order",
    difficulty: "A date can be read with the day or the month first.",
    routes: { "": page(`<p id="due">Due: 05.03.2024</p>`) },
    workflow: [read({ due: { ...text("//p"), format: { date: "dd.MM.yyyy" } } })],
    expected: { due: "2024-03-05" },
    warnings: []
  }),
  challenge({
    name: "answer that is neither",
    difficulty: "A column of yes and no has another word.",
    routes: { "": page(["yes", "No", "pending", ""].map((paid) => `<p>${paid}<i></i></p>`).join("")) },
    workflow: [read({ rows: { type: "array", path: "//p", items: { type: "boolean" } } })],
    expected: { rows: [true, false, null, null] },
    warnings: ["VALUE-W0001"]
  }),
  challenge({
    name: "cells that span rows",
    difficulty: "A cell that spans rows shifts those of the rows below it.",
    routes: {
      "": page(
        `<table><thead><tr><th>Region</th><th>City</th><th>Sum</th></tr></thead><tbody>
        <tr><td rowspan="2">North</td><td>Kiel</td><td><a href="/1">10</a></td></tr>
        <tr><td>Hamburg</td><td><a href="/2">20</a></td></tr>
        <tr><td rowspan="0">South</td><td rowspan="2">Ulm</td><td><a href="/3">30</a></td></tr>
        <tr><td><a href="/4">40</a></td></tr></tbody></table>`
      )
    },
    workflow: [
      read({
        rows: list("//tbody/tr", {
          region: text("./td[1]"),
          city: text("/td[2]"),
          sum: number("td[3]"),
          link: text("/td[3]/a/@href"),
          styled: text("css=td:nth-child(2)"),
          inner: number("css=td:nth-child(3) a")
        })
      })
    ],
    expected: {
      rows: [
        { region: "North", city: "Kiel", sum: 10, link: "/1", styled: "Kiel", inner: 10 },
        { region: "North", city: "Hamburg", sum: 20, link: "/2", styled: "Hamburg", inner: 20 },
        { region: "South", city: "Ulm", sum: 30, link: "/3", styled: "Ulm", inner: 30 },
        { region: "South", city: "Ulm", sum: 40, link: "/4", styled: "Ulm", inner: 40 }
      ]
    },
    warnings: []
  }),
  challenge({
    name: "cells that span columns",
    difficulty: "A total spans the columns before its sum, and a title of a group spans all of them.",
    routes: {
      "": page(
        `<table><tbody><tr><td colspan="3">North</td></tr>
        <tr><td>Bolt</td><td>2</td><td>10.00</td></tr>
        <tr><td colspan="2">Total</td><td>10.00</td></tr></tbody></table>`
      )
    },
    workflow: [read({ rows: list("//tr", { name: text("/td[1]"), count: number("/td[2]"), sum: number("/td[3]") }) })],
    expected: {
      rows: [
        { name: "North", count: null, sum: null },
        { name: "Bolt", count: 2, sum: 10 },
        { name: "Total", count: null, sum: 10 }
      ]
    },
    warnings: []
  }),
  challenge({
    name: "columns that every row spans",
    difficulty: "Each row spans the same columns, beside a heading of its own, so that nothing is shifted.",
    routes: {
      "": page(
        `<table><tr><th rowspan="2">A</th><td colspan="2">Bolt</td><td>1.20</td></tr>
        <tr><td colspan="2">Nut</td><td>0.40</td></tr>
        <tr><th>B</th><td colspan="2">Screw</td><td>0.90</td></tr></table>`
      )
    },
    workflow: [read({ rows: list("//tr", { head: text("/th[1]"), name: text("/td[1]"), price: number("/td[2]") }) })],
    expected: {
      rows: [
        { head: "A", name: "Bolt", price: 1.2 },
        { head: "A", name: "Nut", price: 0.4 },
        { head: "B", name: "Screw", price: 0.9 }
      ]
    },
    warnings: []
  }),
  challenge({
    name: "price of which product",
    difficulty: "The path of one price selects those of two products.",
    routes: { "": page(`<p class="price">12.00 €</p><p class="price">99.00 €</p>`) },
    workflow: [read({ price: number("//p[@class='price']") })],
    expected: failing("XPATH_INCORRECT", 'such as "12.00 €" and "99.00 €"')
  }),
  challenge({
    name: "name of which product",
    difficulty: "The path of one name in a row selects two.",
    routes: {
      "": page(`<ul><li><b>Bolt</b></li><li><b>Nut</b> <i>M8</i> <b>Screw</b></li></ul>`)
    },
    workflow: [read({ rows: list("//li", { name: text("./b") }) })],
    expected: failing("XPATH_INCORRECT", 'such as "Nut" and "Screw"')
  }),
  challenge({
    name: "one of several prices",
    difficulty: "The workflow says which of several elements it means, or they show the same.",
    routes: {
      "": page(
        `<p class="price">12.00</p><p class="price">99.00</p><p class="hidden price">1.00</p>
        <a href="/a">Terms</a><footer><a href="/a">Terms</a></footer>
        <div class="hidden" id="mobile"><em>12</em></div><div><em>13</em></div>
        <h2>Phone</h2><h2 class="hidden">Menu</h2>`
      )
    },
    workflow: [
      read({
        first: { ...number("//p"), first: true },
        position: number("(//p)[2]"),
        step: number("//p[2]"),
        css: { ...number("css=p:nth-child(2)") },
        attribute: text("(//p)[1]/@class"),
        same: text("//a"),
        seen: text("//h2"),
        counted: number("count(//p)")
      })
    ],
    expected: {
      first: 12,
      position: 99,
      step: 99,
      css: 99,
      attribute: "price",
      same: "Terms",
      seen: "Phone",
      counted: 3
    },
    warnings: []
  }),
  challenge({
    name: "hidden template before the value",
    difficulty: "The first of two elements is a hidden template.",
    routes: { "": page(`<p class="hidden total">0.00</p><p class="total">12.00</p>`) },
    workflow: [read({ total: number("//p") })],
    expected: failing("XPATH_INCORRECT", 'such as "0.00" and "12.00"')
  }),
  challenge({
    name: "status with a space that does not break",
    difficulty: "Signs that nobody sees are in a status that is compared with plain text.",
    routes: {
      "": page(`<p id="a">Paid&nbsp;now</p><p id="b">Open\u200b&shy;</p><p id="c">Mu\u0308ller\u202f&amp; Co.</p>`)
    },
    workflow: [
      read({ a: text("//p[@id='a']"), all: texts("//p") }),
      when(["<<xpath://p[@id='a']>>", "EQUAL", "Paid now"], [set("one", "true")]),
      when(["<<xpath://p[@id='b']>>", "NOT_EQUAL", "Open"], [], [set("two", "true")]),
      when(["<<xpath://p[@id='c']>>", "STARTS_WITH", "Müller &"], [set("three", "true")]),
      when(["{{context.a = 'Paid now' and 'Müller & Co.' in context.all}}", "EQUAL", true], [set("four", "true")])
    ],
    expected: {
      a: "Paid\u00a0now",
      all: ["Paid\u00a0now", "Open\u200b\u00ad", "Mu\u0308ller\u202f& Co."],
      one: true,
      two: true,
      three: true,
      four: true
    },
    warnings: []
  })
]
