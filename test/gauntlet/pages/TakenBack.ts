/** Pages that take back what was typed before it is sent: it is sent as it was typed, or the run fails. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { choose, click, read, text, type } from "../Workflow.ts"

const sent = text("//*[@id='result']")

/** A form of a name and a town, with the old name in it, which says what would be sent. */
const form = (script: string, more = "") =>
  page(
    `<form id="form"><label>Name <input id="name" value="Old"></label><label>Town <input id="town"></label>${more}
    <button>Send</button></form>${result}`,
    `document.addEventListener("submit", (event) => {
      event.preventDefault()
      say([...new FormData(event.target)].map(([, value]) => value).join(", ") || [...event.target.querySelectorAll("input")].map((one) => one.value).join(", "))
    })
    const name = $("#name"), town = $("#town")
    for (const one of [name, town]) one.name = one.id
    ${script}`
  )

const fill = [type("//input[@id='name']", "Ada"), type("//input[@id='town']", "Kiel")]

const send = [click("//button[.='Send']"), read({ sent })]

export const challenges = [
  challenge({
    name: "name that is filled in late",
    difficulty: "An answer of the server puts the stored name into the field after another one was typed.",
    routes: { "": form(`town.addEventListener("input", () => { name.value = "Old" }, { once: true })`) },
    workflow: [...fill, ...send],
    expected: { sent: "Ada, Kiel" }
  }),
  challenge({
    name: "name that is emptied late",
    difficulty: "The page empties a field when the next one is typed into.",
    routes: { "": form(`town.addEventListener("input", () => { name.value = "" }, { once: true })`) },
    workflow: [...fill, ...send],
    expected: { sent: "Ada, Kiel" }
  }),
  challenge({
    name: "name of another customer",
    difficulty: "An answer of the server puts a third name into the field after one was typed.",
    routes: { "": form(`town.addEventListener("input", () => { name.value = "Bob" }, { once: true })`) },
    workflow: [...fill, ...send],
    expected: { sent: "Ada, Kiel" }
  }),
  challenge({
    name: "form that is drawn anew",
    difficulty: "The page draws its form again with the stored values while it is filled in.",
    routes: {
      "": form(
        `town.addEventListener("input", () => { const html = $("#form").innerHTML; setTimeout(() => { $("#form").innerHTML = html; $("#name").name = "name"; $("#town").name = "town" }) }, { once: true })`
      )
    },
    workflow: [...fill, ...send],
    expected: { sent: "Ada, Kiel" }
  }),
  challenge({
    name: "form that is drawn anew by a choice",
    difficulty: "Choosing a country draws the fields again, with their old values.",
    routes: {
      "": form(
        `$("#country").onchange = () => { name.value = "Old"; town.value = "" }`,
        `<select id="country"><option>Norway<option>Spain</select>`
      )
    },
    workflow: [...fill, choose("//select", "Spain"), ...send],
    expected: { sent: "Ada, Kiel" }
  }),
  challenge({
    name: "choice that is taken back",
    difficulty: "The page puts the old choice back once its answer has come.",
    routes: {
      "": form(
        `$("#country").onchange = () => { fetch("rules").then(() => { $("#country").value = "Norway" }) }`,
        `<select id="country" name="country"><option>Norway<option>Spain</select>`
      ),
      rules: { body: "none", after: 100 }
    },
    workflow: [choose("//select", "Spain"), read({ rules: text("//*[@id='result']") }), ...fill, ...send],
    expected: failing("UNEXPECTED_UI_STATE", `it has "Norway" instead of "Spain"`)
  }),
  challenge({
    name: "menu that goes back by itself",
    difficulty: "A list does what is chosen and shows its first entry again.",
    routes: {
      "": form(
        `$("#menu").onchange = () => { $("#done").textContent += $("#menu").value; $("#menu").selectedIndex = 0 }`,
        `<select id="menu"><option>Do<option>Copy</select><output id="done"></output>`
      )
    },
    workflow: [choose("//select[@id='menu']", "Copy"), ...fill, ...send, read({ done: text("//*[@id='done']") })],
    expected: { sent: "Ada, Kiel", done: "Copy" }
  }),
  challenge({
    name: "form in a frame that loads again",
    difficulty: "The frame of the form is loaded again after it was filled in, and is empty then.",
    routes: {
      "": page(
        `<iframe src="inner" title="form"></iframe>`,
        `addEventListener("message", () => { const frame = $("iframe"); frame.onload = () => { frame.onload = null }; frame.contentWindow.location.reload() }, { once: true })`
      ),
      inner: form(
        `if (sessionStorage.again !== "1") town.addEventListener("input", () => { if (town.value === "Kiel") { sessionStorage.again = "1"; parent.postMessage("", "*") } })`
      )
    },
    workflow: [...fill, ...send],
    expected: { sent: "Ada, Kiel" }
  }),
  challenge({
    name: "name that cannot be kept",
    difficulty: "The page puts the stored name back whenever the field is left.",
    routes: { "": form(`name.addEventListener("blur", () => { name.value = "Old" })`) },
    workflow: [...fill, ...send],
    expected: failing("UNEXPECTED_UI_STATE", "took back the text that was typed there")
  }),
  challenge({
    name: "quantity that is rounded when it is left",
    difficulty: "The page rounds a number when the field loses the focus.",
    routes: {
      "": form(
        `town.type = "number"; town.step = "any"; town.addEventListener("blur", () => { town.value = String(Math.round(Number(town.value))) })`
      )
    },
    workflow: [type("//input[@id='town']", "2.5"), click("//label[contains(.,'Name')]"), ...send],
    expected: failing("UNEXPECTED_UI_STATE", 'it holds "3" instead of "2.5"')
  }),
  challenge({
    name: "town taken from a list",
    difficulty: "A text is typed to find an entry, and the entry takes its place.",
    routes: {
      "": form(
        `town.addEventListener("input", () => { $("#list").hidden = false })
        $("#list li").onclick = () => { town.value = "Guernsey"; $("#list").hidden = true }`,
        `<ul id="list" role="listbox" hidden><li role="option">Guernsey</li></ul>`
      )
    },
    workflow: [type("//input[@id='name']", "Ada"), type("//input[@id='town']", "Gu"), click("//li"), ...send],
    expected: { sent: "Ada, Guernsey" }
  }),
  challenge({
    name: "tags that leave their field",
    difficulty: "A button takes each text out of its field, and the form is sent later.",
    routes: {
      "": form(
        `$("#add").onclick = () => { $("#tags").append(town.value + " "); town.value = "" }`,
        `<button type="button" id="add">Add</button><output id="tags"></output>`
      )
    },
    workflow: [
      type("//input[@id='name']", "Ada"),
      type("//input[@id='town']", "one"),
      click("//button[@id='add']"),
      type("//input[@id='town']", "two"),
      click("//button[@id='add']"),
      ...send,
      read({ tags: text("//*[@id='tags']") })
    ],
    expected: { sent: "Ada,", tags: "one two" }
  }),
  challenge({
    name: "quantity counted up",
    difficulty: "A button counts a typed number up, which is then sent.",
    routes: {
      "": form(
        `$("#more").onclick = () => { town.value = String(Number(town.value) + 1) }`,
        `<button type="button" id="more">+</button>`
      )
    },
    workflow: [
      type("//input[@id='name']", "Ada"),
      type("//input[@id='town']", "5"),
      click("//button[@id='more']"),
      ...send
    ],
    expected: { sent: "Ada, 6" }
  }),
  challenge({
    name: "address copied from another",
    difficulty: "A box copies another address over the one that was typed.",
    routes: {
      "": form(`$("#same").onchange = () => { town.value = "Same" }`, `<input type="checkbox" id="same">`)
    },
    workflow: [...fill, click("//input[@id='same']"), ...send],
    expected: { sent: "Ada, Same" }
  }),
  challenge({
    name: "form sent by a key",
    difficulty: "The page puts the stored name back before the form is sent by the Enter key.",
    routes: { "": form(`town.addEventListener("input", () => { name.value = "Old" }, { once: true })`) },
    workflow: [
      type("//input[@id='name']", "Ada"),
      type("//input[@id='town']", "Kiel", { submit_after_input: true }),
      read({ sent })
    ],
    expected: { sent: "Ada, Kiel" }
  })
]
