import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { nearest } from "../../../core/window/NearestName.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import * as SelectorSyntax from "../../../core/workflow/language/graph/SelectorSyntax.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf, type Step } from "../../support/browser.ts"

const read = (steps: ReadonlyArray<Step>, more: Schema.JsonObject = {}) => {
  const { edges, nodes } = graphOf("https://shop.example/", steps)
  return SaveBody.read({ name: "w", nodes, edges, input_schema: {}, output_schema: {}, max_retries: 0, ...more }, 0)
}

/** The warnings of a valid workflow, each as its path and its message. */
const warned = (steps: ReadonlyArray<Step>, more: Schema.JsonObject = {}) => {
  const { content, problems } = read(steps, more)
  assert.deepStrictEqual(problems, [])
  return SaveBody.warnings(content).map(({ message, path }) => [path, message] as const)
}

const at = "nodes[1].parameters"
const click = (selector: string, more: object = {}): Step => ({
  action: "CLICK",
  parameters: { selector, ...more }
})
const type = (text: string, more: object = {}): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector: "//input[@id='a']", text, ...more }
})
const extract = (properties: object, more: object = {}): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { execution: "STATIC", extract_data_model: { type: "object", properties }, ...more }
})
const rows = { rows: { type: "array", path: "//tr", items: { type: "string" } } }
const code: Step = {
  action: "TFA",
  parameters: { tfa_type: "AUTHENTICATOR", credential: "BANK", selector: "//input[@id='otp']" }
}
const wait: Step = { action: "DELAY", parameters: { delay_time: 0 } }
const bank = { BANK: { type: "credential", domain: "bank.example" } }
const open = { type: "object", properties: { BANK: { type: "string" } } }

