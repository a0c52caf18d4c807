import { assert, describe, it } from "@effect/vitest"
import { outlineOf } from "../../../apps/console/data/Outline.ts"
import { linesOf, shortened } from "../../../apps/console/forms/LineDifference.ts"
import { fieldsOf, read, withExpressions } from "../../../apps/console/forms/SchemaModel.ts"
import {
  isAsking,
  markdownOf,
  nested,
  neverRan,
  type Run,
  sentenceOf,
  stepsOf,
  turnWords,
  waitWords
} from "../../../apps/console/run/RunModel.ts"
import { layoutOf } from "../../../apps/console/workflow/GraphLayout.ts"
import { changesOf, componentsOf, nodeAt, withinNode } from "../../../apps/console/workflow/WorkflowModel.ts"

const at = (second: number) => new Date(second * 1_000).toISOString()
const event = (second: number, name: string, payload: Record<string, string | boolean> = {}) => ({
  event: name,
  at: at(second),
  payload
})

const nodes = [
  { id: "1", name: "Open", action: "START", parameters: { url: "https://a.example" } },
  { id: "2", name: "Press", action: "CLICK", parameters: { selector: "//b" } },
  { id: "3", name: "Read", action: "EXTRACT_DATAMODEL", parameters: {} },
  { id: "4", name: "End", action: "END", parameters: {} }
]

const run = (status: string, events: Run["events"]): Run =>
  ({
    session_id: "id",
    status,
    created_at: at(0),
    execution_start: at(1),
    execution_end: null,
    holds: [],
    waits_for: [],
    errors: [],
    warnings: [],
    warning_count: 0,
    input_variables: { note: "```" },
    output_data: null,
    events
  }) as unknown as Run

