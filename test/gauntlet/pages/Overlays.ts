/** Overlays over the wanted element. */
import { challenge, failing, type Route } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, text, type, when } from "../Workflow.ts"

const cover = "position: fixed; inset: 0; background: #0008; z-index: 9"

const withConsent: Readonly<Record<string, Route<undefined>>> = {
  "": ({ elsewhere }) =>
    page(
      `<button id="go">Enter</button><p id="state"></p>${result}<div id="consent" style="${cover}">
      <iframe title="Consent" sandbox="allow-scripts" src="${elsewhere}consent" width="600" height="300"></iframe></div>`,
      `$("#go").onclick = () => say("entered")
      addEventListener("message", ({ data }) => {
        $("#state").textContent = "asked"
        if (data === "rejected") $("#consent").remove()
      })`
    ),
  consent: page(
    `<p>We and our 842 partners use cookies</p><button onclick="location = 'partners'">Our partners</button><x-choice></x-choice>`,
    `const root = $("x-choice").attachShadow({ mode: "open" })
    root.innerHTML = "<button title='Reject all'>Reject all</button>"
    root.firstChild.onclick = () => parent.postMessage("rejected", "*")
    parent.postMessage("asked", "*")`
  ),
  partners: page(`<h1>Partners</h1>`)
}

const enteringShop = [
  read({ asked: text("//p[@id='state']") }, "//p[@id='state'][. != '']"),
  click("//button[@id='go']", { wait_time: 3_000 }),
  read({ result: text("//p[@id='result']") })
]

