import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { demoWorkflow } from "../../../apps/demo/Workflow.ts"
import * as Code from "../../../core/workflow/code/WorkflowCode.ts"
import { program } from "../../../core/workflow/playwright/PlaywrightProgram.ts"
import * as FigureText from "../../docs/FigureText.ts"
import { challenges } from "../../gauntlet/Challenges.ts"
import { toGraph } from "../../gauntlet/Workflow.ts"
import { testMillis } from "../../support/limits.ts"
import { complaints } from "./Compiled.ts"
import { drawn } from "./DrawnWorkflows.ts"

type Fields = Parameters<typeof program>[0]

const url = "https://site.example/"

const of = (code: Code.WorkflowCode) => program(Code.body(code) as unknown as Fields)

/** The statements of a program, without its comments. */
const statementsOf = (text: string): ReadonlyArray<string> =>
  (text.split("const runtime: any = {}\n")[1]?.split("\n}\n")[0] ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))

describe("a program of Playwright", () => {
  it("says what it cannot do, and stops there", () => {
    const { missing, remarks, text } = program(demoWorkflow(url) as unknown as Fields)
    assert.deepStrictEqual(
      missing.map((one) => one.split(": ")[0]),
      ['"Type the mailed code"']
    )
    assert.deepStrictEqual(remarks, ["retrying a failed run 1 times"])
    assert.include(text, 'throw new Error("\\"Type the mailed code\\" is not done by this program')
    assert.match(text, /^\/\/ - MARLOW_PASSWORD$/m)
    assert.match(text, /^\/\/ +npm install playwright-core otpauth$/m)
  })

  it("leaves blocks for jumps ahead, and repeats loops for jumps back", () => {
    const code = Code.workflow({ name: "Jumps" })
      .start("Open", { url })
      .click("Next", { selector: "//a" })
      .when(
        "More?",
        { comparison_operator: "IS_NOT_NULL", comparison_value_1: "<<xpath://a>>" },
        { yes: (steps) => steps.goTo("Next") }
      )
      .each("Each", { variable_over: 3, variable_current_item: "item", variable_current_index: "index" }, (steps) =>
        steps
          .when(
            "Enough?",
            { comparison_operator: "EQUAL", comparison_value_1: "{{context.runtime.item}}", comparison_value_2: "1" },
            { yes: (inner) => inner.goTo("Done") }
          )
          .delay("Wait", { delay_time: 1 })
      )
      .click("Last", { selector: "css=button" })
      .end("Done")
    const { missing, text } = of(code)
    assert.deepStrictEqual(missing, [])
    assert.deepStrictEqual(statementsOf(text), [
      "atDone: {",
      `await goto(page, ${JSON.stringify(url)})`,
      "atNextAgain: while (true) {",
      'await page.locator("xpath=//a").hover()',
      'await page.locator("xpath=//a").click()',
      'if (!isNothing(await textAt(page, "//a"))) {',
      "continue atNextAgain",
      "}",
      "break atNextAgain",
      "}",
      "for (const [index, item] of turnsOf(3).entries()) {",
      "runtime.item = item",
      "runtime.index = index",
      'if (seen(runtime.item) === seen("1")) {',
      "break atDone",
      "}",
      "await page.waitForTimeout(1000)",
      "}",
      'await page.locator("css=button").hover()',
      'await page.locator("css=button").click()',
      "}",
      "return data"
    ])
  })

  it("checks what a step expects, and says what it does not check", () => {
    const conditions = [
      { type: "address", contains: "/paid" },
      { type: "text", selector: "//h1", equals: "Thank you" },
      { type: "element", selector: "//li", at_most: 2 },
      { type: "file", name: "*.pdf", at_least_bytes: 10 },
      { type: "request", url: "/api/payments" }
    ] as const
    const code = Code.workflow({ name: "Pay" })
      .start("Open", { url })
      .click("Pay", { selector: "//button", expect: { conditions, wait_time: 4_000 } })
      .end("Done")
    const { missing, remarks, text } = of(code)
    assert.deepStrictEqual(missing, [])
    assert.deepStrictEqual(remarks, [
      'checking after "Pay" that request url "/api/payments": the program keeps no list of requests'
    ])
    const written = statementsOf(text)
    assert.deepStrictEqual(written.slice(written.indexOf('await expected(page, 4000, "all", {') + 1, -2), [
      String.raw`"address contains \"/paid\"": async () => ((shown) => shown.includes(seen("/paid")))(page.url()),`,
      String.raw`"text selector \"//h1\" equals \"Thank you\"": async () => showsText(page.locator("xpath=//h1"), (shown) => shown === seen("Thank you")),`,
      String.raw`"element selector \"//li\" at_most 2": async () => counts(page, page.locator("xpath=//li").filter({ visible: true }), 0, 2),`,
      String.raw`"file name \"*.pdf\" at_least_bytes 10": async () => isKept("*.pdf", 10)`
    ])
    assert.lengthOf(complaints([text]), 0)
  })

  it("has the rule of figures that the service has", () => {
    assert.strictEqual(readFileSync(FigureText.path, "utf8"), FigureText.written())
  })

  it("writes texts as they are, and never as code", () => {
    const hostile = ["`$", "{1 + 1}` \\ \"'\n*/"].join("")
    const code = Code.workflow({ name: `x\n${hostile}`, inputs: { type: "object", properties: { a: {} } } })
      .start(hostile, { url })
      .inputText("Type", { selector: "//input", text: `{{context.inputs.a}} ${hostile}` })
    const { text } = of(code)
    const [, written = ""] = /type\(page\.locator\("xpath=\/\/input"\), (`[^\n]*(?:\n\*\/`)?)\)$/m.exec(text) ?? []
    const read = new Function("text", "inputs", `return ${written}`) as (...given: ReadonlyArray<unknown>) => string
    assert.strictEqual(read(String, { a: "A" }), `A ${hostile}`)
    assert.lengthOf(complaints([text]), 0)
  })

  it("compiles, for the workflows of the gauntlet and drawn ones", { timeout: testMillis }, () => {
    const programs = [
      ...challenges.map(({ name, workflow }) => program({ name, ...toGraph(url, workflow) } as unknown as Fields)),
      ...Array.from({ length: 60 }, (_, seed) => of(drawn(seed)))
    ]
    assert.isAtLeast(programs.filter(({ missing }) => missing.length === 0).length, 250)
    assert.deepStrictEqual(complaints(programs.map(({ text }) => text)), [])
    assert.lengthOf(complaints([of(drawn(1)).text.replace("const data: any", "const dato: any")]).slice(0, 1), 1)
  })
})
