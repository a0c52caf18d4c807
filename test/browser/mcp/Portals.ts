/**
 * Twenty portals, each with what one of them is known for, and the edits by which an agent automates it: steps that it adds
 * to a new draft, in the words of the tools.
 */
import type { IncomingMessage } from "node:http"
import { TOTP } from "otpauth"
import type * as Steps from "../../../apps/mcp/Steps.ts"
import { type Answer, html } from "../../support/site.ts"

export const login = { user: "robot", password: "correct horse", secret: "JBSWY3DPEHPK3PXP" }

export interface Portal {
  readonly name: string
  /** The pages, by their paths below the portal; the first is at "". */
  readonly pages: Readonly<Record<string, Answer>>
  readonly edits: ReadonlyArray<Steps.Edit>
  readonly set?: Readonly<Record<string, unknown>>
  readonly inputs?: Readonly<Record<string, unknown>>
  /** What the run puts out. */
  readonly output: Readonly<Record<string, unknown>>
  /** How many files the run keeps. */
  readonly files?: number
  /** What a person answers on the page of the run. */
  readonly person?: Readonly<Record<string, unknown>>
  /** The step whose selector is taken from the failure of a first run. */
  readonly mended?: string
  /** Passkeys need a name of a host. */
  readonly host?: "localhost"
}

type Parameters = Readonly<Record<string, unknown>>

/** A step that is added behind the one before it, or at the place that is named. */
const step = (name: string, action: string, parameters: Parameters, more: Partial<Steps.Edit> = {}): Steps.Edit => ({
  op: "add",
  name,
  action,
  // What a portal needs is JSON.
  parameters: parameters as NonNullable<Steps.Edit["parameters"]>,
  ...more
})

/** The edits with the place of each: behind the one before, the first behind the start. */
const chained = (edits: ReadonlyArray<Steps.Edit>): ReadonlyArray<Steps.Edit> =>
  edits.map((edit, at) => ({ after: edits[at - 1]?.name ?? "Open", ...edit }))

const click = (name: string, selector: string, more: Parameters = {}) => step(name, "CLICK", { selector, ...more })
const type = (name: string, selector: string, text: string) => step(name, "INPUT_TEXT", { selector, text })
const text = (path: string) => ({ type: "string", path })
const read = (properties: Parameters, more: Parameters = {}) =>
  step("Read", "EXTRACT_DATAMODEL", { extract_data_model: { type: "object", properties }, ...more })

const page = (body: string, script = ""): Answer =>
  html(`<!doctype html><html lang="en"><body>${body}<script>
    const $ = (selector) => document.querySelector(selector)
    const say = (text) => { $("#said").textContent = text }
    ${script}</script></body></html>`)

const said = `<p id="said"></p>`
const heard = read({ said: text("//p[@id='said']") })

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let body = ""
  for await (const piece of request) body += String(piece)
  return new URLSearchParams(body)
}

const answering =
  (of: (form: URLSearchParams) => string): Answer =>
  (request, response) =>
    void formOf(request).then((form) => html(of(form))(request, response))

const signInForm = `<form method="post" action="in"><input name="user"><input name="password" type="password"><button>Sign in</button></form>`
const isKnown = (form: URLSearchParams) => form.get("user") === login.user && form.get("password") === login.password
const signInSteps = [
  type("User", "css=input[name=user]", "{{context.inputs.PORTAL.USER_NAME}}"),
  type("Password", "css=input[name=password]", "{{context.inputs.PORTAL.PASSWORD}}"),
  click("Sign in", "role=button[name='Sign in']")
]

/** What a workflow with a credential of the portal has. The address of the portal is put in for ORIGIN. */
const withCredential = {
  set: { vault_schema: { PORTAL: { type: "credential", domain: "ORIGIN" } } },
  inputs: { PORTAL: login.user }
}

const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `<tr><td>A-${from + at}</td><td>${(from + at) * 10}</td></tr>`).join("")
const orders = (path: string) => ({
  orders: { type: "array", path, items: { type: "object", properties: { id: text("/td[1]") } } }
})
const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => ({ id: `A-${from + at}` }))

const pager = (at: number): Answer =>
  page(
    `<table><tbody>${rowsOf(at * 2 + 1, 2)}</tbody></table>${at < 2 ? `<a id="next" href="page${at + 1}">Next</a>` : ""}`
  )

