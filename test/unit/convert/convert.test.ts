// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Selenium IDE are written so.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as YamlText from "../../../adapters/json/YamlText.ts"
import * as BabelScript from "../../../adapters/script/BabelScript.ts"
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
  const found = Conversion.convert(text, { script: BabelScript.parse, yaml: YamlText.parse })
  return Result.isSuccess(found) ? found.success : assert.fail(JSON.stringify(found.failure))
}

describe("files of other programs", () => {
  it.each(all)("$name is recognised, can be saved, and is reported on as before", async ({ format, name, text }) => {
    const found = converted(text)
    assert.strictEqual(found.format, format)
    assert.deepStrictEqual(SaveBody.read(found.workflow, 0).problems, [])
    await expect(Reports.text(found)).toMatchFileSnapshot(`./reports/${name.replace("/", "-")}.txt`)
  })

  /** The words before the kind of a step in each format, and how many there are. */
  const kinds: Readonly<Record<string, string>> = { "chrome-recorder": '"type": "', "selenium-ide": '"command": "' }

  it.each(all.filter(({ format }) => format in kinds))("$name has an entry for each step", ({ format, text }) => {
    const { report } = converted(text)
    const word = kinds[format] ?? ""
    const events = text.split('"type": "navigation"').length - 1
    assert.lengthOf(report, text.split(word).length - 1 - events)
    const lines = text.split("\n")
    for (const { kind, line } of report) {
      const around = lines.slice((line ?? 0) - 1, (line ?? 0) + 3).join("\n")
      assert.include(around, `${word}${kind}"`)
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

/** A project of Selenium IDE whose tests have these commands. */
const project = (tests: Readonly<Record<string, ReadonlyArray<readonly [string, string?, string?]>>>): string =>
  JSON.stringify({
    name: "p",
    url: "https://shop.example",
    suites: [],
    tests: Object.entries(tests).map(([name, commands]) => ({
      id: name,
      name,
      commands: commands.map(([command, target = "", value = ""]) => ({ command, target, value, targets: [] }))
    }))
  })

describe("control flow of Selenium IDE", () => {
  const edgesOf = (...commands: ReadonlyArray<readonly [string, string?, string?]>) => {
    const { report, workflow } = converted(project({ t: [["open", "/"], ...commands] }))
    assert.deepStrictEqual(SaveBody.read(workflow, 0).problems, [])
    return { report, lines: Reports.graph(workflow) }
  }
  it("becomes branches and loops, whose ways lead on where a block is empty", () => {
    const { lines } = edgesOf(
      ["store", "3", "n"],
      ["if", "${n} > 2"],
      ["click", "id=a"],
      ["elseIf", "${n} == 1"],
      ["else"],
      ["click", "id=b"],
      ["end"],
      ["while", "${n} < 5"],
      ["end"],
      ["times", "2"],
      ["click", "id=c"],
      ["end"],
      ["do"],
      ["click", "id=d"],
      ["repeatIf", "${n} !== 'x'"],
      ["storeJson", "[1,2]", "list"],
      ["forEach", "list", "one"],
      ["type", "id=e", "${one}"],
      ["end"]
    )
    expect(lines).toMatchInlineSnapshot(`
      "1 START "Open the start page" {"url":"https://shop.example/"} to 2
      2 TRANSFORM "Keep n" {"operations":[{"type":"SET","target":"context.n","value":"\\"3\\""}]} to 3
      3 BOOL_CONDITION "Check" {"comparison_operator":"EQUAL","comparison_value_1":"{{$number(context.n) > 2}}","comparison_value_2":"true"} true 4, false 5
      4 CLICK "Click a" {"execution":"STATIC","selector":"//*[@id='a']"} to 8
      5 BOOL_CONDITION "Check 2" {"comparison_operator":"EQUAL","comparison_value_1":"{{$string(context.n) = $string(1)}}","comparison_value_2":"true"} true 6, false 7
      6 DELAY "Go on" {"delay_time":0} to 8
      7 CLICK "Click b" {"execution":"STATIC","selector":"//*[@id='b']"} to 8
      8 BOOL_CONDITION "Check 3" {"comparison_operator":"EQUAL","comparison_value_1":"{{$number(context.n) < 5}}","comparison_value_2":"true"} true 9, false 10
      9 DELAY "Go on 2" {"delay_time":0} to 8
      10 LOOP "Repeat" {"variable_over":2,"variable_current_item":"turn_1_number","variable_current_index":"turn_1"} loop_not_done 11, loop_done 12
      11 CLICK "Click c" {"execution":"STATIC","selector":"//*[@id='c']"} to 10
      12 CLICK "Click d" {"execution":"STATIC","selector":"//*[@id='d']"} to 13
      13 BOOL_CONDITION "Check 4" {"comparison_operator":"EQUAL","comparison_value_1":"{{context.n != \\"x\\"}}","comparison_value_2":"true"} true 12, false 14
      14 TRANSFORM "Keep list" {"operations":[{"type":"SET","target":"context.list","value":"[1,2]"}]} to 15
      15 LOOP "Repeat 2" {"variable_over":"{{context.list}}","variable_current_item":"one","variable_current_index":"one_index"} loop_not_done 16, loop_done 17
      16 INPUT_TEXT "Type into e" {"execution":"STATIC","selector":"//*[@id='e']","text":"{{context.runtime.one}}"} to 15
      17 END "Done" {}"
    `)
  })

  it("is left out with all that is in it where a condition is a script", () => {
    const { lines, report } = edgesOf(
      ["while", "window.ready()"],
      ["if", "true"],
      ["click", "id=a"],
      ["end"],
      ["end"],
      ["click", "id=b"]
    )
    assert.deepStrictEqual(
      report.map(({ outcome }) => outcome === "not_translated"),
      [false, true, true, true, true, true, false]
    )
    assert.notInclude(lines, "'a'")
  })

  it("is refused where tests run each other without end, and named where one runs itself", () => {
    const itself = converted(
      project({
        t: [
          ["open", "/"],
          ["run", "t"]
        ]
      })
    )
    assert.include(itself.report[1]?.message, "runs itself")
    const twice = (name: string): ReadonlyArray<readonly [string, string]> => [
      ["run", name],
      ["run", name]
    ]
    const tests = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`t${at}`, twice(`t${at + 1}`)]))
    const found = Conversion.convert(project(tests))
    assert.include(JSON.stringify(found), "content.tests")
  })

  it("a variable that is read and never stored is an input", () => {
    const { inputs } = converted(
      project({
        t: [
          ["open", "/"],
          ["type", "id=q", "${query}"]
        ]
      })
    )
    assert.deepStrictEqual(
      inputs.map(({ name }) => name),
      ["query"]
    )
  })
})

describe("scripts", () => {
  const report = (...lines: ReadonlyArray<string>) => converted(lines.join("\n")).report

  it("each call has an entry with its line, and what is computed is named", () => {
    const found = report(
      "await page.goto('https://shop.example/')",
      "await page.fill('#a', compute())",
      "await page.locator(dynamic).click()",
      "  .catch(() => {})",
      "await page.teleport()"
    )
    assert.deepStrictEqual(
      found.map(({ line, outcome }) => [line, outcome]),
      [
        [1, "kept"],
        [2, "not_translated"],
        [3, "not_translated"],
        [5, "not_translated"]
      ]
    )
  })

  it("steps of functions are done where they are called, and never again by a function that calls itself", () => {
    const { workflow } = converted(
      [
        "async function login(page) { await page.click('#login'); await login(page) }",
        "const main = async () => { const page = await browser.newPage(); await page.goto('https://shop.example/'); await login(page) }",
        "main()"
      ].join("\n")
    )
    const lines = Reports.graph(workflow).split("\n")
    assert.deepStrictEqual(
      lines.map((line) => line.split(" ")[1]),
      ["START", "CLICK", "END"]
    )
  })

  it.each([
    ["braces in a name", `getByPlaceholder("Find {{any}}")`, `css=[placeholder*="Find {{"{"}}{{"{"}}any}}" i]`],
    ["braces within another locator", `locator("li", { has: page.getByText("{{a") })`, `"text={{"{"}}{{"{"}}a"`],
    ["a chain in a name", `getByRole("button", { name: "a >> b" })`, `role=button[name*="a >> b"i]`],
    ["a frame that is not named", `frameLocator().getByRole("button")`, "role=button"]
  ])("%s stays what it is", (_, locator, selector) => {
    const found = converted(`await page.goto("https://shop.example/")\nawait page.${locator}.click()`)
    assert.deepStrictEqual(
      found.report.map(({ outcome }) => outcome),
      ["kept", "kept"]
    )
    const [, node] = Array.isArray(found.workflow.nodes) ? found.workflow.nodes.map(Json.objectOf) : []
    assert.include(String(Json.objectOf(node?.parameters).selector), selector)
  })

  it("as lines, name their tabs by alias or by id", () => {
    const lines = (page: string, popup: string) =>
      [
        { browserName: "chromium" },
        { name: "openPage", url: "https://shop.example/", [page]: "p" },
        {
          name: "click",
          selector: `internal:role=link[name="a >> {{b"i]`,
          signals: [{ name: "popup", [popup]: "q" }],
          [page]: "p"
        },
        { name: "press", selector: "internal:control=any-frame >> input", key: "a", modifiers: 2, [page]: "q" },
        { name: "click", selector: "button", [page]: "p" }
      ]
        .map((line) => JSON.stringify(line))
        .join("\n")
    const graph = Reports.graph(converted(lines("pageAlias", "popupAlias")).workflow)
    assert.strictEqual(Reports.graph(converted(lines("pageGuid", "popupPageGuid")).workflow), graph)
    assert.include(graph, '"selector":"role=link[name*=\\"a >> {{\\"{\\"}}{{\\"{\\"}}b\\"i]"')
    assert.include(graph, '"selector":"css=input"')
    assert.include(graph, "{{Ctrl+a}}")
    assert.include(graph, '"tabAction":"SWITCH","tab_index":0')
  })

  it("are refused without a parser", () => {
    const found = Conversion.convert("await page.goto('https://shop.example/')")
    assert.include(JSON.stringify(found), "Scripts and YAML are not read here")
  })
})

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
    const found = Conversion.convert(text, { script: BabelScript.parse, yaml: YamlText.parse })
    return Result.isFailure(found) ? found.failure : assert.fail("It was read")
  }
  const bomb = `a0: &a0 x\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`)}]\n`).join("")}blocks:\n- block_type: wait`
  const indented = `blocks:\n- block_type: wait\n${Array.from({ length: 300 }, (_, at) => `${" ".repeat(at + 2)}a:\n`).join("")}`
  it.each([
    ["nothing", "", "empty"],
    ["an archive", "PK\u0003\u0004\u0014", "archive"],
    ["bytes", "{\u0000", "not text"],
    ["a truncated one", '{"title": "a",\n "steps": [{"type": "click"', "line 2"],
    ["one that is deeply nested", "[".repeat(100_000), "levels"],
    ["a foreign one", '{"openapi": "3.1.0"}', "No known program"],
    ["a text", "Dear Ada,", "No known program"],
    ["a script that is none", "await page.click(", "at line 1"],
    ["a script without calls", "// page.goto()\nconst a = 1", "no calls on a page"],
    ["a script that is deeply nested", `page.click(${"(".repeat(100_000)}`, "nested too deeply"],
    ["a long script", `page.click("${"a".repeat(1_000_000)}")`, "at most 1000000"],
    ["a line that is no JSON", '{"browserName":"chromium"}\n{"name":', "line 2"],
    ["YAML with a tab", "blocks:\n  - block_type: wait\n\t  label: a", "YAML at line 3"],
    ["YAML with a name twice", "blocks:\n  - block_type: wait\n    block_type: code", "YAML at line 3"],
    ["YAML with an alias of nothing", "blocks:\n  - block_type: wait\n    wait_sec: *a", "the alias *a"],
    ["YAML with aliases of aliases", bomb, "values, those of aliases included"],
    ["YAML that has itself in it", "blocks: &a\n  - block_type: wait\n    loop_blocks: *a", "levels"],
    ["YAML that is deeply nested", `blocks:\n  - block_type: wait\n    a: ${"[".repeat(100_000)}`, "YAML"],
    ["YAML that is deeply indented", indented, "levels"],
    ["long YAML", `blocks:\n  - block_type: wait\n    a: ${"a".repeat(1_000_000)}`, "at most 1000000"],
    ["YAML of 50 MB", `blocks:\n  - block_type: wait\n${"#".repeat(50_000_000)}`, "at most 8000000"],
    ["two documents of YAML", "blocks:\n- block_type: wait\n---\na: 1", "YAML at line 3"],
    ["foreign YAML", "blocks: 1\nblock_type: 2", "such a YAML"],
    ["too many steps", recorded(...Array.from({ length: 100_000 }, () => ({ type: "close" }))), "at most 5000"],
    ["too long a file", " ".repeat(8_000_001), "at most 8000000"]
  ])("%s is refused with its reason", (_, text, reason) => {
    const [problem] = problemsOf(text)
    assert.strictEqual(problem?.path, "content")
    assert.include(problem?.message, reason)
  })
})
