import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import type { Converted } from "../../../core/workflow/convert/Assembly.ts"
import * as Conversion from "../../../core/workflow/convert/Conversion.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import * as Json from "../../../core/workspace/Json.ts"
import * as Reports from "./Reports.ts"

const files = join(import.meta.dirname, "files")

const all = readdirSync(files).flatMap((format) =>
  readdirSync(join(files, format)).map((name) => {
    const path = join(files, format, name)
    return { format, name: `${format}/${name}`, text: readFileSync(path, "utf8") }
  })
)

const converted = (text: string): Converted => {
  const found = Conversion.convert(text)
  return Result.isSuccess(found) ? found.success : assert.fail(JSON.stringify(found.failure))
}

describe("files of other programs", () => {
  it.each(all)("$name is recognised, can be saved, and is reported on as before", async ({ format, name, text }) => {
    const found = converted(text)
    assert.strictEqual(found.format, format)
    assert.deepStrictEqual(SaveBody.read(found.workflow, 0).problems, [])
    await expect(Reports.text(found)).toMatchFileSnapshot(`./reports/${name.replace("/", "-")}.txt`)
  })

  it.each(all.filter(({ format }) => format === "chrome-recorder"))("$name has an entry for each step", ({ text }) => {
    const { steps } = Json.objectOf(Json.parse(text))
    const { report } = converted(text)
    assert.deepStrictEqual(
      report.map(({ step }) => step),
      Array.isArray(steps) ? steps.map((_, index) => `steps[${index}]`) : []
    )
    const lines = text.split("\n")
    for (const { kind, line } of report) {
      const around = lines.slice((line ?? 0) - 1, (line ?? 0) + 2).join("\n")
      assert.include(around, `"type": "${kind}"`)
    }
  })
})

/** A recording of Chrome with these steps, after a navigation. */
const recorded = (...steps: ReadonlyArray<object>): string =>
  JSON.stringify({ title: "t", steps: [{ type: "navigate", url: "https://shop.example/" }, ...steps] })

/** The parameters of the nodes that the steps after the navigation become. */
const nodesOf = (...steps: ReadonlyArray<object>): ReadonlyArray<unknown> => {
  const { nodes } = converted(recorded(...steps)).workflow
  return Array.isArray(nodes) ? nodes.slice(1, -1).map((node) => Json.objectOf(node)) : []
}

describe("the most durable selector", () => {
  const chosen = (...selectors: ReadonlyArray<string>) => {
    const [node] = nodesOf({ type: "click", selectors: selectors.map((one) => [one]) })
    return Json.objectOf(Json.objectOf(node).parameters).selector
  }
  it("is one that is there for programs, then a role, an id, a name, a text, and a position last", () => {
    const position = "body > div:nth-of-type(2) > a"
    const last = "xpath//html/body/div[2]/a"
    assert.strictEqual(chosen(position, last, "text/Pay", "#pay", "[data-testid=pay]"), "css=[data-testid=pay]")
    assert.strictEqual(chosen(position, last, "text/Pay", "#pay"), "css=#pay")
    assert.strictEqual(chosen(position, 'aria/Pay[role="button"]', "text/Pay"), 'role=button[name="Pay"]')
    assert.strictEqual(chosen(position, last, "text/Pay", "#a18273645"), "text=Pay")
    assert.strictEqual(chosen(position, "pierce/x-card [name=sum]"), "css=x-card [name=sum]")
  })

  it("leads through shadow roots, and is kept with the others in the report", () => {
    const click = { type: "click", selectors: [["x-card", "#pay"], ["text/Pay"]] }
    const { report } = converted(recorded(click))
    assert.deepStrictEqual(report[1]?.selectors, ["text=Pay"])
    assert.deepStrictEqual(
      Json.objectOf(Json.objectOf(nodesOf(click)[0]).parameters).selector,
      "css=x-card >> css=#pay"
    )
  })
})

describe("what must not stay in a workflow", () => {
  const type = (selector: string, value: string) => ({ type: "change", selectors: [[selector]], value })
  const secrets = ["Rosebud-1941", "eyJhbGciOiJIUzI1NiJ9.e30.abc", "493817"]
  it("is taken out of fields and addresses: passwords, codes and tokens", () => {
    const [password = "", token = "", code = ""] = secrets
    const found = converted(
      recorded(
        type("#user", "ada"),
        type("#password", password),
        type("#otp", code),
        type("#note", token),
        { type: "navigate", url: `https://shop.example/?api_key=${token}` },
        { type: "navigate", url: `https://bob:${password}x@shop.example/` },
        { type: "click", selectors: [[`text/${password}`]] }
      )
    )
    const text = JSON.stringify(found)
    for (const secret of secrets) assert.notInclude(text, secret)
    assert.deepStrictEqual(
      found.credentials.map(({ alias, fields }) => [alias, fields]),
      [
        ["LOGIN", ["PASSWORD", "USER_NAME"]],
        ["LOGIN_2", ["PASSWORD", "USER_NAME"]]
      ]
    )
    assert.deepStrictEqual(
      found.inputs.map(({ example, name }) => [name, example]),
      [
        ["otp", undefined],
        ["note", undefined]
      ]
    )
    assert.include(text, "?api_key={{context.inputs.note}}")
    assert.deepStrictEqual(SaveBody.read(found.workflow, 0).problems, [])
  })

  it("are values of persons: they become inputs, with the value as an example and no default", () => {
    const { inputs, workflow } = converted(recorded(type("#email", "ada@shop.example"), type("#query", "tea")))
    assert.deepStrictEqual(
      inputs.map(({ example, name }) => [name, example]),
      [["email", "ada@shop.example"]]
    )
    const { properties } = Json.objectOf(workflow.input_schema)
    assert.deepStrictEqual(properties, { email: { type: "string", examples: ["ada@shop.example"] } })
    assert.include(JSON.stringify(workflow.nodes), '"text":"tea"')
  })

  it("braces that were typed stay braces", () => {
    const [node] = nodesOf(type("#note", "{{context.inputs.LOGIN.PASSWORD}}"))
    assert.notInclude(JSON.stringify(node), "{{context")
  })
})

describe("a file that cannot be read", () => {
  const problemsOf = (text: string) => {
    const found = Conversion.convert(text)
    return Result.isFailure(found) ? found.failure : assert.fail("It was read")
  }
  it.each([
    ["nothing", "", "empty"],
    ["an archive", "PK\u0003\u0004\u0014", "archive"],
    ["bytes", "{\u0000", "not text"],
    ["a truncated one", '{"title": "a",\n "steps": [{"type": "click"', "line 2"],
    ["one that is deeply nested", "[".repeat(100_000), "levels"],
    ["a foreign one", '{"openapi": "3.1.0"}', "No known program"],
    ["a text", "Dear Ada,", "No known program"],
    ["too many steps", recorded(...Array.from({ length: 100_000 }, () => ({ type: "close" }))), "at most 5000"],
    ["too long a file", " ".repeat(8_000_001), "at most 8000000"]
  ])("%s is refused with its reason", (_, text, reason) => {
    const [problem] = problemsOf(text)
    assert.strictEqual(problem?.path, "content")
    assert.include(problem?.message, reason)
  })
})
