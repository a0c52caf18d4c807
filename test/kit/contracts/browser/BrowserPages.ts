/**
 * The pages on which the promises of the browser are kept: each as HTML, and as it is written down for the scripted browser.
 */
import { Redacted } from "effect"
import type { Passkey } from "../../../../core/vault/passkey/Passkey.ts"
import type { PageEvent, ScriptedElement } from "../../browser/ScriptedBrowser.ts"

export const id = (name: string): string => `//*[@id='${name}']`

export interface ContractPage {
  readonly html: string
  /** The same page, whose other pages lie at an origin. */
  readonly scripted: (origin: string) => ReadonlyArray<ScriptedElement>
}

/** The name and the password that the page `/auth` asks for by HTTP authentication. */
export const member = { userName: "ada", password: "correct horse" }

/** The passkey that the page of a host makes in the scripted browser. */
const passkeyOf = (host: string): Passkey => ({
  credentialId: "AQI=",
  rpId: host,
  privateKey: Redacted.make("AQI="),
  userHandle: "AQI=",
  signCount: 0
})

/** Makes a passkey for its host, and asks for it. Tells in `outcome` what came of it. */
const passkeys = `<script>
  const told = (done) => done.then((text) => text, () => "refused").then((text) => { outcome.textContent = text })
  const challenge = new Uint8Array(32)
  const host = location.hostname
  make.onclick = () => told(navigator.credentials.create({ publicKey: { challenge, rp: { id: host, name: "Club" },
    user: { id: new Uint8Array([1, 2]), name: "ada", displayName: "Ada" }, pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    authenticatorSelection: { residentKey: "required" } } }).then(() => "made"))
  ask.onclick = () => told(navigator.credentials.get({ publicKey: { challenge, rpId: host } }).then(() => "used"))
</script>`

const body = (content: string, title = "Page"): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${content}</body></html>`

const of = (events: ReadonlyArray<PageEvent>, name: string): ReadonlyArray<PageEvent> =>
  events.filter(({ selector }) => selector === id(name))

/** Tells in `log` what happens to `target`, in `hand` whether the mouse was moved there, and in `key` the last key. */
const listening = `<script>
  const told = (name, text) => { document.getElementById(name).textContent = text }
  const heard = []
  let moves = 0
  for (const type of ["click", "dblclick", "contextmenu", "mouseenter"])
    target.addEventListener(type, () => { heard.push(type); told("log", heard.join(" ")) })
  addEventListener("mousemove", () => told("hand", ++moves > 10 ? "moved" : "none"))
  addEventListener("keydown", ({ key }) => { if (key.length > 1) told("key", key) })
</script>`

/**
 * Reports drags, drawing, selections and wheel turns with their modifier keys. A drop happens at the last checked
 * point.
 */
const dragging = `<script>
  const told = (name, text) => { document.getElementById(name).textContent = text }
  card.ondragstart = (event) => event.dataTransfer.setData("text/plain", "card")
  let looked = -1e9, place = null
  const placeOf = ({ clientX, clientY }) => clientX + " " + clientY
  zone.ondragover = (event) => {
    event.preventDefault()
    // As many editors do: it looks at the pointer five times a second.
    if (event.timeStamp - looked < 200) return
    looked = event.timeStamp
    place = placeOf(event)
  }
  zone.ondrop = (event) => {
    event.preventDefault()
    told("dropped", place === placeOf(event) ? event.dataTransfer.getData("text/plain") : "elsewhere")
  }
  let from = null
  handle.onpointerdown = (event) => { from = event; handle.setPointerCapture(event.pointerId) }
  handle.onpointermove = ({ clientX, clientY, shiftKey }) => {
    if (from === null) return
    handle.style.transform = "none"
    told("moved", (clientX - from.clientX) + " " + (clientY - from.clientY) + (shiftKey ? " Shift" : ""))
  }
  handle.onpointerup = () => { from = null }
  words.onmouseup = () => told("chosen", String(getSelection()))
  let sum = 0
  wheel.onwheel = (event) => { event.preventDefault(); told("turned", sum += event.deltaY) }
  const heard = []
  for (const type of ["mousedown", "mouseup", "auxclick"])
    wheel.addEventListener(type, ({ ctrlKey }) => { heard.push(type + (ctrlKey ? "+Ctrl" : "")); told("log", heard.join(" ")) })
