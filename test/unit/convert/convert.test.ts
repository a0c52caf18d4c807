// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Selenium IDE are written so.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as YamlText from "../../../adapters/json/YamlText.ts"
import * as BabelScript from "../../../adapters/script/BabelScript.ts"
import * as CronExpression from "../../../core/schedule/CronExpression.ts"
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

/** A workflow of n8n: its nodes in a row, each `[name, type, parameters, version]`, and other connections. */
const n8n = (
  nodes: ReadonlyArray<readonly [string, string, object?, number?]>,
  connections?: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
): string => {
  const inARow = Object.fromEntries(nodes.slice(1).map(([name], at) => [nodes[at]?.[0] ?? "", [[name]]]))
  return JSON.stringify({
    nodes: nodes.map(([name, type, parameters = {}, typeVersion = 1]) => ({
      name,
      type: type.includes(".") ? type : `n8n-nodes-base.${type}`,
      typeVersion,
      parameters
    })),
    connections: Object.fromEntries(
      Object.entries(connections ?? inARow).map(([name, outputs]) => [
        name,
        { main: outputs.map((targets) => targets.map((node) => ({ node, type: "main", index: 0 }))) }
      ])
    )
  })
}

describe("a workflow of n8n", () => {
  const click = (name: string) =>
    [name, "n8n-nodes-playwright.playwright", { operation: "clickElement", selector: `#${name}` }] as const
  const graphOf = (text: string): string => {
    const { workflow } = converted(text)
    assert.deepStrictEqual(SaveBody.read(workflow, 0).problems, [])
    return Reports.graph(workflow)
  }

  it.each([
    ["scheduleTrigger", { rule: { interval: [{}] } }, "0 0 * * *"],
    ["scheduleTrigger", { rule: { interval: [{ field: "minutes", minutesInterval: 15 }] } }, "*/15 * * * *"],
    [
      "scheduleTrigger",
      { rule: { interval: [{ field: "hours", hoursInterval: 1, triggerAtMinute: 5 }] } },
      "5 * * * *"
    ],
    ["scheduleTrigger", { rule: { interval: [{ field: "months", triggerAtDayOfMonth: 3 }] } }, "0 0 3 * *"],
    ["scheduleTrigger", { rule: { interval: [{ field: "cronExpression", expression: "0 5 4 * * 1" }] } }, "5 4 * * 1"],
    ["cron", { triggerTimes: { item: [{ mode: "everyWeek", hour: 8, weekday: "5" }] } }, "0 8 * * 5"],
    ["interval", { unit: "minutes", interval: 10 }, "*/10 * * * *"]
  ])("is started by a schedule: %s %j becomes %s", (type, parameters, cron) => {
    const { report } = converted(n8n([["t", type, parameters], click("a")]))
    assert.strictEqual(report[0]?.outcome, "not_translated")
    assert.include(report[0]?.message, `cron "${cron}"`)
    assert.isTrue(Result.isSuccess(CronExpression.parse(cron)))
  })

  it.each([
    ["seven minutes", { field: "minutes", minutesInterval: 7 }],
    ["seconds", { field: "seconds", secondsInterval: 30 }],
    ["two weeks", { field: "weeks", weeksInterval: 2, triggerAtDay: [1] }],
    ["an expression", { field: "days", triggerAtHour: "={{ $json.hour }}" }]
  ])("names no cron where it would be another time: %s", (_, rule) => {
    const { report } = converted(n8n([["t", "scheduleTrigger", { rule: { interval: [rule] } }], click("a")]))
    assert.include(report[0]?.message, "recurrence rule")
  })

  it.each([
    ["={{ $json.a }}", "{{context.inputs.a}}"],
    ["={{ $json.a.b[0]['c d'] }}", "{{context.inputs.a.b[0].`c d`}}"],
    ["=x {{$json[\"a\"]}} y {{ 'z' }}", 'x {{context.inputs.a}} y {{"z"}}'],
    ["={{ $('Set').item.json.name }}", "{{context.name}}"],
    ['={{ $node["Set"].json["name"] }}', "{{context.name}}"],
    ["={{ $env.SHOP_URL }}", "{{context.inputs.shop_url}}"],
    ["{{ $json.a }}", '{{"{"}}{{"{"}} $json.a }}']
  ])("reads the expression %s", (value, expected) => {
    const set = { assignments: { assignments: [{ name: "name", value: "Ada" }] } }
    const fill = { operation: "fillForm", selector: "#q", value }
    const text = n8n(
      [
        ["t", "manualTrigger"],
        ["Set", "set", set, 3.4],
        ["fill", "n8n-nodes-playwright.playwright", fill]
      ],
      value.includes("$json") ? { t: [["fill"]] } : undefined
    )
    assert.include(graphOf(text), `"text":${JSON.stringify(expected)}`)
  })

  it.each(["={{ $json.a.toUpperCase() }}", "={{ $now.minus(1) }}", "={{ $json.a + 1 }}", "={{ $json.a"])(
    "names a step with the expression %s",
    (value) => {
      const fill = { operation: "fillForm", selector: "#q", value }
      const { report } = converted(
        n8n([
          ["t", "manualTrigger"],
          ["fill", "n8n-nodes-playwright.playwright", fill]
        ])
      )
      assert.strictEqual(report[1]?.outcome, "not_translated")
    }
  )

  it.each([
    ["string", "equals", "a", '"EQUAL","comparison_value_1":"{{context.inputs.x}}","comparison_value_2":"a"'],
    ["string", "notEmpty", "", '"IS_NOT_NULL","comparison_value_1":"{{context.inputs.x}}"'],
    ["number", "lt", 3, '{{$number(context.inputs.x) < $number(\\"3\\")}}'],
    ["boolean", "true", "", "{{context.inputs.x = true}}"],
    ["string", "regex", "a+", null],
    ["dateTime", "after", "2026-01-01", null]
  ])("compares a %s by %s", (type, operation, rightValue, expected) => {
    const condition = { leftValue: "={{ $json.x }}", rightValue, operator: { type, operation } }
    const parameters = { conditions: { conditions: [condition], combinator: "and" } }
    const text = n8n([["t", "manualTrigger"], ["if", "if", parameters, 2], click("a"), click("b")], {
      t: [["if"]],
      if: [["a"], ["b"]]
    })
    if (expected !== null) assert.include(graphOf(text), expected)
    else {
      assert.deepStrictEqual(
        converted(text).report.map(({ outcome }) => outcome),
        ["kept", "not_translated", "not_translated", "not_translated"]
      )
    }
  })

  it("does several ways one after the other, and names what leads back", () => {
    const text = n8n([["t", "manualTrigger"], click("a"), click("b"), click("c"), ["wait", "wait", {}, 1.1]], {
      t: [["a", "b"]],
      a: [["c"]],
      b: [["c"]],
      c: [["wait"]],
      wait: [["a"]]
    })
    const { report } = converted(text)
    assert.include(report[0]?.message, "nodes[3] once for each way")
    assert.include(report[4]?.message, "leads back to the node nodes[1]")
    assert.deepStrictEqual(
      graphOf(text)
        .split("\n")
        .map((line) => line.split(" ")[1]),
      ["START", "CLICK", "CLICK", "CLICK", "DELAY", "END"]
    )
  })

  it("goes over a field that is split, one element after the other", () => {
    const { workflow } = converted(
      n8n([["t", "manualTrigger"], ["split", "splitOut", { fieldToSplitOut: "rows" }], click("a")])
    )
    assert.include(Reports.graph(workflow), '"variable_over":"{{context.inputs.rows}}"')
  })

  it("keeps no secret of a request, of a field that is set or of a script", () => {
    const secrets = ["Rosebud-1941", "Rosebud-1942", "abc.def-ghi", "sk-live-1f9a8c7e6d5b4a39", "pw of a script"]
    const [password, other, bearer, token, typed] = secrets
    const found = converted(
      n8n([
        ["t", "manualTrigger"],
        [
          "a",
          "httpRequest",
          {
            method: "POST",
            url: `https://a.example/?token=${token}`,
            sendHeaders: true,
            headerParameters: { parameters: [{ name: "Authorization", value: `Bearer ${bearer}` }] },
            sendBody: true,
            specifyBody: "json",
            jsonBody: `{"user": "ada", "password": "${password}"}`
          },
          4.2
        ],
        [
          "b",
          "httpRequest",
          {
            method: "POST",
            url: "https://a.example/",
            sendBody: true,
            bodyParameters: { parameters: [{ name: "password", value: other }] }
          },
          4.2
        ],
        ["set", "set", { values: { string: [{ name: "password", value: password }] } }],
        [
          "s",
          "n8n-nodes-puppeteer.puppeteer",
          { operation: "runCustomScript", scriptCode: `await $page.type("#password", "${typed}")` }
        ]
      ])
    )
    const text = JSON.stringify(found)
    for (const secret of secrets) assert.notInclude(text, secret)
    assert.deepStrictEqual(
      found.inputs.map(({ name }) => name),
      ["token", "authorization", "password", "password_2"]
    )
  })

  it("names a request that signs in, and the trigger that is not taken", () => {
    const { report } = converted(
      JSON.stringify({
        nodes: [
          { name: "w", type: "n8n-nodes-base.webhook", parameters: {} },
          { name: "h", type: "n8n-nodes-base.httpRequest", parameters: {}, credentials: { x: { name: "Shop key" } } },
          { name: "e", type: "n8n-nodes-base.errorTrigger", parameters: {} },
          { name: "m", type: "n8n-nodes-base.emailSend", parameters: {} }
        ],
        connections: { w: { main: [[{ node: "h" }]] }, e: { main: [[{ node: "m" }]] } }
      })
    )
    assert.deepStrictEqual(
      report.map(({ message, outcome }) => [
        outcome,
        /submit a run|Shop key|failed run|No translated node/.exec(message ?? "")?.[0]
      ]),
      [
        ["not_translated", "submit a run"],
        ["not_translated", "Shop key"],
        ["not_translated", "failed run"],
        ["not_translated", "No translated node"]
      ]
    )
  })

  it("is refused with a name twice", () => {
    const found = Conversion.convert(n8n([click("a"), click("a")], {}))
    assert.include(JSON.stringify(found), "content.nodes[1].name")
  })

  it("with ways that are nested without end is read in time", () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `n${at}`)
    const text = n8n(
      names.map((name) => [name, "if", {}, 2]),
      Object.fromEntries(names.map((name, at) => [name, [[`n${at + 1}`], [`n${at + 2}`]]]))
    )
    assert.lengthOf(converted(text).report, 2_000)
  })
})

