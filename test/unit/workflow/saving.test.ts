import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What reading a workflow may cost, in fixed works. */
const most = 100

const save = (steps: ReadonlyArray<Step>, more: Schema.JsonObject = {}) => {
  const { edges, nodes } = graphOf("https://shop.example/", steps)
  return SaveBody.read({ name: "w", nodes, edges, input_schema: {}, output_schema: {}, max_retries: 0, ...more }, 0)
    .problems
}

const at = "nodes[1].parameters"
const paths = (steps: ReadonlyArray<Step>) => save(steps).map(({ path }) => path)
const condition = { field: "context.inputs.a", operator: "EQUAL", value: "1" }
const get = (id: string, more: object = {}) => ({ id, method: "GET", url: "https://api.example/", ...more })
const flow = (steps: ReadonlyArray<object>, more: object = {}): Step => ({
  action: "API_FLOW",
  parameters: { steps, ...more }
})
const transform = (...operations: ReadonlyArray<object>): Step => ({ action: "TRANSFORM", parameters: { operations } })
const set = (target: string, value: string) => ({ type: "SET", target, value })
const extract = (model: object, more: object = {}): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: model, ...more }
})
const wait: Step = { action: "DELAY", parameters: { delay_time: 0 } }
const loop = (more: object): Step => ({
  action: "LOOP",
  parameters: { variable_over: 2, variable_current_item: "x", variable_current_index: "i", ...more },
  to: { body: 2, done: 3 }
})
const network = (model: object, url = "api"): Step => ({
  action: "EXTRACT_NETWORK",
  parameters: { url, extract_data_model: model }
})

