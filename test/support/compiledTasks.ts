/**
 * Tasks that a model does once, and that later runs do by the plain form that was found, each on a page with other data.
 */
import { Effect, Layer, Ref, type Schema } from "effect"
import * as Budget from "../../core/agent/model/Budget.ts"
import * as ModelUse from "../../core/agent/model/ModelUse.ts"
import type { Outcome } from "../../core/agent/Outcome.ts"
import { Secrets } from "../../core/redaction/Secrets.ts"
import { type Offer, plainFormOf } from "../../core/workflow/patch/Patch.ts"
import type { PlainForm } from "../../core/workflow/patch/PlainForm.ts"
import { graphOf, type Step, walk } from "./browser.ts"
import { type Asked, answering, calls, model, type Reply, says, serve as serveModel, wordsOf } from "./modelServer.ts"
import { out, pointOf, refOf } from "./modelWalk.ts"
import { serve } from "./site.ts"

/** The values of one run: its number, and texts and figures that no other run has. */
export interface Draw {
  readonly k: number
  readonly name: string
  readonly other: string
  readonly number: string
  readonly amount: number
  /** Whether what a condition asks for is so. */
  readonly yes: boolean
}

export interface CompiledTask {
  readonly name: string
  readonly page: (draw: Draw) => string
  readonly step: Step
  /** What the model answers. */
  readonly answer: (asked: Asked, draw: Draw) => Reply
  readonly expected: (draw: Draw) => Schema.JsonObject
}

const names = [
  "Ada",
  "Berta",
  "Clara",
  "Dora",
  "Erna",
  "Fanny",
  "Greta",
  "Hilde",
  "Ida",
  "Jana",
  "Karla",
  "Lena",
  "Mona"
]

/** The ref of the listed element with a name that stands at a place among those of that name, from 0. */
const refAt = (asked: Asked, name: string, at: number): string =>
  [...wordsOf(asked).matchAll(new RegExp(`^(\\w+) \\S.*"${name}"`, "gm"))][at]?.[1] ?? "e999"

/** The draw of a run. Those of runs that follow each other decide differently. */
export const draw = (k: number): Draw => ({
  k,
  name: `${names[k % names.length]} ${names[(k * 5 + 3) % names.length]}son`,
  other: `${names[(k + 4) % names.length]} ${names[(k * 3 + 1) % names.length]}sen`,
  number: `INV-${String(1_000 + k * 37)}`,
  amount: (4_000 + ((k * 5_347) % 9_000) + (k % 2) * 20_000) / 100,
  yes: k % 2 === 1
})

const money = (amount: number) => amount.toFixed(2)
const js = (text: string) => `document.getElementById('out').textContent='${text}'`
const shell = (body: string) => `<title>Portal</title><h1>Portal</h1><p id="out">nothing</p>${body}`

// --- elements

const click = (
  name: string,
  prompt: string,
  body: (draw: Draw) => string,
  chosen: string | ((draw: Draw) => string),
  expected: (draw: Draw) => string,
  execution = "LLM_DOM"
): CompiledTask => ({
  name: `click: ${name}`,
  page: (draw) => shell(body(draw)),
  step: { action: "CLICK", parameters: { execution, prompt } },
  answer: (asked, draw) => {
    const wanted = typeof chosen === "string" ? chosen : chosen(draw)
    return execution === "LLM_VISION" && name.includes("point")
      ? calls("choose_point", pointOf(asked, wanted))
      : // The second row is the one that is asked for.
        calls("choose_element", { element: refAt(asked, wanted, /^(Open|Choose)$/.test(wanted) ? 1 : 0) })
  },
  expected: (draw) => ({ out: expected(draw) })
})

const rowsOf = ({ name, number, other }: Draw) => [
  ["INV-0009", "Zoe Zimmer"],
  [number, name],
  ["INV-0007", other]
]

