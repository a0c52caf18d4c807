import { assert, describe, it } from "@effect/vitest"
import { Result, type Schema } from "effect"
import type { ComponentData } from "../../../core/workflow/component/Component.ts"
import { carry } from "../../../core/workflow/component/Propagation.ts"
import * as GraphCheck from "../../../core/workflow/language/graph/GraphCheck.ts"
import type { Content } from "../../../core/workflow/Workflow.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What carrying a change on may cost, in fixed works. */
const most = 10

const id = (suffix: string) => `00000000-0000-4000-8000-${suffix.padStart(12, "0")}`
const component = id("c0")

const parameters = {
  START: { url: "https://example.com" },
  END: {},
  CLICK: { execution: "STATIC", selector: "//a" },
  BOOL_CONDITION: { execution: "STATIC", comparison_operator: "IS_NULL", comparison_value_1: "" },
  LOOP: { variable_over: "2", variable_current_item: "item", variable_current_index: "index" }
} as const

type Action = keyof typeof parameters

const node = (suffix: string, action: Action, more: Schema.JsonObject = {}): Schema.JsonObject => ({
  id: id(suffix),
  name: `${action} ${suffix}`,
  action,
  parameters: parameters[action],
  ...more
})

const edges = (all: Readonly<Record<string, string | Readonly<Record<string, string>>>>): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(all).map(([from, to]) => [
      id(from),
      typeof to === "string"
        ? { to: id(to) }
        : Object.fromEntries(Object.entries(to).map(([name, end]) => [name, id(end)]))
    ])
  )

const data = (nodes: ReadonlyArray<Schema.JsonObject>, inner: Schema.JsonObject): ComponentData => ({
  nodes: nodes.map((workflowNode) => ({ workflowNode })),
  workflowEdges: inner,
  reactFlowEdges: [],
  vault_schema: {}
})

const content = (nodes: ReadonlyArray<Schema.JsonObject>, all: Schema.JsonObject): Content => ({
  nodes: [node("01", "START"), ...nodes, node("fe", "END"), node("ff", "END")],
  edges: all,
  input_schema: {},
  output_schema: {},
  vault_schema: {},
  max_retries: 0,
  settings: {}
})

const mark = { source_component_instance_id: component }

/** The edges that a workflow has after a change of its component, which must leave it valid. */
const edgesAfter = (workflow: Content, before: ComponentData, after: ComponentData): Schema.Json => {
  const carried = Result.getOrThrow(carry(workflow, { component, before, after }))
  assert.isTrue(Result.isSuccess(GraphCheck.read(carried.nodes, carried.edges)))
  return carried.edges
}

