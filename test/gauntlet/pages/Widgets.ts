/** Controls that pages make themselves, and the stranger ones of the browser. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { choose, click, doubleClick, hover, press, read, rightClick, text, type, yes } from "../Workflow.ts"

const { resolve } = createRequire(import.meta.url)
const file = (id: string, type: string) => ({ headers: { "content-type": type }, body: readFileSync(resolve(id)) })

const goods = `["Bolt", "Nut", "Screw", "Washer", "Rivet", "Wing nut"]`

export const challenges = [
  challenge({
    name: "slider",
    difficulty: "The value is set by moving a handle, which only keys can do to the point.",
    routes: {
      "": page(
        `<div role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="100" aria-valuenow="50" style="width: 200px; height: 20px; background: silver"></div>${result}`,
        `const slider = $("[role=slider]")
        slider.onkeydown = ({ key }) => {
          const by = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5 }[key]
          if (by === undefined) return
          slider.ariaValueNow = String(Number(slider.ariaValueNow) + by)
          say("set to " + slider.ariaValueNow)
        }`
      )
    },
    workflow: [
      click("//*[@role='slider']"),
      press("{{right}}{{right}}{{arrow_up}}{{left}}"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "set to 60" }
  }),
  challenge({
    name: "native range",
    difficulty: "A range input takes no text, but follows the arrow keys.",
    routes: {
      "": page(
        `<input type="range" min="0" max="10" value="5">${result}`,
        `$("input").onchange = () => say($("input").value)`
      )
    },
    workflow: [click("//input"), press("{{right}}{{right}}{{right}}"), read({ result: text("//*[@id='result']") })],
    expected: { result: "8" }
  }),
  challenge({
    name: "autocomplete",
    difficulty:
      "Proposals come a while after typing, older answers may arrive after newer ones, and one must be picked.",
    routes: {
      "": page(
        `<input autocomplete="off"><ul></ul>${result}`,
        `const cities = ["Hamburg", "Hamm", "Hanau", "Hannover"]
        let timer
        $("input").oninput = () => {
          clearTimeout(timer)
          const wanted = $("input").value
          timer = setTimeout(() => setTimeout(() => {
            $("ul").innerHTML = cities.filter((city) => city.startsWith(wanted)).map((city) => "<li>" + city + "</li>").join("")
            for (const item of $("ul").children) item.onmousedown = () => {
              $("input").value = item.textContent
              $("ul").innerHTML = ""
              say("picked " + item.textContent)
            }
          }, wanted.length < 4 ? 150 : 50), 80)
        }`
      )
    },
    workflow: [
      type("//input", "Hann", { typing_delay_ms: 20 }),
      click("//li[.='Hannover']"),
      read({ result: text("//*[@id='result']"), field: text("//input") })
    ],
    expected: { result: "picked Hannover", field: "Hannover" }
  }),
  challenge({
    name: "combobox by its roles",
    difficulty: "A combobox of roles opens on click, and its options are in the page only while it is open.",
    routes: {
      "": page(
        `<div id="box" role="combobox" aria-expanded="false" aria-controls="options" tabindex="0" style="border: 1px solid; width: 200px">Choose…</div>
        <div id="place"></div>${result}`,
        `$("#box").onclick = () => {
          $("#box").ariaExpanded = "true"
          setTimeout(() => {
            $("#place").innerHTML = "<div id=options role=listbox>" + ["Visa", "Master", "Cash"].map((name) => "<div role=option>" + name + "</div>").join("") + "</div>"
            for (const option of document.querySelectorAll("[role=option]")) option.onclick = () => {
              $("#box").textContent = option.textContent
              $("#box").ariaExpanded = "false"
              $("#place").innerHTML = ""
              say("pays by " + option.textContent)
            }
          }, 100)
        }`
      )
    },
    workflow: [choose("//*[@id='box']", "Master"), read({ result: text("//*[@id='result']") })],
    expected: { result: "pays by Master" }
  }),
  challenge({
    name: "select hidden behind a widget",
    difficulty: "The real list is hidden, and a widget in its place shows and sets it.",
    routes: {
      "": page(
        `<select id="country" style="position: absolute; width: 1px; height: 1px; opacity: 0; overflow: hidden" aria-hidden="true" tabindex="-1"><option value="de">Germany</option><option value="fr">France</option></select>
        <span class="widget" role="combobox" aria-expanded="false" tabindex="0" style="border: 1px solid; display: inline-block; width: 200px">Germany</span><ul class="list"></ul>${result}`,
        `$(".widget").onclick = () => {
          $(".list").innerHTML = [...$("select").options].map((option) => "<li role=option data-value=" + option.value + ">" + option.text + "</li>").join("")
          for (const item of $(".list").children) item.onmouseup = () => {
            $("select").value = item.dataset.value
            $("select").dispatchEvent(new Event("change", { bubbles: true }))
            $(".widget").textContent = item.textContent
            $(".list").innerHTML = ""
          }
        }
        $("select").onchange = () => say($("select").value)`
      )
    },
    workflow: [
      click("//span[@role='combobox']"),
      click("//li[@role='option'][.='France']"),
      read({ result: text("//*[@id='result']"), shown: text("//span[@role='combobox']") })
    ],
    expected: { result: "fr", shown: "France" }
  }),
  challenge({
    name: "Select2",
    difficulty:
      "Select2 hides the list, shows its own box, and draws the options with a search into the end of the page.",
    routes: {
      "": page(
        `<link rel="stylesheet" href="select2.css"><select id="part" style="width: 200px"></select>${result}
        <script src="jquery.js"></script><script src="select2.js"></script>`,
        `jQuery("#part").select2({ data: ${goods} }).on("change", () => say(jQuery("#part").val()))`
      ),
      "jquery.js": file("jquery/dist/jquery.min.js", "text/javascript"),
      "select2.js": file("select2/dist/js/select2.min.js", "text/javascript"),
      "select2.css": file("select2/dist/css/select2.min.css", "text/css")
    },
    workflow: [
      choose("//*[@id='part']", "Wing nut"),
      read({ result: text("//*[@id='result']"), shown: text("//span[@role='combobox']") })
    ],
    expected: { result: "Wing nut", shown: "Wing nut" }
  }),
  challenge({
    name: "field that filters its options",
    difficulty:
      "As React-Select does it: opens on pressing, draws its options elsewhere, and keeps the value in a hidden field.",
    routes: {
      "": page(
        `<div class="parts-container"><div class="parts__control" style="border: 1px solid; width: 220px; height: 30px">
          <div class="parts__placeholder">Select...</div>
          <input id="react-select-2-input" class="parts__input" role="combobox" aria-autocomplete="list" aria-haspopup="true" aria-expanded="false" style="width: 4px; border: 0">
        </div><input type="hidden" name="part"></div><div id="portal"></div>${result}`,
        `const input = $(".parts__input"), portal = $("#portal")
        const draw = () => {
          const fitting = ${goods}.filter((name) => name.toLowerCase().includes(input.value.toLowerCase()))
          portal.innerHTML = "<div id=react-select-2-listbox role=listbox>" + fitting.map((name, at) => "<div role=option id=react-select-2-option-" + at + ">" + name + "</div>").join("") + "</div>"
          for (const option of portal.querySelectorAll("[role=option]")) option.onclick = () => {
            $(".parts__placeholder").textContent = option.textContent
            $("[name=part]").value = option.textContent
            input.value = ""
            shut()
            say("chose " + option.textContent)
          }
        }
        const shut = () => { portal.innerHTML = ""; input.ariaExpanded = "false"; input.removeAttribute("aria-controls") }
        $(".parts__control").onmousedown = (event) => {
          event.preventDefault()
          input.focus()
          if (input.ariaExpanded === "true") return shut()
          input.ariaExpanded = "true"
          input.setAttribute("aria-controls", "react-select-2-listbox")
          setTimeout(draw, 50)
        }
        portal.onmousedown = (event) => event.preventDefault()
        input.oninput = () => { input.ariaExpanded = "true"; input.setAttribute("aria-controls", "react-select-2-listbox"); setTimeout(draw, 80) }
        input.onblur = shut`
      )
    },
    workflow: [
      choose("//*[@id='react-select-2-input']", "screw", { fuzzy_match: true }),
      read({ result: text("//*[@id='result']"), part: text("//input[@name='part']") })
    ],
    expected: { result: "chose Screw", part: "Screw" }
  }),
  challenge({
    name: "select with groups",
    difficulty: "Options of the same text stand in two groups, so that only the value tells them apart.",
    routes: {
      "": page(
        `<select><optgroup label="Summer"><option value="s1">Early</option><option value="s2">Late</option></optgroup>
        <optgroup label="Winter"><option value="w1">Early</option><option value="w2">Late</option></optgroup></select>${result}`,
        `$("select").onchange = () => say($("select").value + " " + $("option:checked").parentElement.label)`
      )
    },
    workflow: [choose("//select", "w1"), read({ result: text("//*[@id='result']") })],
    expected: { result: "w1 Winter" }
  }),
  challenge({
    name: "options that arrive late",
    difficulty: "The list is there at once, and its options only when their request was answered.",
    routes: {
      "": page(
        `<select><option>Loading…</option></select>${result}`,
        `setTimeout(() => { $("select").innerHTML = "<option>?</option><option>Berlin</option><option>Bern</option>" }, 250)
        $("select").onchange = () => say($("select").value)`
      )
    },
    workflow: [choose("//select[option[2]]", "Bern"), read({ result: text("//*[@id='result']") })],
    expected: { result: "Bern" }
  }),
  challenge({
    name: "dressed-up checkbox",
    difficulty: "The real boxes are invisible, and their labels are what is drawn and clicked.",
    routes: {
      "": page(
        `<style>input { position: absolute; opacity: 0; pointer-events: none } label { border: 1px solid; padding: 4px }</style>
        <input type="checkbox" id="terms"><label for="terms">Terms</label>
        <input type="radio" name="ship" id="fast"><label for="fast">Fast</label>
        <input type="radio" name="ship" id="slow" checked><label for="slow">Slow</label>`
      )
    },
    workflow: [
      click("//label[@for='terms']"),
      click("//label[.='Fast']"),
      read({ terms: yes("//input[@id='terms']"), fast: yes("//input[@id='fast']"), slow: yes("//input[@id='slow']") })
    ],
    expected: { terms: true, fast: true, slow: false }
  }),
  challenge({
    name: "rich text editor",
    difficulty: "The text goes into an editable element, which is no field and has no value.",
    routes: {
      "": page(
        `<div id="editor" contenteditable="true" style="border: 1px solid"><p>Old draft</p></div><button>Post</button>${result}`,
        `$("button").onclick = () => say($("#editor").innerText.trim())`
      )
    },
    workflow: [type("//*[@id='editor']", "Dear Ada"), click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "Dear Ada" }
  }),
  challenge({
    name: "hover menu",
    difficulty: "The entry is there only while the pointer is over the menu, and goes when that leaves it.",
    routes: {
      "": page(
        `<style>nav ul { display: none } nav:hover ul { display: block }</style>
        <nav><span>Products</span><ul><li><a href="#tools">Tools</a></li></ul></nav>${result}`,
        `$("a").onclick = () => say("tools")`
      )
    },
    workflow: [hover("//nav/span"), click("//nav//a"), read({ result: text("//*[@id='result']") })],
    expected: { result: "tools" }
  }),
  challenge({
    name: "double-click to edit",
    difficulty: "A cell becomes a field when it is double-clicked, and is kept on Enter.",
    routes: {
      "": page(
        `<table><tr><td>12</td></tr></table>${result}`,
        `const cell = $("td")
        cell.ondblclick = () => {
          cell.innerHTML = "<input value='" + cell.textContent + "'>"
          const input = $("input")
          input.focus()
          input.onkeydown = ({ key }) => { if (key === "Enter") { cell.textContent = input.value; say("kept " + cell.textContent) } }
        }`
      )
    },
    workflow: [
      doubleClick("//td"),
      type("//td/input", "15", { submit_after_input: true }),
      read({ result: text("//*[@id='result']"), cell: text("//td") })
    ],
    expected: { result: "kept 15", cell: "15" }
  }),
  challenge({
    name: "context menu",
    difficulty: "The action is in a menu of the page's own that the right button opens.",
    routes: {
      "": page(
        `<div id="file" style="width: 200px">report.pdf</div><ul id="menu" class="hidden"><li>Rename</li><li>Delete</li></ul>${result}`,
        `$("#file").oncontextmenu = (event) => { event.preventDefault(); $("#menu").classList.remove("hidden") }
        $("#menu").onclick = ({ target }) => { say(target.textContent); $("#menu").classList.add("hidden") }`
      )
    },
    workflow: [
      rightClick("//*[@id='file']"),
      click("//*[@id='menu']/li[.='Delete']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "Delete" }
  }),
  challenge({
    name: "keyboard only",
    difficulty: "The grid ignores the mouse, and is walked through by Tab and arrows.",
    routes: {
      "": page(
        `<button>Before</button><div id="grid" tabindex="0">·</div>${result}`,
        `let at = [0, 0]
        $("#grid").onkeydown = (event) => {
          const by = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key]
          if (by) at = [at[0] + by[0], at[1] + by[1]]
          if (event.key === " ") say("cell " + at.join(","))
          event.preventDefault()
        }
        $("button").focus()`
      )
    },
    workflow: [press("{{tab}}{{down}}{{down}}{{right}}{{space}}"), read({ result: text("//*[@id='result']") })],
    expected: { result: "cell 2,1" }
  }),
  challenge({
    name: "moved by keys instead of dragged",
    difficulty: "Cards are dragged, and the way for those who cannot drag is by keys.",
    routes: {
      "": page(
        `<ol><li tabindex="0">One</li><li tabindex="0">Two</li><li tabindex="0">Three</li></ol>${result}`,
        `let held = null
        $("ol").onkeydown = (event) => {
          if (event.key === " ") { held = held ? null : event.target; event.preventDefault() }
          if (event.key === "ArrowUp" && held?.previousElementSibling) { held.previousElementSibling.before(held); held.focus() }
          say([...$("ol").children].map((item) => item.textContent).join(" "))
        }`
      )
    },
    workflow: [
      click("//li[.='Three']"),
      press("{{space}}{{up}}{{up}}{{space}}"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "Three One Two" }
  })
]