const elements: ReadonlyArray<CompiledTask> = [
  click(
    "the only button",
    "Send the form",
    () => `<form onsubmit="${js("sent")};return false"><button>Send</button></form>`,
    "Send",
    () => "sent"
  ),
  click(
    "a button by its name among others",
    "Press Save",
    ({ name }) =>
      `<p>${name}</p><button onclick="${js("saved")}">Save</button><button onclick="${js("gone")}">Delete</button>`,
    "Save",
    () => "saved"
  ),
  click(
    "a link of a menu",
    "Open Settings",
    () =>
      `<nav><ul><li><a href="#" onclick="${js("home")}">Home</a><li><a href="#" onclick="${js("settings")}">Settings</a></ul></nav>`,
    "Settings",
    () => "settings"
  ),
  click(
    "an icon with a label",
    "Open the menu",
    () => `<button aria-label="Menu" onclick="${js("menu")}">☰</button>`,
    "Menu",
    () => "menu"
  ),
  click(
    "a box by its label",
    "Accept the terms",
    () => `<label><input type="checkbox" name="terms" onchange="${js("accepted")}">I accept the terms</label>`,
    "I accept the terms",
    () => "accepted"
  ),
  click(
    "a tab",
    "Show the tab Invoices",
    () =>
      `<div role="tablist"><div role="tab" tabindex="0" onclick="${js("orders")}">Orders</div><div role="tab" tabindex="0" onclick="${js("invoices")}">Invoices</div></div>`,
    "Invoices",
    () => "invoices"
  ),
  click(
    "the row of an input, in a table",
    "Open the invoice {{context.inputs.number}}",
    (draw) =>
      `<table><tr><th>No<th>Who<th></tr>${rowsOf(draw)
        .map(
          ([number, who]) =>
            `<tr><td>${number}<td>${who}<td><button onclick="${js(`opened ${number}`)}">Open</button></tr>`
        )
        .join("")}</table>`,
    "Open",
    ({ number }) => `opened ${number}`
  ),
  click(
    "the link that has an input as its text",
    "Open {{context.inputs.name}}",
    (draw) =>
      `<ul>${rowsOf(draw)
        .map(([, who]) => `<li><a href="#" onclick="${js(`${who}`)}">${who}</a>`)
        .join("")}</ul>`,
    ({ name }) => name,
    ({ name }) => name
  ),
  click(
    "the card of an input",
    "Choose the card of {{context.inputs.name}}",
    (draw) =>
      `<section>${rowsOf(draw)
        .map(([, who]) => `<div><h3>${who}</h3><button onclick="${js(`chose ${who}`)}">Choose</button></div>`)
        .join("")}</section>`,
    "Choose",
    ({ name }) => `chose ${name}`
  ),
  click(
    "an element in a picture",
    "Press Continue",
    ({ name }) => `<p>Hello ${name}</p><button onclick="${js("continued")}">Continue</button><button>Cancel</button>`,
    "Continue",
    () => "continued",
    "LLM_VISION"
  ),
  click(
    "a point of a picture",
    "Press Continue",
    ({ name }) =>
      `<p>Hello ${name}</p><button onclick="${js("continued")}"><span>Continue</span></button><button>Cancel</button>`,
    "Continue",
    () => "continued",
    "LLM_VISION"
  ),
  {
    name: "click: a task of one click",
    page: ({ name }) => shell(`<p>${name}</p><button onclick="${js("agreed")}">Agree</button>`),
    step: { action: "CLICK", parameters: { execution: "COMPUTER_USE", prompt: "Agree to the terms" } },
    answer: (asked) =>
      asked.text.includes("Your moves so far")
        ? calls("done", { reason: "agreed" })
        : calls("click_element", { element: refOf(asked, "Agree") }),
    expected: () => ({ out: "agreed" })
  },
  ...(["Search the catalogue", "Who asks"] as const).map(
    (label, at): CompiledTask => ({
      name: `type: a field by its ${at === 0 ? "placeholder" : "label"}`,
      page: () =>
        shell(
          at === 0
            ? `<input placeholder="${label}" oninput="out.textContent=this.value">`
            : `<label>First <input name="a"></label><label>${label} <input name="b" oninput="out.textContent=this.value"></label>`
        ),
      step: {
        action: "INPUT_TEXT",
        parameters: { execution: "LLM_DOM", prompt: `The field "${label}"`, text: "{{context.inputs.name}}" }
      },
      answer: (asked) => calls("choose_element", { element: refOf(asked, label) }),
      expected: ({ name }) => ({ out: name })
    })
  )
]

// --- data

