import { assert, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import type { Candidate } from "../../../core/builder/Command.ts"
import * as Draft from "../../../core/builder/Draft.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

const fresh = (inputs: Schema.JsonObject = {}) =>
  Draft.fresh(
    {
      name: "New",
      description: null,
      startUrl: "https://example.com",
      inputSchema: Draft.schemaOf(inputs),
      vaultSchema: {},
      settings: {}
    },
    { start: id(1), end: id(2) }
  )

const insert = (draft: Draft.Draft, candidate: Candidate, number = 10) =>
  Effect.map(Draft.insert(draft, candidate, { node: id(number), end: id(number + 1) }), (inserted) => inserted.draft)

const click = (selector: string): Candidate => ({ action: "CLICK", parameters: { selector } })

const order = Effect.fnUntraced(function* (draft: Draft.Draft) {
  const { edges, nodes, start } = yield* Draft.graph(draft)
  const found: Array<string> = []
  for (let at: string | undefined = start; at !== undefined; ) {
    found.push(nodes.get(at)?.name ?? "")
    const edge = edges.get(at)
    at = edge?._tag === "Next" ? edge.to : edge?._tag === "Branch" ? edge.onTrue : undefined
  }
  return found
})

it.effect("steps are put in one behind the other, under names of their own", () =>
  Effect.gen(function* () {
    let draft = yield* fresh()
    for (const number of [10, 20, 30]) draft = yield* insert(draft, click("//a"), number)
    const names = ["Open the start page", "Click //a", "Click //a 2", "Click //a 3", "Done"]
    assert.deepStrictEqual(yield* order(draft), names)
  })
)

it.effect.each([
  ["a parameter that is missing", { action: "CLICK", parameters: {} }, "parameters.selector"],
  ["an unknown action", { action: "FLY", parameters: {} }, "action"],
  ["another START", { action: "START", parameters: { url: "https://a.b" } }, "action"],
  ["another END", { action: "END", parameters: {} }, "action"],
  [
    "a loop over nothing",
    { action: "LOOP", parameters: { variable_current_item: "a", variable_current_index: "b" } },
    "parameters.variable_over"
  ],
  ["an input that there is not", click("{{context.inputs.password}}"), "parameters.selector"],
  ["a value that nothing has set", click("{{context.orders}}"), "parameters.selector"],
  ["an expression that cannot be read", click("{{1 +}}"), "parameters.selector"]
] as const)("%s is refused at its place in the node", ([_name, candidate, path]) =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(insert(yield* fresh({ user: "me" }), candidate))
    assert.deepStrictEqual("problems" in refused && refused.problems.map((problem) => problem.path), [path])
  })
)

it.effect("a condition ends the workflow where it does not hold", () =>
  Effect.gen(function* () {
    const check = { action: "BOOL_CONDITION", parameters: { comparison_operator: "EQUAL" } }
    const draft = yield* insert(yield* fresh(), check)
    const { edges, nodes } = yield* Draft.graph(draft)
    assert.deepStrictEqual(edges.get(id(10)), { _tag: "Branch", onTrue: id(2), onFalse: id(11) })
    assert.strictEqual(nodes.get(id(11))?.action, "END")
    assert.deepStrictEqual(draft.cursor, { after: id(10), way: "true" })
  })
)

it.effect("a step that others need, or that branches, cannot be dropped", () =>
  Effect.gen(function* () {
    const model = { type: "object", properties: { title: { type: "string", path: "//h1" } } }
    const extracting = { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: model } }
    const extracted = yield* insert(yield* fresh(), extracting)
    const used = yield* insert(extracted, click("{{context.title}}"), 20)
    const refused = yield* Effect.flip(Draft.drop(Draft.passed(used, { after: id(1), way: "to" })))
    assert.include(JSON.stringify(refused), "which no node before it sets")
    assert.isTrue(Result.isFailure(yield* Effect.result(Draft.drop(yield* fresh()))))
  })
)

const ids = { check: id(30), click: id(31), count: id(32), note: id(33), compare: id(34), forget: id(35), look: id(36) }

