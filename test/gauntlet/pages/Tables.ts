/** Tables and lists as they are met with, and how all of them are read. */
import { challenge } from "../Challenge.ts"
import { page } from "../Html.ts"
import { back, choose, click, each, list, number, read, text, texts, type, when } from "../Workflow.ts"

const goods = [
  { name: "Bolt", price: 1.2 },
  { name: "Nut", price: 0.4 },
  { name: "Screw", price: 0.9 },
  { name: "Washer", price: 0.2 },
  { name: "Rivet", price: 2.5 }
]

const rows = (some: ReadonlyArray<(typeof goods)[number]>) =>
  some.map(({ name, price }) => `<tr><td>${name}</td><td>${price.toFixed(2)}</td></tr>`).join("")

export const challenges = [
  challenge({
    name: "paged table",
    difficulty: "The table is spread over pages, and how many there are shows only on the last.",
    routes: {
      "": ({ query }) => {
        const at = Number(query.get("page") ?? 1)
        const next = at * 2 < goods.length ? `<a id="next" href="?page=${at + 1}">Next</a>` : ""
        return page(`<table><tbody>${rows(goods.slice(at * 2 - 2, at * 2))}</tbody></table>${next}`)
      }
    },
    workflow: [
      read({ goods: list("//tbody/tr", { name: text("/td[1]"), price: number("/td[2]") }) }),
      each(9, "page", [
        when(
          ["<<xpath://a[@id='next']>>", "IS_NOT_NULL"],
          [
            click("//a[@id='next']"),
            read({ goods: list("//tbody/tr", { name: text("/td[1]"), price: number("/td[2]") }) }, "//table")
          ]
        )
      ])
    ],
    expected: { goods }
  }),
  challenge({
    name: "sortable table",
    difficulty: "The first click on a heading sorts the wrong way round, and sorting takes a moment.",
    routes: {
      "": page(
        `<table><thead><tr><th aria-sort="none"><button>Price</button></th></tr></thead><tbody>${rows(goods)}</tbody></table>`,
        `const order = { none: "descending", descending: "ascending", ascending: "descending" }
        $("button").onclick = () => setTimeout(() => {
          const head = $("th")
          head.ariaSort = order[head.ariaSort]
          const sign = head.ariaSort === "ascending" ? 1 : -1
          const price = (row) => Number(row.cells[1].textContent)
          $("tbody").append(...[...$("tbody").rows].sort((a, b) => sign * (price(a) - price(b))))
        }, 100)`
      )
    },
    workflow: [
      click("//th[@aria-sort='none']/button"),
      click("//th[@aria-sort='descending']/button"),
      read({ names: texts("//tbody/tr/td[1]") }, "//th[@aria-sort='ascending']")
    ],
    expected: { names: ["Washer", "Nut", "Screw", "Bolt", "Rivet"] }
  }),
  challenge({
    name: "filtered table",
    difficulty: "The filter acts a while after the last key, and hides rows instead of taking them away.",
    routes: {
      "": page(
        `<input type="search"><table data-filter=""><tbody>${rows(goods)}</tbody></table>`,
        `let timer
        $("input").oninput = () => {
          clearTimeout(timer)
          timer = setTimeout(() => {
            const wanted = $("input").value.toLowerCase()
            for (const row of $("tbody").rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted)
            $("table").dataset.filter = wanted
          }, 150)
        }`
      )
    },
    workflow: [
      type("//input[@type='search']", "r"),
      read({ names: texts("//tbody/tr[not(@hidden)]/td[1]") }, "//table[@data-filter='r']")
    ],
    expected: { names: ["Screw", "Washer", "Rivet"] }
  }),
  challenge({
    name: "nested tables",
    difficulty: "Each row has an inner table, so that a careless path reads rows of both.",
    routes: {
      "": page(
        `<table id="orders"><tbody>${["A-1", "A-2"]
          .map(
            (order, at) =>
              `<tr><td>${order}</td><td><table><tbody>${goods
                .slice(at * 2, at * 2 + 2)
                .map(({ name }) => `<tr><td>${name}</td></tr>`)
                .join("")}</tbody></table></td></tr>`
          )
          .join("")}</tbody></table>`
      )
    },
    workflow: [
      read({
        orders: list("//table[@id='orders']/tbody/tr", {
          number: text("/td[1]"),
          goods: { type: "array", path: "/td[2]/table/tbody/tr", items: { type: "string", path: "/td[1]" } }
        })
      })
    ],
    expected: {
      orders: [
        { number: "A-1", goods: ["Bolt", "Nut"] },
        { number: "A-2", goods: ["Screw", "Washer"] }
      ]
    }
  }),
  challenge({
    name: "cells over several rows and columns",
    difficulty: "Cells span rows and columns, so that the same column is not always the same cell of its row.",
    routes: {
      "": page(
        `<table><tbody>
          <tr><th rowspan="2">North</th><td>Oslo</td><td>12</td></tr>
          <tr><td>Turku</td><td>7</td></tr>
          <tr><th>South</th><td>Rome</td><td>30</td></tr>
          <tr class="sum"><td colspan="2">Total</td><td>49</td></tr>
        </tbody></table>`
      )
    },
    workflow: [
      read({
        cities: list("//tr[not(@class)]", {
          region: text("/self::tr/th | preceding-sibling::tr[1][th/@rowspan]/th"),
          city: text("/td[1]"),
          count: number("/td[2]")
        }),
        total: number("//tr[@class='sum']/td[last()]")
      })
    ],
    expected: {
      cities: [
        { region: "North", city: "Oslo", count: 12 },
        { region: "North", city: "Turku", count: 7 },
        { region: "South", city: "Rome", count: 30 }
      ],
      total: 49
    }
  }),
  challenge({
    name: "list with detail pages",
    difficulty: "What is wanted stands on a page for each entry, and after each the list is reloaded.",
    state: () => ({ lists: 0 }),
    routes: {
      "": ({ state }) => {
        state.lists++
        const links = goods.map(({ name }) => `<li><a href="detail?name=${name}&list=${state.lists}">${name}</a></li>`)
        return page(`<ul>${links.join("")}</ul>`)
      },
      detail: ({ query }) => {
        const one = goods.find(({ name }) => name === query.get("name"))
        return page(`<dl><dt>Name</dt><dd>${one?.name}</dd><dt>Price</dt><dd>€ ${one?.price.toFixed(2)}</dd></dl>`)
      }
    },
    workflow: [
      read({ names: texts("//ul/li/a") }),
      each("{{context.names}}", "name", [
        click("//a[.='{{context.runtime.name}}']"),
        read({ goods: list("//dl", { name: text("/dd[1]"), price: number("/dd[2]") }) }, "//dl"),
        back
      ])
    ],
    expected: { names: goods.map(({ name }) => name), goods }
  }),
  challenge({
    name: "loops in loops",
    difficulty: "Every size of every colour has to be chosen, one list depending on the other.",
    routes: {
      "": page(
        `<select id="colour"><option>red</option><option>blue</option></select><select id="size"></select><output></output>`,
        `const sizes = { red: ["S", "M"], blue: ["M", "L"] }
        const fill = () => setTimeout(() => {
          $("#size").innerHTML = "<option>?</option>" + sizes[$("#colour").value].map((size) => "<option>" + size + "</option>").join("")
          $("#size").dataset.of = $("#colour").value
        }, 80)
        $("#colour").onchange = fill
        $("#size").onchange = () => { $("output").textContent = $("#colour").value + "-" + $("#size").value }
        fill()`
      )
    },
    workflow: [
      each(["red", "blue"], "colour", [
        choose("//select[@id='colour']", "{{context.runtime.colour}}"),
        read(
          { sizes: texts("//select[@id='size']/option[position() > 1]") },
          "//select[@data-of='{{context.runtime.colour}}']",
          { overwriteArrayKeys: ["sizes"] }
        ),
        each("{{context.sizes}}", "size", [
          choose("//select[@id='size']", "{{context.runtime.size}}"),
          read({ articles: texts("//output") })
        ])
      ])
    ],
    expected: { sizes: ["M", "L"], articles: ["red-S", "red-M", "blue-M", "blue-L"] }
  }),
  challenge({
    name: "definition list",
    difficulty: "Names and values follow each other as siblings, without anything around each pair.",
    routes: {
      "": page(`<dl><dt>Status</dt><dd>Active</dd><dt>Phone</dt><dd>+49 30 1234</dd><dd>+49 171 555</dd></dl>`)
    },
    workflow: [
      read({
        status: text("//dt[.='Status']/following-sibling::dd[1]"),
        phones: texts("//dd[preceding-sibling::dt[1] = 'Phone']")
      })
    ],
    expected: { status: "Active", phones: ["+49 30 1234", "+49 171 555"] }
  })
]