const reads = (
  name: string,
  properties: Schema.JsonObject,
  body: (draw: Draw) => string,
  expected: (draw: Draw) => Schema.JsonObject,
  more: Schema.JsonObject = {}
): CompiledTask => ({
  name: `read: ${name}`,
  page: (draw) => shell(body(draw)),
  step: {
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "LLM_DOM",
      selector: "//body",
      extract_data_model: { type: "object", properties },
      ...more
    }
  },
  answer: (_asked, draw) => says(JSON.stringify(expected(draw))),
  expected
})

const listed = ({ amount, k, name, number, other }: Draw) =>
  Array.from({ length: 2 + (k % 5) }, (_, at) => ({
    number: at === 0 ? number : `A-${k}${at}`,
    who: at % 2 === 0 ? name : other,
    total: (Math.round(amount * 100) + at * 350) / 100
  }))

const rowType = { number: "string", who: "string", total: "number" }
const list = { type: "array", items: { type: "object", properties: rowType } }

const data: ReadonlyArray<CompiledTask> = [
  reads(
    "a value by its id",
    { total: "number" },
    ({ amount }) => `<p>Total: <b id="total">${money(amount)}</b></p>`,
    ({ amount }) => ({ total: amount })
  ),
  reads(
    "a list of terms",
    { invoice_number: "string", total: "number" },
    ({ amount, number }) =>
      `<dl><dt>Invoice number</dt><dd>${number}</dd><dt>Net</dt><dd>${money(amount - 5)}</dd><dt>Total</dt><dd>${money(amount)} €</dd></dl>`,
    ({ amount, number }) => ({ invoice_number: number, total: amount })
  ),
  reads(
    "a table of headings and cells",
    { customer: "string", total: "number" },
    ({ amount, name }) =>
      `<table><tr><th>Customer</th><td>${name}</td></tr><tr><th>Total</th><td>${money(amount)}</td></tr></table>`,
    ({ amount, name }) => ({ customer: name, total: amount })
  ),
  reads(
    "a value by its class",
    { price: "number" },
    ({ amount, name }) => `<h2>${name}</h2><span class="price">$${money(amount)}</span>`,
    ({ amount }) => ({ price: amount })
  ),
  reads(
    "a value by a test id",
    { status: "string" },
    ({ yes }) => `<span data-testid="order-status">${yes ? "Paid" : "Open"}</span>`,
    ({ yes }) => ({ status: yes ? "Paid" : "Open" })
  ),
  reads(
    "a value by its property",
    { price: "number" },
    ({ amount }) => `<div><span itemprop="price">${money(amount)}</span></div>`,
    ({ amount }) => ({ price: amount })
  ),
  reads(
    "a label before a value",
    { due_date: "string" },
    ({ k }) => `<div><span>Due date</span><span>2027-01-${String((k % 28) + 1).padStart(2, "0")}</span></div>`,
    ({ k }) => ({ due_date: `2027-01-${String((k % 28) + 1).padStart(2, "0")}` })
  ),
  reads(
    "a group of values",
    { buyer: { type: "object", properties: { name: "string" } } },
    ({ name, other }) => `<p>Seller <b id="seller-name">${other}</b></p><p>Buyer <b id="buyer-name">${name}</b></p>`,
    ({ name }) => ({ buyer: { name } })
  ),
  reads(
    "one of two equal amounts, by its name",
    { total: "number" },
    ({ amount }) => `<dl><dt>Paid</dt><dd>${money(amount)}</dd><dt>Total</dt><dd>${money(amount)}</dd></dl>`,
    ({ amount }) => ({ total: amount })
  ),
  reads(
    "a table",
    { invoices: list },
    (draw) =>
      `<table id="invoices"><thead><tr><th>Number</th><th>Who</th><th>Total</th></tr></thead><tbody>${listed(draw)
        .map(({ number, total, who }) => `<tr><td>${number}</td><td>${who}</td><td>${money(total)}</td></tr>`)
        .join("")}</tbody></table>`,
    (draw) => ({ invoices: listed(draw) })
  ),
  reads(
    "a list of cards",
    { invoices: list },
    (draw) =>
      `<div class="cards">${listed(draw)
        .map(
          ({ number, total, who }) =>
            `<div class="card"><h3>${number}</h3><span class="who">${who}</span><span class="total">${money(total)}</span></div>`
        )
        .join("")}</div>`,
    (draw) => ({ invoices: listed(draw) })
  ),
  reads(
    "a plain list",
    { names: { type: "array", items: "string" } },
    (draw) =>
      `<ul class="names">${listed(draw)
        .map(({ number }) => `<li>${number}</li>`)
        .join("")}</ul>`,
    (draw) => ({ names: listed(draw).map(({ number }) => number) })
  ),
  reads(
    "a value in a picture",
    { balance: "number" },
    ({ amount }) => `<p>Balance <b class="balance">${money(amount)}</b></p>`,
    ({ amount }) => ({ balance: amount }),
    { execution: "LLM_VISION", selector: null }
  ),
  reads(
    "a table in a picture",
    { orders: list },
    (draw) =>
      `<table class="orders"><tr><th>Number</th><th>Who</th><th>Total</th></tr>${listed(draw)
        .map(({ number, total, who }) => `<tr><td>${number}</td><td>${who}</td><td>${money(total)}</td></tr>`)
        .join("")}</table>`,
    (draw) => ({ orders: listed(draw) }),
    { execution: "LLM_VISION", selector: null }
  )
]