describe("the steps of a run", () => {
  const failed = run("execution.failed", [
    event(1, "execution.start"),
    event(1, "execution.step", { current_step: "Open" }),
    event(3, "execution.step", { current_step: "Press" }),
    event(4, "screenshot.uploaded", {
      signed_screenshot_url: "https://other.example/artifacts/1?signature=x",
      node_display_name: "Press",
      error_screenshot: true
    }),
    event(6, "execution.failed")
  ])

  it("are sentences with their times and pictures, and those that never ran are named", () => {
    const steps = stepsOf(failed, nodes)
    assert.deepStrictEqual(
      steps.map(({ millis, sentence, state }) => [sentence, state, millis]),
      [
        ["Open https://a.example", "done", 2_000],
        ["Click //b", "failed", 3_000]
      ]
    )
    // The page loads artifacts from its own host alone.
    assert.strictEqual(steps[1]?.pictures[0]?.address, "/artifacts/1?signature=x")
    assert.deepStrictEqual(neverRan(failed, steps, nodes), ["Read"])
  })

  it("stand below the turns of their loops, with the items of these in place of variables", () => {
    const looped = [
      { id: "1", name: "For each row", action: "LOOP", parameters: { variable_current_item: "row" } },
      {
        id: "2",
        name: "LOOP 2",
        action: "LOOP",
        parameters: { variable_current_item: "line", variable_current_index: "at" }
      },
      {
        id: "3",
        name: "CLICK 3",
        action: "CLICK",
        parameters: { selector: "//b[.='{{context.runtime.row.number}}' and {{ context.runtime.at }}]" }
      }
    ]
    const row = (index: number) => ({
      node_display_name: "For each row",
      index,
      count: 2,
      item: { number: `INV-${index}` }
    })
    const line = { node_display_name: "LOOP 2", index: 0, count: 1, item: "only" }
    const step = (second: number, name: string, ...loops: ReadonlyArray<object>) => ({
      ...event(second, "execution.step"),
      payload: { current_step: name, ...(loops.length === 0 ? {} : { loops }) }
    })
    const ran = run("execution.success", [
      step(1, "For each row"),
      ...[0, 1].flatMap((index) => [
        step(2, "LOOP 2", row(index)),
        step(3, "CLICK 3", row(index), line),
        step(4, "LOOP 2", row(index)),
        step(5, "For each row")
      ]),
      event(6, "execution.success")
    ] as unknown as Run["events"])
    const shape = (entries: ReturnType<typeof nested>): ReadonlyArray<unknown> =>
      entries.map((entry) =>
        "turn" in entry ? [turnWords(entry.turn), shape(entry.entries)] : `${entry.at} ${entry.step.sentence}`
      )
    const turn = (index: number, at: number) => [
      `For each row, ${index + 1} of 2: number: INV-${index}`,
      [["LOOP 2, 1 of 1: only", [`${at} Click //b[.='INV-${index}' and 0]`]]]
    ]
    assert.deepStrictEqual(shape(nested(stepsOf(ran, looped))), [turn(0, 2), turn(1, 6)])
    const noted = stepsOf(ran, looped).map((step, at) => (at === 0 ? { ...step, notes: ["A person answered"] } : step))
    assert.deepStrictEqual(shape(nested(noted))[0], "0 For each row")
    assert.deepStrictEqual(shape(nested(stepsOf({ ...ran, events: ran.events.slice(0, 1) }, looped))), [
      "0 For each row"
    ])
    assert.include(
      markdownOf(ran, "Nightly", stepsOf(ran, looped)),
      "3. [For each row, 1 of 2: number: INV-0] [LOOP 2, 1 of 1: only] Click"
    )
  })

  it("have the names that say what they do, and those of others by their action", () => {
    const named = [
      { id: "1", name: "Open", action: "NAVIGATE", parameters: { url: "back" } },
      { id: "2", name: "Press", action: "CLICK", parameters: { selector: "//b" } },
      { id: "3", name: "Click Sign in", action: "CLICK", parameters: { selector: "//b" } },
      { id: "4", name: "Click //b", action: "CLICK", parameters: { selector: "//b[1]" } },
      { id: "5", name: "CLICK 5", action: "CLICK", parameters: { selector: "//c" } },
      { id: "6", name: "FILE_DOWNLOAD", action: "FILE_DOWNLOAD" },
      { id: "7", name: "Invoice", action: "FILE_DOWNLOAD" }
    ]
    assert.deepStrictEqual(named.map(sentenceOf), [
      ...["Go back", "Click //b", "Click Sign in", "Click //b[1]"],
      ...["Click //c", "Download a file", "Download a file: Invoice"]
    ])
  })

  it("stand in Markdown beside what the run waits for", () => {
    const nothing = { until: null, ahead: null, limit: null, limit_name: null }
    const wait = { ...nothing, reason: "login", credential: "SITE" } as const
    assert.include(waitWords(wait)?.text, "sign in with the credential of its input SITE")
    assert.include(
      waitWords({ ...wait, reason: "credential" })?.text,
      "Other runs use the credential of its input SITE"
    )
    assert.notInclude(waitWords(wait)?.text, "place")
    const late = { ...nothing, reason: "capacity", until: "u", credential: null, ahead: 1 } as const
    assert.match(waitWords(late)?.text ?? "", /one takes it\. 1 run of the workflow starts before it\.$/)
    const shared = waitWords({ ...late, limit: "workspace_runs" })
    assert.match(shared?.title ?? "", /workspace has its share/)
    assert.match(shared?.text ?? "", /SLUICE_WORKSPACE_RUNS places/)
    assert.match(waitWords({ ...late, limit: "concurrency" })?.text ?? "", /SLUICE_CONCURRENCY runs/)
    const limited = waitWords({ ...nothing, reason: "limit", credential: null, limit_name: "portal.example" })
    assert.strictEqual(limited?.title, "The limit portal.example allows no start now")
    assert.isNull(waitWords({ ...wait, reason: "manual" }))
    const text = markdownOf({ ...run("execution.queued", []), waits_for: [wait, late] }, "Nightly", [])
    assert.include(text, "- waits: Another run signs in\n- waits: It waits for a worker, until u\n")
  })

  it("stand in Markdown that no value breaks out of", () => {
    const text = markdownOf(failed, "Nightly", stepsOf(failed, nodes))
    assert.include(text, "2. Click //b (failed, 3.0 s)")
    assert.include(text, "````json\n")
    assert.notInclude(text, "Warnings")
    const warning = {
      code: "LIST-W0001",
      message: "No rows",
      node: { id: "2", name: "Read", action: "CLICK" },
      value: null
    }
    const warned = markdownOf({ ...failed, warnings: [warning], warning_count: 120 }, "Nightly", [])
    assert.include(warned, `## Warnings (120)\n\n- ${JSON.stringify(warning)}`)
  })

  it("tell whether a person is asked now", () => {
    const asked = [event(1, "execution.step", { current_step: "Open" }), event(2, "interaction.waiting")]
    assert.isTrue(isAsking(run("execution.start", asked)))
    assert.isFalse(isAsking(run("execution.start", [...asked, event(3, "interaction.finished")])))
    assert.isFalse(isAsking(run("execution.failed", asked)))
  })
})

