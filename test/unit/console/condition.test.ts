import { assert, it } from "@effect/vitest"
import * as Column from "../../../apps/console/author/Column.ts"
import { conditioned, conditionsOf, followed } from "../../../apps/console/author/ConditionModel.ts"
import type { PageTarget } from "../../../apps/console/author/Conversation.ts"

const target = (given: Partial<PageTarget>): PageTarget => ({
  kind: "press",
  role: "button",
  name: "Accept all",
  secret: false,
  code: false,
  options: [],
  box: { x: 0, y: 0, width: 10, height: 10 },
  selectors: [{ selector: "//button[.='Accept all']", matches: 1 }],
  row: null,
  heading: null,
  ...given
})

const address = "https://portal.example/invoices?page=2"

it("offers the element, what it says by its place, and the address, each as a condition", () => {
  const words = (one: PageTarget, url = address) => conditionsOf(one, url).map(({ word }) => word)
  const button = "button “Accept all”"
  assert.deepStrictEqual(words(target({})), [
    `${button} is there`,
    `${button} is not there`,
    "the address contains /invoices"
  ])
  const selectors = [
    { selector: "//h1[.='Closed']", matches: 1 },
    { selector: "/html/body/h1", matches: 1 }
  ]
  const heading = target({ kind: "read", role: "h1", name: "Closed", selectors })
  assert.deepStrictEqual(conditionsOf(heading, address)[2]?.parameters, {
    execution: "STATIC",
    comparison_operator: "CONTAINS",
    comparison_value_1: "<<xpath:/html/body/h1>>",
    comparison_value_2: "Closed",
    wait_time: 5_000,
    until_settled: true
  })
  // A selector of another kind cannot be asked for, and the first page has no path.
  assert.isEmpty(words(target({ selectors: [{ selector: "css=#all", matches: 1 }] }), "https://portal.example/"))
})

it("puts a step in the condition, with an empty branch beside it", () => {
  const node = (id: string, action = "CLICK"): Column.Node => ({ id, name: id, action })
  const column = Column.columnOf({
    nodes: [node("start", "START"), node("accept"), node("end", "END")],
    edges: { start: { to: "accept" }, accept: { to: "end" } }
  })
  const [condition] = conditionsOf(target({}), address)
  if (condition === undefined) throw new Error("no condition")
  const after = conditioned(column, "accept", condition, "check")
  assert.deepStrictEqual(after === null ? null : Column.graphOf(after).edges, {
    start: { to: "check" },
    check: { true: "accept", false: "end" },
    accept: { to: "end" }
  })
  assert.isNull(conditioned(column, "start", condition, "check"))
  // What is recorded next would become one of the branch.
  assert.isNull(followed(column, node("accept"), { after: "accept", way: "to" }))
  assert.isNull(followed(column, node("start", "START"), { after: "accept", way: "to" }))
  assert.strictEqual(followed(column, node("accept"), { after: "start", way: "to" })?.id, "accept")
})
