/** The comparisons that may stand for the decision of a model. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as PlainCondition from "../../../../core/agent/compile/PlainCondition.ts"
import type { EvaluatedPrompt } from "../../../../core/agent/compile/PromptWords.ts"

const said = (written: string, expressions: EvaluatedPrompt["expressions"] = []): EvaluatedPrompt => ({
  text: written,
  written,
  expressions
})

describe("an expression over the context", () => {
  it("has every figure and quoted text of the prompt, and no other", () => {
    assert.deepStrictEqual(PlainCondition.ofContext("context.inputs.amount > 100", said("Is the amount above 100?")), {
      comparison_value_1: "{{context.inputs.amount > 100}}",
      comparison_operator: "EQUAL",
      comparison_value_2: "true"
    })
    for (const source of [
      "context.inputs.amount > 50",
      "context.inputs.amount > 0",
      "true",
      "100 > 50",
      "$random() > 100",
      "$eval(context.inputs.code) > 100",
      "context.inputs.amount > 100 }} {{ 1",
      "context.inputs.amount >",
      "$now() > context.inputs.amount and 100 > 1"
    ]) {
      assert.isNull(PlainCondition.ofContext(source, said("Is the amount above 100?")), source)
    }
  })

  it("reads every expression of the prompt", () => {
    const prompt = said("Is   above 100?", [{ source: "context.inputs.amount", value: "150" }])
    assert.isNotNull(PlainCondition.ofContext("context.inputs.amount > 100", prompt))
    assert.isNull(PlainCondition.ofContext("context.inputs.other > 100", prompt))
  })
})

describe("a text of the page", () => {
  const html = '<p>Status <b id="status">Paid</b></p><p role="alert">Payment failed</p><p>Total 120</p>'
  const status = { text: "Paid", operator: "EQUAL", value: "Paid" } as const

  it("is compared where the prompt names its place and the value", () => {
    assert.deepInclude(PlainCondition.ofPage(html, status, said("Is the status Paid?")), {
      comparison_value_1: '<<xpath://b[@id="status"]>>'
    })
    assert.isNull(PlainCondition.ofPage(html, status, said("Is everything Paid?")))
    assert.isNull(PlainCondition.ofPage(html, status, said("Is the status settled?")))
    assert.isNull(PlainCondition.ofPage(html, status, said("Is the status Paid for 30 days?")))
    assert.isNull(PlainCondition.ofPage(html, { ...status, text: "Open" }, said("Is the status Paid?")))
  })

  it("that only has to be there answers no question about a figure", () => {
    const there = { text: "Payment failed", operator: "IS_NOT_NULL", value: "" } as const
    assert.isNotNull(PlainCondition.ofPage(html, there, said("Did the payment fail?")))
    assert.isNull(PlainCondition.ofPage(html, there, said("Did 3 payments fail?")))
    const total = { ...there, text: "Total 120" }
    assert.isNull(PlainCondition.ofPage(html, total, said("Is the total above 100?")))
  })
})

it("forms decide only what they were tried with, and nothing where they disagree", () => {
  const form = fc.record({ decides: fc.option(fc.boolean(), { nil: null }), holds: fc.boolean() })
  fc.assert(
    fc.property(fc.array(form), (forms) => {
      const decided = PlainCondition.decided(forms)
      const able = forms.filter(({ decides, holds }) => decides === holds)
      if (decided === null) assert.isTrue(able.length === 0 || new Set(able.map(({ holds }) => holds)).size === 2)
      else assert.isTrue(able.length > 0 && able.every(({ holds }) => holds === decided))
    })
  )
})