// --- conditions

/** A condition, and a mark of how it was decided. */
const asks = (
  name: string,
  prompt: string,
  body: (draw: Draw) => string,
  plain: Schema.Json | ((draw: Draw) => Schema.Json),
  execution = "LLM_VISION",
  holds: (draw: Draw) => boolean = ({ yes }) => yes
): CompiledTask => ({
  name: `decide: ${name}`,
  page: (draw) => shell(body(draw)),
  step: { action: "BOOL_CONDITION", parameters: { execution, prompt }, to: { yes: 2, no: 3 } },
  answer: (_asked, draw) =>
    says(
      JSON.stringify({
        holds: holds(draw),
        reason: "so it is",
        plain: typeof plain === "function" ? plain(draw) : plain
      })
    ),
  expected: (draw) => ({ decided: holds(draw) ? "yes" : "no" })
})

const conditions: ReadonlyArray<CompiledTask> = [
  asks(
    "a status",
    "Is the status Paid?",
    ({ yes }) => `<p>Status <b id="status">${yes ? "Paid" : "Open"}</b></p>`,
    ({ yes }) => ({ text: yes ? "Paid" : "Open", operator: "EQUAL", value: "Paid" })
  ),
  asks(
    "a status beside its name",
    "Is the order state shipped?",
    ({ yes }) => `<dl><dt>Order state</dt><dd>${yes ? "shipped" : "packed"}</dd></dl>`,
    ({ yes }) => ({ text: yes ? "shipped" : "packed", operator: "EQUAL", value: "shipped" })
  ),
  asks(
    "a part of a text",
    'Does the message contain "not available"?',
    ({ name, yes }) => `<p class="message">${name} is ${yes ? "not " : ""}available</p>`,
    ({ name, yes }) => ({
      text: `${name} is ${yes ? "not " : ""}available`,
      operator: "CONTAINS",
      value: "not available"
    })
  ),
  asks(
    "a beginning",
    "Does the plan name start with Pro?",
    ({ yes, k }) => `<p>Plan name <b id="plan">${yes ? "Pro" : "Basic"} ${k}</b></p>`,
    ({ yes, k }) => ({ text: `${yes ? "Pro" : "Basic"} ${k}`, operator: "STARTS_WITH", value: "Pro" })
  ),
  asks(
    "an input in a text",
    "Is the customer {{context.inputs.name}}?",
    ({ name, other, yes }) => `<p>Customer <b id="customer">${yes ? name : other}</b></p>`,
    ({ name, other, yes }) => ({ text: yes ? name : other, operator: "EQUAL", value: name })
  ),
  // Where the text is not there, the model is asked.
  asks(
    "a notice that is there",
    "Does the page show the notice Payment failed?",
    ({ name }) => `<p>${name}</p><p role=alert>Payment failed</p>`,
    { text: "Payment failed", operator: "IS_NOT_NULL", value: "" },
    "LLM_VISION",
    () => true
  ),
  asks(
    "a button that is there",
    "Is there a Log out button?",
    ({ name }) => `<p>${name}</p><button>Log out</button>`,
    { text: "Log out", operator: "IS_NOT_NULL", value: "" },
    "LLM_VISION",
    () => true
  ),
  asks(
    "an amount above a limit",
    "Is the amount above 100?",
    () => "",
    { expression: "context.inputs.amount > 100" },
    "PROMPT",
    ({ amount }) => amount > 100
  ),
  asks(
    "an amount below a limit, by its expression",
    "Is {{context.inputs.amount}} less than 150.5?",
    () => "",
    { expression: "context.inputs.amount < 150.5" },
    "PROMPT",
    ({ amount }) => amount < 150.5
  ),
  asks(
    "two inputs",
    "Is the name of the customer the same as the other name?",
    () => "",
    { expression: "context.inputs.name = context.inputs.other" },
    "PROMPT",
    ({ name, other }) => name === other
  ),
  asks(
    "a text of an input",
    'Does the number start with "INV-1"?',
    () => "",
    { expression: '$contains(context.inputs.number, "INV-1")' },
    "PROMPT",
    ({ number }) => number.includes("INV-1")
  ),
  asks("a flag", "Was the run told yes?", () => "", { expression: "context.inputs.yes = true" }, "PROMPT")
]

