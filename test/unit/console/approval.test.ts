import { assert, it } from "@effect/vitest"
import * as QuestionView from "../../../apps/cli/user/view/QuestionView.ts"
import { factsOf, placeOf } from "../../../apps/console/run/ApprovalModel.ts"

const approval = {
  by: "Owner",
  digest: "ab".repeat(32),
  change: "the field amount of the form",
  action: "INPUT_TEXT",
  element: { tag: "input", text: "", name: "IBAN" },
  target: { page: "https://bank.example/pay", address: "https://bank.example/transfers", method: "post" },
  values: { selector: "#iban", text: "DE1" },
  fields: [{ name: "amount", value: "12.50" }],
  show: ["Invoice A-1", "12.50 €"],
  box: { x: 0.1, y: -0.2, width: 0.5, height: 1.5 }
} as const

it("the facts of an act begin with what the workflow says, and name the act, its values and where it leads", () => {
  assert.deepStrictEqual(
    factsOf(approval).map(({ name, value }) => `${name}: ${value}`),
    [
      "The workflow says (1): Invoice A-1",
      "The workflow says (2): 12.50 €",
      "Act: Type “IBAN”",
      "Text: DE1",
      "Leads to: POST https://bank.example/transfers",
      "Page: https://bank.example/pay",
      "Field amount: 12.50"
    ]
  )
})

it("the mark of an element stays within its picture", () => {
  assert.deepStrictEqual(placeOf(approval.box), { left: "10%", top: "0%", width: "50%", height: "100%" })
})

it("a terminal shows what is approved, and obeys nothing that a page writes", () => {
  const text = QuestionView.text({
    id: "q",
    session_id: "r",
    workflow_id: "w",
    kind: "approval",
    node_id: "n",
    current_step: "Pay",
    message: "About to pay \u001b[2J\u001b[1;1Hnothing",
    missing_properties: [],
    expected_json_schema_datamodel: {},
    asked_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2026-01-01T00:15:00.000Z",
    reason: null,
    input_variables: null,
    choosing: false,
    screenshot_url: null,
    popup_context: null,
    approval: { ...approval, fields: [{ name: "a\nDigest: other", value: "1" }] }
  })
  assert.notInclude(text, "\u001b")
  assert.deepStrictEqual(text.match(/^Digest: .*$/gm), [`Digest: ${"ab".repeat(32)}`])
  assert.include(text, "Leads to: POST https://bank.example/transfers")
  assert.include(text, "Asked again, because this changed: the field amount of the form")
})