const pdf = Buffer.from("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n")

const signingIn: ReadonlyArray<Portal> = [
  {
    name: "sign-in",
    pages: {
      "": html(signInForm),
      in: answering((form) => (isKnown(form) ? "<h1>Welcome back</h1>" : "<h1>Wrong</h1>"))
    },
    edits: [...signInSteps, read({ title: text("//h1") })],
    ...withCredential,
    output: { title: "Welcome back" }
  },
  {
    name: "totp",
    pages: {
      "": html(signInForm),
      in: answering((form) =>
        isKnown(form)
          ? `<form method="post" action="code"><input name="code"><button>Verify</button></form>`
          : "<h1>Wrong</h1>"
      ),
      code: answering((form) =>
        new TOTP({ secret: login.secret }).validate({ token: form.get("code") ?? "", window: 1 }) === null
          ? "<h1>Wrong code</h1>"
          : "<h1>Verified</h1>"
      )
    },
    edits: [
      ...signInSteps,
      step("Code", "TFA", { tfa_type: "AUTHENTICATOR", credential: "PORTAL", selector: "css=input[name=code]" }),
      read({ title: text("//h1") })
    ],
    ...withCredential,
    output: { title: "Verified" }
  },
  {
    name: "passkey",
    host: "localhost",
    pages: {
      "": page(
        `<button id="register">Register</button><button id="in">Sign in</button>${said}`,
        `const challenge = new TextEncoder().encode("challenge")
        $("#register").onclick = async () => {
          const made = await navigator.credentials.create({ publicKey: { challenge, rp: { id: location.hostname, name: "P" },
            user: { id: new Uint8Array([1]), name: "robot", displayName: "Robot" },
            pubKeyCredParams: [{ type: "public-key", alg: -7 }], authenticatorSelection: { residentKey: "required" } } })
          window.made = made.id
          say("Registered")
        }
        $("#in").onclick = async () => {
          const found = await navigator.credentials.get({ publicKey: { challenge, rpId: location.hostname } })
          say(found.id === window.made ? "Signed in" : "Another passkey")
        }`
      )
    },
    edits: [
      step("Register", "TFA", { tfa_type: "PASSKEY", credential: "PORTAL", selector: "css=#register", register: true }),
      click("Registered", "//p[.='Registered']", { click_type: "hover" }),
      step("Sign in", "TFA", { tfa_type: "PASSKEY", credential: "PORTAL", selector: "css=#in" }),
      click("Signed in", "//p[.='Signed in']", { click_type: "hover" }),
      heard
    ],
    ...withCredential,
    output: { said: "Signed in" }
  }
]

