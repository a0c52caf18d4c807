/** Data that is not there yet when the page is: a workflow without a `selector` reads what a person would wait for. */
import { challenge } from "../Challenge.ts"
import { json, page, result } from "../Html.ts"
import { click, list, read, text, texts, type, when } from "../Workflow.ts"

const names = ["Ada", "Grace", "Edsger"]
const late = (value: unknown, after = 1_200) => ({ body: JSON.stringify(value), after })
const draw = `const draw = (all) => { $("tbody").innerHTML = all.map((name) => "<tr><td>" + name + "</td></tr>").join("") }
  const load = (url) => fetch(url).then((answer) => answer.json()).then(draw)`
const table = "<table><tbody></tbody></table>"
const rows = read({ names: texts("//tbody/tr/td") })

export const challenges = [
  challenge({
    name: "table that is fetched",
    difficulty: "The request that fills the table takes longer than the page.",
    routes: { "": page(table, `${draw}; load("data")`), data: () => late(names) },
    workflow: [rows],
    expected: { names }
  }),
  challenge({
    name: "next page of a table",
    difficulty: "The rows of the page before stand there until the next ones have come.",
    routes: {
      "": page(`${table}<button onclick="load('more')">Next</button>`, `${draw}; draw(["Ada", "Grace"])`),
      more: () => late(["Edsger", "Barbara"])
    },
    workflow: [click("//button"), rows],
    expected: { names: ["Edsger", "Barbara"] }
  }),
  challenge({
    name: "next page drawn a moment after its answer",
    difficulty: "The answer is slow, and a timer that begins with it puts the next rows in the place of the old ones.",
    routes: {
      "": page(
        `${table}<button>Next</button>`,
        `${draw}; draw(["Ada", "Grace"])
        $("button").onclick = () => fetch("more").then((answer) => answer.json()).then((all) => setTimeout(() => draw(all), 400))`
      ),
      more: () => late(["Edsger", "Barbara"], 2_500)
    },
    workflow: [click("//button"), rows],
    expected: { names: ["Edsger", "Barbara"] }
  }),
  challenge({
    name: "next page faded in after its answer",
    difficulty: "An old kind of request is slow, and its rows come once the old ones have faded.",
    routes: {
      "": page(
        `${table}<button>Next</button>`,
        `${draw}; draw(["Ada", "Grace"])
        $("button").onclick = () => {
          const request = new XMLHttpRequest()
          request.onload = () => { $("tbody").style.opacity = 0.2; setTimeout(() => draw(JSON.parse(request.responseText)), 300) }
          request.open("GET", "more")
          request.send()
        }`
      ),
      more: () => late(["Edsger", "Barbara"], 2_500)
    },
    workflow: [click("//button"), rows],
    expected: { names: ["Edsger", "Barbara"] }
  }),
  challenge({
    name: "rows drawn in groups after a slow answer",
    difficulty: "The rows of one slow answer are put in two at a time, each group by a timer of its own.",
    routes: {
      "": page(
        table,
        `const more = (all) => {
          for (const name of all.splice(0, 2)) $("tbody").insertRow().insertCell().textContent = name
          if (all.length > 0) setTimeout(() => more(all), 350)
        }
        fetch("data").then((answer) => answer.json()).then(more)`
      ),
      data: () => late(["a", "b", "c", "d", "e", "f"], 2_500)
    },
    workflow: [rows],
    expected: { names: ["a", "b", "c", "d", "e", "f"] }
  }),
  challenge({
    name: "clock that ticks beside a fetched table",
    difficulty: "Timers follow each other without an end, and say nothing about the table.",
    routes: {
      "": page(
        `<p id="clock"></p>${table}`,
        `${draw}; const tick = () => { $("#clock").textContent = Date.now(); setTimeout(tick, 120) }
        load("data").then(tick)`
      ),
      data: () => late(names)
    },
    workflow: [rows],
    expected: { names }
  }),
  challenge({
    name: "rows of a skeleton",
    difficulty: "Empty rows stand where the data will be, and are filled without any request that can be seen.",
    routes: {
      "": page(
        table,
        `${draw}; draw(["", ""])
        const worker = new Worker(URL.createObjectURL(new Blob(["setTimeout(() => postMessage('Ada'), 900)"])))
        worker.onmessage = ({ data }) => draw([data])`
      )
    },
    workflow: [rows],
    expected: { names: ["Ada"] }
  }),
  challenge({
    name: "no data until the answer",
    difficulty: "The table says that there is no data until the answer has come.",
    routes: { "": page(table, `${draw}; draw(["No data available"]); load("data")`), data: () => late(names) },
    workflow: [rows],
    expected: { names }
  }),
  challenge({
    name: "total of zero until the answer",
    difficulty: "A sum is shown as zero until what it is of has come.",
    routes: {
      "": page(
        `<p id="total">0,00 €</p>`,
        `fetch("data").then((answer) => answer.json()).then(({ total }) => setTimeout(() => { $("#total").textContent = total }))`
      ),
      data: () => late({ total: "1.204,00 €" })
    },
    workflow: [read({ total: text("//*[@id='total']") })],
    expected: { total: "1.204,00 €" }
  }),
  challenge({
    name: "rows that arrive in pieces",
    difficulty: "The rows are put in one after the other, after their request has ended.",
    routes: {
      "": page(
        `${table}<button>Load</button>`,
        `$("button").onclick = () => fetch("data").then((answer) => answer.json()).then((all) => {
          const more = () => {
            $("tbody").insertRow().insertCell().textContent = all.shift()
            if (all.length > 0) setTimeout(more, 20)
          }
          more()
        })`
      ),
      data: () => json(Array.from({ length: 40 }, (_, index) => `${index}`))
    },
    workflow: [click("//button"), rows],
    expected: { names: Array.from({ length: 40 }, (_, index) => `${index}`) }
  }),
  challenge({
    name: "table that says it is busy",
    difficulty:
      "The old rows stand under a spinner while a part of the page that cannot be watched finds the new ones.",
    routes: {
      "": page(
        `${table}<button>Load</button>`,
        `${draw}; draw(["old"])
        const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = () => setTimeout(() => postMessage('new'), 900)"])))
        $("button").onclick = () => { $("table").ariaBusy = "true"; worker.postMessage("") }
        worker.onmessage = ({ data }) => { draw([data]); $("table").ariaBusy = "false" }`
      )
    },
    workflow: [click("//button"), rows],
    expected: { names: ["new"] }
  }),
  challenge({
    name: "search while one types",
    difficulty: "What is typed is searched for only once nothing was typed for a while.",
    routes: {
      "": page(
        `<input>${table}`,
        `${draw}; draw(["everything"])
        let timer
        $("input").oninput = () => { clearTimeout(timer); timer = setTimeout(() => load("found?q=" + $("input").value), 600) }`
      ),
      found: ({ query }) => late([`found ${query.get("q")}`], 500)
    },
    workflow: [type("//input", "Ada"), rows],
    expected: { names: ["found Ada"] }
  }),
  challenge({
    name: "table in a frame that loads",
    difficulty: "The table is in a frame whose data comes later than both documents.",
    routes: {
      "": `<iframe src="table"></iframe>`,
      table: page(table, `${draw}; load("data")`),
      data: () => late(names)
    },
    workflow: [rows],
    expected: { names }
  }),
  challenge({
    name: "route of a single page",
    difficulty:
      "A click changes the address by script, and the list of the next route is fetched by a script that comes first.",
    routes: {
      "": page(
        `<main><ul><li>Home</li></ul></main><a href="orders">Orders</a>`,
        `$("a").onclick = (event) => {
          event.preventDefault()
          history.pushState({}, "", "orders")
          import("./orders.js")
        }`
      ),
      "orders.js": {
        headers: { "content-type": "text/javascript" },
        body: `fetch("data").then((answer) => answer.json()).then((all) => {
          document.querySelector("ul").innerHTML = all.map((name) => "<li>" + name + "</li>").join("") })`,
        after: 400
      },
      data: () => late(names, 700)
    },
    workflow: [click("//a"), read({ names: texts("//ul/li") })],
    expected: { names }
  }),
  challenge({
    name: "condition before the answer",
    difficulty: "Which way to go depends on a text that an answer replaces.",
    routes: {
      "": page(
        `<p id="state">Unknown</p><button>Check</button>${result}`,
        `$("button").onclick = () => fetch("state").then((answer) => answer.text()).then((text) => { $("#state").textContent = text })`
      ),
      state: () => ({ body: "Locked", after: 1_000 })
    },
    workflow: [
      click("//button"),
      when(
        ["<<xpath://*[@id='state']>>", "EQUAL", "Locked"],
        [read({ state: text("//*[@id='state']") })],
        [read({ wrong: text("//*[@id='state']") })]
      )
    ],
    expected: { state: "Locked" }
  }),
  challenge({
    name: "polling beside a table",
    difficulty: "A request that asks for news never ends, and another one asks every second, while a table is fetched.",
    routes: {
      "": page(
        table,
        `${draw}; load("data")
        fetch("socket.io/?transport=polling")
        setInterval(() => fetch("news"), 1_000)`
      ),
      data: () => late(names),
      news: "",
      "socket.io/": () => () => undefined
    },
    workflow: [read({ people: list("//tbody/tr", { name: text("/td") }) })],
    expected: { people: names.map((name) => ({ name })) }
  })
]
