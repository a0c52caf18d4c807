import { assert, it } from "@effect/vitest"
import { changeOf, titleOf } from "../../../apps/console/workflow/OfferModel.ts"

const plain = {
  kind: "plain_form",
  before: JSON.stringify({ execution: "LLM_DOM", prompt: "Press Save", wait_time: 500 }),
  after: JSON.stringify({ execution: "STATIC", selector: "//button" })
} as const

it("a plain form shows the parameters that it changes, and any other change its value", () => {
  assert.deepStrictEqual(changeOf(plain), {
    before: '{\n  "execution": "LLM_DOM"\n}',
    after: '{\n  "execution": "STATIC",\n  "selector": "//button"\n}'
  })
  assert.deepStrictEqual(changeOf({ kind: "wait_time", before: 500, after: 2_000 }), { before: "500", after: "2000" })
  assert.deepStrictEqual(changeOf({ kind: "popup_xpath", before: null, after: "//a" }), { before: null, after: "//a" })
})

it("a change is called by its step and what becomes of it", () => {
  const offer = {
    ...plain,
    id: "",
    workflow_id: "",
    state: "offered",
    node_id: "",
    node_name: "Save",
    parameter: "execution",
    reach: null,
    reason: "",
    first_session_id: "",
    last_session_id: "",
    confirmations: 1,
    created_at: "",
    updated_at: "",
    decided_by: null,
    applied_version_number: null
  } as const
  assert.strictEqual(titleOf(offer), "Save: without a model")
  assert.strictEqual(titleOf({ ...offer, kind: "selector", parameter: "selector" }), "Save: selector")
  assert.strictEqual(titleOf({ ...offer, kind: "popup_xpath" }), "Dismiss a pop-up before each step")
})