const reading: ReadonlyArray<Portal> = [
  {
    name: "pager",
    pages: { "": pager(0), page1: pager(1), page2: pager(2) },
    edits: [
      step("First", "EXTRACT_DATAMODEL", { extract_data_model: { type: "object", properties: orders("//tbody/tr") } }),
      step("Pages", "LOOP", { variable_over: 2, variable_current_item: "turn", variable_current_index: "index" }),
      { ...click("Next", "css=#next"), branch: "loop_not_done" },
      read(orders("//tbody/tr"))
    ],
    output: { orders: ids(1, 6) }
  },
  {
    name: "download",
    pages: {
      "": html(`<a href="orders.pdf">Orders</a>`),
      "orders.pdf": (_request, response) =>
        void response
          .writeHead(200, {
            "content-type": "application/pdf",
            "content-disposition": "attachment; filename=orders.pdf"
          })
          .end(pdf)
    },
    edits: [click("Orders", "text=Orders"), step("Keep", "FILE_DOWNLOAD", { timeout_seconds: 20 })],
    output: {},
    files: 1
  },
  {
    name: "upload",
    pages: {
      "": page(
        `<input type="file" id="file">${said}`,
        `$("#file").onchange = () => say("Took " + $("#file").files[0].name)`
      ),
      "claim.pdf": (_request, response) => void response.writeHead(200, { "content-type": "application/pdf" }).end(pdf)
    },
    edits: [
      step("Claim", "FILE_UPLOAD", {
        signed_file_url: "{{context.inputs.file}}",
        file_name: "claim.pdf",
        selector: "css=#file"
      }),
      heard
    ],
    set: { input_schema: { type: "object", properties: { file: { type: "string" } }, required: ["file"] } },
    inputs: { file: "ORIGIN/upload/claim.pdf" },
    output: { said: "Took claim.pdf" }
  },
  {
    name: "frame",
    pages: {
      "": html(`<iframe src="inner"></iframe>`),
      inner: page(`<button>Confirm</button>${said}`, `$("button").onclick = () => say("Confirmed")`)
    },
    edits: [click("Confirm", "//iframe//button"), read({ said: text("//iframe//p[@id='said']") })],
    output: { said: "Confirmed" }
  },
  {
    name: "shadow",
    pages: {
      "": page(
        `<x-card></x-card>${said}`,
        `const root = $("x-card").attachShadow({ mode: "closed" })
        root.innerHTML = "<button>Confirm</button>"
        root.querySelector("button").onclick = () => say("Confirmed")`
      )
    },
    edits: [click("Confirm", "//x-card//button"), heard],
    output: { said: "Confirmed" }
  },
  {
    name: "table",
    pages: { "": html(`<table><tbody>${rowsOf(1, 40)}</tbody></table>`) },
    edits: [read(orders("//table/tbody/tr"))],
    output: { orders: ids(1, 40) }
  },
  {
    name: "german",
    pages: {
      "": html(`<html lang="de"><body><h1>Übersicht der Aufträge</h1><p id="sum">1.234,50 €</p></body></html>`)
    },
    edits: [read({ title: text("//h1"), sum: { type: "number", path: "//p[@id='sum']" } })],
    output: { title: "Übersicht der Aufträge", sum: 1234.5 }
  },
  {
    name: "virtual list",
    pages: {
      "": page(
        `<div id="list" style="height: 200px; overflow: auto"><div style="height: 2400px"><div id="rows"></div></div></div>`,
        `const draw = () => {
          const first = Math.max(Math.floor($("#list").scrollTop / 40) - 1, 0)
          let rows = ""
          for (let at = first; at < Math.min(first + 7, 60); at++) rows += "<div style='height: 40px'>Row " + at + "</div>"
          $("#rows").innerHTML = rows
          $("#rows").style.transform = "translateY(" + first * 40 + "px)"
        }
        draw()
        $("#list").onscroll = draw`
      )
    },
    edits: [
      step("To the end", "SCROLL", {
        scroll_mode: "region",
        container_xpath: "//*[@id='list']",
        goal: "full-container"
      }),
      read({ rows: { type: "array", path: "//*[@id='rows']/div", items: { type: "string" } } })
    ],
    output: { rows: Array.from({ length: 60 }, (_, at) => `Row ${at}`) }
  },
  {
    name: "slow",
    pages: {
      "": page(
        `<button>Load</button>${said}`,
        `$("button").onclick = async () => say(await (await fetch("late")).text())`
      ),
      late: (_request, response) => void setTimeout(() => response.end("Here at last"), 2_500)
    },
    edits: [click("Load", "css=button"), heard],
    output: { said: "Here at last" }
  }
]