describe("a new version of a component", () => {
  const branching = data([node("c1", "BOOL_CONDITION")], {})
  const held = content([node("c1", "BOOL_CONDITION", mark)], edges({ "01": "c1", c1: { true: "fe", false: "ff" } }))

  it("keeps each way out of a condition where it led", () => {
    const after = data([node("c0", "CLICK"), node("c1", "BOOL_CONDITION")], edges({ c0: "c1" }))
    assert.deepStrictEqual(
      edgesAfter(held, branching, after),
      edges({ "01": "c0", c0: "c1", c1: { true: "fe", false: "ff" } })
    )
  })

  it("takes a way out inside where the component has a node for it now", () => {
    const after = data([node("c1", "BOOL_CONDITION"), node("c2", "CLICK")], edges({ c1: { true: "c2" } }))
    const carried = carry(held, { component, before: branching, after })
    // The new node may lead where "true" led only if that were the only way out.
    assert.deepStrictEqual(Result.isFailure(carried) ? carried.failure : [], [
      {
        path: `edges.${id("c2")}.to`,
        message: 'Ambiguous target of the edge from node "CLICK c2" out of the component'
      }
    ])
  })

  it("follows a loop that it begins with, and one that comes in front of it", () => {
    const loop = data([node("c1", "LOOP"), node("c2", "CLICK")], edges({ c1: { loop_not_done: "c2" }, c2: "c1" }))
    const looping = content(
      [node("c1", "LOOP", mark), node("c2", "CLICK", mark), node("d1", "BOOL_CONDITION")],
      edges({ "01": "c1", c1: { loop_not_done: "c2", loop_done: "d1" }, c2: "c1", d1: { true: "fe", false: "ff" } })
    )
    const after = data(
      [node("c3", "CLICK"), node("c1", "LOOP"), node("c2", "CLICK"), node("c4", "CLICK")],
      edges({ c3: "c1", c1: { loop_not_done: "c2" }, c2: "c4", c4: "c1" })
    )
    assert.deepStrictEqual(
      edgesAfter(looping, loop, after),
      edges({
        "01": "c3",
        d1: { true: "fe", false: "ff" },
        c3: "c1",
        c1: { loop_not_done: "c2", loop_done: "d1" },
        c2: "c4",
        c4: "c1"
      })
    )
  })

  it("reaches its new beginning from wherever a removed node was reached", () => {
    const before = data([node("c1", "CLICK"), node("c2", "CLICK")], edges({ c1: "c2" }))
    const jumping = content(
      [
        node("d1", "BOOL_CONDITION"),
        node("c1", "CLICK", mark),
        node("c2", "CLICK", mark),
        node("d2", "BOOL_CONDITION")
      ],
      edges({ "01": "d1", d1: { true: "c1", false: "c2" }, c1: "c2", c2: "d2", d2: { true: "fe", false: "ff" } })
    )
    const after = data([node("c3", "CLICK"), node("c2", "CLICK")], edges({ c3: "c2" }))
    assert.deepStrictEqual(
      edgesAfter(jumping, before, after),
      edges({ "01": "d1", d1: { true: "c3", false: "c2" }, d2: { true: "fe", false: "ff" }, c3: "c2", c2: "d2" })
    )
  })

  it("changes nothing but what the component brings: other fields of its nodes stay", () => {
    const placed = content(
      [node("c1", "BOOL_CONDITION", { ...mark, position: { x: 7, y: 8 }, description: "old" })],
      edges({ "01": "c1", c1: { true: "fe", false: "ff" } })
    )
    const after = data([{ ...node("c1", "BOOL_CONDITION"), name: "Renamed", description: "new" }], {})
    const carried = Result.getOrThrow(carry(placed, { component, before: branching, after }))
    assert.deepStrictEqual((carried.nodes as ReadonlyArray<Schema.Json>)[1], {
      ...node("c1", "BOOL_CONDITION", mark),
      name: "Renamed",
      description: "new",
      position: { x: 7, y: 8 },
      source_component_node_id: id("c1")
    })
  })

  it("leaves the instances of other components as they are", () => {
    const other = content(
      [node("c1", "BOOL_CONDITION", { source_component_instance_id: id("cf") })],
      edges({ "01": "c1", c1: { true: "fe", false: "ff" } })
    )
    assert.deepStrictEqual(Result.getOrThrow(carry(other, { component, before: branching, after: branching })), other)
  })

  it("is carried on soon, however many nodes it has and wherever it begins", () => {
    const count = 2_000
    const all = Array.from({ length: count }, (_, index) => node(`a${index.toString(16)}`, "CLICK"))
    const name = (index: number) => `a${index.toString(16)}`
    // The way goes from the last node to the first; without a step in the middle there are two beginnings.
    const steps = (isWhole: boolean) =>
      edges(
        Object.fromEntries(
          Array.from({ length: count - 1 }, (_, index) => [name(index + 1), name(index)] as const).filter(
            ([from]) => isWhole || from !== name(count / 2)
          )
        )
      )
    const workflow = content(
      all.map((one) => ({ ...one, ...mark })),
      { ...steps(true), ...edges({ "01": name(count - 1), a0: "fe" }) }
    )
    const carrying = () => {
      const after = data([...all, node("c9", "CLICK")], { ...steps(true), ...edges({ c9: name(count - 1) }) })
      const carried = Result.getOrThrow(carry(workflow, { component, before: data(all, steps(true)), after }))
      assert.deepInclude(carried.edges, edges({ "01": "c9", c9: name(count - 1) }))
      const split = carry(workflow, { component, before: data(all, steps(false)), after: data(all, steps(false)) })
      assert.isTrue(Result.isSuccess(split))
    }
    assert.isBelow(RelativeCost.least(most, carrying), most)
  })
})