it.effect("pages end where all rows stay the same, and what notes it is no output", () =>
  Effect.gen(function* () {
    const rows = {
      type: "array",
      path: "//tr",
      items: { type: "object", properties: { n: { type: "string", path: "/td" } } }
    }
    const model = { type: "object", properties: { rows } }
    const first = yield* fresh()
    const reading = yield* insert(first, { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: model } })
    const { draft } = yield* Draft.paged(reading, { selector: "//a", rows: "//tr", most: 5 }, ids)
    const { edges, nodes } = yield* Draft.graph(draft)
    assert.deepStrictEqual(edges.get(id(10)), { _tag: "Next", to: id(32) })
    assert.deepStrictEqual(edges.get(id(32)), { _tag: "Loop", body: id(30), done: id(35) })
    assert.deepStrictEqual(edges.get(id(30)), { _tag: "Branch", onTrue: id(33), onFalse: id(35) })
    assert.deepStrictEqual(edges.get(id(33)), { _tag: "Next", to: id(31) })
    assert.deepStrictEqual(edges.get(id(31)), { _tag: "Next", to: id(36) })
    assert.deepStrictEqual(edges.get(id(36)), { _tag: "Next", to: id(34) })
    assert.deepStrictEqual(edges.get(id(34)), { _tag: "Branch", onTrue: id(10), onFalse: id(35) })
    assert.deepStrictEqual(edges.get(id(35)), { _tag: "Next", to: id(2) })
    assert.deepStrictEqual(draft.cursor, { after: id(35), way: "to" })
    assert.strictEqual(nodes.get(id(35))?.action, "TRANSFORM")
  })
)

it.effect("further rows that come below the others are loaded before a step, which is done once", () =>
  Effect.gen(function* () {
    const model = { type: "object", properties: { title: { type: "string", path: "//h1" } } }
    const first = yield* fresh()
    const reading = yield* insert(first, { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: model } })
    const { draft } = yield* Draft.paged(reading, { selector: "//a", below: true }, ids)
    const { edges } = yield* Draft.graph(draft)
    assert.deepStrictEqual(edges.get(id(1)), { _tag: "Next", to: id(30) })
    assert.deepStrictEqual(edges.get(id(30)), { _tag: "Branch", onTrue: id(31), onFalse: id(10) })
    assert.deepStrictEqual(edges.get(id(31)), { _tag: "Next", to: id(30) })
    assert.deepStrictEqual(edges.get(id(10)), { _tag: "Next", to: id(2) })
    assert.deepStrictEqual(draft.cursor, reading.cursor)
    assert.deepStrictEqual(Draft.undo(draft)?.draft.content, reading.content)
  })
)

it.effect("the last step is repeated on every page that a link leads to, until that is taken back", () =>
  Effect.gen(function* () {
    const model = { type: "object", properties: { title: { type: "string", path: "//h1" } } }
    const first = yield* fresh()
    assert.include(
      JSON.stringify(yield* Effect.flip(Draft.paged(first, { selector: "//a" }, ids))),
      "expected a step before"
    )
    const reading = yield* insert(first, { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: model } })
    const { draft } = yield* Draft.paged(reading, { selector: "//a[@rel='next']" }, ids)
    const { edges } = yield* Draft.graph(draft)
    assert.deepStrictEqual(edges.get(id(10)), { _tag: "Next", to: id(30) })
    assert.deepStrictEqual(edges.get(id(30)), { _tag: "Branch", onTrue: id(31), onFalse: id(2) })
    assert.deepStrictEqual(edges.get(id(31)), { _tag: "Next", to: id(10) })
    assert.deepStrictEqual(draft.cursor, { after: id(30), way: "false" })
    const onward = yield* insert(draft, click("//b"), 40)
    assert.deepStrictEqual((yield* Draft.graph(onward)).edges.get(id(30)), {
      _tag: "Branch",
      onTrue: id(31),
      onFalse: id(40)
    })
    const undone = Draft.undo(draft)?.draft
    assert.deepStrictEqual(undone?.content, reading.content)
    assert.deepStrictEqual(undone?.cursor, reading.cursor)
  })
)