export const tasks: ReadonlyArray<CompiledTask> = [...elements, ...data, ...conditions]

const mark = (value: string): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "SET", target: "context.decided", value }] }
})

const stepsOf = ({ step }: CompiledTask): ReadonlyArray<Step> => {
  switch (step.action) {
    case "BOOL_CONDITION":
      return [step, { ...mark('"yes"'), to: 4 }, mark('"no"')]
    case "EXTRACT_DATAMODEL":
      return [step]
    default:
      return [step, out]
  }
}

export interface Done {
  readonly outcome: Outcome
  readonly data: Schema.Json
  readonly calls: number
  readonly saved: number
  readonly offers: ReadonlyArray<Offer>
  readonly misled: ReadonlyArray<PlainForm>
}

/**
 * Runs tasks in one site with one model: `run` does one of them with the values of a draw, by the given forms. What is
 * shown is of `shown`, where that is another draw.
 */
export const workshop = Effect.gen(function* () {
  let current: { readonly task: CompiledTask; readonly draw: Draw } | null = null
  const site = yield* serve({
    "/": (request, response) => {
      const k = Number(new URL(request.url ?? "", "http://site").searchParams.get("k"))
      const body = current?.task.page(k === current.draw.k ? current.draw : draw(k)) ?? ""
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body)
    }
  })
  const { url } = yield* serveModel(
    answering((asked) => (current === null ? says("no") : current.task.answer(asked, current.draw)))
  )
  const services = yield* Layer.build(Layer.fresh(model(url)))
  return Effect.fnUntraced(function* (
    task: CompiledTask,
    drawn: Draw,
    plainForms: ReadonlyArray<PlainForm>,
    secrets = new Secrets()
  ) {
    current = { task, draw: drawn }
    const use = ModelUse.make(Budget.defaultBudget, () => Effect.void)
    const seen = yield* walk(
      graphOf(`${site}/?k=${drawn.k}`, stepsOf(task)),
      { ...drawn },
      { plainForms, secrets }
    ).pipe(Effect.provideContext(services), Effect.provideService(ModelUse.ModelUse, use))
    const { calls } = yield* Ref.get(use.spent)
    const done: Done = {
      outcome: seen.outcome,
      data: seen.outcome.data,
      calls,
      saved: yield* Ref.get(use.saved),
      offers: seen.offers,
      misled: seen.misled
    }
    return done
  })
})

/** The forms that runs offer, as they are kept for later runs: the newest of each decision. */
export const kept = (forms: ReadonlyArray<PlainForm>, { misled, offers }: Pick<Done, "misled" | "offers">) => {
  const offered = offers.flatMap((offer) => plainFormOf(offer) ?? [])
  const former = forms.filter(
    (form) =>
      !misled.includes(form) &&
      !offered.some(({ decides, nodeId }) => nodeId === form.nodeId && decides === form.decides)
  )
  return [...former, ...offered]
}