describe("a form that a schema makes", () => {
  const schema = {
    properties: {
      status: { enum: ["open", 3] },
      count: { type: "integer", default: 2 },
      ratio: { type: "number" },
      all: { type: "boolean" },
      rows: { type: "array" },
      otp: { type: "string" }
    },
    required: ["status", "otp"]
  }

  it("has a field for each property, hides codes, and keeps inputs that the schema does not name", () => {
    const fields = fieldsOf(schema, { other: { a: 1 } })
    assert.deepStrictEqual(
      fields.map(({ initial, kind, name }) => [name, kind, initial]),
      [
        ["status", "choice", ""],
        ["count", "integer", "2"],
        ["ratio", "number", ""],
        ["all", "switch", ""],
        ["rows", "json", ""],
        ["otp", "secret", ""],
        ["other", "json", '{"a":1}']
      ]
    )
  })

  it("reads values by their type, and says at each field what is wrong", () => {
    const fields = fieldsOf(schema)
    const wrong = read(fields, { count: "2.5", ratio: "x", rows: "[" })
    assert.deepStrictEqual(Object.keys(wrong.problems), ["status", "count", "ratio", "rows", "otp"])
    const right = read(fields, { status: "3", ratio: "2.5", all: "true", rows: "[1]", otp: "007" })
    assert.deepStrictEqual(right, {
      values: { status: 3, count: 2, ratio: 2.5, all: true, rows: [1], otp: "007" },
      problems: {}
    })
  })

  it("takes expressions in any field where it says so, and shows one as the text that it is", () => {
    const date = "{{ schedule.date }}"
    const fields = withExpressions(fieldsOf(schema, { status: date, all: date, count: date }))
    assert.deepStrictEqual(
      fields.slice(0, 4).map(({ kind }) => kind),
      ["text", "integer", "number", "text"]
    )
    const typed = { otp: "1", rows: date }
    assert.deepStrictEqual(read(fields, typed, { expressions: true }), {
      values: { status: date, count: date, all: date, rows: date, otp: "1" },
      problems: {}
    })
    assert.deepStrictEqual(Object.keys(read(fields, typed).problems), ["count", "rows"])
  })
})

