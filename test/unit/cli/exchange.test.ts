/** The pure parts of a workspace in a folder: names of files, references in nodes, what is the same thing, and texts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FolderReading from "../../../apps/cli/user/exchange/FolderReading.ts"
import { paired } from "../../../apps/cli/user/exchange/ImportPlan.ts"
import * as NodeReferences from "../../../apps/cli/user/exchange/NodeReferences.ts"
import * as WorkspaceFiles from "../../../apps/cli/user/exchange/WorkspaceFiles.ts"

const id = "11111111-2222-4333-8444-555555555555"
const instance = "10000000-0000-4000-8000-000000000001"

const none: ReadonlyMap<string, string> = new Map()

describe("a file of a folder", () => {
  it("is named after what is in it, by letters and digits that every system takes", () => {
    assert.deepStrictEqual(
      ["Invoices", "  Müller & Söhne: März ", "../../etc/passwd", "请求", "CON", "x".repeat(200)].map((name) =>
        WorkspaceFiles.slug(name, "workflow")
      ),
      ["invoices", "muller-sohne-marz", "etc-passwd", "workflow", "workflow-con", "x".repeat(60)]
    )
  })

  it("has the same bytes whatever the order and the ids of the workspace", () => {
    const code = (name: string, id: string) => ({
      id,
      error_code: name,
      description: "",
      enriched_description: null,
      error_action: "alert" as const,
      retries: null,
      retry_after: null,
      created_at: id,
      updated_at: id
    })
    const empty = { components: [], workflows: [], webhooks: [], credentials: [] }
    const credentials = [
      { domain: "b.example", permissioned_user_id: "robot" },
      { domain: "a.example", permissioned_user_id: "robot" }
    ]
    const one = WorkspaceFiles.of({ ...empty, credentials, codes: [code("A", "1"), code("B", "2")] }, 0)
    const reversed = { ...empty, credentials: credentials.toReversed(), codes: [code("B", "3"), code("A", "4")] }
    assert.deepStrictEqual(WorkspaceFiles.of(reversed, 0), one)
    assert.strictEqual(
      one.get("error-codes.json"),
      `${JSON.stringify(
        ["A", "B"].map((name) => ({ error_code: name, description: "", error_action: "alert" })),
        null,
        2
      )}\n`
    )
  })
})

describe("a node in a folder", () => {
  const components = new Map([[id, "sign-in"]])
  const codes = new Map([[id, "PORTAL_DOWN"]])
  const node = {
    id: instance,
    name: "Open",
    action: "CLICK",
    parameters: { selector: "//a", selector_error_message: id.toUpperCase(), error_message: "PORTAL_DOWN" },
    source_component_instance_id: `${id}:${instance}`,
    source_component_node_id: id
  }

  it("names components and error codes, and gets their ids in another workspace", () => {
    const named = NodeReferences.named(node, components, codes)
    assert.deepInclude(named, {
      parameters: {
        selector: "//a",
        selector_error_message: { error_code: "PORTAL_DOWN" },
        error_message: "PORTAL_DOWN"
      },
      source_component_instance_id: { component: "sign-in", instance },
      source_component_node_id: id
    })
    const other = id.replace("1", "9")
    const resolved = NodeReferences.resolved(
      named,
      "nodes[0]",
      new Map([["sign-in", other]]),
      new Map([["portal_down", other]])
    )
    assert.deepStrictEqual(resolved.problems, [])
    assert.deepInclude(resolved.node, {
      parameters: { ...node.parameters, selector_error_message: other },
      source_component_instance_id: `${other}:${instance}`
    })
  })

  it("refers no more to what exists no more, and keeps a mark of another form", () => {
    const { source_component_instance_id: _mark, source_component_node_id: _node, ...plain } = node
    assert.deepStrictEqual(NodeReferences.named(node, none, none), {
      ...plain,
      parameters: { ...node.parameters, selector_error_message: null }
    })
    const own = { ...plain, parameters: {}, source_component_instance_id: "mine" }
    assert.deepStrictEqual(NodeReferences.named(own, components, codes), own)
    assert.deepStrictEqual(NodeReferences.resolved(own, "", none, none).node, own)
  })

  it("is refused at each name that the folder does not have", () => {
    const marks = [
      { component: "other" },
      { component: "sign-in", instance: "1" },
      { component: "sign-in", instances: instance },
      { component: "../sign-in" }
    ]
    for (const mark of marks) {
      const wrong = {
        parameters: { error_message: { error_code: "NONE" } },
        source_component_instance_id: mark
      }
      assert.deepStrictEqual(
        NodeReferences.resolved(wrong, "nodes[3]", new Map([["sign-in", id]]), none).problems.map(({ path }) => path),
        ["nodes[3].parameters.error_message", "nodes[3].source_component_instance_id"]
      )
    }
  })
})

describe("things of a folder and of a workspace", () => {
  const match = (wanted: ReadonlyArray<string>, held: ReadonlyArray<string>) => {
    const { left, pairs, unclear } = paired({
      wanted: wanted.map((text) => ({ text })),
      held: held.map((text) => ({ text })),
      wantedKey: ({ text }) => text.charAt(0),
      heldKey: ({ text }) => text.charAt(0),
      isEqual: (one, other) => one.text === other.text
    })
    return {
      pairs: pairs.map((pair) => `${pair.action} ${pair.wanted.text} ${pair.held?.text ?? "-"}`),
      unclear: unclear.map(({ text }) => text),
      left: left.map(({ text }) => text)
    }
  }

  it("are the same by their name, equal ones first", () => {
    assert.deepStrictEqual(match(["a1", "b1", "c1"], ["c1", "a2"]), {
      pairs: ["change a1 a2", "create b1 -", "keep c1 c1"],
      unclear: [],
      left: []
    })
    // Without what is equal first, the second one would become the first, and be there twice.
    assert.deepStrictEqual(match(["a2"], ["a1", "a2"]), { pairs: ["keep a2 a2"], unclear: [], left: ["a1"] })
    assert.deepStrictEqual(match(["a1", "a2"], ["a2"]).pairs, ["create a1 -", "keep a2 a2"])
    assert.deepStrictEqual(match(["a1", "a2"], ["a3", "a4"]).pairs, ["change a1 a3", "change a2 a4"])
  })

  it("are unclear where the workspace has more of a name than the folder", () => {
    assert.deepStrictEqual(match(["a1"], ["a2", "a3"]).unclear, ["a1"])
  })
})

describe("the texts of a folder", () => {
  const whole = new Map([
    ["sluice.json", '{"format": "sluice.workspace", "format_version": 1}'],
    ["error-codes.json", "[]"],
    ["credentials.json", "[]"],
    ["webhooks.json", "[]"]
  ])

  it.effect("are read, and each problem is told at its place", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* FolderReading.read(whole, 0)).problems, [])
      const read = (path: string, text: string) =>
        Effect.map(FolderReading.read(new Map([...whole, [path, text]]), 0), ({ problems }) =>
          problems.map(({ path }) => path)
        )
      assert.deepStrictEqual(yield* read("sluice.json", '{"format": "other", "format_version": 1}'), [
        "sluice.json: format"
      ])
      assert.deepStrictEqual(yield* read("error-codes.json", "{}"), ["error-codes.json"])
      assert.deepStrictEqual(
        yield* read("credentials.json", '[{"domain": "a", "permissioned_user_id": "b", "password": "c"}]'),
        ["credentials.json: [0].password"]
      )
      assert.deepStrictEqual(yield* read("webhooks.json", `${"[".repeat(100_000)}${"]".repeat(100_000)}`), [
        "webhooks.json"
      ])
      assert.deepStrictEqual(yield* read("workflows/a.json", "[]"), ["workflows/a.json"])
      assert.deepStrictEqual(yield* read("workflows/a.json", '{"name": "\\u0000"}'), ["workflows/a.json: name"])
      assert.deepStrictEqual(
        (yield* FolderReading.read(new Map([...whole].slice(0, 1)), 0)).problems.map(({ path }) => path),
        ["error-codes.json", "credentials.json", "webhooks.json"]
      )
    })
  )

  it.effect("leave out a schedule that has ended since it was exported", () =>
    Effect.gen(function* () {
      const [start, end] = [id, instance]
      const schedule = { cron: "@daily", time_zone: "UTC", active: true, ends_at: "2030-01-01T00:00:00Z" }
      const workflow = {
        name: "W",
        nodes: [
          { id: start, name: "Open", action: "START", parameters: { url: "https://example.com" } },
          { id: end, name: "Done", action: "END", parameters: {} }
        ],
        edges: { [start]: { to: end } },
        schedules: [schedule]
      }
      const files = new Map([...whole, ["workflows/w.json", JSON.stringify(workflow)]])
      const at = (now: string) =>
        Effect.map(FolderReading.read(files, Date.parse(now)), ({ problems, wanted }) => {
          assert.deepStrictEqual(problems, [])
          return wanted.workflows.map(({ schedules }) => schedules.length)
        })
      assert.deepStrictEqual(yield* at("2029-12-01T00:00:00Z"), [1])
      assert.deepStrictEqual(yield* at("2030-02-01T00:00:00Z"), [0])
    })
  )
})