describe("a mistake in a node is reported at its path", () => {
  it.each<readonly [string, Step, ReadonlyArray<string>]>([
    [
      "a condition of a node that has none",
      { action: "DELAY", parameters: { delay_time: 1, run_if: { conditions: [condition] } } },
      [`${at}.run_if`]
    ],
    [
      "a condition without any",
      { action: "CLICK", parameters: { selector: "//a", run_if: { conditions: [] } } },
      [`${at}.run_if.conditions`]
    ],
    [
      "a field that is not of the context",
      {
        action: "CLICK",
        parameters: { selector: "//a", run_if: { conditions: [{ ...condition, field: "steps.a" }] } }
      },
      [`${at}.run_if.conditions[0].field`]
    ],
    [
      "a field that is not a path",
      {
        action: "CLICK",
        parameters: { selector: "//a", run_if: { conditions: [{ ...condition, field: "$error(context.a)" }] } }
      },
      [`${at}.run_if.conditions[0].field`]
    ],
    [
      "a field that nothing sets",
      {
        action: "CLICK",
        parameters: { selector: "//a", run_if: { conditions: [{ ...condition, field: "context.x" }] } }
      },
      [`${at}.run_if.conditions[0].field`]
    ],
    [
      "an unknown operator",
      {
        action: "CLICK",
        parameters: { selector: "//a", run_if: { conditions: [{ ...condition, operator: "LIKE" }] } }
      },
      [`${at}.run_if.conditions[0].operator`]
    ],
    ["a target among the inputs", transform(set("context.inputs.a", "1")), [`${at}.operations[0].target`]],
    ["a target among the loop variables", transform(set("context.runtime.a", "1")), [`${at}.operations[0].target`]],
    ["a target that is a prototype", transform(set("context.a.__proto__", "1")), [`${at}.operations[0].target`]],
    [
      "an expression that cannot be read",
      transform(set("context.a", "1 +"), set("context.b", "1")),
      [`${at}.operations[0].value`]
    ],
    [
      "an expression with a hostile pattern",
      transform(set("context.a", "$match('a', /(a+)+$/)")),
      [`${at}.operations[0].value`]
    ],
    ["an expression that is not there", transform({ type: "SET", target: "context.a" }), [`${at}.operations[0].value`]],
    [
      "a variable that nothing sets",
      transform(set("context.a", "context.b"), set("context.b", "1")),
      [`${at}.operations[0].value`]
    ],
    ["a pattern that never ends", network({ properties: { a: "string" } }, "regex:(a+)+$"), [`${at}.url`]],
    [
      "a path of an answer that cannot be read",
      network({ properties: { a: { path: "$[" } } }),
      [`${at}.extract_data_model.properties.a.path`]
    ],
    [
      "an XPath that cannot be read",
      extract({
        properties: { rows: { type: "array", path: "//tr", items: { properties: { a: { path: "/td[1" } } } } }
      }),
      [`${at}.extract_data_model.properties.rows.items.properties.a.path`]
    ],
    [
      "a type that is none",
      extract({ properties: { a: { type: "text" } } }),
      [`${at}.extract_data_model.properties.a.type`]
    ],
    ["a selector that cannot be read", { action: "CLICK", parameters: { selector: "//a[@b='c'" } }, [`${at}.selector`]],
    [
      "a live value that cannot be read",
      {
        action: "BOOL_CONDITION",
        parameters: { comparison_operator: "EQUAL", comparison_value_1: "<<xpath://a[>>" },
        to: { yes: 2, no: 3 }
      },
      [`${at}.comparison_value_1`]
    ],
    ["an id of a step", flow([get("A")]), [`${at}.steps[0].id`]],
    ["two steps with one id", flow([get("a"), get("a")]), [`${at}.steps[1].id`]],
    [
      "an unknown target and an unknown order",
      flow([get("a")], { target_step_id: "b", ordering: [{ before: "a", after: "c" }] }),
      [`${at}.target_step_id`, `${at}.ordering[0].after`]
    ],
    [
      "steps in a circle",
      flow([get("a"), get("b")], {
        ordering: [
          { before: "a", after: "b" },
          { before: "b", after: "a" }
        ]
      }),
      [`${at}.ordering`]
    ],
    [
      "a step that reads one after it",
      flow([get("a", { url: "https://x.example/{{steps.b.body}}" }), get("b")]),
      [`${at}.steps[0].url`]
    ],
    [
      "a header that the connection decides about",
      flow([get("a", { headers: { Host: "x" } })]),
      [`${at}.steps[0].headers`]
    ],
    [
      "too many parameters",
      flow([get("a", { query: Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`q${index}`, "1"])) })]),
      [`${at}.steps[0].query`]
    ],
    ["another try of a POST", flow([{ ...get("a"), method: "POST", retry: 1 }]), [`${at}.steps[0].retry`]],
    ["too many tries", flow([get("a", { retry: { max_attempts: 6 } })]), [`${at}.steps[0].retry.max_attempts`]],
    ["a body of a GET", flow([get("a", { body: { type: "text", value: "x" } })]), [`${at}.steps[0].body`]],
    ["a repetition without an end", flow([get("a", { repeat: { until: {} } })]), [`${at}.steps[0].repeat.until`]],
    [
      "a repetition that is too long",
      flow([get("a", { repeat: { until: { response_predicate: "done" }, max_iterations: 101 } })]),
      [`${at}.steps[0].repeat.max_iterations`]
    ],
    ["an address of files", flow([get("a", { url: "file:///etc/passwd" })]), [`${at}.steps[0].url`]],
    [
      "a map to the inputs",
      flow([get("a")], { field_json_map: { "inputs.x": "1" } }),
      [`${at}.field_json_map.inputs.x`]
    ],
    [
      "a map that reads an unknown step",
      flow([get("a")], { field_json_map: { x: "steps.b.body" } }),
      [`${at}.field_json_map.x`]
    ],
    ["too many steps", flow(Array.from({ length: 21 }, (_, index) => get(`s${index}`))), [`${at}.steps`]],
    ...[null, "", "rows", true, -1, 1.5].map((over): [string, Step, ReadonlyArray<string>] => [
      `a loop over ${JSON.stringify(over)}`,
      loop({ variable_over: over }),
      [`${at}.variable_over`]
    ]),
    ["a loop whose variables have one name", loop({ variable_current_index: "x" }), [`${at}.variable_current_index`]],
    ["a data model of a list", extract({ type: "array", items: { properties: {} } }), [`${at}.extract_data_model`]],
    ["a data model of nothing", extract({ type: "object" }), [`${at}.extract_data_model`]],
    [
      "a list that is described beside its items",
      extract({ properties: { rows: { type: "array", path: "//tr", properties: { a: "string" } } } }),
      [`${at}.extract_data_model.properties.rows.items`]
    ],
    [
      "a variable that no loop sets",
      { action: "INPUT_TEXT", parameters: { selector: "//a", text: "{{context.runtime.row}}" } },
      [`${at}.text`]
    ],
    [
      "parameters in great depth",
      extract(JSON.parse(`${'{"properties":{"a":'.repeat(200)}{}${"}}".repeat(200)}`) as object),
      [at]
    ]
  ])("%s", (_name, step, expected) =>
    assert.deepEqual(
      paths([
        step,
        ...(step.action === "BOOL_CONDITION" ? [wait] : []),
        ...(step.action === "LOOP" ? [{ ...wait, to: 1 }] : [])
      ]),
      expected
    )
  )

  it("everything at once: parameters, ways, selectors, variables and credentials", () => {
    const type = (text: string, selector: string): Step => ({ action: "INPUT_TEXT", parameters: { selector, text } })
    assert.deepEqual(
      paths([
        type("{{context.nothing}}", "//a["),
        { action: "DELAY", parameters: { delay_time: -1 } },
        { action: "TFA", parameters: { tfa_type: "SMS", credential: "BANK", selector: "//a" }, to: 5 },
        { action: "SCREENSHOT" }
      ]).sort(),
      [
        "nodes[1].parameters.selector",
        "nodes[1].parameters.text",
        "nodes[2].parameters.delay_time",
        "nodes[3].parameters.credential",
        "nodes[4]"
      ]
    )
    // The outputs of a node with wrong parameters are unknown, so uses of them are not reported.
    assert.deepEqual(paths([extract({ properties: { x: { type: "text" } } }), type("{{context.x}}", "//a")]), [
      "nodes[1].parameters.extract_data_model.properties.x.type"
    ])
  })

  it("what may be missing is a warning, and so is what expressions know nothing of", () => {
    const type = (text: string): Step => ({ action: "INPUT_TEXT", parameters: { selector: "//a[1]", text } })
    const { content, problems } = SaveBody.read(
      {
        name: "w",
        ...graphOf("https://shop.example/", [
          {
            ...extract({ properties: { x: "string" } }),
            parameters: {
              extract_data_model: { properties: { x: "string" } },
              run_if: { conditions: [{ field: "context.inputs.a", operator: "IS_NULL" }] }
            }
          },
          type("{{context.x}}"),
          type("{{inputs.a}}{{tab}}{{window.location.href}}{{$now()}}")
        ])
      },
      0
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(
      SaveBody.warnings(content).map(({ path }) => path),
      ["nodes[3].parameters.text", "nodes[2].parameters.text"]
    )
  })

  it("the oldest placeholders are rewritten, and the bodies of functions are not", () => {
    const { content } = SaveBody.read(
      {
        name: "w",
        nodes: [
          { action: "INPUT_TEXT", parameters: { text: "{$NAME} {{$map(context.rows, function($r){$r.id})}}" } },
          { action: "TRANSFORM", parameters: { operations: [set("context.a", "$map(context.b, function($x){$x})")] } }
        ]
      },
      0
    )
    assert.deepEqual(content.nodes as unknown, [
      {
        action: "INPUT_TEXT",
        parameters: { text: "{{context.inputs.NAME}} {{$map(context.rows, function($r){$r.id})}}" }
      },
      { action: "TRANSFORM", parameters: { operations: [set("context.a", "$map(context.b, function($x){$x})")] } }
    ])
  })

  it("knows what the actions set", () => {
    const reading = (name: string): Step => ({
      action: "INPUT_TEXT",
      parameters: { selector: "//a", text: `{{context.${name}}}` }
    })
    for (const step of [
      transform(set("context.x.y", "1")),
      flow([get("a")], { field_json_map: { "x.y": "1" } }),
      flow([get("a")], { field_json_map: "steps.a.body" }),
      network({ properties: { x: "string" } }),
      extract({ properties: { x: "string" } })
    ]) {
      assert.deepEqual(save([step, reading("x")]), [])
    }
    assert.deepEqual(paths([extract({ properties: { x: { selected: false } } }), reading("x")]), [
      "nodes[2].parameters.text"
    ])
  })
})