describe("a saved workflow is warned of", () => {
  it.each<readonly [string, Step, string, string]>([
    ["a misspelt parameter", type("x", { submit_afer_input: true }), `${at}.submit_afer_input`, "submit_after_input?"],
    ["a parameter of no action", click("//a[1]", { colour: "red" }), `${at}.colour`, "CLICK has"],
    [
      "an older parameter without effect",
      click("//a[1]", { max_retries_with_reload: 2 }),
      `${at}.max_retries_with_reload`,
      "max_retries of the workflow"
    ],
    [
      "a misspelt field of a condition",
      click("//a[1]", { run_if: { conditions: [{ field: "context.inputs.a", operator: "EQUAL", valeu: "1" }] } }),
      `${at}.run_if.conditions[0].valeu`,
      "value?"
    ],
    [
      "a misspelt field of a data model",
      extract({ total: { type: "string", paht: "//b" } }),
      `${at}.extract_data_model.properties.total.paht`,
      "path?"
    ],
    [
      "the path of an object in a data model",
      extract({ user: { type: "object", path: "//main", properties: { name: { type: "string", path: "//b" } } } }),
      `${at}.extract_data_model.properties.user.path`,
      "path of an object has no effect"
    ],
    [
      "a list that need not have rows",
      extract(rows),
      `${at}.extract_data_model.properties.rows`,
      "expect at least one"
    ],
    [
      "a list within an object",
      extract({ shop: { type: "object", properties: { rows: { type: ["array", "null"], path: "//tr" } } } }),
      `${at}.extract_data_model.properties.shop.properties.rows`,
      "selector, which is waited for"
    ],
    [
      "a list beside an expectation that holds without rows",
      extract(rows, { expect: { conditions: [{ type: "element", selector: "//b", state: "absent" }] } }),
      `${at}.extract_data_model.properties.rows`,
      "expect at least one"
    ],
    ["a selector that looks like CSS", click("form > button"), `${at}.selector`, "css=form > button"],
    ["a bare #name", click("#user"), `${at}.selector`, "css=#user"],
    ["a selector that may match many", click("//button"), `${at}.selector`, "may match many"],
    ["items that nothing tells apart", click("//ul[1]//x/li".replace("[1]", "")), `${at}.selector`, "may match many"],
    ["a button of a part that pages have many of", click("//div//button"), `${at}.selector`, "may match many"],
    ["a link of an item that nothing tells apart", click("//ul/li/a"), `${at}.selector`, "may match many"],
    ["Enter in a field that is emptied first", type("{{enter}}"), `${at}.text`, "do_not_clear"],
    ["Enter in capitals in such a field", type(" {{Enter}}"), `${at}.text`, "do_not_clear"],
    ["a choice by arrows in such a field", type("{{down}}{{Arrow_Down}}{{enter}}"), `${at}.text`, "do_not_clear"],
    ["an unknown function", type("{{$uppercse(context.inputs.a)}}"), `${at}.text`, "did you mean $uppercase?"],
    ["an expression without an end", type("a {{context.inputs.a} b"), `${at}.text`, "expected }} after {{context"],
    ["a name without its root", type("{{inputs.user.name}}"), `${at}.text`, "did you mean context.inputs.user.name?"]
  ])("%s", (_name, step, path, message) => {
    const found = warned([step])
    assert.deepStrictEqual(
      found.map(([one]) => one),
      [path]
    )
    assert.include(found[0]?.[1], message)
  })

  it.each<readonly [string, Step]>([
    ["parameters that are null", type("x", { submit_afer_input: null })],
    ["keywords of JSON Schema in a data model", extract({ total: { type: "string", title: "Sum", path: "//b" } })],
    ["a list whose row is waited for", extract(rows, { selector: "//tr[1]" })],
    [
      "a list of at least one row",
      extract(rows, { expect: { conditions: [{ type: "element", selector: "//tr[1]", at_least: 1 }] } })
    ],
    [
      "a list that must have something",
      extract(rows, { expect: { conditions: [{ type: "variable", field: "context.rows", operator: "IS_NOT_NULL" }] } })
    ],
    ["a list that is left out", extract({ rows: { ...rows.rows, selected: false } })],
    ["an XPath with a predicate", click("//button[@type='submit']")],
    ["an XPath from the root", click("/html/body/main/button")],
    ["an XPath through what a page has once", click("//main//button")],
    ["a text that is pasted, and Enter", type("{{Ctrl+V}}{{enter}}")],
    ["a selector of a named kind", click("css=form > button")],
    ["a text with a key at its end", type("x{{enter}}")],
    ["Enter in a field that is kept", type("{{enter}}", { do_not_clear: true })],
    ["functions that the expression defines", type("{{($f := function($x){$x & 'a'}; $f(context.inputs.a))}}")],
    ["functions by reference", type("{{context.inputs.a ~> $trim ~> $uppercase()}}")],
    ["times and chance", type("{{$now() & $millis() & $random() & $shuffle([1])}}")],
    ["a JSON text with braces", type('{"a":{"b":{{context.inputs.a}}}}')]
  ])("nothing: %s", (_name, step) => {
    assert.deepStrictEqual(warned([step]), [])
  })

  it("nothing of a list whose rows the output asks for", () => {
    const output = (minItems: number) => ({
      output_schema: { type: "object", properties: { rows: { type: "array", minItems } } }
    })
    assert.deepStrictEqual(warned([extract(rows)], output(1)), [])
    assert.lengthOf(warned([extract(rows)], output(0)), 1)
  })

  it("fields of nodes that have no effect, and not those of editors or `null`", () => {
    const { edges, nodes } = graphOf("https://shop.example/", [click("//a[1]")])
    const [start, first, end] = nodes
    const sent = {
      ...first,
      position: { x: 1, y: 2 },
      description: "d",
      errored: false,
      take_snapshot: true,
      run_if: {}
    }
    assert.deepStrictEqual(
      warned([], { nodes: [start, sent, end] as unknown as Schema.Json, edges }).map(([path]) => path),
      ["nodes[1].take_snapshot", "nodes[1].run_if"]
    )
  })

  it("the click on a button that the code before it has pressed already", () => {
    const button = click("//button[@type='submit']")
    const more = { vault_schema: bank }
    assert.deepStrictEqual(
      warned([code, button], more).map(([path]) => path),
      ["nodes[2].parameters"]
    )
    assert.deepStrictEqual(
      warned([code, wait, button], more).map(([path]) => path),
      ["nodes[3].parameters"]
    )
    assert.deepStrictEqual(warned([code, click("//a[@id='home']")], more), [])
    assert.deepStrictEqual(warned([button, code], more), [])
  })

  it("a secret of a credential that vault_schema does not name", () => {
    const secret = type("{{context.inputs.BNAK.PASSWORD}}")
    const [found] = warned([secret], { vault_schema: bank })
    assert.deepStrictEqual(found?.[0], `${at}.text`)
    assert.include(found?.[1], "did you mean BANK?")
    // Where the schema lists all inputs, such an alias is refused.
    const [problem] = read([secret], {
      vault_schema: bank,
      input_schema: { ...open, additionalProperties: false }
    }).problems
    assert.include(problem?.message, "did you mean context.inputs.BANK?")
  })

  it.each<readonly [string, string, string]>([
    ["a variable of a loop under context", "{{context.row.id}}", "did you mean context.runtime.row?"],
    ["an input under context", "{{context.user}}", "did you mean context.inputs.user?"],
    ["a misspelt variable of a loop", "{{context.runtime.rwo}}", "did you mean context.runtime.row?"],
    ["a misspelt input", "{{context.inputs.usr}}", "did you mean context.inputs.user?"],
    ["an input in the place of a variable of a loop", "{{context.runtime.user}}", "did you mean context.inputs.user?"],
    ["a variable of a loop under a name for loops", "{{context.loop.row.id}}", "did you mean context.runtime.row?"]
  ])("refused with the place that was meant: %s", (_name, text, message) => {
    const loop: Step = {
      action: "LOOP",
      parameters: { variable_over: 2, variable_current_item: "row", variable_current_index: "index" },
      to: { body: 2, done: 3 }
    }
    const schema = { type: "object", properties: { user: { type: "string" } } }
    const { problems } = read([loop, { ...type(text), to: 1 }], { input_schema: schema })
    assert.strictEqual(problems.length, 1)
    assert.include(problems[0]?.message, message)
  })

  it("a variable of a loop that is read as an input, where any input may be given", () => {
    const loop: Step = {
      action: "LOOP",
      parameters: { variable_over: 2, variable_current_item: "row", variable_current_index: "index" },
      to: { body: 2, done: 3 }
    }
    const texts = ["{{context.inputs.row.id}}", "{{context.inputs.user}}"]
    const [found, other] = texts.map((text) => warned([loop, { ...type(text), to: 1 }, wait]))
    assert.deepStrictEqual(
      found?.map(([path]) => path),
      ["nodes[2].parameters.text"]
    )
    assert.include(found?.[0]?.[1], "did you mean context.runtime.row?")
    assert.deepStrictEqual(other, [])
    // Before the loop, the name can only be that of an input.
    assert.deepStrictEqual(
      warned([type("{{context.inputs.row}}"), { ...loop, to: { body: 3, done: 4 } }, { ...wait, to: 2 }]),
      []
    )
  })

  it("unknown fields of a body and of its window, and settings without effect", () => {
    const window = {
      time_zone: "Europe/Berlin",
      regular_hours: [
        {
          active_start_day: "MONDAY",
          active_start_time: { hours: 8, minute: 30 },
          active_end_day: "MONDAY",
          active_end_time: { hours: 17 }
        }
      ]
    }
    const body = {
      name: "w",
      id: "an echo",
      loginStructure: {},
      enable_popup_handlng: true,
      use_native_actions: true,
      later_field: null,
      run_window: window
    }
    const minute = "regular_hours[0].active_start_time.minute"
    const found = SaveBody.bodyWarnings(body)
    assert.deepStrictEqual(
      found.map(({ path }) => path),
      ["enable_popup_handlng", "use_native_actions", `run_window.${minute}`]
    )
    assert.include(found[0]?.message, "did you mean enable_popup_handling?")
    assert.include(found[2]?.message, "did you mean minutes?")
    const checked = RunWindow.validate(window)
    assert.deepStrictEqual("success" in checked && checked.success.warnings.map(({ path }) => path), [minute])
  })
})

it.each([
  ["inputs", ["workflow_id", "run_input_variables", "debug"], "run_input_variables"],
  ["runInputVariables", ["workflow_id", "run_input_variables"], "run_input_variables"],
  ["minute", ["hours", "minutes"], "minutes"],
  ["colour", ["hours", "minutes"], null],
  ["x", [], null]
] as const)("the known name that %s stands for", (name, known, meant) => {
  assert.strictEqual(nearest(name, known), meant)
})

it.each([
  [".btn", true],
  ["[data-id=x]", true],
  ["input[name=user]", true],
  ["a:hover", true],
  ["button", true],
  ["ul li:nth-child(2)", true],
  ["//a", false],
  ["(//a)[1]", false],
  ["html/body", false],
  ["id('x')", false],
  ["child::a", false],
  ["{{context.inputs.selector}}", false]
] as const)("%s looks like CSS: %s", (selector, expected) => {
  assert.strictEqual(SelectorSyntax.looksLikeCss(selector), expected)
})
