/** The trials of each example of docs/actions.md: its page, and its expected effect. */

import { assert } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import type { Person } from "../../core/agent/Person.ts"
import * as Json from "../../core/workspace/Json.ts"
import type { Seen, Step } from "../support/browser.ts"
import { type Asked, answering, calls, says as modelSays, type Reply, wordsOf } from "../support/modelServer.ts"
import { chooses } from "../support/modelWalk.ts"
import type { Portal } from "./Portal.ts"

/** The result of a trial. */
export interface Tried extends Seen {
  readonly portal: Portal
  /** The requests to the model. */
  readonly asked: ReadonlyArray<Asked>
  /** The times for which the run slept, in milliseconds. */
  readonly slept: ReadonlyArray<number>
}

export interface Trial {
  /** The page that the run starts on, `/` when left out. */
  readonly page?: string
  /** Whether the portal is opened as `localhost`, whose pages may ask for passkeys. */
  readonly onLocalhost?: boolean
  readonly inputs?: (origin: string) => Schema.JsonObject
  /** The steps before and after the example. */
  readonly before?: ReadonlyArray<Step>
  readonly after?: ReadonlyArray<Step>
  /** The example between them, where it has more than one edge: its edges lead to steps by their number, counted from 1. */
  readonly to?: Step["to"]
  readonly replies?: ReadonlyArray<Reply>
  readonly person?: (portal: Portal) => Person
  readonly manualCaptcha?: boolean
  readonly dryRun?: boolean
  /** Checks what came of it. A trial that says nothing of a failure must succeed. */
  readonly expect: (tried: Tried) => void
  readonly fails?: boolean
}

const text = (name: string, path: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { [name]: { type: "string", path } } } }
})

const title = text("title", "//h1")
const state = text("state", "//*[@id='state']")
const click = (selector: string): Step => ({ action: "CLICK", parameters: { selector } })
const go = (url: string): Step => ({ action: "NAVIGATE", parameters: { url } })
const set = (name: string, value: string): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "SET", target: `context.${name}`, value }] }
})
const append = (name: string, value: string): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "APPEND", target: `context.${name}`, value }] }
})

/** Registers a passkey at the portal. */
const registered: Step = {
  action: "TFA",
  parameters: { tfa_type: "PASSKEY", credential: "PORTAL", selector: "//button[@id='register']", register: true }
}

/** Sends a note to the portal. */
const note = (value: string): Step => ({
  action: "API_FLOW",
  parameters: { steps: [{ id: "note", method: "POST", url: "/api/notes", body: { type: "text", value } }] }
})

/** A trial after which the data of the run includes this. */
const leaves = (data: Schema.JsonObject, trial: Omit<Trial, "expect"> = {}): Trial => ({
  ...trial,
  expect: ({ outcome }) => assert.deepInclude(outcome.data, data)
})

/** Reads the title of a page once it is this one. */
const titleOnce = (at: string): Step => ({
  ...title,
  parameters: { ...title.parameters, selector: `//h1[.='${at}']`, wait_time: 10_000 }
})

/** A trial that ends on the page with this title. */
const arrives = (at: string, trial: Omit<Trial, "expect"> = {}): Trial =>
  leaves({ title: at }, { ...trial, after: [titleOnce(at)] })

/** Reads what the page says of its state, once it says this or has this among its words. */
const stateOnce = (words: string): Step => ({
  ...state,
  parameters: {
    ...state.parameters,
    selector: `//*[@id='state'][.='${words}' or contains(concat(' ', ., ' '), ' ${words} ')]`,
    wait_time: 10_000
  }
})

/** A trial after which the page says this. */
const says = (words: string, trial: Omit<Trial, "expect"> = {}): Trial =>
  leaves({ state: words }, { ...trial, after: [...(trial.after ?? []), stateOnce(words)] })

/** A trial after which the list shows an order. */
const listed = (order: string, replies: ReadonlyArray<Reply> = []): Trial => ({
  page: "/list",
  replies,
  after: [stateOnce(order)],
  expect: ({ outcome }) => assert.include(String(Json.objectOf(outcome.data).state).split(" "), order)
})

/** A trial that fails with these words. */
const fails = (words: string, trial: Omit<Trial, "expect"> = {}): Trial => ({
  ...trial,
  fails: true,
  expect: ({ outcome }) => assert.include(outcome._tag === "Failed" ? outcome.failure.message : "", words)
})

/** A trial by whose data only the promise of the page is judged. */
const promised = (trial: Omit<Trial, "expect"> = {}): Trial => ({ ...trial, expect: () => {} })

const answers = (answer: Schema.JsonObject, first: () => void = () => {}): Person => ({
  ask: () =>
    Effect.sync(() => {
      first()
      return answer
    }),
  correct: () => Effect.succeed(null)
})