const acting: ReadonlyArray<Portal> = [
  {
    name: "wizard",
    pages: {
      "": page(
        `<main></main>${said}`,
        `const steps = ["name", "city", "phone"], given = []
        const show = () => {
          if (given.length === 3) { $("main").remove(); return say(given.join(", ")) }
          $("main").innerHTML = "<label>" + steps[given.length] + " <input id=" + steps[given.length] + "></label><button>Continue</button>"
          $("button").onclick = () => { given.push($("input").value); show() }
        }
        show()`
      )
    },
    edits: ["name", "city", "phone"]
      .flatMap((field) => [
        type(`Type ${field}`, `css=#${field}`, `a ${field}`),
        click(`Continue after ${field}`, "text=Continue")
      ])
      .concat(heard),
    output: { said: "a name, a city, a phone" }
  },
  {
    name: "editor",
    pages: {
      "": page(
        `<div id="editor" contenteditable="true" role="textbox" aria-label="Note"></div><button>Save</button>${said}`,
        `$("button").onclick = () => say("Saved: " + $("#editor").textContent)`
      )
    },
    edits: [type("Note", "css=#editor", "Call Ada"), click("Save", "css=button"), heard],
    output: { said: "Saved: Call Ada" }
  },
  {
    name: "date picker",
    pages: {
      "": page(
        `<input id="date" readonly placeholder="Date"><div id="days" hidden><button id="forth">Next month</button><b></b><span></span></div>${said}`,
        `let month = 10
        const draw = () => {
          $("b").textContent = month + "/2026"
          $("span").innerHTML = Array.from({ length: 28 }, (_, at) => "<button data-day=" + (at + 1) + ">" + (at + 1) + "</button>").join("")
          for (const day of document.querySelectorAll("[data-day]")) day.onclick = () => {
            $("#days").hidden = true
            say("2026-" + month + "-" + day.dataset.day.padStart(2, "0"))
          }
        }
        $("#date").onclick = () => { $("#days").hidden = false; draw() }
        $("#forth").onclick = () => { month++; draw() }`
      )
    },
    edits: [
      click("Date", "css=#date"),
      click("Next month", "css=#forth"),
      click("The 9th", "css=[data-day='9']"),
      heard
    ],
    output: { said: "2026-11-09" }
  },
  {
    name: "drag",
    pages: {
      "": page(
        `<ul id="open"><li draggable="true">Call Ada</li></ul><ul id="done" style="min-height: 80px; background: #eee"></ul>${said}`,
        `$("li").ondragstart = (event) => event.dataTransfer.setData("text", "card")
        $("#done").ondragover = (event) => event.preventDefault()
        $("#done").ondrop = () => { $("#done").append($("li")); say("Moved") }`
      )
    },
    edits: [step("To done", "DRAG", { selector: "text=Call Ada", to_selector: "css=#done" }), heard],
    output: { said: "Moved" }
  },
  {
    name: "dialog",
    pages: {
      "": page(
        `<button id="delete">Delete draft</button><dialog>Really? <button id="yes">Yes</button></dialog>${said}`,
        `$("#delete").onclick = () => $("dialog").showModal()
        $("#yes").onclick = () => { $("dialog").close(); say("Deleted") }`
      )
    },
    edits: [click("Delete", "css=#delete"), click("Yes", "css=dialog #yes"), heard],
    output: { said: "Deleted" }
  },
  {
    name: "new window",
    pages: { "": html(`<a href="invoice" target="_blank">Invoice</a>`), invoice: html("<h1>Invoice 7</h1>") },
    edits: [
      click("Invoice", "text=Invoice"),
      read({ title: text("//h1") }),
      step("Close it", "TAB_MANAGEMENT", { tabAction: "CLOSE" })
    ],
    output: { title: "Invoice 7" }
  },
  {
    name: "error",
    pages: {
      "": page(`<button id="send-order">Send order</button>${said}`, `$("button").onclick = () => say("Sent")`)
    },
    edits: [click("Send", "css=#send-orders", { wait_time: 1_000 }), heard],
    mended: "Send",
    output: { said: "Sent" }
  },
  {
    name: "approval",
    pages: { "": page(`<button>Pay 120</button>${said}`, `$("button").onclick = () => say("Paid")`) },
    edits: [
      step("Ask", "USER_INTERACTION", {
        server_message: "Pay 120?",
        expected_datamodel: {
          type: "object",
          properties: { pay: { type: "string", enum: ["yes", "no"] } },
          required: ["pay"]
        }
      }),
      step("Is it yes", "BOOL_CONDITION", {
        comparison_value_1: "{{context.pay}}",
        comparison_operator: "EQUAL",
        comparison_value_2: "yes"
      }),
      { ...click("Pay", "css=button"), branch: "true" },
      heard
    ],
    person: { pay: "yes" },
    output: { said: "Paid" }
  }
]

export const portals: ReadonlyArray<Portal> = [...signingIn, ...reading, ...acting].map((portal) => ({
  ...portal,
  edits: chained(portal.edits)
}))

const slugOf = ({ name }: Portal) => name.replaceAll(" ", "-")

/** Where a portal begins. */
export const addressOf = (portal: Portal, origin: string): string => `${origin}/${slugOf(portal)}/`

/** The answers of one server for all portals. */
export const site: Readonly<Record<string, Answer>> = Object.fromEntries(
  portals.flatMap((portal) =>
    Object.entries(portal.pages).map(([path, answer]) => [`/${slugOf(portal)}/${path}`, answer] as const)
  )
)