describe("a workflow", () => {
  it("is an outline with its branches indented, each step once, and none left out", () => {
    const lines = outlineOf([...nodes, { id: "9", name: "Alone", action: "CLICK" }], {
      "1": { to: "2" },
      "2": { true: "3", false: "4" },
      "3": { to: "4" }
    })
    assert.deepStrictEqual(
      lines.map(({ branch, depth, goesTo, node }) => [node.name, depth, branch, goesTo]),
      [
        ["Open", 0, null, null],
        ["Press", 0, null, null],
        ["Read", 1, "if so", null],
        ["End", 1, null, null],
        ["End", 1, "otherwise", "End"],
        ["Alone", 0, "never reached", null]
      ]
    )
  })

  it("ends its outline although a loop leads back", () => {
    const names = outlineOf(nodes.slice(0, 2), { "1": { to: "2" }, "2": { to: "1" } }).map(({ goesTo }) => goesTo)
    assert.deepStrictEqual(names, [null, "Open"])
  })

  it("says what differs between two versions, and nothing of what a save changes by itself", () => {
    const before = { nodes, edges: {}, max_retries: 0, version_id: "a" }
    const after = {
      nodes: [{ ...nodes[0], name: "Begin" } as (typeof nodes)[0], ...nodes.slice(2)],
      edges: {},
      max_retries: 2,
      version_id: "b"
    }
    assert.deepStrictEqual(
      changesOf(before, after).map(({ kind, what }) => [kind, what]),
      [
        ["changed", "Step “Begin”"],
        ["removed", "Step “Press”"],
        ["changed", "max_retries"]
      ]
    )
  })

  it("show of a changed step only the fields that differ", () => {
    const step = { id: "1", name: "Press", action: "CLICK" }
    const [change] = changesOf(
      { nodes: [{ ...step, parameters: { selector: "//a", wait_time: 0, scroll: { x: 1, y: 2 } } }], edges: {} },
      {
        nodes: [{ ...step, parameters: { selector: "//b", wait_time: 0, scroll: { x: 1, y: 3 }, type: "hover" } }],
        edges: {}
      }
    )
    assert.deepStrictEqual(JSON.parse(change?.before ?? ""), { parameters: { selector: "//a", scroll: { y: 2 } } })
    assert.deepStrictEqual(JSON.parse(change?.after ?? ""), {
      parameters: { selector: "//b", scroll: { y: 3 }, type: "hover" }
    })
  })
})

describe("the lines of a text before and after a change", () => {
  const marks = { same: " ", removed: "-", added: "+" }
  const shown = (before: string | null, after: string | null) =>
    shortened(linesOf(before, after)).map((line) =>
      typeof line === "number" ? `${line}` : marks[line.kind] + line.text
    )
  const numbered = Array.from({ length: 12 }, (_, index) => `line ${index}`)

  it("are the fewest that differ, with two equal ones around them", () => {
    const after = [...numbered.slice(0, 6), "new", ...numbered.slice(7)]
    assert.deepStrictEqual(shown(numbered.join("\n"), after.join("\n")), [
      ...["4", " line 4", " line 5", "-line 6", "+new", " line 7", " line 8", "3"]
    ])
    assert.deepStrictEqual(shown("a\nb\nc\nd", "a\nc\nx\nd"), [" a", "-b", " c", "+x", " d"])
    assert.deepStrictEqual(shown("a\na", "a"), [" a", "-a"])
  })

  it("are all of a text that is new or gone, and of two that are too long to compare", () => {
    assert.deepStrictEqual(shown(null, "a\nb"), ["+a", "+b"])
    assert.deepStrictEqual(shown("a", null), ["-a"])
    const long = (mark: string) => Array.from({ length: 600 }, (_, index) => `${mark}${index}`).join("\n")
    assert.lengthOf(linesOf(long("a"), long("b")), 1_200)
  })
})

describe("problems and the picture of a workflow", () => {
  const two = [
    { id: "1", name: "Open", action: "START" },
    { id: "2", name: "Done", action: "END" }
  ]

  it("are named by the step that a path leads to", () => {
    assert.strictEqual(nodeAt(two, "nodes[1].parameters.selector")?.name, "Done")
    assert.strictEqual(nodeAt(two, "edges.1")?.name, "Open")
    assert.isNull(nodeAt(two, "nodes[7].name"))
    assert.isNull(nodeAt(two, "input_schema"))
    assert.strictEqual(withinNode("nodes[1].parameters.selector"), "selector")
  })

  it("has each step once, from top to bottom, and leaves out ways that lead nowhere", () => {
    const { edges, nodes } = layoutOf(two, { "1": { to: "2" }, "2": { to: "3" } })
    assert.deepStrictEqual(
      edges.map(({ key }) => key),
      ["1 to"]
    )
    const [open, done] = nodes
    assert.isBelow(open?.y ?? 0, done?.y ?? 0)
  })
})

it("the components of a workflow are those that its steps came from, each once", () => {
  const from = (source_component_instance_id?: string) => ({ source_component_instance_id })
  assert.deepStrictEqual(componentsOf([from("a"), from("a:1"), from(), from("b:2")]), [
    { id: "a", steps: 2 },
    { id: "b", steps: 1 }
  ])
})
