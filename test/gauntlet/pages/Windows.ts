/** Other windows, and the boxes that browsers put up themselves. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, open, read, step, text, type } from "../Workflow.ts"

const tab = (tabAction: string, more: Readonly<Record<string, unknown>> = {}) =>
  step("TAB_MANAGEMENT", { tabAction, ...more })

export const challenges = [
  challenge({
    name: "link to a new tab",
    difficulty: "The link opens a tab that has the data, and the first is gone back to.",
    routes: {
      "": page(`<h1>First</h1><a href="invoice" target="_blank">Invoice</a>`),
      invoice: page(`<h1>Invoice 12</h1>`)
    },
    workflow: [
      click("//a"),
      tab("SWITCH", { tab_index: 1 }),
      read({ second: text("//h1") }, "//h1[.='Invoice 12']"),
      tab("CLOSE", { tab_index: 1 }),
      read({ first: text("//h1") }, "//h1[.='First']")
    ],
    expected: { second: "Invoice 12", first: "First" }
  }),
  challenge({
    name: "tab opened by the workflow",
    difficulty: "A code is looked up in a second tab and typed into the first, which must not lose what is in it.",
    routes: {
      "": page(
        `<input id="name"><input id="code"><button>Check</button>${result}`,
        `
        $("button").onclick = () => say($("#name").value + " " + $("#code").value)`
      ),
      codes: page(`<b id="code">4096</b>`)
    },
    workflow: [
      type("//input[@id='name']", "Ada"),
      tab("OPEN", { url: "{{window.location.href}}codes" }),
      read({ code: text("//b[@id='code']") }, "//b[@id='code']"),
      tab("SWITCH", { tab_index: 0 }),
      type("//input[@id='code']", "{{context.code}}"),
      click("//button"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { code: "4096", result: "Ada 4096" }
  }),
  challenge({
    name: "sign-in in a pop-up",
    difficulty: "The sign-in opens in a separate window, which tells the page and closes itself.",
    routes: {
      "": page(
        `<button>Sign in with Acme</button><p id="who">nobody</p>`,
        `$("button").onclick = () => window.open("provider", "acme", "width=400,height=300")
        onmessage = (event) => { $("#who").textContent = event.data }`
      ),
      provider: page(
        `<input id="user"><button>Allow</button>`,
        `$("button").onclick = () => { opener.postMessage("signed in as " + $("#user").value, "*"); setTimeout(() => close(), 50) }`
      )
    },
    workflow: [
      click("//button"),
      tab("SWITCH", { tab_index: 1 }),
      type("//input[@id='user']", "ada"),
      click("//button[.='Allow']"),
      tab("SWITCH", { tab_index: 0 }),
      read({ who: text("//*[@id='who']") }, "//*[@id='who'][starts-with(., 'signed in')]")
    ],
    expected: { who: "signed in as ada" }
  }),
  challenge({
    name: "window that closes itself",
    difficulty: "A window opens, does its work and is gone again, while the page continues.",
    routes: {
      "": page(
        `<button>Check</button>${result}`,
        `
        $("button").onclick = () => window.open("check")
        onmessage = (event) => say(event.data)`
      ),
      check: page("Checking", `opener.postMessage("checked", "*"); close()`)
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") }, "//*[@id='result'][.='checked']")],
    expected: { result: "checked" }
  }),
  challenge({
    name: "alert",
    difficulty: "The browser shows a box that stops the page until it is closed.",
    routes: {
      "": page(
        `<button>Save</button>${result}`,
        `$("button").onclick = () => { alert("Saved!"); say("after the alert") }`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "after the alert" }
  }),
  challenge({
    name: "question of the browser",
    difficulty: "The browser asks whether to go on, and nothing happens unless that is agreed to.",
    routes: {
      "": page(
        `<button>Delete</button>${result}`,
        `$("button").onclick = () => say(confirm("Really?") ? "deleted" : "kept")`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "deleted" }
  }),
  challenge({
    name: "question with a proposal",
    difficulty: "The browser asks for a text and proposes one.",
    routes: {
      "": page(
        `<button>Rename</button>${result}`,
        `$("button").onclick = () => say("named " + prompt("Name?", "copy of report"))`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "named copy of report" }
  }),
  challenge({
    name: "page that holds on",
    difficulty: "The page asks not to be left while something in it is not saved.",
    routes: {
      "": page(`<input>`, `$("input").oninput = () => { onbeforeunload = (event) => event.preventDefault() }`),
      next: page(`<h1>Left</h1>`)
    },
    workflow: [type("//input", "unsaved"), open("next"), read({ title: text("//h1") }, "//h1")],
    expected: { title: "Left" }
  })
]