</script>`

const orders: ContractPage = {
  html: body(
    `<h1 id=title>Orders</h1>
    <table><tr class=row><td>A-1</td><td>12.5</td></tr><tr class=row><td>A-2</td><td>7</td></tr></table>
    <p id=empty></p>
    <script id=code>const canary = "canary-script"</script>`,
    "Orders"
  ),
  scripted: () => [
    { selector: id("title"), text: "Orders" },
    { selector: "//tr[@class='row']", parts: { "/td[1]": "A-1", "/td[2]": "12.5" } },
    { selector: "//tr[@class='row']", parts: { "/td[1]": "A-2", "/td[2]": "7" } },
    { selector: id("empty") }
  ]
}

export const pages: Readonly<Record<string, ContractPage>> = {
  "/": {
    html: body(
      `<h1 id=title>Home</h1>
      <a id=orders href=/orders>Orders</a>
      <a id=blank href=/orders target=_blank>In a window</a>
      <a id=closing href=/closing target=_blank rel=opener>One that closes</a>
      <button id=confirm onclick="confirm('Leave?')">Ask</button>
      <button id=prompt onclick="prompt('Your name?', 'Ann')">Name</button>
      <button id=cookie onclick="document.cookie = 'seen=yes; path=/'">Remember</button>
      <a id=save href=/orders.csv>Save</a>
      <a id=members href=/auth>Members</a>`,
      "Home"
    ),
    scripted: (origin) => [
      { selector: id("title"), text: "Home" },
      { selector: id("orders"), text: "Orders", leadsTo: `${origin}/orders` },
      { selector: id("blank"), text: "In a window", opens: `${origin}/orders` },
      { selector: id("closing"), text: "One that closes", opens: `${origin}/closing` },
      { selector: id("confirm"), text: "Ask", says: { kind: "confirm", message: "Leave?" } },
      { selector: id("prompt"), text: "Name", says: { kind: "prompt", message: "Your name?", proposes: "Ann" } },
      {
        selector: id("cookie"),
        text: "Remember",
        leaves: {
          cookies: [
            {
              name: "seen",
              value: "yes",
              domain: new URL(origin).hostname,
              path: "/",
              expires: null,
              httpOnly: false,
              secure: false,
              sameSite: null
            }
          ]
        }
      },
      { selector: id("save"), text: "Save", saves: [["orders.csv", "id,total\n"]] },
      { selector: id("members"), text: "Members", leadsTo: `${origin}/auth` }
    ]
  },
  "/arriving": {
    html: body(
      `<p id="total">0</p><table id="list"></table><script>
        const asked = new XMLHttpRequest()
        asked.open("GET", "/arrival")
        asked.onload = () => {
          list.innerHTML = '<tr class="row"><td>A-1</td></tr>'
          total.textContent = "1"
        }
        addEventListener("load", () => asked.send())
      </script>`
    ),
    scripted: () => [{ selector: "//tr[@class='row']", text: "A-1", appearsAfter: 300, isLoaded: true }]
  },
  "/leading": {
    html: body(`<a id="broken" href="/status/503">Broken</a><a id="missing" href="/status/404">Missing</a>`),
    scripted: (origin) => [
      { selector: id("broken"), leadsTo: `${origin}/status/503` },
      { selector: id("missing"), leadsTo: `${origin}/status/404` }
    ]
  },
  "/waiting": {
    html: body(
      `<p id="title">Title</p><script>const asked = new XMLHttpRequest(); asked.open("GET", "/silent"); asked.send()</script>`
    ),
    scripted: () => [{ selector: id("nobody"), appearsAfter: 10_000_000, isLoaded: true }]
  },
  "/orders": orders,
  "/closing": {
    html: body('<button id=close onclick="window.close()">Close</button>'),
    scripted: () => [{ selector: id("close"), text: "Close", closes: true }]
  },
  "/elements": {
    html: body(
      `<p class=two>one</p><p class=two>two</p>
      <button id=hidden style="display: none">Hidden</button>
      <button id=disabled disabled>Disabled</button>
      <div style="position: relative; width: 200px; height: 60px">
        <button id=covered>Covered</button>
        <div id=cover role=dialog style="position: absolute; inset: 0; z-index: 9; background: #fff">A notice
          <button id=away onclick="cover.remove()">Away</button></div>
      </div>
      <button id=pay>Pay now</button>
      <a id=link href=/orders>Orders</a>
      <script>self["setTimeout"](() => {
        const late = document.createElement("button")
        late.id = "late"
        late.textContent = "Late"
        late.onclick = () => { late.textContent = "Done" }
        document.body.append(late)
      }, 400)</script>`
    ),
    scripted: (origin) => [
      { selector: "//p[@class='two']", text: "one" },
      { selector: "//p[@class='two']", text: "two" },
      { selector: id("hidden"), text: "Hidden", hidden: true },
      { selector: id("disabled"), text: "Disabled", disabled: true },
      { selector: id("covered"), text: "Covered" },
      {
        selector: id("cover"),
        text: "A notice",
        over: { covers: [id("covered")], buttons: [{ label: "Away", selector: id("away") }] }
      },
      { selector: id("away"), text: "Away", removes: [id("cover"), id("away")] },
      { selector: id("pay"), text: "Pay now", looks: { tag: "button", id: "pay" } },
      { selector: id("link"), text: "Orders", leadsTo: `${origin}/orders` },
      {
        selector: id("late"),
        text: (events) => (of(events, "late").some(({ type }) => type === "click") ? "Done" : "Late"),
        appearsAfter: 400
      }
    ]
  },
  "/events": {
    html: body(
      `<button id=target style="margin: 100px">Target</button><input id=field>
      <output id=log>none</output><output id=hand>none</output><output id=key>none</output>${listening}`
    ),
    scripted: () => [
      { selector: id("target"), text: "Target" },
      { selector: id("field"), value: "" },
      {
        selector: id("log"),
        text: (events) =>
          of(events, "target")
            .map(({ type }) => type)
            .join(" ") || "none"
      },
      {
        selector: id("hand"),
        text: (events) => (events.filter(({ type }) => type === "mousemove").length > 10 ? "moved" : "none")
      },
      { selector: id("key"), text: (events) => events.findLast(({ type }) => type === "keydown")?.key ?? "none" }
    ]
  },
  "/drag": {
    html: body(
      `<style>div { width: 120px; height: 40px; margin: 4px; background: #ddd }</style>
      <div id=card draggable=true>Card</div><div id=zone>Zone</div><div id=handle>Handle</div><div id=wheel>Wheel</div>
      <p id=words>Pay within <b>thirty   days</b> or less.</p>
      <output id=dropped>none</output> <output id=moved>none</output> <output id=chosen>none</output>
      <output id=turned>none</output> <output id=log>none</output>${dragging}`
    ),
    scripted: () => [
      { selector: id("card"), text: "Card" },
      { selector: id("zone"), text: "Zone" },
      { selector: id("handle"), text: "Handle" },
      { selector: id("wheel"), text: "Wheel" },
      { selector: id("words"), text: "Pay within thirty days or less." },
      {
        selector: id("dropped"),
        text: (events) =>
          of(events, "zone").some(({ type, value }) => type === "drop" && value === id("card")) ? "card" : "none"
      },
      {
        selector: id("moved"),
        text: (events) => {
          const last = of(events, "handle").findLast(({ type }) => type === "mousemove")
          return last === undefined ? "none" : [last.by?.x, last.by?.y, ...(last.keys ?? [])].join(" ")
        }
      },
      {
        selector: id("chosen"),
        text: (events) => of(events, "words").findLast(({ type }) => type === "select")?.value ?? "none"
      },
      {
        selector: id("turned"),
        text: (events) => String(of(events, "wheel").reduce((sum, { by }) => sum + (by?.y ?? 0), 0))
      },
      {
        selector: id("log"),
        text: (events) =>
          of(events, "wheel")
            .filter(({ type }) => /^(mousedown|mouseup|auxclick)$/.test(type))
            .map(({ keys = [], type }) => `${type}${keys.length > 0 ? "+Ctrl" : ""}`)
            .join(" ") || "none"
      }
    ]
  },
  "/form": {
    html: body(
      `<form onsubmit="return false"><label>Name <input id=name value=Ann></label>
      <label>Password <input id=secret type=password value=canary-password></label></form>
      <form id=second><label>Code <input id=code></label><p role=alert id=complaint></p></form>
      <select id=status><option value=open>Open</option><option value=sent>Shipped</option>
        <option value=void disabled>Void</option></select>
      <select id=city><option>Zürich HB</option><option>Winterthur Nord</option></select>
      <select id=visit><option>Visit of 1</option><option>Visit of 2</option></select>
      <div id=drop ondragover="event.preventDefault()"
        ondrop="event.preventDefault(); got.textContent = event.dataTransfer.files[0].name"
        onpaste="event.preventDefault(); got.textContent = event.clipboardData.files[0].name">Drop here</div>
      <button id=copies onclick="navigator.clipboard.writeText('a link')">Copy</button>
      <button id=copieschoice onclick="getSelection().selectAllChildren(source); document.execCommand('copy')">Copy this</button>
      <b id=source>the choice</b>
      <input id=file type=file style="display: none"><button id=choose onclick="file.click()">Choose</button>
      <output id=got>none</output>
      <script>
        let refusals = 0
        second.onsubmit = () => {
          if (code.value === "1234") location.href = "/orders"
          else { code.value = ""; complaint.textContent = "Wrong code " + ++refusals }
          return false
        }
        file.onchange = () => { got.textContent = file.files[0].name }
      </script>`
    ),
    scripted: (origin) => [
      { selector: id("name"), value: "Ann" },
      { selector: id("secret"), value: "canary-password", type: "password" },
      { selector: id("code"), value: "", takes: { values: ["1234"], leadsTo: `${origin}/orders` } },
      {
        selector: id("status"),
        value: "open",
        options: [
          { value: "open", text: "Open", disabled: false },
          { value: "sent", text: "Shipped", disabled: false },
          { value: "void", text: "Void", disabled: true }
        ]
      },
      { selector: id("city"), value: "Zürich HB", options: ["Zürich HB", "Winterthur Nord"] },
      { selector: id("visit"), value: "Visit of 1", options: ["Visit of 1", "Visit of 2"] },
      { selector: id("file"), value: "", hidden: true },
      { selector: id("drop"), text: "Drop here", takesDrop: true },
      { selector: id("copies"), text: "Copy", copies: "a link" },
      { selector: id("copieschoice"), text: "Copy this", copies: "the choice" },
      { selector: id("choose"), text: "Choose", opensDialog: true },
      {
        selector: id("got"),
        text: (events) =>
          events.findLast(
            ({ selector, type }) => type === "input" && [id("file"), id("drop"), ""].includes(selector ?? "-")
          )?.value ?? "none"
      }
    ]
  },
  "/transfer": {
    html: body(
      `<form action=/orders method=post onsubmit="told.textContent = 'sent'; return false">
        <input id=payee name=payee value=Ann><input type=hidden name=token value=t1>
        <input id=pin name=pin type=password value=canary-pin><button id=send name=send value=now>Send</button>
      </form><output id=told>none</output>`
    ),
    scripted: (origin) => {
      const form = { address: `${origin}/orders` }
      return [
        { selector: id("payee"), value: "Ann", form },
        { selector: id("token"), value: "t1", hidden: true, form },
        { selector: id("pin"), value: "canary-pin", type: "password", form },
        { selector: id("send"), text: "Send", attributes: { id: "send", name: "send", value: "now" }, form },
        {
          selector: id("told"),
          text: (events) => (of(events, "send").some(({ type }) => type === "click") ? "sent" : "none")
        }
      ]
    }
  },
  "/auth": {
    html: body("<h1 id=title>Members</h1>"),
    scripted: () => [{ selector: id("title"), text: "Members" }]
  },
  "/passkeys": {
    html: body(`<button id=make>Make</button><button id=ask>Ask</button><output id=outcome>none</output>${passkeys}`),
    scripted: (origin) => [
      { selector: id("make"), text: "Make", makesPasskey: passkeyOf(new URL(origin).hostname) },
      { selector: id("ask"), text: "Ask", asksPasskey: new URL(origin).hostname },
      {
        selector: id("outcome"),
        text: (events) => events.findLast(({ type }) => type === "passkey")?.value ?? "none"
      }
    ]
  },
  "/framed": {
    html: body("<h1 id=title>Outer</h1><iframe src=/inner width=400 height=200></iframe>"),
    scripted: (origin) => [
      { selector: id("title"), text: "Outer" },
      { selector: id("inside"), text: "Inside", frame: `${origin}/inner` },
      {
        selector: id("said"),
        text: (events) => (of(events, "inside").some(({ type }) => type === "click") ? "clicked" : "none"),
        frame: `${origin}/inner`
      }
    ]
  },
  "/inner": {
    html: body(`<button id=inside onclick="said.textContent = 'clicked'">Inside</button><output id=said>none</output>`),
    scripted: () => [{ selector: id("inside"), text: "Inside" }]
  },
  "/tall": {
    html: body(
      `<h1 id=title>Tall</h1><div style="height: 3000px"></div>
      <script>addEventListener("scroll", () => {
        if (scrollY > 900 && document.getElementById("far") === null)
          document.body.insertAdjacentHTML("beforeend", "<button id=far>Far</button>")
      })</script>`
    ),
    scripted: () => [
      { selector: id("title"), text: "Tall" },
      { selector: id("far"), text: "Far", afterTicks: 2 }
    ]
  }
}