it.effect(
  "a loop is repeated on every page with the step that reads its list, and on at most as many as are asked for",
  () =>
    Effect.gen(function* () {
      const items = { type: "object", properties: { number: { type: "string", path: "/td" } } }
      const rows = { type: "array", path: "//tr", items }
      const reading = {
        action: "EXTRACT_DATAMODEL",
        parameters: { extract_data_model: { type: "object", properties: { rows } } }
      }
      const variables = { variable_current_item: "page", variable_current_index: "page_number" }
      const loop = { action: "LOOP", parameters: { variable_over: "{{context.rows}}", ...variables } }
      const opened = yield* insert(yield* insert(yield* fresh(), reading), loop, 20)
      const looped = Draft.passed(yield* insert(opened, click("//a"), 25), { after: id(20), way: "loop_done" })
      const { draft } = yield* Draft.paged(looped, { selector: "//a[@rel='next']" }, ids)
      const { edges } = yield* Draft.graph(draft)
      assert.deepStrictEqual(edges.get(id(20)), { _tag: "Loop", body: id(25), done: id(30) })
      assert.deepStrictEqual(edges.get(id(31)), { _tag: "Next", to: id(10) })
      const bounded = (yield* Draft.paged(looped, { selector: "//b", from: id(20), most: 3 }, ids)).draft
      const all = yield* Draft.graph(bounded)
      assert.deepStrictEqual(all.edges.get(id(32)), { _tag: "Loop", body: id(30), done: id(2) })
      assert.deepStrictEqual(all.edges.get(id(30)), { _tag: "Branch", onTrue: id(31), onFalse: id(2) })
      assert.deepStrictEqual(all.edges.get(id(31)), { _tag: "Next", to: id(20) })
      assert.deepInclude(all.nodes.get(id(32)), { name: "At most 3 pages" })
      assert.deepInclude(all.nodes.get(id(32))?.parameters, { variable_over: "2", variable_current_item: "page_2" })
      const refused = yield* Effect.flip(Draft.paged(looped, { selector: "//b", from: "Nowhere" }, ids))
      assert.include(JSON.stringify(refused), "There is no step")
    })
)

const loop: Candidate = {
  action: "LOOP",
  name: "For each",
  parameters: { variable_over: 3, variable_current_item: "row", variable_current_index: "row_number" }
}

it.effect("what follows a loop goes into its body, until the cursor is behind it", () =>
  Effect.gen(function* () {
    const first = yield* fresh()
    assert.isNull(Draft.loopAround(first))
    const empty = yield* insert(first, loop)
    assert.deepStrictEqual((yield* Draft.graph(empty)).edges.get(id(10)), { _tag: "Loop", body: id(10), done: id(2) })
    assert.strictEqual(Draft.loopAround(empty), id(10))
    const filled = yield* insert(empty, click("(//a)[{{context.runtime.row_number + 1}}]"), 20)
    const { edges } = yield* Draft.graph(filled)
    assert.deepStrictEqual(edges.get(id(10)), { _tag: "Loop", body: id(20), done: id(2) })
    assert.deepStrictEqual(edges.get(id(20)), { _tag: "Next", to: id(10) })
    assert.strictEqual(Draft.loopAround(filled), id(10))
    const inner = yield* insert(
      yield* insert(filled, { ...loop, parameters: { ...loop.parameters, variable_current_item: "cell" } }, 30),
      click("//b"),
      40
    )
    assert.strictEqual(Draft.loopAround(inner), id(30))
    const between = Draft.passed(inner, { after: id(30), way: "loop_done" })
    assert.strictEqual(Draft.loopAround(between), id(10))
    const behind = yield* insert(Draft.passed(inner, { after: id(10), way: "loop_done" }), click("//c"), 50)
    assert.isNull(Draft.loopAround(behind))
    assert.deepStrictEqual((yield* Draft.graph(behind)).edges.get(id(10)), { _tag: "Loop", body: id(20), done: id(50) })
  })
)

