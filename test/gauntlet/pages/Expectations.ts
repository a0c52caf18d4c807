/** Actions that seem to succeed, and whose effect is missing. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, step, text, type } from "../Workflow.ts"

const wait_time = 2_000

const refused = { status: 422, body: "refused" }

const order = (sends: string, after: string) =>
  page(`<h1>Cart</h1><button id="order">Order</button>${result}`, `$("#order").onclick = () => { ${sends}; ${after} }`)

export const challenges = [
  challenge({
    name: "order that the server refuses",
    difficulty: "The page thanks for an order before the server has answered, and the server refuses it.",
    routes: {
      "": order(`fetch("orders", { method: "POST" })`, `$("h1").textContent = "Thank you"`),
      orders: refused
    },
    workflow: [
      click("//button[@id='order']", {
        expect: {
          wait_time,
          conditions: [
            { type: "text", selector: "//h1", equals: "Thank you" },
            { type: "request", url: "/orders", method: "POST", status: "2xx" }
          ]
        }
      })
    ],
    expected: failing("UPSTREAM_ERROR", "with status 422")
  }),
  challenge({
    name: "order that is confirmed late",
    difficulty: "The confirmation of an order comes on another page, a second after the click.",
    routes: {
      "": order(`setTimeout(() => { location.href = "done" }, 1_000)`, `say("Please wait")`),
      done: page("<h1>Thank you</h1><p>Order 17</p>")
    },
    workflow: [
      click("//button[@id='order']", {
        expect: {
          conditions: [
            { type: "address", contains: "/done" },
            { type: "text", contains: "Order 17" }
          ]
        }
      }),
      read({ number: text("//p") })
    ],
    expected: { number: "Order 17" }
  }),
  challenge({
    name: "button that does nothing",
    difficulty: "A button looks alive, and its click has no effect at all.",
    routes: { "": order("", "") },
    workflow: [
      click("//button[@id='order']", {
        expect: { wait_time, conditions: [{ type: "text", selector: "//h1", equals: "Thank you" }] }
      })
    ],
    expected: failing("UPSTREAM_ERROR", 'the text of //h1 equals "Thank you"; found "Cart"')
  }),
  challenge({
    name: "complaint that comes after the click",
    difficulty: "A form complains only after it has asked the server, so that nothing is wrong at first.",
    routes: {
      "": page(
        `<form><input id="vat"><button>Send</button><p id="error" role="alert" class="hidden">Unknown number</p></form>`,
        `$("form").onsubmit = () => {
          fetch("check").then(() => $("#error").classList.remove("hidden"))
          return false
        }`
      ),
      check: { body: "unknown", after: 400 }
    },
    workflow: [
      type("//input", "DE1"),
      click("//button", {
        expect: { wait_time, conditions: [{ type: "element", selector: "//*[@role='alert']", state: "absent" }] }
      })
    ],
    expected: failing("INCORRECT_FORM_INPUTS", "none of //*[@role='alert'], visible; found 1")
  }),
  challenge({
    name: "field that takes its choice back",
    difficulty: "A list shows the choice, and the page puts the old one back a moment later.",
    routes: {
      "": page(
        `<select><option>Draft</option><option>Final</option></select>`,
        `$("select").onchange = ({ target }) => fetch("state", { method: "POST" }).then(({ ok }) => {
          if (!ok) target.value = "Draft"
        })`
      ),
      state: { ...refused, after: 300 }
    },
    workflow: [
      step("INPUT_SELECT", {
        selector: "//select",
        value: "Final",
        expect: {
          wait_time,
          conditions: [
            { type: "request", url: "/state", status: "2xx" },
            { type: "value", selector: "//select", equals: "Final" }
          ]
        }
      })
    ],
    expected: failing("UPSTREAM_ERROR", 'the value of //select equals "Final"; found "Draft"')
  }),
  challenge({
    name: "list that must have its rows",
    difficulty: "A table shows one row of a loading state, and its rows come later.",
    routes: {
      "": page(
        `<table><tbody><tr><td>Loading</td></tr></tbody></table>`,
        `setTimeout(() => { $("tbody").innerHTML = "<tr><td>A</td></tr><tr><td>B</td></tr>" }, 600)`
      )
    },
    workflow: [
      step("SCREENSHOT", { expect: { conditions: [{ type: "element", selector: "//tr", at_least: 2 }] } }),
      read({ rows: { type: "array", path: "//tr", items: { type: "string" } } })
    ],
    expected: { rows: ["A", "B"] }
  })
]
