/** Failures that the recoveries of a workflow make good. */
import { Effect } from "effect"
import * as ElementMemory from "../../../core/agent/recovery/ElementMemory.ts"
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, each, open, read, text } from "../Workflow.ts"

const order = (id: string) =>
  page(
    `<section><h2>Your order</h2><p>Total 12.50</p><button id="${id}" onclick="say('ordered at ${id}')">Place order</button></section>
    <section><h2>Others bought</h2><button onclick="say('lamp')">Add lamp</button></section>${result}`
  )

const banner = `<div id="wall" style="position: fixed; inset: 0; background: #eee; z-index: 9"><p>We value your privacy</p>
  <button onclick="location = 'partners'">Our 842 partners</button><button id="all" onclick="$('#wall').remove()">Accept all</button></div>`

const behindBanner = {
  "": page(`<button id="go" onclick="say('entered')">Enter</button>${result}${banner}`),
  partners: page(`<h1>Partners</h1>`)
}

const entering = [click("//*[@id='go']", { wait_time: 3_000 }), read({ result: text("//*[@id='result']") })]

/** An element memory that keeps the appearance of elements from one visit to the next. */
const remembering = () => {
  const { memories } = Effect.runSync(ElementMemory.of(Effect.succeed([])))
  return { recovery: { selectors: true }, memories }
}

/** The same order on the page as it was, and as it is after an update. */
const orderingTwice = [
  each(["before", "after"], "version", [
    open("{{context.runtime.version}}"),
    click("//*[@id='order']", { wait_time: 4_000 }),
    read({ result: text("//*[@id='result']") })
  ])
]

export const challenges = [
  challenge({
    name: "id that was renamed",
    difficulty: "The button has another id after an update of the site, and everything else about it is as it was.",
    given: remembering,
    routes: { "": page("<h1>Shop</h1>"), before: order("order"), after: order("checkout-4711") },
    workflow: orderingTwice,
    expected: { result: "ordered at checkout-4711" },
    recoveries: ["selector"]
  }),
  challenge({
    name: "button that moved within a frame",
    difficulty: "The button is in a frame of another site, where an update has moved and renamed it.",
    given: remembering,
    routes: {
      "": page("<h1>Shop</h1>"),
      before: ({ elsewhere }) => page(`<iframe id="till" src="${elsewhere}first" width="500" height="300"></iframe>`),
      after: ({ elsewhere }) => page(`<iframe id="till" src="${elsewhere}second" width="500" height="300"></iframe>`),
      first: order("order"),
      second: order("checkout-4711")
    },
    workflow: orderingTwice,
    expected: { result: "ordered at checkout-4711" },
    recoveries: ["selector"]
  }),
  challenge({
    name: "unannounced cookie banner",
    difficulty:
      "A banner that the workflow does not know lies over the page, and not every button on it gets rid of it.",
    given: () => ({ recovery: { popups: true } }),
    routes: behindBanner,
    workflow: entering,
    expected: { result: "entered" },
    recoveries: ["popup"]
  }),
  challenge({
    name: "complaint in a dialog",
    difficulty: "A dialog that could be closed says what went wrong, and without it the page looks as it should.",
    given: () => ({ recovery: { popups: true } }),
    routes: {
      "": page(
        `<h1>Cart</h1><button id="order" onclick="$('dialog').showModal()">Order</button>
        <dialog><p role="alert">The card was refused</p><form method="dialog"><button>Close</button></form></dialog>`
      )
    },
    workflow: [
      click("//*[@id='order']", {
        expect: {
          wait_time: 1_000,
          conditions: [
            { type: "text", selector: "//h1", equals: "Cart" },
            { type: "element", selector: "//*[@role='alert']", state: "absent" }
          ]
        }
      })
    ],
    expected: failing("UNEXPECTED_UI_STATE", "none of //*[@role='alert'], visible; found 1")
  }),
  challenge({
    name: "banner before the confirmation",
    difficulty: "An order is confirmed only once a banner is gone, and pressing the button again would order again.",
    state: () => ({ orders: 0 }),
    given: () => ({ recovery: { popups: true } }),
    routes: {
      "": page(
        `<button id="order" onclick="fetch('orders', { method: 'POST' }).then(() => location = 'done')">Order</button>`
      ),
      orders: ({ state }) => ({ status: 201, body: `${++state.orders}` }),
      done: ({ state }) =>
        page(
          `<main class="hidden"><h1>Thank you</h1><p>Orders: ${state.orders}</p></main>${banner}`,
          `new MutationObserver(() => $("main").classList.remove("hidden")).observe(document.body, { childList: true })`
        ),
      partners: page("<h1>Partners</h1>")
    },
    workflow: [
      click("//*[@id='order']", {
        expect: {
          wait_time: 2_000,
          conditions: [
            { type: "request", url: "/orders", method: "POST", status: 201 },
            { type: "element", selector: "//h1[text()='Thank you']" }
          ]
        }
      }),
      read({ orders: text("//p[starts-with(., 'Orders')]") })
    ],
    expected: { orders: "Orders: 1" },
    recoveries: ["modal"]
  }),
  challenge({
    name: "pop-up that is known",
    difficulty: "What dismisses the banner is among the pop-ups of the workflow, and is pressed before the step.",
    given: () => ({ recovery: { popups: true, popupXpaths: ["//*[@id='wall']/button[@id='all']"] } }),
    routes: behindBanner,
    workflow: entering,
    expected: { result: "entered" },
    recoveries: ["popup_xpaths"]
  }),
  challenge({
    name: "page that is later than it may be",
    difficulty: "The element comes with the answer to a request that takes longer than the step waits.",
    given: () => ({ recovery: { timing: true } }),
    routes: {
      "": page(
        `<main></main>${result}`,
        `fetch("slow").then(() => { $("main").innerHTML = "<button onclick=\\"say('in time')\\">Go on</button>" })`
      ),
      slow: { body: "{}", after: 3_500 }
    },
    workflow: [click("//main/button", { wait_time: 2_000 }), read({ result: text("//*[@id='result']") })],
    expected: { result: "in time" }
  }),
  challenge({
    name: "503 that is over soon",
    difficulty: "The service is unavailable when the page is opened, and works again a moment later.",
    state: () => ({ tries: 0 }),
    given: () => ({ recovery: { unavailable: true } }),
    routes: {
      "": ({ state }) =>
        ++state.tries < 2
          ? { status: 503, body: page(`<h1>Back soon</h1>`) }
          : page(`<h1>Open</h1><p id="tries">${state.tries}</p>`)
    },
    workflow: [read({ title: text("//h1"), tries: { type: "integer", path: "//*[@id='tries']" } })],
    expected: { title: "Open", tries: 2 },
    recoveries: ["unavailable"]
  })
]
