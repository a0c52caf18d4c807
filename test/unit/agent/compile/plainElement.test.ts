/** The selectors that may stand for the choice of an element by a model. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type ChosenElement, selectorsFor } from "../../../../core/agent/compile/PlainElement.ts"
import { literalsIn, names } from "../../../../core/agent/compile/PromptWords.ts"
import { type Appearance, unknown } from "../../../../core/browser/element/Appearance.ts"

const element = (more: Partial<Appearance>): Appearance => ({
  ...unknown,
  tag: "button",
  path: "html>body>button",
  ...more
})

const said = (text: string, expressions: ChosenElement["prompt"]["expressions"] = []): ChosenElement["prompt"] => ({
  text: expressions.reduce((all, { source, value }) => all.replaceAll(`{{${source}}}`, value), text),
  written: expressions.reduce((all, { source }) => all.replaceAll(`{{${source}}}`, " "), text),
  expressions
})

const other = (appearance: Appearance) => ({ selector: "//x", appearance, frame: null })

const chosen = (more: Partial<ChosenElement>): ChosenElement => ({
  appearance: element({ text: "Save" }),
  selector: '//button[normalize-space()="Save"]',
  others: [],
  prompt: said("Save the form"),
  ...more
})

const templates = (more: Partial<ChosenElement>) => selectorsFor(chosen(more)).map(({ template }) => template)

describe("an element without rivals", () => {
  it("is named by its selector", () => {
    assert.deepStrictEqual(templates({}), ['//button[normalize-space()="Save"]'])
  })

  it("is not named by its position, nor by a figure of the page", () => {
    for (const selector of [
      "/html/body/button[2]",
      '//button[@id="row-4711"]',
      '//tr[3]//button[@name="open"]',
      "css=#a >> css=b"
    ]) {
      assert.deepStrictEqual(templates({ selector }), [], selector)
    }
  })

  it("is named by the text of a link, or in a row, only where the prompt names it", () => {
    const link = {
      appearance: element({ tag: "a", text: "ACME", path: "html>body>a" }),
      selector: '//a[normalize-space()="ACME"]'
    }
    assert.deepStrictEqual(templates({ ...link, prompt: said("Open the first customer") }), [])
    assert.lengthOf(templates({ ...link, prompt: said("Open ACME") }), 1)
    const row = { appearance: element({ text: "Open", path: "html>body>table>tbody>tr>td>button" }) }
    assert.deepStrictEqual(templates({ ...row, prompt: said("The button of the newest invoice") }), [])
  })
})

describe("one of several alike elements", () => {
  const rival = (text: string) => other(element({ text, path: "html>body>button[2]" }))
  const first = element({ text: "Basic", path: "html>body>button[1]" })
  const basic = { appearance: first, selector: '//button[normalize-space()="Basic"]', others: [rival("Premium")] }

  it("is named where the prompt names it and no other one", () => {
    assert.lengthOf(templates({ ...basic, prompt: said("Choose Basic") }), 1)
    assert.deepStrictEqual(templates({ ...basic, prompt: said("Choose the cheapest plan") }), [])
    assert.deepStrictEqual(templates({ ...basic, prompt: said("Choose Basic or Premium, whatever is cheaper") }), [])
  })

  it("is never named by what only the page says of it", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{3,8}$/),
        fc.stringMatching(/^[a-z]{3,8}$/),
        fc.stringMatching(/^[a-z ]{0,30}$/),
        (own, its, prompt) => {
          const appearance = element({ text: own, path: "html>body>ul>li[1]>button" })
          const others = [other(element({ text: its, path: "html>body>ul>li[2]>button" }))]
          const found = templates({
            appearance,
            others,
            selector: `//button[normalize-space()="${own}"]`,
            prompt: said(prompt)
          })
          if (found.length > 0) assert.isTrue(names(prompt, own) && !names(prompt, its))
        }
      )
    )
  })
})

describe("a prompt with expressions", () => {
  const row = element({ text: "Open", path: "html>body>table>tbody>tr[2]>td[3]>button" })
  const table = { appearance: row, selector: "/html/body/table/tbody/tr[2]/td[3]/button" }
  const number = (value: string) => said("Open {{context.inputs.number}}", [{ source: "context.inputs.number", value }])

  it("gives selectors with the expression in the place of its value, in one column of a table", () => {
    const found = templates({ ...table, prompt: number("INV-17") })
    assert.include(found, '//tr[*[1][normalize-space()="{{context.inputs.number}}"]]//button[normalize-space()="Open"]')
  })

  it("gives none for a value that is not in the selector, or would end a text of it", () => {
    const plain = '//button[normalize-space()="Save"]'
    assert.deepStrictEqual(templates({ selector: plain, prompt: number("INV-17") }), [])
    for (const value of ["", " ", 'a"b', "a'b", "{{x}}", "<<x"]) {
      assert.deepStrictEqual(templates({ ...table, prompt: number(value) }), [], value)
    }
  })

  it("leaves no value in a selector, and always its expression", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z]{2}-[0-9]{2,6}$/), (value) => {
        const found = selectorsFor(chosen({ ...table, prompt: number(value) }))
        for (const { selector, template } of found) {
          assert.notInclude(template, value)
          assert.strictEqual(template.replaceAll("{{context.inputs.number}}", value), selector)
        }
        assert.isNotEmpty(found)
      })
    )
  })
})

it("the figures and quoted texts of a prompt are known, and words with digits are not figures", () => {
  assert.deepStrictEqual([...literalsIn('Is "Paid in full" above 100 or 2.5, in A4?')], ["paid in full", "100", "2.5"])
  assert.deepStrictEqual([...literalsIn("Don't say it's so")], [])
})
