/**
 * The files that `sluice init` writes: a workflow as code, its test on pages that are written as data, and what both need.
 */

const workflow = `import { Schema } from "effect"
import * as Code from "@sluice/core/workflow/code"

export default Code.workflow({
  name: "Prices of a shop",
  inputs: Schema.Struct({ product: Schema.String }),
  outputs: Schema.Struct({ price: Schema.Finite })
})
  .start("Open the shop", { url: "https://shop.example/" })
  .inputText("Look for the product", {
    selector: "//input[@name='q']",
    text: "{{context.inputs.product}}",
    submit_after_input: true
  })
  .when(
    "Found?",
    { comparison_operator: "IS_NOT_NULL", comparison_value_1: "<<xpath://p[@id='price']>>", wait_time: 5000 },
    { no: (steps) => steps.end("The shop does not have it") }
  )
  .extractDatamodel("Read the price", {
    execution: "STATIC",
    extract_data_model: Code.record({ price: Code.number("//p[@id='price']") })
  })
  .end("Done")
`

const test = `import assert from "node:assert/strict"
import { test } from "node:test"
import { Effect } from "effect"
import * as WorkflowTrial from "@sluice/testing/workflow"
import workflow from "./workflow.ts"

const shop = "https://shop.example/"
const found = \`\${shop}found\`

test("reads the price of a product", async () => {
  const site = {
    [shop]: [{ selector: "//input[@name='q']", takes: { values: ["Lamp"], leadsTo: found } }],
    [found]: [{ selector: "//p[@id='price']", text: "12.50" }]
  }
  const { outcome, steps } = await Effect.runPromise(
    WorkflowTrial.run(workflow, site, { inputs: { product: "Lamp" } })
  )
  assert.deepEqual(outcome, { _tag: "Success", data: { price: 12.5 } })
  assert.deepEqual(steps, ["Open the shop", "Look for the product", "Found?", "Read the price"])
})
`

/** The version of Effect that the packages have as their peer. */
export const effectVersion = "4.1.0"

/** The files by their names, for a version of the packages. */
export const initFiles = (version: string): Readonly<Record<string, string>> => ({
  "workflow.ts": workflow,
  "workflow.test.ts": test,
  "package.json": `${JSON.stringify(
    {
      private: true,
      type: "module",
      scripts: { test: "node --test", push: "sluice workflow push workflow.ts" },
      dependencies: { "@sluice/core": version, effect: `^${effectVersion}`, sluice: version },
      devDependencies: { "@sluice/testing": version }
    },
    null,
    2
  )}\n`
})
