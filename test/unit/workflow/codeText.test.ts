import { assert, describe, it } from "@effect/vitest"
import { demoWorkflow } from "../../../apps/demo/Workflow.ts"
import { codeOf } from "../../../core/workflow/code/CodeText.ts"
import * as Code from "../../../core/workflow/code/WorkflowCode.ts"
import * as GraphCheck from "../../../core/workflow/language/graph/GraphCheck.ts"
import { fencesOf, pages } from "../../docs/Pages.ts"
import { challenges } from "../../gauntlet/Challenges.ts"
import { toGraph } from "../../gauntlet/Workflow.ts"
import { testMillis } from "../../support/limits.ts"
import { scale } from "../../support/scale.ts"
import { complaints } from "./Compiled.ts"
import { drawn } from "./DrawnWorkflows.ts"
import { evaluated, kept } from "./Evaluated.ts"

type Fields = Parameters<typeof codeOf>[0]

const site = "https://site.example"

/** Every workflow of the docs, of the demo and of the gauntlet. */
const saved: ReadonlyArray<Fields> = [
  demoWorkflow(site) as unknown as Fields,
  ...pages()
    .flatMap(fencesOf)
    .filter(({ language }) => language === "json")
    .map(({ text }): unknown => JSON.parse(text))
    .filter(
      (value): value is Fields => typeof value === "object" && value !== null && "nodes" in value && "edges" in value
    ),
  ...challenges.map(({ inputs = {}, name, workflow }): Fields => {
    const graph = toGraph(`${site}/`, workflow) as unknown as Pick<Fields, "nodes" | "edges">
    return {
      name,
      ...graph,
      input_schema: { type: "object", properties: Object.fromEntries(Object.keys(inputs).map((key) => [key, {}])) }
    }
  })
]

describe("the code of a workflow", () => {
  it("makes the same workflow again, for those of the docs, the demo and the gauntlet", () => {
    assert.isAtLeast(saved.length, 70)
    for (const fields of saved) {
      const code = codeOf(fields)
      const again = evaluated(code) as unknown as Fields
      assert.deepStrictEqual(kept(again), kept(fields))
      assert.notInclude(code, ".raw({")
      assert.strictEqual(codeOf(again), code)
    }
  })

  it("is the same again, for drawn workflows with branches, loops and jumps", () => {
    for (let seed = 1; seed <= 500 * scale; seed++) {
      const body = Code.body(drawn(seed)) as unknown as Fields
      const code = codeOf(body)
      const again = evaluated(code) as unknown as Fields
      assert.deepStrictEqual(kept(again), kept(body), `seed ${seed}`)
      assert.strictEqual(codeOf(again), code, `seed ${seed}`)
      const { problems } = GraphCheck.examine(body.nodes, body.edges)
      const canBeSaved = !problems.some(({ message }) => message.includes("cannot be reached"))
      assert.strictEqual(code.includes(".raw({"), !canBeSaved, `seed ${seed}`)
    }
  })

  it("is the nodes and edges where no steps are them", () => {
    const nodes = [
      { id: "a", name: "Open", action: "START", parameters: { url: site } },
      { id: "b", name: "Lost\n*/", action: "UNKNOWN", parameters: { __proto__: null, text: "\u2028`${'" } }
    ]
    const fields = { name: "Raw", nodes, edges: { a: { to: "c" }, b: {} }, input_schema: {} } as unknown as Fields
    const code = codeOf(fields)
    assert.include(code, "// Lost */, then nothing")
    assert.deepStrictEqual(kept(evaluated(code) as unknown as Fields), kept(fields))
  })

  it("compiles, and does not where a step reads what none before it sets", { timeout: testMillis }, () => {
    const drawnOnes = Array.from({ length: 40 }, (_, seed) => Code.body(drawn(seed)) as unknown as Fields)
    const codes = [...saved, ...drawnOnes].map(codeOf)
    const unset = codes.map((code) => code.replaceAll(/\n *\.assume\(.*\)/g, ""))
    const planted = unset.findIndex((code, index) => code !== codes[index])
    assert.deepStrictEqual(complaints(codes), [])
    assert.match(complaints([unset[planted] ?? ""]).join("\n"), /NoStepSets/)
  })
})
