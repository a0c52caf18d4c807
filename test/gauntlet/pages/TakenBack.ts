/** Pages that take back what was typed before it is sent: it is sent as it was typed, or the run fails. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { choose, click, press, read, text, type } from "../Workflow.ts"

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

/** A list of the page's own in the form, which says what it holds. */
const ownList = `<div id="country" role="combobox" aria-label="Country" aria-expanded="false" aria-controls="countries" tabindex="0">Norway</div>
  <div id="countries" role="listbox" hidden><div role="option">Norway</div><div role="option">Spain</div></div>`

const ownListScript = `const country = $("#country"), countries = $("#countries")
  const openList = (open) => { countries.hidden = !open; country.setAttribute("aria-expanded", String(open)) }
  country.onclick = () => openList(countries.hidden)
  countries.onclick = (event) => { country.textContent = event.target.textContent; openList(false); chosen() }
  const alone = (event) => { event.preventDefault(); say(country.textContent) }
  document.addEventListener("submit", alone)`

const ownChoice = choose("//*[@id='country']", "Spain")

const editor = `<div id="note" role="textbox" aria-label="Note" contenteditable="true">Old note</div>`

const noteScript = `document.addEventListener("submit", () => say($("#note").innerText.trim()))`

const note = type("//*[@id='note']", "Call at noon")

/** Reads the page, once what the last step began is over. */
const settled = read({ before: text("//*[@id='result']") })

