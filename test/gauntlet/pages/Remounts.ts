/** Pages that replace their elements while one is at them. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, text, type } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "re-rendering list",
    difficulty: "The whole list is rebuilt several times a second, so no element of it lives long.",
    routes: {
      "": page(
        `<ul></ul>${result}`,
        `const draw = () => {
          $("ul").innerHTML = ["Alpha", "Beta", "Gamma"].map((name) => "<li><button>" + name + "</button></li>").join("")
          for (const button of document.querySelectorAll("button")) button.onclick = () => say(button.textContent)
        }
        draw()
        setInterval(draw, 300)`
      )
    },
    workflow: [click("//button[.='Gamma']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "Gamma" }
  }),
  challenge({
    name: "detached under the pointer",
    difficulty: "The button is replaced by a twin as soon as the pointer is over it, and only the twin does anything.",
    routes: {
      "": page(
        `<p id="place"><button>Order</button></p>${result}`,
        `$("button").addEventListener("mouseover", () => {
          $("#place").innerHTML = "<button>Order</button>"
          $("button").onclick = () => say("ordered")
        }, { once: true })`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "ordered" }
  }),
  challenge({
    name: "detached when scrolled to",
    difficulty: "The first time that the button comes into view it is removed, and put back a moment later.",
    routes: {
      "": page(
        `<div style="height: 2000px">Read the terms.</div><p id="place"><button onclick="say('agreed')">Agree</button></p>${result}`,
        `const [button] = $("#place").children
        new IntersectionObserver(([entry], observer) => {
          if (!entry.isIntersecting) return
          observer.disconnect()
          $("#place").innerHTML = ""
          setTimeout(() => $("#place").append(button.cloneNode(true)), 150)
        }).observe(button)`
      )
    },
    workflow: [click("//button[.='Agree']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "agreed" }
  }),
  challenge({
    name: "input replaced at every key",
    difficulty: "Every key that is typed puts a new field in the place of the old one, with the focus kept.",
    routes: {
      "": page(
        `<div id="place"></div>${result}`,
        `let value = ""
        const draw = () => {
          $("#place").innerHTML = "<input>"
          const input = $("input")
          input.value = value
          input.focus()
          input.oninput = () => { value = input.value; draw(); say(value) }
        }
        draw()`
      )
    },
    workflow: [
      type("//input", "Ada Lovelace", { typing_delay_ms: 5 }),
      read({ result: text("//*[@id='result']"), field: text("//input") })
    ],
    expected: { result: "Ada Lovelace", field: "Ada Lovelace" }
  }),
  challenge({
    name: "controlled input",
    difficulty: "The field shows only what its program has taken over from events, as fields of React do.",
    routes: {
      "": page(
        `<input value="old">${result}`,
        `const input = $("input")
        let state = "old"
        input.oninput = () => { state = input.value.toUpperCase(); input.value = state }
        input.onblur = () => { input.value = state; say(state) }
        setInterval(() => { if (input.value !== state) input.value = state }, 20)`
      )
    },
    workflow: [type("//input", "abc{{tab}}"), read({ result: text("//*[@id='result']"), field: text("//input") })],
    expected: { result: "ABC", field: "ABC" }
  }),
  challenge({
    name: "form replaced after load",
    difficulty:
      "The form of the server is thrown away for one of the page's script, and what was typed before is lost.",
    routes: {
      "": page(
        `<div id="place"><form class="static"><input name="email"></form></div>${result}`,
        `setTimeout(() => {
          $("#place").innerHTML = "<form class='live'><input name='email'><button>Subscribe</button></form>"
          $("form").onsubmit = () => { say("subscribed " + $("input").value); return false }
        }, 200)`
      )
    },
    workflow: [
      type("//form[@class='live']/input", "ada@site.example"),
      click("//button"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "subscribed ada@site.example" }
  }),
  challenge({
    name: "list that is put in order",
    difficulty: "The entries change places after the page was loaded, so only their texts tell them apart.",
    routes: {
      "": page(
        `<ol><li><button>Delete</button> Draft</li><li><button>Delete</button> Final</li></ol>${result}`,
        `for (const row of document.querySelectorAll("li")) row.firstChild.onclick = () => say(row.lastChild.data.trim())
        setTimeout(() => $("ol").prepend($("li:last-child")), 150)`
      )
    },
    workflow: [click("//li[contains(., 'Draft')]/button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "Draft" }
  })
]
