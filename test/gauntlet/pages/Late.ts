/** Elements that appear later than the page. */
import { challenge } from "../Challenge.ts"
import { json, page, result } from "../Html.ts"
import { click, read, text, texts, type, when } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "late element",
    difficulty: "The button is put into the page some time after it was loaded.",
    routes: {
      "": page(
        result,
        `setTimeout(() => {
          document.body.insertAdjacentHTML("beforeend", "<button>Continue</button>")
          $("button").onclick = () => say("continued")
        }, 300)`
      )
    },
    workflow: [click("//button[.='Continue']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "continued" }
  }),
  challenge({
    name: "content after network idle",
    difficulty: "The content is put in only a while after the last request of the page was answered.",
    routes: {
      "": page(
        `<main></main>`,
        `fetch("data").then((answer) => answer.json()).then(({ names }) => setTimeout(() => {
          $("main").innerHTML = "<ul>" + names.map((name) => "<li>" + name + "</li>").join("") + "</ul>"
        }, 250))`
      ),
      data: () => json({ names: ["Ada", "Grace", "Edsger"] })
    },
    workflow: [read({ names: texts("//main/ul/li") }, "//main/ul")],
    expected: { names: ["Ada", "Grace", "Edsger"] }
  }),
  challenge({
    name: "button enabled late",
    difficulty: "The button is there at once but disabled until a check is through.",
    routes: {
      "": page(
        `<button disabled onclick="say('sent')">Send</button>${result}`,
        `setTimeout(() => { $("button").disabled = false }, 300)`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "sent" }
  }),
  challenge({
    name: "moving button",
    difficulty: "The button glides into its place, and a click on the way there is lost.",
    routes: {
      "": page(
        `<style>button { position: relative; animation: in 350ms linear } @keyframes in { from { left: 500px } to { left: 0 } }</style>
        <button>Catch me</button>${result}`,
        `let still = false
        $("button").onanimationend = () => { still = true }
        $("button").onclick = () => say(still ? "caught" : "missed")`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "caught" }
  }),
  challenge({
    name: "button that is about to move",
    difficulty: "The button stands at the start of its way for a while, and a click before it is in its place is lost.",
    routes: {
      "": page(
        `<button style="position: relative">Catch me</button>${result}`,
        `const button = $("button")
        const way = button.animate({ left: ["500px", "0px"] }, 350)
        const hold = setInterval(() => { way.currentTime = 0 }, 5)
        setTimeout(() => clearInterval(hold), 600)
        let still = false
        way.onfinish = () => { still = true }
        button.onclick = () => say(still ? "caught" : "missed")`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "caught" }
  }),
  challenge({
    name: "invisible until faded in",
    difficulty: "The field is in the page from the start but not to be seen until a panel opens.",
    routes: {
      "": page(
        `<form style="visibility: hidden"><input id="name"><button>Save</button></form>${result}`,
        `setTimeout(() => { $("form").style.visibility = "visible" }, 250)
        $("form").onsubmit = () => { say("saved " + $("#name").value); return false }`
      )
    },
    workflow: [
      type("//input[@id='name']", "Ada", { submit_after_input: true }),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "saved Ada" }
  }),
  challenge({
    name: "skeleton before content",
    difficulty: "A skeleton with the same structure stands where the content will be.",
    routes: {
      "": page(
        `<article class="skeleton"><h2>Loading…</h2><p>…</p></article>`,
        `setTimeout(() => {
          $("article").outerHTML = "<article><h2>Invoice 4711</h2><p>Paid</p></article>"
        }, 250)`
      )
    },
    workflow: [
      read({ title: text("//article/h2"), state: text("//article/p") }, "//article[not(contains(@class, 'skeleton'))]")
    ],
    expected: { title: "Invoice 4711", state: "Paid" }
  }),
  challenge({
    name: "page that stands still",
    difficulty:
      "A script holds the page up for longer than one look at it may take, and then it continues as if nothing was.",
    routes: {
      "": page(
        `<button>Report</button>${result}`,
        `$("button").onclick = () => setTimeout(() => {
          const request = new XMLHttpRequest()
          request.open("GET", "slow", false)
          request.send()
          document.body.insertAdjacentHTML("beforeend", "<ul><li>" + request.responseText + "</li></ul>")
        }, 20)`
      ),
      slow: { body: "ready", after: 6_000 }
    },
    workflow: [click("//button"), read({ state: text("//ul/li") }, "//ul/li")],
    expected: { state: "ready" }
  }),
  challenge({
    name: "rows that trickle in",
    difficulty: "A table fills row by row, and is only whole when its last row is there.",
    routes: {
      "": page(
        `<table><tbody></tbody></table>`,
        `let row = 0
        const timer = setInterval(() => {
          $("tbody").insertRow().innerHTML = "<td>" + ++row + "</td>"
          if (row === 6) clearInterval(timer)
        }, 50)`
      )
    },
    workflow: [read({ rows: texts("//tbody/tr/td") }, "//tbody[count(tr) = 6]")],
    expected: { rows: ["1", "2", "3", "4", "5", "6"] }
  }),
  challenge({
    name: "hydration",
    difficulty: "The page is drawn by the server, and a click before its script has taken over is lost.",
    routes: {
      "": page(
        `<div id="app"><button>Count</button></div>${result}`,
        `setTimeout(() => {
          let count = 0
          $("#app").dataset.ready = "yes"
          $("button").onclick = () => say("counted " + ++count)
        }, 250)`
      )
    },
    workflow: [click("//*[@id='app'][@data-ready]//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "counted 1" }
  }),
  challenge({
    name: "condition on something late",
    difficulty: "Which way to go depends on a message that comes later than the page.",
    routes: {
      "": page(
        `<div id="message"></div>`,
        `setTimeout(() => { $("#message").innerHTML = "<span>Account locked</span>" }, 250)`
      )
    },
    workflow: [
      when(
        ["<<xpath://*[@id='message']/span>>", "EQUAL", "Account locked"],
        [read({ state: text("//span") })],
        [read({ title: text("//title") })],
        { wait_time: 5_000 }
      )
    ],
    expected: { state: "Account locked" }
  }),
  challenge({
    name: "progress polled",
    difficulty: "A job is polled until it is done, and its result stands where its progress stood.",
    state: () => ({ polls: 0 }),
    routes: {
      "": page(
        `<button>Start</button><div id="job"></div>`,
        `const poll = async () => {
          const { done } = await (await fetch("job")).json()
          $("#job").innerHTML = done < 100 ? "<progress max=100 value=" + done + "></progress>" : "<b class=done>Report ready</b>"
          if (done < 100) setTimeout(poll, 60)
        }
        $("button").onclick = poll`
      ),
      job: ({ state }) => json({ done: Math.min(++state.polls * 30, 100) })
    },
    workflow: [click("//button"), read({ job: text("//*[@id='job']/b") }, "//*[@id='job']/b[@class='done']")],
    expected: { job: "Report ready" }
  })
]