const sendTyped = [type("//input[@id='town']", "Kiel"), ...send]

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
      rules: { body: "none", after: 800 }
    },
    workflow: [choose("//select", "Spain"), settled, ...fill, ...send],
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
    name: "choice in a list of the page's own that is taken back",
    difficulty: "A list made of divs shows its old entry again once an answer has come.",
    routes: {
      "": form(
        `${ownListScript}; const chosen = () => fetch("rules").then(() => { country.textContent = "Norway" })`,
        ownList
      ),
      rules: { body: "none", after: 800 }
    },
    workflow: [ownChoice, settled, ...send],
    expected: failing("UNEXPECTED_UI_STATE", 'it has "Country Norway" instead of "Spain"')
  }),
  challenge({
    name: "choice in an open list that is taken back",
    difficulty: "A list whose options are always there takes the mark of the chosen one back.",
    routes: {
      "": form(
        `const all = document.querySelectorAll("[role=option]")
        const mark = (chosen) => { for (const one of all) one.setAttribute("aria-selected", String(one === chosen)) }
        for (const one of all) one.onclick = () => { mark(one); fetch("rules").then(() => mark(all[0])) }
        document.addEventListener("submit", () => say($("[aria-selected=true]").textContent))`,
        `<div id="size" role="listbox"><div role="option" aria-selected="true">Small</div><div role="option" aria-selected="false">Large</div></div>`
      ),
      rules: { body: "none", after: 800 }
    },
    workflow: [choose("//*[@id='size']", "Large"), settled, ...send],
    expected: failing("UNEXPECTED_UI_STATE", 'it has "Small" instead of "Large"')
  }),
  challenge({
    name: "choice taken back from a list that was filled late",
    difficulty: "The options of a list come after its page, and the choice is taken back by an answer.",
    routes: {
      "": form(
        `setTimeout(() => { $("#country").innerHTML = "<option>Norway<option>Spain" }, 300)
        $("#country").onchange = () => { fetch("rules").then(() => { $("#country").value = "Norway" }) }`,
        `<select id="country" name="country"></select>`
      ),
      rules: { body: "none", after: 800 }
    },
    workflow: [choose("//select", "Spain"), settled, ...send],
    expected: failing("UNEXPECTED_UI_STATE", 'it has "Norway" instead of "Spain"')
  }),
  challenge({
    name: "choice taken back without a form",
    difficulty: "A list made of divs and a button are in no form, and the list shows its old entry again.",
    routes: {
      "": page(
        `${ownList}<button>Send</button>${result}`,
        `${ownListScript}; const chosen = () => setTimeout(() => { country.textContent = "Norway" }, 1000)
        $("button").onclick = () => say(country.textContent)`
      )
    },
    workflow: [ownChoice, settled, ...send],
    expected: { before: "", sent: "Norway" },
    warnings: ["FIELD-W0002"]
  }),
  challenge({
    name: "list of the page's own that is drawn anew",
    difficulty: "A list made of divs is drawn anew by each text, and keeps its entry.",
    routes: {
      "": form(
        `${ownListScript}; const chosen = () => {}
        document.addEventListener("submit", () => say($("#country").textContent))
        town.addEventListener("input", () => { const one = $("#country"); one.replaceWith(one.cloneNode(true)) })`,
        ownList
      )
    },
    workflow: [ownChoice, ...sendTyped],
    expected: { sent: "Spain" }
  }),
  challenge({
    name: "menu of the page's own that goes back by itself",
    difficulty: "A list made of divs does what is chosen and shows its first entry again.",
    routes: {
      "": form(
        `${ownListScript}; const chosen = () => { $("#done").textContent += country.textContent; country.textContent = "Norway" }
        document.removeEventListener("submit", alone)`,
        `${ownList}<output id="done"></output>`
      )
    },
    workflow: [ownChoice, ...fill, ...send, read({ done: text("//*[@id='done']") })],
    expected: { sent: "Ada, Kiel", done: "Spain" }
  }),
  challenge({
    name: "note in an editor that is emptied",
    difficulty: "The page empties an editor when the next field is typed into.",
    routes: {
      "": form(
        `${noteScript}; town.addEventListener("input", () => { $("#note").innerHTML = "" }, { once: true })`,
        editor
      )
    },
    workflow: [note, ...sendTyped],
    expected: { sent: "Call at noon" },
    warnings: ["FIELD-W0001"]
  }),
  challenge({
    name: "note in an editor that is drawn anew",
    difficulty: "The page puts another editor with the stored note in the place of the one that was typed into.",
    routes: {
      "": form(
        `${noteScript}; const stored = $("#note").cloneNode(true)
        town.addEventListener("input", () => { $("#note").replaceWith(stored) }, { once: true })`,
        editor
      )
    },
    workflow: [note, ...sendTyped],
    expected: { sent: "Call at noon" },
    warnings: ["FIELD-W0001"]
  }),
  challenge({
    name: "note in an editor that cannot be kept",
    difficulty: "The page puts the stored note back whenever its editor is left.",
    routes: {
      "": form(
        `${noteScript}; $("#note").addEventListener("blur", () => { $("#note").textContent = "Old note" })`,
        editor
      )
    },
    workflow: [note, ...sendTyped],
    expected: failing("UNEXPECTED_UI_STATE", 'did so again: it holds "Old note" instead of "Call at noon"')
  }),
  challenge({
    name: "note in a frame that is emptied",
    difficulty: "The document of a frame is the editor, and it is emptied when the next field is typed into.",
    routes: {
      "": form(
        `document.addEventListener("submit", () => say($("iframe").contentDocument.body.innerText.trim()))
        town.addEventListener("input", () => { $("iframe").contentDocument.body.innerHTML = "" }, { once: true })`,
        `<iframe title="Note" src="note"></iframe>`
      ),
      note: `<!doctype html><body contenteditable="true">Old note</body>`
    },
    workflow: [type("//iframe", "Call at noon"), ...sendTyped],
    expected: { sent: "Call at noon" },
    warnings: ["FIELD-W0001"]
  }),
  challenge({
    name: "note that a toolbar has made bold",
    difficulty: "A button of an editor changes how its text looks, and another one sends it.",
    routes: {
      "": form(
        `${noteScript}; $("#bold").onclick = () => { $("#note").innerHTML = "<b>" + $("#note").innerHTML + "</b>" }`,
        `${editor}<button type="button" id="bold">B</button>`
      )
    },
    workflow: [note, click("//button[@id='bold']"), ...sendTyped],
    expected: { sent: "Call at noon" },
    warnings: []
  }),
  challenge({
    name: "name that keys went on with",
    difficulty: "A name is typed into its field, and more of it where the focus is.",
    routes: { "": form("") },
    workflow: [type("//input[@id='name']", "Ada"), press(" Lovelace"), ...send],
    expected: { sent: "Ada Lovelace," },
    warnings: []
  }),
  challenge({
    name: "note that keys went on with",
    difficulty: "A note is typed into its editor, and more of it where the focus is.",
    routes: { "": form(noteScript, editor) },
    workflow: [note, press(" or later"), ...send],
    expected: { sent: "Call at noon or later" },
    warnings: []
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
