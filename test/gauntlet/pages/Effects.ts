/** Buttons that do something, or nothing: a click without an effect that could be seen gives a warning. */
import { type Challenge, challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, text } from "../Workflow.ts"

const sent = text("//*[@id='result']")

/** A page with a button whose click does `script`, and whether a warning comes of it. */
const pressing = (
  name: string,
  difficulty: string,
  script: string,
  warnings: ReadonlyArray<string>,
  body = ""
): Challenge =>
  challenge({
    name,
    difficulty,
    routes: { "": page(`<button id="go">Go</button>${body}${result}`, script), empty: { status: 204 } },
    workflow: [click("//button[@id='go']"), read({ sent })],
    expected: { sent: "" },
    warnings
  })

const none: ReadonlyArray<string> = []
const one = ["EFFECT-W0001"]

export const challenges = [
  pressing("button without a script", "Nothing listens to the button.", "", one),
  pressing(
    "button that refuses in silence",
    "The script of the button decides to do nothing.",
    `$("#go").onclick = () => {}`,
    one
  ),
  pressing(
    "button that is marked",
    "The click changes an attribute alone.",
    `$("#go").onclick = () => $("#go").classList.add("on")`,
    none
  ),
  pressing(
    "button that moves the focus",
    "The click puts the focus into a field.",
    `$("#go").onclick = () => $("#name").focus()`,
    none,
    `<input id="name">`
  ),
  pressing(
    "button that asks the server",
    "The click sends a request, and nothing changes.",
    `$("#go").onclick = () => fetch("empty")`,
    none
  ),
  pressing(
    "button that reports",
    "The click sends a report in the background.",
    `$("#go").onclick = () => navigator.sendBeacon("empty")`,
    none
  ),
  pressing(
    "button that waits",
    "The click sets a timer, and nothing changes before it.",
    `$("#go").onclick = () => setTimeout(() => $("#go").classList.add("on"), 600)`,
    none
  ),
  pressing("button that tells", "The click opens a dialog.", `$("#go").onclick = () => alert("Done")`, none),
  pressing(
    "button that ticks",
    "The click ticks a box, which no attribute shows.",
    `$("#go").onclick = () => { $("#box").click() }`,
    none,
    `<input type="checkbox" id="box">`
  ),
  pressing(
    "button that keeps its click",
    "The page stops the click, which it may use for what cannot be seen.",
    `$("#go").onclick = (event) => event.stopPropagation()`,
    none
  ),
  pressing(
    "button that draws",
    "The click draws on a canvas, which does not show in the document.",
    `$("#go").onclick = () => $("canvas").getContext("2d").fillRect(0, 0, 9, 9)`,
    none,
    "<canvas></canvas>"
  ),
  pressing(
    "button of a component",
    "The click changes a shadow root, which does not show in the document.",
    `const root = $("#host").attachShadow({ mode: "open" }); $("#go").onclick = () => { root.innerHTML = "<p>Done</p>" }`,
    none,
    `<div id="host"></div>`
  ),
  challenge({
    name: "text that is clicked",
    difficulty: "A text is no control: a click on it need not do anything.",
    routes: { "": page(`<p id="go">Text</p>${result}`) },
    workflow: [click("//p[@id='go']"), read({ sent })],
    expected: { sent: "" },
    warnings: none
  }),
  challenge({
    name: "link to where one is",
    difficulty: "The link scrolls to a heading that is in view already.",
    routes: { "": page(`<a href="#here">Here</a><h2 id="here">Here</h2>${result}`) },
    workflow: [click("//a"), read({ sent })],
    expected: { sent: "" },
    warnings: none
  })
]
