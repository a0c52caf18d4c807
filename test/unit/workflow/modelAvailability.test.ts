/** Which executions are taken when a workflow is saved, with a model and without one. */
import { assert, describe, it } from "@effect/vitest"
import { settingNames } from "../../../apps/cli/SettingNames.ts"
import * as ModelAvailability from "../../../core/workflow/ModelAvailability.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf, type Step } from "../../support/browser.ts"

const problems = (step: Step, names: ReadonlyArray<string> = []) => {
  const { content, problems } = SaveBody.read({ name: "w", ...graphOf("https://shop.example/", [step]) }, 0)
  return [...problems, ...ModelAvailability.problems(content.nodes, { names, setting: settingNames.model })]
}

const pathsOf = (step: Step, names?: ReadonlyArray<string>) => problems(step, names).map(({ path }) => path)
const at = (field: string) => [`nodes[1].parameters.${field}`]
const model = { type: "object", properties: { a: { type: "string" } } }

describe("a node that asks for a model", () => {
  it("is refused without one, by the name of the setting, and taken with one", () => {
    for (const [action, execution, more] of [
      ["CLICK", "LLM_VISION", {}],
      ["CLICK", "LLM_DOM", {}],
      ["CLICK", "COMPUTER_USE", {}],
      ["INPUT_TEXT", "LLM_VISION", { text: "x" }],
      ["EXTRACT_DATAMODEL", "LLM_DOM", { selector: "//body", extract_data_model: model }],
      ["EXTRACT_DATAMODEL", "PROMPT", { extract_data_model: model }],
      ["BOOL_CONDITION", "PROMPT", {}]
    ] as const) {
      const step: Step = {
        action,
        parameters: { execution, prompt: "The button", ...more },
        ...(action === "BOOL_CONDITION" ? { to: { yes: 2, no: 1 } } : {})
      }
      const own = problems(step).filter(({ path }) => path.includes("parameters"))
      assert.deepStrictEqual(
        own.map(({ path }) => path),
        at("execution")
      )
      assert.match(own[0]?.message ?? "", /SLUICE_MODEL_URL and SLUICE_MODEL/)
      assert.lengthOf(
        problems(step, ["small"]).filter(({ path }) => path.includes("parameters")),
        0
      )
    }
  })

  it("is refused when it names one that is not served", () => {
    const step: Step = { action: "CLICK", parameters: { execution: "LLM_DOM", prompt: "x", llm_model: "huge" } }
    assert.deepStrictEqual(pathsOf(step, ["small"]), at("llm_model"))
    assert.match(problems(step, ["small", "large"])[0]?.message ?? "", /expected "small" or "large"/)
    assert.deepStrictEqual(pathsOf({ ...step, parameters: { ...step.parameters, llm_model: "small" } }, ["small"]), [])
  })

  it("needs what its execution needs", () => {
    const paths = (action: string, parameters: Record<string, unknown>) => pathsOf({ action, parameters }, ["small"])
    assert.deepStrictEqual(paths("CLICK", { execution: "LLM_VISION" }), at("prompt"))
    assert.deepStrictEqual(paths("CLICK", { execution: "STATIC", prompt: "x" }), at("selector"))
    assert.deepStrictEqual(paths("CLICK", { execution: "PROMPT", prompt: "x" }), at("execution"))
    assert.deepStrictEqual(paths("INPUT_TEXT", { execution: "LLM_DOM", text: "x" }), at("prompt"))
    const scroll = (more: object) => paths("SCROLL", { execution: "LLM_VISION", ...more })
    assert.deepStrictEqual(scroll({ scroll_mode: "to-element", xpath: "//a" }), at("target_description"))
    assert.deepStrictEqual(scroll({ scroll_mode: "region" }), at("container_description"))
    assert.deepStrictEqual(scroll({ scroll_mode: "region", container_description: "The list" }), [])
    const data = { extract_data_model: model }
    assert.deepStrictEqual(paths("EXTRACT_DATAMODEL", { execution: "LLM_DOM", ...data }), at("selector"))
    assert.deepStrictEqual(paths("EXTRACT_DATAMODEL", { execution: "PROMPT", ...data }), at("prompt"))
    assert.deepStrictEqual(paths("EXTRACT_DATAMODEL", { execution: "LLM_VISION", ...data }), [])
    assert.deepStrictEqual(paths("EXTRACT_DATAMODEL", data), [])
  })
})

describe("a point", () => {
  it("needs no model, and must be one", () => {
    const paths = (selector: string) => pathsOf({ action: "CLICK", parameters: { execution: "COORDINATES", selector } })
    assert.deepStrictEqual(paths('{"x": 10, "y": "20"}'), [])
    assert.deepStrictEqual(paths('{"x": {{context.inputs.x}}, "y": 20}'), [])
    for (const wrong of ["", "10,20", '{"x": 10}', '{"x": -1, "y": 2}', '{"x": "a", "y": 2}', "[1, 2]", "null"]) {
      assert.deepStrictEqual(paths(wrong), at("selector"))
    }
  })
})

it("the choice of an option and a captcha take no notice of their execution", () => {
  const parameters = { execution: "LLM_VISION", selector: "//select", value: "a", captcha_type: "turnstile" }
  for (const action of ["INPUT_SELECT", "CAPTCHA"]) assert.deepStrictEqual(pathsOf({ action, parameters }), [])
})
