/** Elements that look like the one that is meant. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, text, type } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "hidden duplicate",
    difficulty: "The menu is there twice, once for narrow screens and not to be seen.",
    routes: {
      "": page(
        `<nav class="narrow" style="display: none"><button>Sign in</button></nav>
        <nav class="wide"><button onclick="say('signed in')">Sign in</button></nav>${result}`
      )
    },
    workflow: [click("//nav[@class='wide']/button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "signed in" }
  }),
  challenge({
    name: "ambiguous selector",
    difficulty: "Two buttons fit the selector, and clicking either would be a guess.",
    routes: {
      "": page(`<button onclick="say('one')">Delete</button><button onclick="say('two')">Delete</button>${result}`)
    },
    workflow: [click("//button[.='Delete']", { wait_time: 300 }), read({ result: text("//*[@id='result']") })],
    expected: failing("XPATH_INCORRECT", "2 elements match after 300 ms, expected exactly 1")
  }),
  challenge({
    name: "duplicate that goes away",
    difficulty: "While the page is built the old and the new button are both there.",
    routes: {
      "": page(
        `<button class="old">Pay</button>${result}`,
        `document.body.insertAdjacentHTML("afterbegin", "<button class=new>Pay</button>")
        $(".new").onclick = () => say("paid")
        setTimeout(() => $(".old").remove(), 250)`
      )
    },
    workflow: [click("//button[.='Pay']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "paid" }
  }),
  challenge({
    name: "twin off the screen",
    difficulty: "A twin for screen readers stands far outside of the screen, before the real link.",
    routes: {
      "": page(
        `<a href="#skip" style="position: absolute; left: -9999px" onclick="say('skipped')">Download</a>
        <p><a href="#real" onclick="say('downloaded')">Download</a></p>${result}`
      )
    },
    workflow: [click("//p/a[.='Download']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "downloaded" }
  }),
  challenge({
    name: "disabled twin",
    difficulty: "A disabled button of the same text stands first, and only the second can be clicked.",
    routes: {
      "": page(`<button disabled>Book</button><button onclick="say('booked')">Book</button>${result}`)
    },
    workflow: [click("//button[.='Book'][not(@disabled)]"), read({ result: text("//*[@id='result']") })],
    expected: { result: "booked" }
  }),
  challenge({
    name: "honeypot",
    difficulty: "A field that people do not see must stay empty, or the form is refused as from a robot.",
    routes: {
      "": page(
        `<form method="post" action="join"><label>E-mail <input name="email"></label>
        <div style="position: absolute; left: -5000px"><label>Leave empty <input name="website"></label></div><button>Join</button></form>`
      ),
      join: ({ form }) =>
        page(`<p id="result">${form.get("website") === "" ? `Joined ${form.get("email")}` : "Robot"}</p>`)
    },
    workflow: [
      type("//label[contains(., 'E-mail')]/input", "ada@site.example"),
      click("//button"),
      read({ result: text("//*[@id='result']") }, "//*[@id='result']")
    ],
    expected: { result: "Joined ada@site.example" }
  }),
  challenge({
    name: "button that moves away",
    difficulty: "The content above grows after the page was loaded, and the button is no longer where it was.",
    routes: {
      "": page(
        `<div id="above"></div><button id="buy">Buy</button><button id="ad">Advertisement</button>${result}`,
        `$("#buy").onclick = () => say("bought")
        $("#ad").onclick = () => say("advertisement")
        let height = 0
        const timer = setInterval(() => {
          $("#above").style.height = (height += 30) + "px"
          if (height >= 300) clearInterval(timer)
        }, 25)`
      )
    },
    workflow: [click("//*[@id='buy']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "bought" }
  }),
  challenge({
    name: "the same id twice",
    difficulty: "Two elements have the same id, and what surrounds them tells which is meant.",
    routes: {
      "": page(
        `<form id="find"><input id="q"><button id="go">Find</button></form>
        <form id="mail"><input id="q"><button id="go">Send</button></form>${result}`,
        `for (const form of document.forms) form.onsubmit = () => { say(form.id + ": " + form.querySelector("input").value); return false }`
      )
    },
    workflow: [
      type("//form[@id='mail']/input[@id='q']", "hello"),
      click("//form[@id='mail']/button[@id='go']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "mail: hello" }
  }),
  challenge({
    name: "classes that change with every build",
    difficulty: "Classes and ids are made by a build and differ at each visit, so only labels are of use.",
    state: () => ({ salt: Math.random().toString(36).slice(2, 8) }),
    routes: {
      "": ({ state: { salt } }) =>
        page(
          `<div class="css-${salt}"><label for="f-${salt}">Family name</label><input id="f-${salt}" class="x${salt}">
          <button class="btn-${salt}"><span>Search</span></button></div>${result}`,
          `$("button").onclick = () => say($("input").value)`
        )
    },
    workflow: [
      type("//input[@id = //label[.='Family name']/@for]", "Lovelace"),
      click("//button[normalize-space()='Search']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "Lovelace" }
  }),
  challenge({
    name: "button that counts double clicks",
    difficulty: "A second click within a moment orders a second time, so that one click has to be one.",
    routes: {
      "": page(
        `<button>Order</button>${result}`,
        `let orders = 0
        $("button").onclick = () => { orders++; setTimeout(() => say(orders + " ordered"), 120) }`
      )
    },
    workflow: [
      click("//button"),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][contains(., 'ordered')]")
    ],
    expected: { result: "1 ordered" }
  })
]
