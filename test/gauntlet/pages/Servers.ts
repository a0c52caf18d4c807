/** Servers on a bad day. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, each, open, read, text, type, when } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "slow server",
    difficulty: "The server takes a good while to answer, and the next page as long again.",
    routes: {
      "": { body: page(`<a href="next">Next</a>`), after: 500 },
      next: { body: page(`<h1>Patience</h1>`), after: 500 }
    },
    workflow: [click("//a"), read({ title: text("//h1") }, "//h1")],
    expected: { title: "Patience" }
  }),
  challenge({
    name: "click to a 503",
    difficulty: "A link leads to an error of the server, and what that shows must not pass for the page.",
    routes: {
      "": page(`<a href="report">Report</a>`),
      report: { status: 503, body: page(`<h1>Report</h1>`) }
    },
    workflow: [click("//a"), read({ title: text("//h1") })],
    expected: failing("SERVICE_UNAVAILABLE", "the server answered with status 503")
  }),
  challenge({
    name: "form answered by a 500",
    difficulty: "A form is sent by a key, and the server fails.",
    routes: {
      "": page(`<form method="post" action="saved"><input name="name"></form>`),
      saved: { status: 500, body: page(`<h1>Saved</h1>`) }
    },
    workflow: [type("//input", "Ada", { submit_after_input: true }), read({ title: text("//h1") })],
    expected: failing("SERVICE_UNAVAILABLE", "the server answered with status 500")
  }),
  challenge({
    name: "unavailable twice",
    difficulty: "The service says twice that it is unavailable, and its page offers to try again.",
    state: () => ({ tries: 0 }),
    routes: {
      "": page(`<a href="report">Report</a>`),
      report: ({ state }) =>
        ++state.tries < 3
          ? page(`<h1>Service unavailable</h1><a href="report">Try again</a>`)
          : page(`<h1>Report</h1><p id="tries">${state.tries}</p>`)
    },
    workflow: [
      click("//a[.='Report']"),
      each(5, "turn", [
        when(["<<xpath://h1>>", "EQUAL", "Service unavailable"], [click("//a[.='Try again']"), read({}, "//h1")], [], {
          wait_time: 5_000
        })
      ]),
      read({ tries: { type: "integer", path: "//*[@id='tries']" } }, "//*[@id='tries']")
    ],
    expected: { tries: 3 }
  }),
  challenge({
    name: "500 each time",
    difficulty: "The server fails however often it is asked, and the run has to say so.",
    routes: { "": page(`<h1>Fine</h1>`), broken: { status: 500, body: "<h1>Internal Server Error</h1>" } },
    workflow: [open("broken"), read({ title: text("//h1") })],
    expected: failing("SERVICE_UNAVAILABLE", "the server answered with status 500")
  }),
  challenge({
    name: "page that is gone",
    difficulty: "The address leads nowhere, and what the server shows instead must not pass for the page.",
    routes: { "": page(`<h1>Fine</h1>`) },
    workflow: [open("nowhere"), read({ title: text("//h1") })],
    expected: failing("PAGE_NOT_FOUND", "the server answered with status 404")
  }),
  challenge({
    name: "answer that drips",
    difficulty: "The page arrives in pieces, and its end a good while after its beginning.",
    routes: {
      "": () => (response) => {
        const [head = "", tail = ""] = page(`<table><tbody>ROWS</tbody></table><p id="end">End</p>`).split("ROWS")
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
        response.write(head)
        const rows = ["One", "Two", "Three", "Four"]
        const drip = () => {
          const row = rows.shift()
          if (row === undefined) response.end(tail)
          else {
            response.write(`<tr><td>${row}</td></tr>`)
            setTimeout(drip, 80)
          }
        }
        drip()
      }
    },
    workflow: [read({ rows: { type: "array", path: "//td", items: { type: "string" } }, end: text("//*[@id='end']") })],
    expected: { rows: ["One", "Two", "Three", "Four"], end: "End" }
  }),
  challenge({
    name: "script that never comes",
    difficulty: "An image and a script of the page are never answered, so that it is never loaded whole.",
    routes: {
      "": page(
        `<img src="never" alt=""><button onclick="say('works')">Try</button>${result}<script async src="never"></script>`
      ),
      never: () => () => undefined
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "works" }
  }),
  challenge({
    name: "connection that breaks",
    difficulty: "The server hangs up before it has said anything.",
    routes: {
      "": page(`<h1>Fine</h1>`),
      broken: () => (response) => void response.destroy()
    },
    workflow: [open("broken"), read({ title: text("//h1") })],
    expected: failing("SERVICE_UNAVAILABLE", "Cannot open")
  }),
  challenge({
    name: "rate limit",
    difficulty: "Asked too fast, the server refuses for a moment, and the page retries.",
    state: () => ({ asked: 0 }),
    routes: {
      "": page(
        `<div id="data"></div>`,
        `const load = async () => {
          const answer = await fetch("data")
          if (answer.status === 429) return setTimeout(load, Number(answer.headers.get("retry-after")) * 1000)
          $("#data").innerHTML = "<p>" + await answer.text() + "</p>"
        }
        load()`
      ),
      data: ({ state }) =>
        ++state.asked < 3 ? { status: 429, headers: { "retry-after": "0.1" } } : { body: "at the third" }
    },
    workflow: [read({ data: text("//*[@id='data']/p") }, "//*[@id='data']/p")],
    expected: { data: "at the third" }
  })
]