it.effect("an input and a credential are added under names that are free, until that is taken back", () =>
  Effect.gen(function* () {
    const first = yield* fresh({ user: "me" })
    const { draft, inputs } = yield* Draft.withInput(first, "city", "Bremen")
    assert.deepStrictEqual(inputs, { city: "Bremen" })
    assert.deepStrictEqual(draft.content.input_schema.required, ["user", "city"])
    const typed = yield* insert(draft, {
      action: "INPUT_TEXT",
      parameters: { selector: "#c", text: "{{context.inputs.city}}" }
    })
    const signing = (yield* Draft.withCredential(typed, "BANK", "https://bank.example", "clerk")).draft
    assert.deepStrictEqual(signing.content.vault_schema, {
      BANK: { type: "credential", domain: "https://bank.example" }
    })
    for (const name of ["user", "BANK", "1st", "a b", ""]) {
      assert.isTrue(Result.isFailure(yield* Effect.result(Draft.withInput(signing, name, "x"))), name)
    }
    let undone: Draft.Draft = signing
    for (let back = Draft.undo(undone); back !== null; back = Draft.undo(undone)) undone = back.draft
    assert.deepStrictEqual(undone.content, first.content)
  })
)

it("a schema is made of the inputs that are given", () => {
  assert.deepStrictEqual(Draft.schemaOf({ a: "x", b: 1, c: true, d: [1], e: {}, f: null }), {
    type: "object",
    properties: {
      a: { type: "string" },
      b: { type: "number" },
      c: { type: "boolean" },
      d: { type: "array" },
      e: { type: "object" },
      f: {}
    },
    required: ["a", "b", "c", "d", "e", "f"],
    additionalProperties: false
  })
})

const Change = Schema.Literals(["click", "check", "loop", "leave", "drop", "undo", "redo", "patch", "forward"])

it.effect.prop(
  "whatever is changed, the draft can be saved, and taking every change back gives the first draft again",
  [Schema.Array(Change).check(Schema.isMaxLength(20))],
  ([changes]) =>
    Effect.gen(function* () {
      let draft = yield* fresh()
      const first = draft.content
      for (const [index, change] of changes.entries()) {
        const number = 10 * (index + 1)
        if (change === "click") draft = yield* insert(draft, click(`//a[${index}]`), number)
        if (change === "check") {
          const parameters = { comparison_operator: "EQUAL" }
          draft = yield* insert(draft, { action: "BOOL_CONDITION", parameters }, number)
        }
        if (change === "loop") draft = yield* insert(draft, loop, number)
        if (change === "leave") {
          const around = Draft.loopAround(draft)
          if (around !== null) draft = Draft.passed(draft, { after: around, way: "loop_done" })
        }
        if (change === "drop") {
          const dropped = yield* Effect.result(Draft.drop(draft))
          draft = Result.isSuccess(dropped) ? dropped.success.draft : draft
        }
        if (change === "undo") draft = Draft.undo(draft)?.draft ?? draft
        if (change === "redo") draft = Draft.redo(draft) ?? draft
        if (change === "patch") {
          const added = { id: id(number), name: `Step ${number}`, action: "SCREENSHOT", parameters: {} }
          const { to = "" } = (draft.content.edges as Record<string, { readonly to?: string }>)[id(1)] ?? {}
          const patch = { nodes: { [id(number)]: added }, edges: { [id(1)]: { to: id(number) }, [id(number)]: { to } } }
          draft = (yield* Draft.patched(draft, patch)).draft
        }
        if (change === "forward") draft = Draft.passed(draft, { after: id(1), way: "to" })
        assert.deepStrictEqual(SaveBody.read(Draft.body(draft), 0).problems, [])
        const graph = yield* Draft.graph(draft)
        assert.isTrue(graph.nodes.has(Draft.next(draft, graph).id))
      }
      const last = draft.content
      const count = draft.edits.length
      for (let undone = Draft.undo(draft); undone !== null; undone = Draft.undo(draft)) draft = undone.draft
      assert.deepStrictEqual(draft.content, first)
      for (let again = 0; again < count; again++) draft = Draft.redo(draft) ?? draft
      const named = ({ edges, nodes }: typeof last) => [
        new Map((nodes as ReadonlyArray<{ readonly id: string }>).map((node) => [node.id, node])),
        edges
      ]
      assert.deepStrictEqual(named(draft.content), named(last))
    })
)

