import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Column from "../../../apps/console/author/Column.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

const parameters: Readonly<Record<string, object>> = {
  START: { url: "https://example.com" },
  DELAY: { delay_time: 1 },
  BOOL_CONDITION: { comparison_operator: "EQUAL" },
  LOOP: { variable_over: "3", variable_current_item: "item", variable_current_index: "index" }
}

const node = (number: number, action = "SCREENSHOT"): Column.Node => ({
  id: id(number),
  name: `${action} ${number}`,
  action,
  parameters: parameters[action] ?? {}
})

const graph = (actions: Readonly<Record<number, string>>, ends: Readonly<Record<number, Record<string, number>>>) => ({
  nodes: Object.entries(actions).map(([number, action]) => node(Number(number), action)),
  edges: Object.fromEntries(
    Object.entries(ends).map(([from, ways]) => [
      id(Number(from)),
      Object.fromEntries(Object.entries(ways).map(([way, to]) => [way, id(to)]))
    ])
  )
})

const ways = { true: "if so", false: "otherwise", loop_not_done: "each time" }

/** The lines of a column, each with two spaces for its depth. */
const written = (column: Column.Block): ReadonlyArray<string> =>
  Column.linesOf(column).map((line) => {
    const indent = " ".repeat(line.depth)
    if (line.kind === "arm") return `${indent}${ways[line.way]}${line.isEmpty ? ": nothing" : ""}`
    return line.kind === "goto" ? `${indent}on at ${line.to?.name}` : `${indent}${line.number ?? "-"} ${line.node.name}`
  })

const plain = graph({ 1: "START", 2: "SCREENSHOT", 3: "DELAY", 9: "END" }, { 1: { to: 2 }, 2: { to: 3 }, 3: { to: 9 } })

const looped = graph(
  { 1: "START", 2: "LOOP", 3: "SCREENSHOT", 4: "BOOL_CONDITION", 5: "DELAY", 6: "SCREENSHOT", 9: "END" },
  {
    1: { to: 2 },
    2: { loop_not_done: 3, loop_done: 6 },
    3: { to: 4 },
    4: { true: 5, false: 2 },
    5: { to: 2 },
    6: { to: 9 }
  }
)

const guarded = graph(
  { 1: "START", 2: "BOOL_CONDITION", 3: "SCREENSHOT", 8: "END", 9: "END" },
  { 1: { to: 2 }, 2: { true: 3, false: 8 }, 3: { to: 9 } }
)

const paged = graph(
  { 1: "START", 2: "SCREENSHOT", 3: "BOOL_CONDITION", 4: "DELAY", 9: "END" },
  { 1: { to: 2 }, 2: { to: 3 }, 3: { true: 4, false: 9 }, 4: { to: 2 } }
)

const joined = graph(
  { 1: "START", 2: "BOOL_CONDITION", 3: "SCREENSHOT", 4: "DELAY", 5: "SCREENSHOT", 9: "END" },
  { 1: { to: 2 }, 2: { true: 3, false: 4 }, 3: { to: 5 }, 4: { to: 5 }, 5: { to: 9 } }
)

const left = graph(
  { 1: "START", 2: "LOOP", 3: "BOOL_CONDITION", 4: "SCREENSHOT", 5: "DELAY", 9: "END" },
  { 1: { to: 2 }, 2: { loop_not_done: 3, loop_done: 5 }, 3: { true: 5, false: 4 }, 4: { to: 2 }, 5: { to: 9 } }
)

const all = { plain, looped, guarded, paged, joined, left }

describe("the column of a workflow", () => {
  it("shows what a loop holds, and both branches of a condition", () => {
    assert.deepStrictEqual(written(Column.columnOf(looped)), [
      "1 START 1",
      "2 LOOP 2",
      " each time",
      "  3 SCREENSHOT 3",
      "  4 BOOL_CONDITION 4",
      "   if so",
      "    5 DELAY 5",
      "   otherwise: nothing",
      "6 SCREENSHOT 6",
      "- END 9"
    ])
    assert.deepStrictEqual(written(Column.columnOf(joined)), [
      "1 START 1",
      "2 BOOL_CONDITION 2",
      " if so",
      "  3 SCREENSHOT 3",
      " otherwise",
      "  4 DELAY 4",
      "5 SCREENSHOT 5",
      "- END 9"
    ])
  })

  it("goes on below a condition whose other branch ends the workflow, leads back or leaves a loop", () => {
    assert.deepStrictEqual(written(Column.columnOf(guarded)), [
      "1 START 1",
      "2 BOOL_CONDITION 2",
      " if so: nothing",
      " otherwise",
      "  - END 8",
      "3 SCREENSHOT 3",
      "- END 9"
    ])
    assert.deepStrictEqual(written(Column.columnOf(paged)).slice(2), [
      "3 BOOL_CONDITION 3",
      " if so",
      "  4 DELAY 4",
      "  on at SCREENSHOT 2",
      " otherwise: nothing",
      "- END 9"
    ])
    assert.deepStrictEqual(written(Column.columnOf(left)).slice(2, 8), [
      " each time",
      "  3 BOOL_CONDITION 3",
      "   if so",
      "    on at DELAY 5",
      "   otherwise: nothing",
      "  4 SCREENSHOT 4"
    ])
  })

  it.each(Object.entries(all))("is the graph that it was made of: %s", (_name, one) => {
    assert.deepStrictEqual(Column.patchOf(one, Column.graphOf(Column.columnOf(one))), { nodes: {}, edges: {} })
  })

  it.each([
    ["after a step", plain, { after: id(2), way: "to" }, 1],
    ["in a loop", looped, { after: id(2), way: "loop_not_done" }, 2],
    ["after a loop", looped, { after: id(2), way: "loop_done" }, 7],
    ["in a branch", looped, { after: id(4), way: "false" }, 7]
  ])("has its cursor where the next step goes: %s", (_name, one, cursor, line) => {
    assert.strictEqual(Column.cursorLine(Column.linesOf(Column.columnOf(one)), cursor), line)
  })
})

