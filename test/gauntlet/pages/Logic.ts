/** Ways that depend on what was read. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, each, list, number, read, step, text, texts, type, when } from "../Workflow.ts"

const basket = page(
  `<table><tbody><tr><td>Lamp</td><td>2</td><td>19.50</td></tr><tr><td>Bulb</td><td>4</td><td>3.25</td></tr></tbody></table>
  <form><input id="coupon"><button>Apply</button></form>${result}`,
  `$("form").onsubmit = () => { say("coupon " + $("#coupon").value); return false }`
)

export const challenges = [
  challenge({
    name: "sum of what was read",
    difficulty: "The page gives single prices, and the sum and a list of what is dear have to be worked out.",
    routes: { "": basket },
    workflow: [
      read({ lines: list("//tbody/tr", { name: text("/td[1]"), count: number("/td[2]"), price: number("/td[3]") }) }),
      step("TRANSFORM", {
        operations: [
          { type: "SET", target: "context.total", value: "$sum(context.lines.(count * price))" },
          { type: "SET", target: "context.dear", value: "context.lines[price > 10].name" },
          { type: "SET", target: "context.label", value: "'Total ' & context.total" },
          { type: "SET", target: "context.none", value: "context.lines[price > 100]", optional: true },
          { type: "DELETE", target: "context.lines" }
        ]
      })
    ],
    expected: { total: 52, dear: "Lamp", label: "Total 52" }
  }),
  challenge({
    name: "sum of nothing",
    difficulty: "The wanted data was not on the page, and the run must not go on with nothing.",
    routes: { "": page("<p>Empty</p>") },
    workflow: [
      read({ lines: texts("//li") }),
      step("TRANSFORM", { operations: [{ type: "SET", target: "context.first", value: "context.lines[0]" }] })
    ],
    expected: failing("UNEXPECTED_UI_STATE", "context.first")
  }),
  challenge({
    name: "steps that are skipped",
    difficulty: "A coupon is only sometimes given, and the steps for it must be left out otherwise.",
    routes: { "": basket },
    workflow: [
      read({ coupon: text("//*[@id='given']"), first: text("//tr[1]/td[1]") }),
      type("//*[@id='coupon']", "LAMP10", {
        run_if: {
          match: "all",
          conditions: [
            { field: "context.coupon", operator: "IS_NULL" },
            { field: "context.first", operator: "EQUAL", value: "Lamp" }
          ]
        }
      }),
      type("//*[@id='coupon']", "{{context.coupon}}", {
        run_if: { conditions: [{ field: "context.coupon", operator: "IS_NOT_NULL" }] }
      }),
      click("//button"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { coupon: null, first: "Lamp", result: "coupon LAMP10" }
  }),
  challenge({
    name: "condition that ends the run",
    difficulty: "The page says that the account is closed, and the run has to end in the words of the workflow.",
    routes: { "": page("<h1>Account closed</h1>") },
    workflow: [
      when(["<<xpath://h1>>", "NOT_CONTAINS", "closed"], [click("//button")], [], {
        error_on_false_message: "The account is closed: ask the customer"
      })
    ],
    expected: failing("UNEXPECTED_UI_STATE", "The account is closed: ask the customer")
  }),
  challenge({
    name: "condition over several that differ",
    difficulty: "Several elements match the path of a condition, and it would turn out otherwise by another one.",
    routes: { "": page(`<table><tr><td>Open</td></tr><tr><td>Paid</td></tr></table>${result}`, `say("left")`) },
    workflow: [
      when(["<<xpath://td>>", "EQUAL", "Paid"], [read({ state: text("//td[.='Paid']") })]),
      when(["<<xpath:css=td>>", "EQUAL", "Paid"], [read({ again: text("//td[.='Paid']") })]),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "left" },
    warnings: ["CONDITION-W0001", "CONDITION-W0001"]
  }),
  challenge({
    name: "condition over several that decide alike",
    difficulty: "Several elements match the path of a condition, or a position says which one is meant.",
    routes: {
      "": page(
        `<ul><li>Open since May</li><li>Open since June</li><li hidden>Paid</li></ul><p>a</p><p>b</p>${result}`,
        `say("left")`
      )
    },
    workflow: [
      when(["<<xpath://li>>", "CONTAINS", "Open"], [read({ open: text("//*[@id='result']") })]),
      when(["<<xpath:(//p)[2]>>", "EQUAL", "b"], [read({ second: text("//*[@id='result']") })]),
      when(["<<xpath://p>>", "IS_NOT_NULL"], [read({ some: text("//*[@id='result']") })])
    ],
    expected: { open: "left", second: "left", some: "left" },
    warnings: []
  }),
  challenge({
    name: "the cheapest that is in stock",
    difficulty: "Which button to press depends on all rows together, not on any one.",
    routes: {
      "": page(
        `<table><tbody>${[
          ["North", 12, "yes"],
          ["East", 9, "no"],
          ["West", 10, "yes"]
        ]
          .map(
            ([name, price, stock]) =>
              `<tr><td>${name}</td><td>${price}</td><td>${stock}</td><td><button onclick="say('${name}')">Choose</button></td></tr>`
          )
          .join("")}</tbody></table>${result}`
      )
    },
    workflow: [
      read({ offers: list("//tbody/tr", { name: text("/td[1]"), price: number("/td[2]"), stock: text("/td[3]") }) }),
      click("//tr[td[1] = '{{(context.offers[stock = 'yes']^(price))[0].name}}']//button"),
      read({ result: text("//*[@id='result']") }, undefined)
    ],
    expected: {
      offers: [
        { name: "North", price: 12, stock: "yes" },
        { name: "East", price: 9, stock: "no" },
        { name: "West", price: 10, stock: "yes" }
      ],
      result: "West"
    }
  }),
  challenge({
    name: "tasks until none is left",
    difficulty:
      "Each task that is done leaves the list, and another may come instead, so that the number is not known.",
    routes: {
      "": page(
        `<ul></ul>${result}`,
        `let open = ["a", "b"], done = []
        const draw = () => { $("ul").innerHTML = open.map((name) => "<li><button>" + name + "</button></li>").join("") }
        $("ul").onclick = ({ target }) => {
          const name = target.textContent
          setTimeout(() => {
            open = open.filter((one) => one !== name)
            done.push(name)
            if (name === "a") open.push("c")
            draw()
            say(done.join(""))
          }, 60)
        }
        draw()`
      )
    },
    workflow: [
      each(10, "turn", [
        when(
          ["<<xpath:(//li/button)[1]>>", "IS_NOT_NULL"],
          [
            read({ task: text("(//li/button)[1]") }),
            click("(//li/button)[1]"),
            read({}, "//*[@id='result'][contains(., '{{context.task}}')]")
          ]
        )
      ]),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { task: "c", result: "abc" }
  }),
  challenge({
    name: "parts of the address",
    difficulty: "The number of the order stands nowhere but in the address.",
    routes: {
      "": page("", `location.replace("order/4711?step=pay#top")`),
      "order/4711": page(`<h1>Pay</h1>`)
    },
    workflow: [
      read(
        { number: text("{{$split(window.location.pathname, '/')[-1]}}"), at: text("{{window.location.hash}}") },
        "//h1"
      )
    ],
    expected: { number: "4711", at: "#top" }
  }),
  challenge({
    name: "the document itself",
    difficulty: "The whole document is kept, without what is not for readers.",
    routes: { "": `<!doctype html><html><head></head><body><p>Kept</p><script>let secret = 1</script></body></html>` },
    workflow: [read({ html: text("{{document.sanitized}}") })],
    expected: { html: "<html><head></head><body><p>Kept</p></body></html>" }
  })
]
