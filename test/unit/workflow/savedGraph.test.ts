/** The graph of a saved version. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SavedGraph from "../../../core/workflow/SavedGraph.ts"
import * as Sandbox from "../../../core/workflow/sandbox/Sandbox.ts"
import { graph } from "../../support/fixtures.ts"

it.effect("the graph of content is read once, however many runs and conversations ask for it", () => {
  let asked = 0
  const counting = Layer.succeed(Sandbox.Sandbox, {
    run: (owner, name, what) => {
      asked++
      return Sandbox.inProcess.run(owner, name, what)
    }
  })
  return Effect.gen(function* () {
    const content = graph()
    const [first, second] = [yield* SavedGraph.read(content), yield* SavedGraph.read(content)]
    assert.strictEqual(first, second)
    assert.strictEqual(asked, 1)
    yield* SavedGraph.read({ ...content })
    assert.strictEqual(asked, 2)
  }).pipe(Effect.provide(counting))
})
