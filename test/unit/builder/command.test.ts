import { assert, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Command from "../../../core/builder/Command.ts"

const act = (action: string, parameters: object) => ({ _tag: "Do", candidate: { action, parameters } })

it.each([
  ["navigate https://example.com/a?b=c", act("NAVIGATE", { url: "https://example.com/a?b=c" })],
  ["  Back ", act("NAVIGATE", { url: "back" })],
  ["click //button[@id = 'a = b']", act("CLICK", { execution: "STATIC", selector: "//button[@id = 'a = b']" })],
  ["hover css=.menu", act("CLICK", { execution: "STATIC", selector: "css=.menu", click_type: "hover" })],
  [
    "type //input[@name = 'x'] = a = b",
    act("INPUT_TEXT", { execution: "STATIC", selector: "//input[@name = 'x']", text: "a = b" })
  ],
  ["type //input =", act("INPUT_TEXT", { execution: "STATIC", selector: "//input", text: "" })],
  [
    "type //input = {{context.inputs.user}}",
    act("INPUT_TEXT", { execution: "STATIC", selector: "//input", text: "{{context.inputs.user}}" })
  ],
  ["press Enter", act("INPUT_TEXT", { execution: "STATIC", omit_focus: true, text: "{{enter}}" })],
  ["select //select = Open", act("INPUT_SELECT", { execution: "STATIC", selector: "//select", value: "Open" })],
  [
    'extract {"type":"object"}',
    act("EXTRACT_DATAMODEL", { execution: "STATIC", extract_data_model: { type: "object" } })
  ],
  ["screenshot", act("SCREENSHOT", {})],
  ["delay 1.5", act("DELAY", { delay_time: 1.5 })],
  ['{"action":"CLICK","parameters":{"selector":"a"},"name":null}', act("CLICK", { selector: "a" })],
  ['{"action":"SCREENSHOT"}', act("SCREENSHOT", {})],
  [
    'preview {"action":"EXTRACT_DATAMODEL"}',
    { _tag: "Preview", candidate: { action: "EXTRACT_DATAMODEL", parameters: {} } }
  ],
  [
    "loop context.orders as order",
    act("LOOP", {
      variable_over: "{{context.orders}}",
      variable_current_item: "order",
      variable_current_index: "order_index"
    })
  ],
  [
    "check //h1",
    act("BOOL_CONDITION", {
      execution: "STATIC",
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: "<<xpath://h1>>"
    })
  ],
  ["join", { _tag: "Join" }],
  ["next", { _tag: "Next" }],
  ["continue", { _tag: "Continue" }],
  ["drop", { _tag: "Drop" }],
  ["undo", { _tag: "Undo" }],
  ["replay", { _tag: "Replay" }],
  ["replay Sign in", { _tag: "Replay", until: "Sign in" }],
  ["continue Sign in", { _tag: "Continue", until: "Sign in" }],
  ["redo", { _tag: "Redo" }],
  [
    'edit {"nodes":{"a":null},"edges":{"a":null,"b":{"to":"c"}},"cursor":{"after":"b","way":"to"}}',
    {
      _tag: "Edit",
      patch: { nodes: { a: null }, edges: { a: null, b: { to: "c" } }, cursor: { after: "b", way: "to" } }
    }
  ],
  ["again Click Next", { _tag: "Again", step: "Click Next" }],
  ["leave", { _tag: "Leave" }],
  [
    'expect Sign in = {"type":"address","contains":"/a = b"}',
    { _tag: "Expect", step: "Sign in", expect: { conditions: [{ type: "address", contains: "/a = b" }] } }
  ],
  [
    'expect Pay = {"match":"any","conditions":[]}',
    { _tag: "Expect", step: "Pay", expect: { match: "any", conditions: [] } }
  ],
  ["expect Pay = none", { _tag: "Expect", step: "Pay", expect: null }],
  ["input city = Bad Ems", { _tag: "Input", name: "city", value: "Bad Ems" }],
  [
    "credential BANK https://bank.example/in = clerk",
    { _tag: "Credential", alias: "BANK", site: "https://bank.example", user: "clerk" }
  ],
  ["pages //a[@rel='next']", { _tag: "Pages", paging: { selector: "//a[@rel='next']" } }],
  [
    'pages {"selector":"//a","from":"Read","most":3}',
    { _tag: "Pages", paging: { selector: "//a", from: "Read", most: 3 } }
  ],
  ["answer code = 12 34", { _tag: "Answer", name: "code", value: "12 34" }],
  ["save", { _tag: "Save", note: null }],
  ["save The first one", { _tag: "Save", note: "The first one" }],
  ["help", { _tag: "Help" }]
])("%s is read", (text, command) => {
  assert.deepEqual(Result.getOrNull(Command.parse(text)) as unknown, command)
})

it.each([
  ["", "empty message"],
  ["please sign in", 'Cannot read "please": expected one of navigate'],
  ["constructor", 'Cannot read "constructor"'],
  ["click", "Expected click SELECTOR"],
  ["type //input", "Expected type SELECTOR = TEXT"],
  ["type //input=x", "a space on each side of the ="],
  ["type = x", "Expected type SELECTOR = TEXT"],
  ["extract [1]", "expected an object"],
  ["extract {", "Cannot read the JSON"],
  ['preview {"action":"CLICK"}', 'Cannot preview the action "CLICK"'],
  ["delay soon", "Expected a number of seconds"],
  ["loop context.orders", "Expected loop EXPRESSION as NAME"],
  ["check css=h1", "Expected an XPath"],
  ["undo that", 'Cannot read "that"'],
  ["edit", "Expected edit JSON"],
  ['edit {"nodes":{"a":5}}', "Cannot read the change: expected"],
  ["expect Pay", "Expected expect STEP = JSON"],
  ["expect Pay = the end", "Cannot read the JSON"],
  ['{"parameters":{}}', "Cannot read the node"],
  ['{"action":"CLICK","parameters":[]}', "Cannot read the node"]
])("%s is answered with what would have been accepted", (text, answer) => {
  assert.include(Result.getOrNull(Result.flip(Command.parse(text))), answer)
})

it.prop("any text is read or answered", [Schema.String], ([text]) => {
  const read = Command.parse(text)
  assert.isTrue(Result.isSuccess(read) || read.failure.length > 0)
})

it("help names every word", () => {
  const words = /expected one of (.*), or a node/.exec(Result.getOrNull(Result.flip(Command.parse("?"))) ?? "")?.[1]
  for (const word of words?.split(", ") ?? [""]) assert.include(Command.help, word)
})