export const challenges = [
  challenge({
    name: "sticky header",
    difficulty: "A header that stays at the top covers what is scrolled to below it.",
    routes: {
      "": page(
        `<header style="position: fixed; top: 0; left: 0; right: 0; height: 45vh; background: navy; z-index: 5"></header>
        <div style="height: 1500px"></div><button onclick="say('found')">Here</button><div style="height: 1500px"></div>${result}`,
        `addEventListener("scroll", () => {}, { passive: true })
        scrollTo(0, 3000)`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "found" }
  }),
  challenge({
    name: "sticky footer",
    difficulty: "A footer that stays at the bottom covers the last button of the page.",
    routes: {
      "": page(
        `<div style="height: 1500px"></div><button onclick="say('sent')">Send</button><div style="height: 300px"></div>
        <footer style="position: fixed; bottom: 0; left: 0; right: 0; height: 200px; background: navy"></footer>${result}`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "sent" }
  }),
  challenge({
    name: "cookie banner",
    difficulty: "Nothing of the page can be reached before the banner is answered, on the first visit only.",
    routes: {
      "": ({ cookies }) =>
        page(
          `<button id="go">Enter</button>${result}${
            cookies.consent === undefined
              ? `<div id="banner" style="${cover}"><button id="accept">Accept all</button></div>`
              : ""
          }`,
          `$("#go").onclick = () => say("entered")
          if ($("#accept")) $("#accept").onclick = () => { document.cookie = "consent=all; path=/"; $("#banner").remove() }`
        )
    },
    workflow: [
      when(["<<xpath://button[@id='accept']>>", "IS_NOT_NULL"], [click("//button[@id='accept']")]),
      click("//button[@id='go']"),
      { _tag: "Step", action: "NAVIGATE", parameters: { url: "?again" } },
      when(
        ["<<xpath://button[@id='accept']>>", "IS_NULL"],
        [click("//button[@id='go']"), read({ result: text("//*[@id='result']") })],
        [read({ banner: text("//*[@id='banner']") })]
      )
    ],
    expected: { result: "entered" }
  }),
  challenge({
    name: "cookie banner of another site",
    difficulty:
      "The banner is a frame of another site, which the page itself may not look into, and covers everything.",
    given: () => ({ recovery: { popups: true, popupXpaths: ["//button[@title='Reject all']"] } }),
    routes: withConsent,
    workflow: enteringShop,
    expected: { asked: "asked", result: "entered" },
    recoveries: ["popup_xpaths"]
  }),
  challenge({
    name: "unannounced cookie banner of another site",
    difficulty: "Nothing of the banner is in the page but its frame, and one of its buttons leads away from the shop.",
    given: () => ({ recovery: { popups: true } }),
    routes: withConsent,
    workflow: enteringShop,
    expected: { asked: "asked", result: "entered" },
    recoveries: ["popup"]
  }),
  challenge({
    name: "box beside its backdrop",
    difficulty: "The backdrop takes every click and has no button; the box beside it says nowhere that it is a dialog.",
    given: () => ({ recovery: { popups: true } }),
    routes: {
      "": page(
        `<button id="go">Enter</button>${result}
        <div id="backdrop" style="position:fixed;inset:0;background:#0008;z-index:1000"></div>
        <div id="box" style="position:fixed;left:200px;top:150px;width:300px;background:#fff;z-index:1001">
          <p>See what is new in this release</p><button id="later">Not now</button></div>`,
        `$("#go").onclick = () => say("entered")
        $("#later").onclick = () => { $("#box").remove(); $("#backdrop").remove() }`
      )
    },
    workflow: [click("//button[@id='go']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "entered" },
    recoveries: ["popup"]
  }),
  challenge({
    name: "newsletter after a while",
    difficulty: "A window for a newsletter opens over the form while that is being filled in.",
    routes: {
      "": page(
        `<form><input id="name"><button>Save</button></form>${result}
        <div id="news" class="hidden" style="${cover}"><button id="close">×</button></div>`,
        `$("#name").oninput = () => setTimeout(() => $("#news").classList.remove("hidden"), 100)
        $("#close").onclick = () => $("#news").remove()
        $("form").onsubmit = () => { say("saved " + $("#name").value); return false }`
      )
    },
    workflow: [
      type("//input[@id='name']", "Ada"),
      click("//button[@id='close']"),
      click("//button[.='Save']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "saved Ada" }
  }),
  challenge({
    name: "veil while loading",
    difficulty: "A veil lies over the page until the data are there, and takes every click.",
    routes: {
      "": page(
        `<button onclick="say('clicked')">Details</button>${result}<div id="veil" style="${cover}"></div>`,
        `$("#veil").onclick = () => say("veil hit")
        setTimeout(() => $("#veil").remove(), 350)`
      )
    },
    workflow: [click("//button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "clicked" }
  }),
  challenge({
    name: "toast over the button",
    difficulty: "A message lies over the button for a moment and disappears after a moment.",
    routes: {
      "": page(
        `<button id="save">Save</button><button id="next">Next</button>${result}`,
        `$("#save").onclick = () => {
          document.body.insertAdjacentHTML("beforeend", "<div id=toast style='position: fixed; inset: 0 0 auto 0; height: 120px; background: gold'>Saved</div>")
          setTimeout(() => $("#toast").remove(), 300)
        }
        $("#next").onclick = () => say("next")`
      )
    },
    workflow: [click("//*[@id='save']"), click("//*[@id='next']"), read({ result: text("//*[@id='result']") })],
    expected: { result: "next" }
  }),
  challenge({
    name: "modal dialog",
    difficulty: "A dialog element makes everything behind it inert until it is answered.",
    routes: {
      "": page(
        `<button id="open">Delete</button><button id="rest">Rest</button>${result}
        <dialog><form method="dialog"><p>Sure?</p><button value="no">No</button><button value="yes">Yes</button></form></dialog>`,
        `let answer = ""
        $("#open").onclick = () => $("dialog").showModal()
        $("dialog").onclose = () => { answer = $("dialog").returnValue }
        $("#rest").onclick = () => say("deleted: " + answer)`
      )
    },
    workflow: [
      click("//*[@id='open']"),
      click("//dialog[@open]//button[@value='yes']"),
      click("//*[@id='rest']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "deleted: yes" }
  }),
  challenge({
    name: "inert background",
    difficulty: "While a drawer is open the page behind it is inert, and wakes only after the drawer has slid out.",
    routes: {
      "": page(
        `<main><button onclick="say('background')">Behind</button></main>${result}
        <aside style="position: fixed; inset: 0; background: white; transition: transform 200ms"><button id="shut">Close</button></aside>`,
        `$("main").inert = true
        $("#shut").onclick = () => {
          $("aside").style.transform = "translateX(100%)"
          $("aside").ontransitionend = () => { $("main").inert = false; $("aside").remove() }
        }`
      )
    },
    workflow: [click("//*[@id='shut']"), click("//main/button"), read({ result: text("//*[@id='result']") })],
    expected: { result: "background" }
  }),
  challenge({
    name: "popover",
    difficulty: "A popover of the browser holds the menu, and shuts when anything else is clicked.",
    routes: {
      "": page(
        `<button popovertarget="menu">Account</button>${result}
        <div popover id="menu"><button id="out">Sign out</button></div>`,
        `$("#out").onclick = () => { say("signed out"); $("#menu").hidePopover() }`
      )
    },
    workflow: [
      click("//button[.='Account']"),
      click("//button[@id='out']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "signed out" }
  }),
  challenge({
    name: "covered for good",
    difficulty: "Something lies over the button and never goes away, so that no person could click it.",
    routes: {
      "": page(`<button>Buy</button><div style="${cover}">Not in your country</div>`)
    },
    workflow: [click("//button", { wait_time: 400 }), read({ result: text("//*[@id='result']") })],
    expected: failing("UNEXPECTED_UI_STATE", "the element did not become visible, enabled and still")
  })
]
