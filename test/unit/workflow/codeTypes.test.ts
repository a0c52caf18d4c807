/**
 * What does not compile. The type checker proves each line: it complains about an expectation of an error that does not
 * come. The tests run the same code.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Code from "../../../core/workflow/code/WorkflowCode.ts"

const url = "https://portal.example/"

const begun = Code.workflow({
  name: "Typed",
  inputs: Schema.Struct({ month: Schema.String }),
  credentials: { PORTAL: url }
}).start("Open", { url: "https://portal.example/{{context.inputs.month}}" })

const read = begun.extractDatamodel("Read", {
  execution: "STATIC",
  extract_data_model: Code.record({ total: Code.number("//b"), rows: Code.list("//tr", { id: Code.text("/td") }) })
})

const count = (code: Code.WorkflowCode): number => Code.body(code).nodes.length

describe("names in code", () => {
  it("are the inputs and credentials of the workflow", () => {
    const known = begun
      .inputText("User", { selector: "//u", text: "{{context.inputs.PORTAL.USER_NAME}} {{context.inputs.month}}" })
      .inputText("Key", { selector: "//u", text: "{{tab}}" })
    const unknown = begun
      // @ts-expect-error no such input
      .inputText("Year", { selector: "//y", text: "{{context.inputs.year}}" })
    const ofStart = Code.workflow({ name: "None" })
      // @ts-expect-error the workflow has no inputs
      .start("Open", { url: "https://portal.example/{{context.inputs.month}}" })
    assert.deepStrictEqual([known, unknown, ofStart].map(count), [4, 3, 2])
  })

  it("are those that steps before set, by every action that sets some", () => {
    const known = read
      .click("Copy", { selector: "//button", copied_as: "link" })
      .userInteraction("Ask", {
        expected_datamodel: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] }
      })
      .transform("Set", {
        operations: [
          { type: "SET", target: "context.sum", value: "context.total + 1" },
          { type: "SET", target: "context.user.name", value: "context.sum & context.branch" }
        ]
      })
      .apiFlow("Ask the site", {
        steps: [{ id: "one", method: "GET", url: "/{{context.link}}" }],
        field_json_map: { answer: "steps.one.body", "context.other.place": "context.sum" }
      })
      .navigate("Go", { url: "https://portal.example/{{context.answer}}/{{context.other}}/{{context.user.name}}" })
    const unset = [
      // @ts-expect-error nothing sets total
      begun.navigate("Go", { url: "https://portal.example/{{context.total}}" }),
      // @ts-expect-error a name that is almost one
      read.navigate("Go", { url: "https://portal.example/{{context.totals}}" }),
      // @ts-expect-error the second of two names
      read.navigate("Go", { url: "https://portal.example/{{context.total & context.none}}" }),
      read.transform("Set", {
        operations: [
          {
            type: "SET",
            target: "context.sum",
            // @ts-expect-error an expression without braces
            value: "context.none + 1"
          }
        ]
      }),
      read.click("Click", {
        selector: "//a",
        run_if: {
          conditions: [
            {
              // @ts-expect-error a field of a condition
              field: "context.none",
              operator: "IS_NULL"
            }
          ]
        }
      }),
      read.apiFlow("Ask", {
        steps: [{ id: "one", method: "GET", url: "/" }],
        field_json_map: {
          // @ts-expect-error an expression of a map
          answer: "context.none"
        }
      })
    ]
    assert.deepStrictEqual([known, ...unset].map(count), [8, 3, 4, 4, 4, 4, 4])
  })

  it("may be read in the expectation of the step that sets them", () => {
    const expecting = begun.extractDatamodel("Read", {
      execution: "STATIC",
      extract_data_model: Code.record({ total: Code.number("//b") }),
      expect: { conditions: [{ type: "variable", field: "context.total", operator: "IS_NOT_NULL" }] }
    })
    assert.strictEqual(count(expecting), 3)
  })

  it("of a branch are known after it, and not in the other one", () => {
    const condition = { comparison_operator: "IS_NULL", comparison_value_1: "{{context.inputs.month}}" } as const
    const branched = begun
      .when("Empty?", condition, {
        yes: (steps) => steps.click("Copy", { selector: "//a", copied_as: "link" }),
        // @ts-expect-error the other branch sets it
        no: (steps) => steps.navigate("Go", { url: "https://portal.example/{{context.link}}" })
      })
      .navigate("Then", { url: "https://portal.example/{{context.link}}" })
    assert.strictEqual(count(branched), 6)
  })

  it("of a loop are known in its body", () => {
    const loop = {
      variable_over: "{{context.rows}}",
      variable_current_item: "row",
      variable_current_index: "index"
    } as const
    const looped = read.each("Each", loop, (steps) =>
      steps.navigate("Go", { url: "https://portal.example/{{context.runtime.row.id}}/{{context.runtime.index}}" })
    )
    const wrong = read.each("Each", loop, (steps) =>
      steps.navigate("Go", {
        // @ts-expect-error the loop has another variable
        url: "https://portal.example/{{context.runtime.line}}"
      })
    )
    // @ts-expect-error nothing sets the list
    const unset = begun.each("Each", loop, (steps) => steps)
    assert.deepStrictEqual([looped, wrong, unset].map(count), [5, 5, 3])
  })

  it("that types cannot see are assumed", () => {
    const assumed = begun.assume("page").navigate("Go", { url: "https://portal.example/{{context.page}}" })
    assert.strictEqual(count(assumed), 3)
  })

  it("are not checked in a text that is only known when the code runs", () => {
    const address: string = "https://portal.example/{{context.anything}}"
    assert.strictEqual(count(begun.navigate("Go", { url: address })), 3)
  })
})

describe("parameters in code", () => {
  it("are those of the action", () => {
    const wrong = [
      // @ts-expect-error a parameter that the action does not have
      begun.click("Click", { selector: "//a", selektor: "//b" }),
      // @ts-expect-error a value that the parameter does not take
      begun.click("Click", { selector: "//a", click_type: "tap" }),
      // @ts-expect-error a parameter that is missing
      begun.navigate("Go", {})
    ]
    assert.deepStrictEqual(wrong.map(count), [3, 3, 3])
  })

  it("of a workflow are its settings", () => {
    // @ts-expect-error a setting that a workflow does not have
    const wrong = Code.workflow({ name: "Wrong", max_retry: 1 })
    assert.strictEqual(count(wrong.start("Open", { url })), 2)
  })
})