it.effect("several nodes and edges are changed as one, and the cursor stays at a step that is left", () =>
  Effect.gen(function* () {
    let draft = yield* fresh()
    for (const number of [10, 20, 30]) draft = yield* insert(draft, click(`//a[${number}]`), number)
    const gone = yield* Draft.patched(draft, {
      nodes: { [id(20)]: null, [id(30)]: null },
      edges: { [id(10)]: { to: id(2) } }
    })
    assert.strictEqual(gone.what, 'Deleted "Click //a[20]", "Click //a[30]". Nothing was carried out')
    assert.deepStrictEqual(yield* order(gone.draft), ["Open the start page", "Click //a[10]", "Done"])
    assert.deepStrictEqual(gone.draft.cursor, { after: id(10), way: "to" })
    const back = Draft.undo(gone.draft)
    assert.deepStrictEqual(back?.draft.content, draft.content)
    const moved = yield* Draft.patched(draft, {
      edges: { [id(1)]: { to: id(20) }, [id(20)]: { to: id(10) }, [id(10)]: { to: id(30) } }
    })
    assert.include(moved.what, "Changed the order of the steps")
    const names = ["Open the start page", "Click //a[20]", "Click //a[10]", "Click //a[30]", "Done"]
    assert.deepStrictEqual(yield* order(moved.draft), names)
  })
)

it.effect.each([
  ["an unreached step", { edges: { [id(1)]: { to: id(2) } } }, "nodes[1]"],
  ["a parameter that is missing", { nodes: { [id(10)]: { name: "A", action: "CLICK", parameters: {} } } }, "nodes[1]"],
  ["an edge to nowhere", { edges: { [id(10)]: { to: id(99) } } }, "edges"],
  ["a place that there is not", { cursor: { after: id(10), way: "true" as const } }, "cursor"]
] as const)("%s is refused, and changes nothing", ([_name, patch, path]) =>
  Effect.gen(function* () {
    const draft = yield* insert(yield* fresh(), click("//button[1]"))
    const { problems } = (yield* Effect.flip(Draft.patched(draft, patch))) as {
      problems: ReadonlyArray<{ path: string }>
    }
    assert.isTrue(
      problems.some((problem) => problem.path.startsWith(path)),
      JSON.stringify(problems)
    )
  })
)

it.effect("what a step expects is set, replaced and taken away, and each is undone", () =>
  Effect.gen(function* () {
    const draft = yield* insert(yield* fresh(), click("//button[1]"))
    const [before] = yield* order(draft)
    const name = "Click //button[1]"
    const saying = (contains: string) => ({ conditions: [{ type: "text", contains }] })
    const expectIn = ({ content }: Draft.Draft) =>
      (content.nodes as ReadonlyArray<{ readonly parameters: { readonly expect?: unknown } }>)[1]?.parameters.expect
    const paid = yield* Draft.expecting(draft, name, saying("Paid"))
    assert.include(paid.what, `"${name}" expects this now`)
    const done = yield* Draft.expecting(paid.draft, id(10), saying("Done"))
    const nothing = yield* Draft.expecting(done.draft, name, null)
    assert.include(nothing.what, "expects nothing now")
    const undone: Array<unknown> = []
    for (let last: Draft.Draft | undefined = nothing.draft; last !== undefined; last = Draft.undo(last)?.draft) {
      undone.push(last.content.nodes === nothing.draft.content.nodes ? "as it is" : expectIn(last))
      if (last.edits.length === draft.edits.length) break
    }
    assert.deepStrictEqual(undone, ["as it is", saying("Done"), saying("Paid"), undefined])
    assert.deepStrictEqual(yield* order(done.draft), [before, name, "Done"])
  })
)

it.effect("an expectation that is wrong, or of a step that there is not, changes nothing and says why", () =>
  Effect.gen(function* () {
    const draft = yield* insert(yield* fresh(), click("//button[1]"))
    const messageOf = (step: string, expect: Schema.JsonObject) =>
      Effect.map(Effect.flip(Draft.expecting(draft, step, expect)), (refused) => JSON.stringify(refused))
    assert.include(yield* messageOf("Fly", { conditions: [] }), "There is no step")
    assert.include(
      yield* messageOf(id(10), { conditions: [{ type: "address" }] }),
      "nodes[1].parameters.expect.conditions[0]"
    )
  })
)