describe("each step", () => {
  const said = (text: string) =>
    converted(text).report.map(
      ({ kind, message, outcome }) => `${kind}: ${outcome}${message === null ? "" : `: ${message}`}`
    )

  it("of a script is accounted for where it expects softly or polls", () => {
    const lines = said(
      `await page.goto("https://a.example/")
await expect.soft(page.locator("#a")).toHaveText("x")
await expect.soft(page.locator("#a")).not.toBeVisible()
await expect.poll(() => page.locator("li").count()).toBe(3)
await expect.soft(page.locator("#a")).toHaveClass("x")`
    )
    assert.deepStrictEqual(
      lines.map((line) => line.replace(/: say.*/, "")),
      [
        "page.goto: kept",
        "expect.soft.toHaveText: translated: The run fails where it does not hold, instead of going on",
        "expect.soft.not.toBeVisible: translated: The run fails where it does not hold, instead of going on",
        "expect.poll.toBe: not_translated: It compares a value of the script",
        "expect.soft.toHaveClass: not_translated: Steps cannot expect toHaveClass"
      ]
    )
  })

  it("of a script is accounted for wherever it stands in an expression", () => {
    const lines = said(
      `await page.goto("https://a.example/")
process.env.X && await page.click("#a")
const b = await page.isVisible("#b") ? await page.click("#c") : null
const d = (await page.locator("#d").textContent()).trim()
await page.click("#e").then(() => page.click("#f"))
await page.click("#g").catch(() => {})
const h = page.click("#h")
const own = { open: async () => { await expect(page.locator("#i")).toBeVisible() } }
void (await page.click("#j"), page.click("#k"))
const navigation = page.waitForNavigation()`
    )
    const [part, followed] = ["is a part of an expression", "or where it fails, is left out"]
    const expected = [
      ["page.click", part],
      ["page.isVisible", part],
      ["page.click", part],
      ["page.locator.textContent", part],
      ["page.click.then", followed],
      ["page.click", part],
      ["page.click.catch", followed],
      ["page.click", "kept"],
      ["expect.toBeVisible", part],
      ["page.click", part],
      ["page.click", part],
      ["page.waitForNavigation", "nothing is done"]
    ] as const
    assert.lengthOf(lines, expected.length + 1)
    for (const [index, [kind, word]] of expected.entries()) {
      assert.include(lines[index + 1], word)
      assert.isTrue(lines[index + 1]?.startsWith(`${kind}: `), lines[index + 1])
    }
  })

  it("of tests that the script skips, or does after others, is named and not done", () => {
    const lines = said(
      `test.describe.serial("a", () => {
  test.beforeEach(async ({ page }) => { await page.goto("https://a.example/") })
  test.afterEach(async ({ page }) => { await page.click("#out") })
  test("b", async ({ page }) => { await page.click("#b") })
  test.skip("c", async ({ page }) => { await page.click("#c") })
  test.fixme("d", async ({ page }) => { await page.click("#d") })
})
test.describe.skip("e", () => { test("f", async ({ page }) => { await page.click("#f") }) })
xit("g", async () => { await page.click("#g") })`
    )
    const skipped = "page.click: not_translated: The script skips its test: add it where it is needed"
    assert.deepStrictEqual(lines, [
      "page.goto: kept",
      "page.click: not_translated: The script does it after its tests: add it where it is needed",
      "page.click: kept",
      skipped,
      skipped,
      skipped,
      skipped
    ])
  })

  it("of a script that answers or dismisses a dialog says that runs accept it", () => {
    const lines = said(
      `await page.goto("https://a.example/")
page.on("dialog", (dialog) => dialog.accept())
page.once("dialog", async (dialog) => { console.log(dialog.message()); await dialog.dismiss().catch(() => {}) })
page.on("dialog", async (dialog) => { if (dialog.type() === "prompt") await dialog.accept("Ada") })
page.on("request", (request) => request.continue())`
    )
    assert.deepStrictEqual(lines.slice(1), [
      "page.on: translated: Runs accept each dialog by themselves",
      "page.once: translated: Runs accept each dialog by themselves, and here it is dismissed: the page must offer another way to cancel",
      "page.on: not_translated: Runs accept a prompt with its default text: the page must offer another way to answer",
      "page.on: translated: Runs wait for no events, so nothing is done"
    ])
  })

  it("of a script that chooses no file or several is not taken for one", () => {
    const outcomes = (...files: ReadonlyArray<string>) =>
      converted(
        `await page.goto("https://a.example/")\n${files.map((one) => `await page.locator("#f").setInputFiles(${one})`).join("\n")}`
      ).report.map(({ outcome }) => outcome)
    assert.deepStrictEqual(outcomes('"a"', '["a"]', "[]", '["a", "b"]').slice(1), [
      "translated",
      "translated",
      "not_translated",
      "not_translated"
    ])
  })

  it("of other formats that chooses no file or several, or answers a dialog, is treated as in scripts", () => {
    const lines = (...files: ReadonlyArray<string>) =>
      `{"browserName":"chromium"}\n${JSON.stringify({ name: "setInputFiles", selector: "#f", files })}`
    const puppet = (given: string) => `await page.locator("#f").uploadFile(${given})`
    const block = (label: string, data: object) =>
      JSON.stringify({
        name: "a",
        drawflow: {
          nodes: [
            { id: "1", label: "trigger", data: { type: "manual" } },
            { id: "2", label, data }
          ],
          edges: [{ source: "1", target: "2", sourceHandle: "1-output-1", targetHandle: "2-input-1" }]
        }
      })
    const chosen = (...filePaths: ReadonlyArray<string>) => block("upload-file", { selector: "#f", filePaths })
    const outcome = (text: string) => converted(text).report.at(-1)?.outcome
    for (const file of [lines("a"), chosen("a"), puppet('"a"')]) assert.strictEqual(outcome(file), "translated", file)
    for (const file of [lines(), lines("a", "b"), chosen(), chosen("a", "b"), puppet(""), puppet('"a", "b"')])
      assert.strictEqual(outcome(file), "not_translated", file)
    const dialog = (data: object) => converted(block("handle-dialog", data)).report.at(-1)
    assert.include(dialog({ accept: false })?.message, "here it is dismissed")
    assert.strictEqual(dialog({ accept: true })?.message, "Runs accept each dialog by themselves")
    assert.strictEqual(dialog({ accept: true, promptText: "Ada" })?.outcome, "not_translated")
  })

  it("of Skyvern has what its templates stand for, or is named", () => {
    const blocks = (...prompts: ReadonlyArray<string>) =>
      JSON.stringify({
        title: "t",
        workflow_definition: {
          parameters: [
            { key: "person", parameter_type: "workflow" },
            { key: "rows", parameter_type: "workflow" }
          ],
          blocks: [
            { block_type: "goto_url", label: "g", url: "https://a.example/" },
            {
              block_type: "extraction",
              label: "read",
              data_extraction_goal: "x",
              data_schema: { properties: { total: { type: "string" } } }
            },
            { block_type: "extraction", label: "free", data_extraction_goal: "x" },
            {
              block_type: "for_loop",
              label: "each",
              loop_over_parameter_key: "rows",
              loop_blocks: prompts.map((navigation_goal, at) => ({
                block_type: "navigation",
                label: `n${at}`,
                navigation_goal
              }))
            }
          ]
        }
      })
    const known = {
      "{{ person.name }}": "{{context.inputs.person.name}}",
      "{{ person['last name'][0] }}": "{{context.inputs.person.`last name`[0]}}",
      "{{ each.current_value.id }}": "{{context.runtime.item_1.id}}",
      "{{current_index}}": "{{context.runtime.item_1_index}}",
      "{{ read_output.extracted_information.total }}": "{{context.total}}",
      "{{ free_output }}": "{{context.free}}"
    }
    const found = converted(blocks(...Object.keys(known)))
    for (const value of Object.values(known))
      assert.include(Reports.graph(found.workflow), JSON.stringify(value).slice(1, -1))
    assert.isTrue(found.report.every(({ outcome }) => outcome !== "not_translated"))
    for (const template of [
      "{{ person | upper }}",
      "{{ a ~ b }}",
      "{% if person %}a{% endif %}",
      "{{ each.other }}",
      "{{ read_output.other }}"
    ]) {
      const last = converted(blocks(template)).report.at(-1)
      assert.strictEqual(last?.outcome, "not_translated", template)
      assert.include(last?.message, "is not read", template)
    }
  })

  it("of Chrome that waits for an element that is not visible expects the opposite of what it counts", () => {
    const found = (wait: object) =>
      converted(recorded({ type: "waitForElement", selectors: [["#a"]], visible: false, ...wait }))
    const expected = (wait: object) =>
      /"conditions":\[(\{.*?\})/.exec(Reports.graph(found(wait).workflow))?.[1] ?? found(wait).report.at(-1)?.outcome
    assert.include(expected({}), `"state":"absent"`)
    assert.include(expected({ operator: "==", count: 0 }), '"state":"present","at_least":1')
    assert.include(expected({ operator: "<=", count: 2 }), '"state":"present","at_least":3')
    assert.include(expected({ operator: ">=", count: 3 }), '"state":"present","at_most":2')
    for (const wait of [
      { operator: "==", count: 2 },
      { operator: ">=", count: 0 },
      { properties: { innerText: "a" } }
    ]) {
      assert.strictEqual(expected(wait), "not_translated")
    }
  })

  it("of UI.Vision that Selenium IDE does not have is done where runs can", () => {
    const macro = (...commands: ReadonlyArray<readonly [Command: string, Target: string, Value?: string]>) =>
      JSON.stringify({
        Name: "m",
        Commands: commands.map(([Command, Target, Value = ""]) => ({ Command, Target, Value }))
      })
    const text = macro(
      ["open", "https://a.example/"],
      ["selectWindow", "tab=open", "https://b.example/"],
      ["captureScreenshot", "a"],
      ["refresh", ""],
      ["store", "5", "!timeout_wait"],
      ["selectWindow", "tab=close"],
      ["selectWindow", "tab=1"],
      ["csvRead", "a.csv"],
      ["unheard", "a"]
    )
    assert.deepStrictEqual(
      converted(text).report.map(({ outcome }) => outcome),
      ["kept", "kept", "kept", "translated", "translated", "kept", "not_translated", "not_translated", "not_translated"]
    )
    const graph = Reports.graph(converted(text).workflow)
    for (const word of ['"tabAction":"OPEN"', "https://b.example/", "SCREENSHOT", '"tabAction":"CLOSE"']) {
      assert.include(graph, word)
    }
    assert.notInclude(graph, "timeout_wait")
  })

  it("that waits for an element of a locator of Puppeteer expects it", () => {
    const graph = Reports.graph(
      converted('await page.goto("https://a.example/")\nawait page.locator("#w").wait()').workflow
    )
    assert.include(graph, '"state":"visible"')
  })

  it("that opens a page of the browser itself is left out or named, in every format", () => {
    const files = (url: string) => [
      recorded({ type: "navigate", url }, { type: "click", selectors: [["#a"]] }),
      `await page.goto(${JSON.stringify(url)})\nawait page.click("#a")`,
      JSON.stringify({ Name: "a", Commands: [{ Command: "open", Target: url, Value: "" }] }),
      `{"browserName":"chromium"}\n${JSON.stringify({ name: "navigate", url })}`
    ]
    for (const [url, outcome] of [
      ["chrome://newtab/", "translated"],
      ["chrome://new-tab-page/", "translated"],
      ["about:blank", "translated"],
      ["chrome://settings", "not_translated"],
      ["file:///home/ada/a.html", "not_translated"],
      ["https://a.example/", "kept"]
    ] as const) {
      for (const file of files(url)) {
        const { report, workflow } = converted(file)
        assert.strictEqual(report.findLast(({ kind }) => /navigate|goto|open/.test(kind))?.outcome, outcome, file)
        assert.notMatch(Reports.graph(workflow), /chrome:|about:|file:/, file)
      }
    }
  })

  it("that types the path of a chosen file uploads a file, in every format", () => {
    const value = "C:\\fakepath\\a.pdf"
    for (const file of [
      recorded({ type: "navigate", url: "https://a.example/" }, { type: "change", selectors: [["#cv"]], value }),
      JSON.stringify({
        url: "https://a.example",
        tests: [{ id: "t", name: "t", commands: [{ id: "1", command: "type", target: "id=cv", value }] }],
        suites: []
      })
    ]) {
      assert.include(Reports.graph(converted(file).workflow), "FILE_UPLOAD")
      assert.notInclude(JSON.stringify(converted(file)), "fakepath")
    }
  })
})

describe("YAML", () => {
  const valueOf = (text: string) => Result.map(YamlText.parse(text), ({ value }) => value)

  it("has the members of the objects that are merged, behind its own and in their order", () => {
    const text = `
base: &base {url: https://a.example/, retries: 1, title: a}
other: &other
  <<: *base
  title: b
one: {retries: 2, <<: *other}
both:
  <<: [*other, {url: https://b.example/, label: c}]
none: {"<<": 1, <<: []}
typed: !!str 1
`
    assert.deepStrictEqual(
      valueOf(text),
      Result.succeed({
        base: { url: "https://a.example/", retries: 1, title: "a" },
        other: { title: "b", url: "https://a.example/", retries: 1 },
        one: { retries: 2, title: "b", url: "https://a.example/" },
        both: { title: "b", url: "https://a.example/", retries: 1, label: "c" },
        none: { "<<": 1 },
        typed: "1"
      })
    )
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
    ["YAML with a tag of its own", "blocks:\n  - block_type: wait\n    wait_sec: !vault a", "YAML at line 3"],
    [
      "YAML with a tag that names no JSON",
      "blocks:\n  - block_type: wait\n    wait_sec: !!binary aGk=",
      "YAML at line 3"
    ],
    ["YAML with a tag of its own on an object", "blocks:\n  - !step\n    block_type: wait", "YAML at line 3"],
    ["YAML with a tag on a name", "blocks:\n  - block_type: wait\n    !!binary aGk=: 1", "YAML at line 3"],
    ["YAML that merges a text", "blocks:\n  - block_type: wait\n    <<: a", "to merge by <<"],
    ["YAML that merges a text among others", "blocks:\n  - block_type: wait\n    <<: [{}, a]", "YAML at line 3"],
    ["YAML that merges twice", "blocks:\n  - block_type: wait\n    <<: {}\n    <<: {}", "<< twice"],
    ["YAML that merges what has itself in it", "blocks: &a\n  - block_type: wait\n    <<: *a", "levels"],
    ["YAML that merges aliases of aliases", `${bomb}\n  <<: [*a12]`, "values, those of aliases included"],
    ["foreign YAML", "blocks: 1\nblock_type: 2", "such a YAML"],
    ["too many steps", recorded(...Array.from({ length: 100_000 }, () => ({ type: "close" }))), "at most 5000"],
    ["too long a file", " ".repeat(8_000_001), "at most 8000000"]
  ])("%s is refused with its reason", (_, text, reason) => {
    const [problem] = problemsOf(text)
    assert.strictEqual(problem?.path, "content")
    assert.include(problem?.message, reason)
  })
})
