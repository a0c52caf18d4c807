/** Lists and boxes in which the wrong thing is easily chosen. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { choose, click, read, step, text, yes } from "../Workflow.ts"

const list = (options: string, more = "") =>
  page(
    `<select ${more}>${options}</select>${result}`,
    `
  const shown = () => say([...$("select").selectedOptions].map((one) => one.dataset.id ?? one.value).join(" "))
  $("select").onchange = shown`
  )

const sent = text("//*[@id='result']")

/** A listbox of the page's own, which says what was clicked. */
const listbox = (options: string, more = "") =>
  page(
    `<div role="listbox" aria-label="Seats" ${more}>${options}</div>${result}`,
    `const several = $("[role=listbox]").hasAttribute("aria-multiselectable")
    for (const one of document.querySelectorAll("[role=option]")) one.onclick = () => {
      const on = one.getAttribute("aria-selected") !== "true"
      if (!several) for (const other of document.querySelectorAll("[role=option]")) other.setAttribute("aria-selected", "false")
      one.setAttribute("aria-selected", String(on || !several))
      say([...document.querySelectorAll("[aria-selected=true]")].map((each) => each.id).join(" "))
    }`
  )

const option = (id: string, name: string) => `<div role="option" id="${id}" tabindex="0">${name}</div>`

const box = (attributes: string) =>
  page(
    `<label><input type="checkbox" ${attributes}> Paperless</label>${result}`,
    `$("input").onchange = () => say(String($("input").checked))`
  )

const toggle = (on: boolean) =>
  page(
    `<button role="switch" aria-checked="${on}">Alerts</button>${result}`,
    `$("button").onclick = () => $("button").setAttribute("aria-checked", String($("button").getAttribute("aria-checked") !== "true"))`
  )

const state = { on: text("//button/@aria-checked") }

const set = (selector: string, checked: boolean) => click(selector, { checked })

export const challenges = [
  challenge({
    name: "two options of one name",
    difficulty: "Two options have the same text, and other values.",
    routes: { "": list(`<option>Choose<option value="b1">Springfield<option value="b2">Springfield`) },
    workflow: [choose("//select", "Springfield"), read({ sent })],
    expected: failing("MULTIPLE_MATCHING_RESULTS_FOUND", "2 options have this value or text")
  }),
  challenge({
    name: "option by the value that it alone has",
    difficulty: "Two options have the same text, and other values.",
    routes: { "": list(`<option>Choose<option value="b1">Springfield<option value="b2">Springfield`) },
    workflow: [choose("//select", "b2"), read({ sent })],
    expected: { sent: "b2" }
  }),
  challenge({
    name: "number that is a value and a text",
    difficulty: "What one option shows is the value of the next.",
    routes: { "": list(`<option value="0">1<option value="1">2<option value="2">3`) },
    workflow: [choose("//select", "1"), read({ sent })],
    expected: failing("MULTIPLE_MATCHING_RESULTS_FOUND", "2 options have this value or text")
  }),
  challenge({
    name: "number that a person sees",
    difficulty: "What one option shows is the value of the next, and the workflow says which counts.",
    routes: { "": list(`<option value="0">1<option value="1">2<option value="2">3`) },
    workflow: [choose("//select", "2", { match_by: "text" }), read({ sent })],
    expected: { sent: "1" }
  }),
  challenge({
    name: "two entries of one name",
    difficulty: "A list of the page's own has two entries of the same text.",
    routes: { "": listbox(option("a", "Window") + option("b", "Aisle") + option("c", "Window")) },
    workflow: [choose("//*[@role='listbox']", "Window"), read({ sent })],
    expected: failing("MULTIPLE_MATCHING_RESULTS_FOUND", "2 options have this value or text")
  }),
  challenge({
    name: "second choice in a list that takes several",
    difficulty: "Each choice in a list of the browser drops the ones before.",
    routes: { "": list("<option>Red<option>Green<option>Blue", "multiple") },
    workflow: [choose("//select", "Red"), choose("//select", "Blue"), read({ sent })],
    expected: { sent: "Red Blue" }
  }),
  challenge({
    name: "several choices at once",
    difficulty: "A list of values takes the place of what was chosen before.",
    routes: { "": list("<option>Red<option>Green<option>Blue", "multiple") },
    workflow: [choose("//select", "Red"), choose("//select", '["Green", "Blue"]'), read({ sent })],
    expected: { sent: "Green Blue" }
  }),
  challenge({
    name: "entry that is chosen already",
    difficulty: "A click on an entry that is chosen takes the choice back.",
    routes: { "": listbox(option("a", "Window") + option("b", "Aisle"), 'aria-multiselectable="true"') },
    workflow: [
      choose("//*[@role='listbox']", "Window"),
      choose("//*[@role='listbox']", "Aisle"),
      choose("//*[@role='listbox']", "Window"),
      read({ sent })
    ],
    expected: { sent: "a b" }
  }),
  challenge({
    name: "second file of a field",
    difficulty: "Each file that is put into the field drops the ones before.",
    routes: {
      "": page(
        `<input type="file" multiple>${result}`,
        `$("input").onchange = () => say([...$("input").files].map(({ name }) => name).join(" "))`
      ),
      "one.txt": "one",
      "two.txt": "two"
    },
    workflow: [
      step("FILE_UPLOAD", { signed_file_url: "{{window.location.href}}one.txt", selector: "//input" }),
      step("FILE_UPLOAD", { signed_file_url: "{{window.location.href}}two.txt", selector: "//input" }),
      read({ sent })
    ],
    expected: { sent: "one.txt two.txt" }
  }),
  challenge({
    name: "box that is on already",
    difficulty: "A click would turn the box off.",
    routes: { "": box("checked") },
    workflow: [set("//input", true), read({ on: yes("//input") })],
    expected: { on: true }
  }),
  challenge({
    name: "box by its label",
    difficulty: "The label is clicked, and its box has the state.",
    routes: { "": box("") },
    workflow: [set("//label", true), set("//label", true), read({ on: yes("//input") })],
    expected: { on: true }
  }),
  challenge({
    name: "switch that is on already",
    difficulty: "A click would turn the switch off.",
    routes: { "": toggle(true) },
    workflow: [set("//button", true), read(state)],
    expected: { on: "true" }
  }),
  challenge({
    name: "switch that is turned off",
    difficulty: "The switch is on, and the workflow wants it off.",
    routes: { "": toggle(true) },
    workflow: [set("//button", false), set("//button", false), read(state)],
    expected: { on: "false" }
  }),
  challenge({
    name: "box that the page keeps off",
    difficulty: "The page turns the box off again.",
    routes: { "": page(`<input type="checkbox">`, `$("input").onclick = (event) => event.preventDefault()`) },
    workflow: [set("//input", true), read({ on: yes("//input") })],
    expected: failing("UNEXPECTED_UI_STATE", "it is still off after a click")
  })
]
