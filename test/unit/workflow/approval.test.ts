import { assert, describe, it } from "@effect/vitest"
import * as UnknownNames from "../../../core/workflow/language/warning/UnknownNames.ts"
import { program } from "../../../core/workflow/playwright/PlaywrightProgram.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf, type Step } from "../../support/browser.ts"

const at = "nodes[1].parameters.approval"
const approval = { by: "Owner", within: 600, show: ["To {{context.inputs.payee}}", "{{context.inputs.amount}} €"] }

const bodyOf = (...steps: ReadonlyArray<Step>) => ({
  name: "w",
  ...graphOf("https://bank.example/", steps),
  input_schema: {},
  output_schema: {},
  vault_schema: { BANK: { type: "credential", domain: "https://bank.example" } },
  max_retries: 0
})
const read = (...steps: ReadonlyArray<Step>) => SaveBody.read(bodyOf(...steps), 0)

const click = (more: object): Step => ({ action: "CLICK", parameters: { selector: "//button[@id='pay']", ...more } })
const type = (more: object): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector: "//input[@id='iban']", text: "{{context.inputs.iban}}", ...more }
})
const choose = (more: object): Step => ({
  action: "INPUT_SELECT",
  parameters: { selector: "//select[@id='speed']", value: "fast", ...more }
})

it("a step that acts on one element may need an approval", () => {
  const { content, problems } = read(
    click({ approval }),
    click({ approval: null }),
    type({ approval: { by: "Member" } }),
    choose({ approval: { by: "Member", within: null, show: null } }),
    click({ approval: { by: "Owner", show: ["Password {{context.inputs.BANK.PASSWORD}}"] } })
  )
  assert.deepStrictEqual(problems, [])
  assert.lengthOf(
    SaveBody.warnings(content).filter(({ path }) => path.includes("approval")),
    0
  )
})

describe("a mistake in an approval is reported at its path", () => {
  it.each<readonly [string, Step, string, string]>([
    ["no role", click({ approval: {} }), `${at}.by`, "Missing"],
    ["a role that cannot act", click({ approval: { by: "Viewer" } }), `${at}.by`, '"Member"'],
    ["no object", click({ approval: true }), at, "Expected object"],
    ["too short a time", click({ approval: { by: "Owner", within: 4 } }), `${at}.within`, "between 5 and 86400"],
    ["too long a time", click({ approval: { by: "Owner", within: 86_401 } }), `${at}.within`, "between 5 and 86400"],
    ["an empty text", click({ approval: { by: "Owner", show: [""] } }), `${at}.show[0]`, "some text"],
    [
      "too many texts",
      click({ approval: { by: "Owner", show: Array.from({ length: 21 }, () => "x") } }),
      `${at}.show`,
      "at most 20"
    ],
    [
      "an expression that cannot be read",
      click({ approval: { by: "Owner", show: ["{{context.}}"] } }),
      `${at}.show[0]`,
      ""
    ],
    ["a model that chooses the element", click({ approval, execution: "LLM_DOM", prompt: "Pay" }), at, "LLM_DOM"],
    [
      "a point",
      click({ approval, execution: "COORDINATES", selector: '{"x": 1, "y": 2}' }),
      at,
      "only an act on a selector"
    ],
    ["a text for the focus", type({ approval, omit_focus: true }), at, "omit_focus"],
    ["a key after the text", type({ approval, submit_after_input: true }), at, "approve the CLICK"],
    ["a key in the text", type({ approval, text: "1{{enter}}" }), at, "approve the CLICK"],
    [
      "another action",
      { action: "DELAY", parameters: { delay_time: 0, approval } },
      at,
      "CLICK, INPUT_TEXT, INPUT_SELECT"
    ],
    [
      "an action that acts in several ways",
      { action: "DRAG", parameters: { selector: "//a", to_selector: "//b", approval } },
      at,
      "DRAG cannot wait for an approval"
    ]
  ])("%s", (_, step, path, words) => {
    const { problems } = read(step)
    const found = problems.find((problem) => problem.path === path)
    assert.include(found?.message ?? assert.fail(JSON.stringify(problems)), words)
  })
})

it("a misspelt field of an approval is warned of", () => {
  const { nodes } = bodyOf(click({ approval: { by: "Owner", shows: ["x"] } }))
  assert.include(
    UnknownNames.warnings(nodes).map(({ path }) => path),
    `${at}.shows`
  )
})

it("a program of Playwright does not do what a person approves first", () => {
  const { content } = read(click({ approval }))
  const { text } = program(JSON.parse(JSON.stringify(content)))
  assert.include(text, "a person approves it first")
  assert.notInclude(text, ".click(")
})
