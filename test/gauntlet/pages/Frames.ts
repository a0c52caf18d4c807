/** Documents within documents. A selector means an element of any of them. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { choose, click, read, text, texts, type } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "frame within frame within frame",
    difficulty: "The form is in the third of three frames, one inside the other.",
    routes: {
      "": page(`<h1>Outside</h1><iframe src="one" width="700" height="500"></iframe>`),
      one: page(`<iframe src="two" width="650" height="450"></iframe>`),
      two: page(`<iframe src="three" width="600" height="400"></iframe>`),
      three: page(
        `<form><input id="name"><select id="kind"><option>Person</option><option>Firm</option></select><button>Send</button></form>${result}`,
        `$("form").onsubmit = () => { say($("#name").value + ", " + $("#kind").value); return false }`
      )
    },
    workflow: [
      type("//input[@id='name']", "Ada"),
      choose("//select[@id='kind']", "Firm"),
      click("//button[.='Send']"),
      read({ result: text("//*[@id='result']") }, "//*[@id='result']")
    ],
    expected: { result: "Ada, Firm" }
  }),
  challenge({
    name: "frame of another site",
    difficulty: "The payment form is a frame of another site, which the page itself may not look into.",
    routes: {
      "": ({ elsewhere }) =>
        page(
          `<h1>Checkout</h1><iframe src="${elsewhere}pay" width="600" height="300"></iframe><p id="state">open</p>`,
          `addEventListener("message", (event) => { $("#state").textContent = "paid with " + event.data })`
        ),
      pay: page(
        `<input id="card"><button id="pay">Pay</button>`,
        `$("#pay").onclick = () => parent.postMessage($("#card").value, "*")`
      )
    },
    workflow: [
      type("//input[@id='card']", "4111"),
      click("//button[@id='pay']"),
      read({ state: text("//p[@id='state']") }, "//p[@id='state'][starts-with(., 'paid')]")
    ],
    expected: { state: "paid with 4111" }
  }),
  challenge({
    name: "frame of another site in a frame of another site",
    difficulty:
      "The frame of another site has a frame in it that is of the first again, and neither may look into the other.",
    routes: {
      "": ({ elsewhere }) => page(`<h1>Shop</h1><iframe src="${elsewhere}bank" width="700" height="400"></iframe>`),
      bank: ({ base }) => page(`<p>Bank</p><iframe src="${base}check" width="600" height="300"></iframe>`),
      check: page(
        `<input id="pin"><button>Confirm</button>${result}`,
        `$("button").onclick = () => setTimeout(() => say("confirmed " + $("#pin").value), 100)`
      )
    },
    workflow: [
      type("//input[@id='pin']", "2718"),
      click("//button[.='Confirm']"),
      read({ title: text("//h1"), result: text("//*[@id='result']") }, "//*[@id='result'][starts-with(., 'confirmed')]")
    ],
    expected: { title: "Shop", result: "confirmed 2718" }
  }),
  challenge({
    name: "frame without an address",
    difficulty: "The frame has its document in an attribute, and arrives after the page.",
    routes: {
      "": page(
        `<div id="place"></div>`,
        `setTimeout(() => {
          const frame = document.createElement("iframe")
          frame.srcdoc = "<ul><li>One</li><li>Two</li></ul><button onclick='this.textContent = \\"Done\\"'>Do</button>"
          $("#place").append(frame)
        }, 200)`
      )
    },
    workflow: [
      click("//button[.='Do']"),
      read({ items: texts("//ul/li"), button: text("//button") }, "//button[.='Done']")
    ],
    expected: { items: ["One", "Two"], button: "Done" }
  }),
  challenge({
    name: "frame that loads another page",
    difficulty: "A step in the frame loads its next page while the page around it stays.",
    routes: {
      "": page(`<h1>Around</h1><iframe src="first" width="600" height="300"></iframe>`),
      first: page(`<a href="second">Next</a>`),
      second: page(
        `<label>Code <input id="code"></label><button>Check</button>${result}`,
        `
        $("button").onclick = () => say("code " + $("#code").value)`
      )
    },
    workflow: [
      click("//a[.='Next']"),
      type("//input[@id='code']", "77"),
      click("//button[.='Check']"),
      read({ result: text("//*[@id='result']"), title: text("//h1") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "code 77", title: "Around" }
  }),
  challenge({
    name: "frame in the way",
    difficulty:
      "A frame of an advertisement has a button of the same text, so that only its place tells the right one.",
    routes: {
      "": page(`<main><button onclick="say('right')">Continue</button></main><iframe src="ad"></iframe>${result}`),
      ad: page(`<button onclick="top.location = 'https://ads.example/'">Continue</button>`)
    },
    workflow: [click("//main/button[.='Continue']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "right" }
  })
]