const names = (column: Column.Block | null) => (column === null ? null : written(column).map((line) => line.trim()))

describe("a step of the column", () => {
  it("is deleted with all that it holds, and what led to it leads on", () => {
    const without = Column.deleted(Column.columnOf(looped), id(2))
    assert.deepStrictEqual(names(without), ["1 START 1", "2 SCREENSHOT 6", "- END 9"])
    const back = Column.deleted(Column.columnOf(paged), id(2))
    assert.deepStrictEqual(Column.graphOf(back as Column.Block).edges[id(4)], { to: id(3) })
    assert.isNull(Column.deleted(Column.columnOf(plain), id(1)))
    assert.isNull(Column.deleted(Column.columnOf(plain), id(9)))
  })

  it("moves by one place, into and out of what holds steps", () => {
    let column: Column.Block | null = Column.columnOf(looped)
    const seen: Array<number> = []
    while (column !== null) {
      seen.push(written(column).findIndex((line) => line.includes("SCREENSHOT 6")))
      column = Column.stepped(column, id(6), -1)
    }
    // Out of the branch that is empty, past each step in it, and up to START.
    assert.deepStrictEqual(seen, [8, 8, 8, 7, 6, 4, 3, 1])
    assert.isNull(Column.stepped(Column.columnOf(plain), id(3), 1))
  })

  it("is copied under a name of its own, and wrapped and unwrapped again", () => {
    let count = 50
    const copied = Column.duplicated(Column.columnOf(looped), id(2), () => id(count++))
    assert.include(names(copied) ?? [], "6 LOOP 2 2")
    const loop = node(70, "LOOP")
    const wrapped = Column.wrapped(Column.columnOf(plain), id(2), loop)
    assert.deepStrictEqual(names(wrapped), [
      "1 START 1",
      "2 LOOP 70",
      "each time",
      "3 SCREENSHOT 2",
      "4 DELAY 3",
      "- END 9"
    ])
    const unwrapped = Column.unwrapped(wrapped as Column.Block, id(70))
    assert.deepStrictEqual(unwrapped, Column.columnOf(plain))
    const condition = Column.wrapped(Column.columnOf(plain), id(2), node(71, "BOOL_CONDITION"))
    assert.deepStrictEqual(names(condition)?.slice(1, 5), [
      "2 BOOL_CONDITION 71",
      "if so",
      "3 SCREENSHOT 2",
      "otherwise: nothing"
    ])
  })

  it("is dragged before or after another one, and not into itself", () => {
    const column = Column.columnOf(looped)
    const first = Column.movedTo(column, id(6), id(3), "before")
    assert.deepStrictEqual(names(first)?.slice(2, 5), ["each time", "3 SCREENSHOT 6", "4 SCREENSHOT 3"])
    assert.isNull(Column.movedTo(column, id(2), id(3), "after"))
  })
})

const Change = Schema.Struct({
  kind: Schema.Literals(["delete", "up", "down", "copy", "loop", "check", "unwrap"]),
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
  from: Schema.Literals(["plain", "looped", "guarded", "joined"])
})

it.prop(
  "whatever is changed, the service takes it, unless a condition has no step left, and the way back leads to the same",
  [Schema.Array(Change).check(Schema.isMaxLength(12))],
  ([changes]) => {
    let column = Column.columnOf(all[changes[0]?.from ?? "plain"])
    let count = 100
    for (const { at, kind } of changes) {
      const { nodes } = Column.graphOf(column)
      const one = nodes[at % nodes.length]?.id ?? ""
      const fresh = () => id(count++)
      const next = {
        delete: () => Column.deleted(column, one),
        up: () => Column.stepped(column, one, -1),
        down: () => Column.stepped(column, one, 1),
        copy: () => Column.duplicated(column, one, fresh),
        loop: () => Column.wrapped(column, one, { ...node(count, "LOOP"), id: fresh() }),
        check: () => Column.wrapped(column, one, { ...node(count, "BOOL_CONDITION"), id: fresh() }),
        unwrap: () => Column.unwrapped(column, one)
      }[kind]()
      if (next === null) continue
      const graph = Column.graphOf(next)
      const { problems } = SaveBody.read({ name: "A", ...graph }, 0)
      const isEmpty = problems.some(({ message }) => message === "Expected true and false to lead to different nodes")
      if (isEmpty) continue
      assert.deepStrictEqual(
        problems.map(({ message }) => message),
        []
      )
      // It is the same column when it is read again.
      const again = Column.columnOf(graph)
      assert.deepStrictEqual(Column.patchOf(graph, Column.graphOf(again)), { nodes: {}, edges: {} })
      if (kind === "up" || kind === "down") {
        const back = Column.stepped(next, one, kind === "up" ? 1 : -1)
        assert.deepStrictEqual(Column.patchOf(Column.graphOf(column), Column.graphOf(back ?? next)), {
          nodes: {},
          edges: {}
        })
      }
      if (kind === "copy") {
        const copy = graph.nodes.find(({ id }) => !nodes.some((node) => node.id === id))?.id ?? ""
        const back = Column.deleted(next, copy)
        assert.deepStrictEqual(Column.patchOf(Column.graphOf(column), Column.graphOf(back ?? next)), {
          nodes: {},
          edges: {}
        })
      }
      column = again
    }
  }
)