/** A person who approves, or refuses for a reason. */
const deciding = (reason: string | null): Person => ({
  ...answers({}),
  approve: () => Effect.succeed(reason === null ? { _tag: "Approved" } : { _tag: "Refused", reason })
})

const field = (name: string, id: string) => text(name, `//*[@id='${id}']`)

/** Reads whether a box of the page is ticked. */
const isOn = (name: string, id: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: { type: "object", properties: { [name]: { type: "boolean", path: `//*[@id='${id}']` } } }
  }
})

/** Reads the values of fields of the page. */
const valuesOf = (...ids: ReadonlyArray<string>): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: {
      type: "object",
      properties: Object.fromEntries(ids.map((id) => [id, { type: "string", path: `//*[@id='${id}']` }]))
    }
  }
})

/** The width and height of a JPEG, from its frame header. */
const sizeOf = (bytes: Uint8Array): { readonly width: number; readonly height: number } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at < bytes.length; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xc2) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
  }
  return { width: 0, height: 0 }
}

const holds = modelSays(JSON.stringify({ holds: true, reason: "It lists two" }))

/** The trials of each example, by the heading that it stands below and in the order of the page. */
export const trials: Readonly<Record<string, ReadonlyArray<ReadonlyArray<Trial>>>> = {
  "Parameters that several actions share": [
    [
      says("paid", { page: "/invoices/A-1", inputs: () => ({ status: "open" }) }),
      says("open", { page: "/invoices/A-1", inputs: () => ({ status: "closed" }) })
    ]
  ],
  "What a step expects": [
    [says("paid", { page: "/invoices/A-1" })],
    [
      arrives("Invoice A-1", { inputs: () => ({ number: "A-1" }) }),
      fails('equals "Invoice A-2#"; found "Invoice A-2"', { inputs: () => ({ number: "A-2#" }) })
    ]
  ],
  "What a person approves first": [
    [
      says("paid", { page: "/invoices/A-1", inputs: () => ({ number: "A-1" }), person: () => deciding(null) }),
      fails("A person refused the act: not that one", {
        page: "/invoices/A-1",
        inputs: () => ({ number: "A-1" }),
        person: () => deciding("not that one")
      })
    ]
  ],
  START: [[arrives("Sign in")], [arrives("Sign in")]],
  NAVIGATE: [
    [leaves({ first: "A-3" }, { after: [text("first", "(//td)[1]")] })],
    [arrives("Invoices", { page: "/invoices", before: [go("/help")] })],
    [
      {
        ...arrives("Thank you"),
        expect: ({ marks, outcome }) => {
          assert.deepInclude(outcome.data, { title: "Thank you" })
          assert.include(marks, "committing")
        }
      },
      {
        dryRun: true,
        after: [title],
        expect: ({ outcome, steps }) => {
          assert.deepStrictEqual(outcome.data, { dry: true })
          assert.lengthOf(steps, 1)
        }
      }
    ]
  ],
  TAB_MANAGEMENT: [
    [arrives("Help")],
    [arrives("Welcome", { before: [{ action: "TAB_MANAGEMENT", parameters: { tabAction: "OPEN", url: "/help" } }] })],
    [arrives("Welcome", { before: [click("text=Help")] })]
  ],
  CLICK: [
    [arrives("Welcome", { page: "/login" })],
    [leaves({ paperless: true }, { page: "/claim", after: [isOn("paperless", "paperless")] })],
    [arrives("Invoice A-2", { page: "/invoices" })],
    [leaves({ menu: "Sign out" }, { page: "/invoices/A-1", after: [text("menu", "//ul[not(@hidden)]/li")] })],
    [says("Berlin", { page: "/map" })],
    [says("30,90 Shift", { page: "/plan" })],
    [
      says("released", {
        page: "/plan",
        after: [{ action: "CLICK", parameters: { selector: "//button[@id='hold']", click_type: "release" } }]
      })
    ],
    [promised({ page: "/invoices/A-1" })],
    [
      {
        page: "/invoices/A-1",
        after: [state],
        replies: [chooses("Pay now")],
        expect: ({ asked, outcome }) => {
          assert.deepInclude(outcome.data, { state: "paid" })
          assert.strictEqual(asked[0]?.body.model, "large")
        }
      }
    ],
    [
      arrives("Invoice A-2", {
        page: "/cookies",
        replies: [
          chooses("Accept cookies", "click_element"),
          chooses("Invoice A-2", "click_element"),
          calls("done", { reason: "The invoice is open" })
        ]
      })
    ],
    [fails("This account may not export invoices", { page: "/invoices/A-1" })]
  ],
  DRAG: [
    [says("Call Ada", { page: "/board" })],
    [says("50px", { page: "/board" })],
    [says("wide and high", { page: "/board" })],
    [
      says("10,30 30,20 50,40", {
        page: "/board",
        inputs: () => ({
          signature: [
            { x: 20, y: -10 },
            { x: 40, y: 10 }
          ]
        })
      })
    ],
    [says("thirty days", { page: "/board" })],
    [says("frame of 60 by 40, Shift", { page: "/plan" })]
  ],
  INPUT_TEXT: [
    [arrives("Results for Ada", { page: "/customers", inputs: () => ({ customer: "Ada" }) })],
    [leaves({ note: "Paid late. Call back." }, { page: "/claim", after: [field("note", "note")] })],
    [
      leaves(
        { month: "12", day: "31", year: "2026" },
        { page: "/claim", before: [click("//input[@id='month']")], after: [valuesOf("month", "day", "year")] }
      )
    ],
    [leaves({ iban: "DE02120300000000202051" }, { page: "/claim", after: [field("iban", "iban")] })],
    [
      leaves(
        { letter: "Dear Ada,\nthank you.", state: "pasted" },
        { page: "/claim", after: [field("letter", "letter"), state] }
      )
    ],
    [leaves({ bold: "Ada" }, { page: "/claim", after: [text("bold", "//div[@id='message']/b")] })],
    [says("Utrecht", { page: "/customers", replies: [chooses("City")] })]
  ],
  INPUT_SELECT: [
    [leaves({ country: "DE" }, { page: "/claim", after: [field("country", "country")] })],
    [leaves({ country: "NL" }, { page: "/claim", after: [field("country", "country")] })],
    [leaves({ country: "NO" }, { page: "/claim", after: [field("country", "country")] })]
  ],
  SCROLL: [
    [says("scrolled", { page: "/feed" })],
    [says("terms in the middle", { page: "/feed" })],
    [listed("42")],
    [listed("45")],
    [says("size 120", { page: "/plan" })],
    [
      says("terms at the start", {
        page: "/feed",
        replies: [
          answering((asked) =>
            wordsOf(asked).includes("Terms") ? chooses("Terms") : calls("scroll", { direction: "down" })
          )
        ]
      })
    ],
    [listed("45", [chooses("All orders")])]
  ],
  SCREENSHOT: [
    [
      {
        page: "/feed",
        after: [text("more", "//*[@id='more']")],
        expect: ({ outcome, pictures }) => {
          assert.lengthOf(pictures, 1)
          const [picture] = pictures
          assert.deepInclude(picture, { fullPage: true, metadata: { step: "receipt" } })
          assert.deepInclude(outcome.data, { more: "3" })
          assert.isAbove(sizeOf(picture?.bytes ?? new Uint8Array()).height, 6_000)
        }
      }
    ],
    [
      {
        page: "/orders",
        expect: ({ pictures }) => {
          assert.lengthOf(pictures, 1)
          const { height, width } = sizeOf(pictures[0]?.bytes ?? new Uint8Array())
          assert.isTrue(height > 20 && height < 200 && width > 20 && width < 600, `${width} x ${height}`)
        }
      }
    ]
  ],
  DELAY: [
    [
      {
        before: [note("before")],
        after: [note("after")],
        expect: ({ portal: { notes }, slept }) => {
          assert.lengthOf(notes, 2)
          assert.include(slept, 500)
        }
      }
    ]
  ],
  EXTRACT_DATAMODEL: [
    [promised({ page: "/orders" })],
    [
      {
        page: "/orders",
        replies: [modelSays('{"numbers": ["B-1"]}')],
        expect: ({ asked }) => {
          const [told = ""] = asked.map(wordsOf)
          for (const part of ["<td>Ada</td>", "The orders of Ada", "The numbers of the orders", 'id="orders"']) {
            assert.include(told, part)
          }
        }
      }
    ],
    [
      {
        page: "/orders",
        inputs: () => ({ mail: "Please pay B-1" }),
        replies: [modelSays('{"subject": "invoice"}')],
        expect: ({ asked }) => {
          const [told = ""] = asked.map(wordsOf)
          assert.include(told, "Please pay B-1")
          assert.notInclude(told, "<td>")
        }
      }
    ],
    [promised({ page: "/filter", before: [click("//button[@id='paid']")] })],
    [leaves({ shown: "Paid late." }, { page: "/note", after: [text("shown", "//p[@id='note']")] })]
  ],
  EXTRACT_NETWORK: [[promised({ page: "/orders" })], [promised({ page: "/orders" })]],
  TRANSFORM: [
    [
      {
        inputs: () => ({ amounts: [1, 2, 3], name: "Ada" }),
        before: [set("draft", "true")],
        expect: ({ outcome }) => assert.notProperty(outcome.data, "draft")
      }
    ]
  ],
  BOOL_CONDITION: [
    [
      leaves({ here: true }, { page: "/orders", to: { yes: 2, no: 3 }, after: [set("here", "true")] }),
      {
        page: "/help",
        to: { yes: 2, no: 3 },
        after: [set("here", "true")],
        expect: ({ outcome }) => assert.deepStrictEqual(outcome.data, {})
      }
    ],
    [
      leaves({ here: true }, { page: "/offer", to: { yes: 2, no: 3 }, after: [set("here", "true")] }),
      {
        page: "/help",
        to: { yes: 2, no: 3 },
        after: [set("here", "true")],
        expect: ({ outcome }) => assert.deepStrictEqual(outcome.data, {})
      }
    ],
    [
      leaves(
        { cookie: "none" },
        {
          page: "/orders",
          to: { yes: 2, no: 3 },
          after: [set("here", "true"), go("/orders"), text("cookie", "//*[@id='cookie']")]
        }
      )
    ],
    [
      fails("There are no invoices to pay", {
        inputs: () => ({ invoices: [] }),
        to: { yes: 2, no: 3 },
        after: [title]
      }),
      arrives("Welcome", { inputs: () => ({ invoices: [1] }), to: { yes: 2, no: 3 } })
    ],
    [
      {
        page: "/orders",
        to: { yes: 2, no: 3 },
        after: [set("here", "true")],
        replies: [holds],
        expect: ({ asked, outcome }) => {
          assert.deepInclude(outcome.data, { here: true })
          assert.include(asked[0]?.text, "data:image/jpeg")
        }
      }
    ]
  ],
  LOOP: [
    [
      leaves(
        { lines: ["0: A-1", "1: A-2"] },
        {
          inputs: () => ({ numbers: ["A-1", "A-2"] }),
          to: { body: 2, done: 3 },
          after: [{ ...append("lines", "$string(context.runtime.index) & ': ' & context.runtime.number"), to: 1 }]
        }
      )
    ]
  ],
  API_FLOW: [
    [promised()],
    [promised()],
    [
      {
        expect: ({ portal }) =>
          assert.deepStrictEqual(
            portal.notes.map(({ body }) => JSON.parse(body)),
            [{ about: "B-1", text: "Call back" }]
          )
      }
    ]
  ],
  FILE_DOWNLOAD: [
    [
      {
        page: "/invoices/A-1",
        before: [click("text=Download PDF")],
        expect: ({ files }) => {
          assert.lengthOf(files, 1)
          assert.deepInclude(files[0], { fileName: "A-1.pdf", metadata: { kind: "invoice" } })
          assert.include(files[0]?.text, "%PDF-1.4")
        }
      }
    ],
    [
      {
        page: "/orders",
        expect: ({ files }) => {
          assert.lengthOf(files, 1)
          assert.deepInclude(files[0], { fileName: "Orders.pdf", mediaType: "application/pdf" })
          assert.isTrue(files[0]?.text.startsWith("%PDF"))
        }
      }
    ],
    [arrives("Invoice A-1", { page: "/invoices/A-1", before: [click("text=Download all")] })]
  ],
  FILE_UPLOAD: [
    [says("claim.pdf, 62 bytes", { page: "/claim", inputs: (origin) => ({ file: `${origin}/files/scan.pdf` }) })],
    [
      {
        page: "/files",
        inputs: (origin) => ({ file: `${origin}/files/scan.pdf` }),
        expect: ({ portal: { notes } }) => assert.match(notes[0]?.body ?? "", /^%PDF/)
      }
    ],
    [
      {
        page: "/files",
        inputs: (origin) => ({ file: `${origin}/files/scan.pdf` }),
        expect: ({ portal: { notes } }) => assert.match(notes[0]?.body ?? "", /^%PDF/)
      }
    ]
  ],
  TFA: [
    [arrives("Signed in", { page: "/code" })],
    [arrives("Signed in", { page: "/code/sent" })],
    [arrives("Signed in", { page: "/link/sent" })],
    [arrives("Registered", { page: "/passkey", onLocalhost: true })],
    [arrives("Signed in", { page: "/passkey", onLocalhost: true, before: [registered, go("/passkey")] })]
  ],
  USER_INTERACTION: [
    [
      {
        person: () => answers({ branch: "North" }),
        after: [note("Branch {{context.branch}}")],
        expect: ({ portal }) => assert.strictEqual(portal.notes[0]?.body, "Branch North")
      }
    ]
  ],
  CAPTCHA: [
    [
      arrives("Welcome"),
      fails("a person may not be asked because manual_captcha_solve is off", { page: "/turnstile" }),
      arrives("Are you a person?", {
        page: "/turnstile",
        manualCaptcha: true,
        person: (portal) => answers({ solved: true }, portal.solve)
      })
    ]
  ],
  END: [[promised()]]
}
