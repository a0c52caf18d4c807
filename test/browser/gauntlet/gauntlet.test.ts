import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { compared } from "../../gauntlet/Challenge.ts"
import { challenges, taken } from "../../gauntlet/Challenges.ts"
import { attempt, layer } from "../../gauntlet/Gauntlet.ts"
import { toGraph } from "../../gauntlet/Workflow.ts"
import { scale } from "../../support/scale.ts"

const signedIn = { type: "credential", domain: "https://site.example" }

describe("the gauntlet", () => {
  it("has at least 66 challenges, no two of the same name", () => {
    assert.isAtLeast(challenges.length, 66)
    assert.lengthOf(new Set(challenges.map(({ slug }) => slug)), challenges.length)
  })

  it.each(challenges)("has a workflow that can be saved for: $name", ({ inputs = {}, name, workflow }) => {
    const graph = toGraph("https://site.example/", workflow)
    const aliases = graph.nodes.flatMap(({ parameters }) =>
      "credential" in parameters ? [[String(parameters.credential), signedIn] as const] : []
    )
    const body = {
      name,
      ...graph,
      vault_schema: Object.fromEntries(aliases),
      input_schema: { type: "object", properties: Object.fromEntries(Object.keys(inputs).map((key) => [key, {}])) },
      output_schema: { type: "object" },
      max_retries: 0
    }
    assert.deepStrictEqual(SaveBody.read(body, 0).problems, [])
  })
})

it.layer(layer, { excludeTestServices: true })("in a real browser", (it) => {
  describe.concurrent.each(Array.from({ length: scale }, (_, index) => index + 1))("round %i", () => {
    for (const challenge of taken) {
      it.effect(`${challenge.name}: ${challenge.difficulty}`, () =>
        Effect.map(attempt(challenge), (seen) => {
          const { actual, expected } = compared(challenge, seen)
          assert.deepEqual(actual, expected)
        })
      )
    }
  })
})