describe("a hostile graph is checked in well under a second", () => {
  const many = (make: (index: number) => Step) => Array.from({ length: 10_000 }, (_, index) => make(index))

  it.each<readonly [string, ReadonlyArray<Step>]>([
    [
      "of 10,000 nodes that each set a variable and read the one before",
      many((index) =>
        transform({ type: "SET", target: `context.v${index}`, value: index === 0 ? "1" : `context.v${index - 1}` })
      )
    ],
    [
      "of 10,000 nodes that read the same variable",
      [
        transform(set("context.v", "1")),
        ...many(() => ({ action: "INPUT_TEXT", parameters: { selector: "//a", text: "{{context.v}}" } }))
      ]
    ],
    [
      "of 9,000 loops in each other",
      [
        ...Array.from(
          { length: 9_000 },
          (_, index): Step => ({
            action: "LOOP",
            parameters: { variable_over: 2, variable_current_item: `x${index}`, variable_current_index: `i${index}` },
            to: { body: index + 2, done: index === 0 ? 9_002 : index }
          })
        ),
        { action: "DELAY", parameters: { delay_time: 0 }, to: 9_000 }
      ]
    ],
    [
      "of 10,000 nodes with selectors of their own",
      many((index) => ({
        action: "CLICK",
        parameters: { selector: `//div[@id='x${index}']/span[contains(@class, 'b')]` }
      }))
    ],
    [
      "with a text of a megabyte",
      [{ action: "INPUT_TEXT", parameters: { selector: "//a", text: "{{".repeat(300_000) + "x".repeat(400_000) } }]
    ],
    [
      "with a megabyte of expressions",
      [{ action: "INPUT_TEXT", parameters: { selector: "//a", text: "{{1}}".repeat(200_000) } }]
    ],
    ["with a selector of a megabyte", [{ action: "CLICK", parameters: { selector: `//a${"[b".repeat(300_000)}` } }]]
  ])("%s", (_name, steps) => {
    assert.isBelow(
      RelativeCost.least(most, () => save(steps)),
      most
    )
  })
})
