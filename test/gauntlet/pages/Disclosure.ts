/** Elements that have to be opened first. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, hover, read, text, type } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "accordion",
    difficulty: "Opening one section shuts the others, and each slides open for a moment.",
    routes: {
      "": page(
        `<style>section > div { max-height: 0; overflow: hidden; transition: max-height 150ms } section.open > div { max-height: 200px }</style>
        <section class="open"><h3>Shipping</h3><div><button>Choose post</button></div></section>
        <section><h3>Payment</h3><div><button>Choose card</button></div></section>${result}`,
        `document.body.onclick = ({ target }) => {
          if (target.matches("h3")) for (const one of document.querySelectorAll("section")) one.classList.toggle("open", one === target.parentElement)
          if (target.matches("button")) say(target.textContent)
        }`
      )
    },
    workflow: [
      click("//h3[.='Payment']"),
      click("//section[@class='open']//button[.='Choose card']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "Choose card" }
  }),
  challenge({
    name: "tabs with panels on demand",
    difficulty: "A panel is loaded when its tab is chosen the first time, and all panels have the same field.",
    routes: {
      "": page(
        `<div role="tablist"><button role="tab">Home</button><button role="tab">Work</button></div>
        <div id="Home" role="tabpanel"><input name="street" value="Home Lane"></div><div id="Work" role="tabpanel" hidden></div>`,
        `for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = async () => {
          const panel = document.getElementById(tab.textContent)
          if (panel.innerHTML === "") panel.innerHTML = await (await fetch("panel")).text()
          for (const other of document.querySelectorAll("[role=tabpanel]")) other.hidden = other !== panel
        }`
      ),
      panel: { body: `<input name="street" value="Work Street">`, after: 120 }
    },
    workflow: [
      click("role=tab[name='Work']"),
      type("//*[@role='tabpanel'][@id='Work'][not(@hidden)]/input", "Mill Road"),
      click("role=tab[name='Home']"),
      read({ home: text("//*[@id='Home']/input"), work: text("//*[@id='Work']/input") }, "//*[@id='Work'][@hidden]")
    ],
    expected: { home: "Home Lane", work: "Mill Road" }
  }),
  challenge({
    name: "tooltip",
    difficulty: "The figure stands only in a tooltip that is put into the page while the pointer rests.",
    routes: {
      "": page(
        `<span id="bar" style="display: inline-block; width: 50px; height: 50px; background: teal"></span>`,
        `let timer
        $("#bar").onmouseenter = () => { timer = setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<div role=tooltip>1,284 visits</div>"), 120) }
        $("#bar").onmouseleave = () => { clearTimeout(timer); $("[role=tooltip]")?.remove() }`
      )
    },
    workflow: [
      hover("//*[@id='bar']"),
      read({ visits: { type: "number", path: "//*[@role='tooltip']" } }, "//*[@role='tooltip']")
    ],
    expected: { visits: 1284 }
  }),
  challenge({
    name: "details of the browser's own",
    difficulty: "The text is folded away in a details element, and the link in it cannot be clicked before.",
    routes: {
      "": page(
        `<details><summary>More</summary><p>Opening hours: <a href="#hours" onclick="say('asked')">ask</a></p></details>${result}`
      )
    },
    workflow: [click("//summary"), click("//details[@open]//a"), read({ result: text("//*[@id='result']") })],
    expected: { result: "asked" }
  }),
  challenge({
    name: "read more",
    difficulty: "The text is cut off, and the whole is put in its place by a link that then goes.",
    routes: {
      "": page(
        `<p id="text">Lorem… <a href="#more">more</a></p>`,
        `$("a").onclick = () => setTimeout(() => { $("#text").textContent = "Lorem ipsum dolor" }, 100)`
      )
    },
    workflow: [click("//a[.='more']"), read({ text: text("//*[@id='text']") }, "//*[@id='text'][not(a)]")],
    expected: { text: "Lorem ipsum dolor" }
  }),
  challenge({
    name: "wizard in one page",
    difficulty:
      "The next step appears only when the fields of this one are valid, and checks run when a field is left.",
    routes: {
      "": page(
        `<form novalidate><fieldset id="one"><input id="zip"><em></em><button type="button" disabled>Next</button></fieldset>
        <fieldset id="two" hidden><input id="city" readonly><button>Finish</button></fieldset></form>${result}`,
        `$("#zip").onchange = () => setTimeout(() => {
          const valid = /^\\d{5}$/.test($("#zip").value)
          $("em").textContent = valid ? "" : "five digits"
          $("#one button").disabled = !valid
        }, 100)
        $("#one button").onclick = () => { $("#one").hidden = true; $("#two").hidden = false; $("#city").value = "Bonn" }
        $("form").onsubmit = () => { say($("#zip").value + " " + $("#city").value); return false }`
      )
    },
    workflow: [
      type("//input[@id='zip']", "53111{{tab}}"),
      click("//button[.='Next']"),
      click("//button[.='Finish']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "53111 Bonn" }
  })
]
