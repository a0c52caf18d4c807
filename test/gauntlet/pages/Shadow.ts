/** Elements inside of elements of a page's own making. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, text, texts, type } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "shadow root",
    difficulty: "The form is inside the shadow root of an element of the page's own.",
    routes: {
      "": page(
        `<sign-up></sign-up>${result}`,
        `customElements.define("sign-up", class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({ mode: "open" })
            root.innerHTML = "<input id='email'><button>Sign up</button>"
            root.querySelector("button").onclick = () => say(root.querySelector("input").value)
          }
        })`
      )
    },
    workflow: [
      type("css=#email", "ada@site.example"),
      click("css=sign-up button"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "ada@site.example" }
  }),
  challenge({
    name: "shadow roots in shadow roots",
    difficulty:
      "The button is in a shadow root inside another, and the element is defined only after the page was loaded.",
    routes: {
      "": page(
        `<x-app></x-app>${result}`,
        `const define = (name, html, then = () => {}) => customElements.define(name, class extends HTMLElement {
          connectedCallback() { then(Object.assign(this.attachShadow({ mode: "open" }), { innerHTML: html })) }
        })
        define("x-app", "<header><x-menu></x-menu></header>")
        setTimeout(() => define("x-menu", "<button id='deep'>Deep</button><p id='note'>Note of the menu</p>", (root) => {
          root.querySelector("button").onclick = () => say("deep")
        }), 200)`
      )
    },
    workflow: [
      click("//button[@id='deep']"),
      read({ result: text("//*[@id='result']"), note: text("//p[@id='note']") }, "//p[@id='note']")
    ],
    expected: { result: "deep", note: "Note of the menu" }
  }),
  challenge({
    name: "slotted content",
    difficulty: "The tabs are drawn by a shadow root, but what they show stands in the page and is put into slots.",
    routes: {
      "": page(
        `<x-tabs><p slot="one">First</p><p slot="two">Second <button>More</button></p></x-tabs>${result}`,
        `customElements.define("x-tabs", class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({ mode: "open" })
            root.innerHTML = "<button id='t1'>1</button><button id='t2'>2</button><slot name='one'></slot>"
            root.querySelector("#t2").onclick = () => { root.querySelector("slot").name = "two" }
          }
        })
        $("p button").onclick = () => say("more of the second")`
      )
    },
    workflow: [
      click("css=x-tabs #t2"),
      click("//p[@slot='two']/button"),
      read({ result: text("//*[@id='result']"), all: texts("//x-tabs/p/text()[normalize-space()]") })
    ],
    expected: { result: "more of the second", all: ["First", "Second"] }
  }),
  challenge({
    name: "custom checkbox",
    difficulty: "The box is an element of the page's own with a role, and keeps its state in an attribute.",
    routes: {
      "": page(
        `<x-check role="checkbox" aria-checked="false" tabindex="0" aria-label="Terms">☐</x-check><button disabled>Go on</button>${result}`,
        `$("x-check").onclick = () => {
          $("x-check").setAttribute("aria-checked", "true")
          $("x-check").textContent = "☑"
          $("button").disabled = false
        }
        $("button").onclick = () => say($("x-check").getAttribute("aria-checked"))`
      )
    },
    workflow: [click("role=checkbox[name='Terms']"), click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "true" }
  })
]
