import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { chaos } from "../chaos/Chaos.ts"
import { judge } from "../kit/simulation/Promises.ts"
import { hangMillis } from "../support/limits.ts"
import { scale } from "../support/scale.ts"

it.live("processes, connections and a network that fail at any time lose, double and hold up nothing", () =>
  Effect.gen(function* () {
    const { faults, history } = yield* chaos({ seed: 2, seconds: 12 * scale, stillMillis: hangMillis, say: () => {} })
    assert.deepStrictEqual(judge(history), [])
    assert.isNotEmpty(faults)
    assert.isAbove(history.starts.length, 0)
    assert.isAbove(history.closed.length, 0)
    // Each pace had more to start at once than it allows.
    const workflows = new Map(history.runs.map(({ id, workflowId }) => [id, workflowId]))
    for (const { workflowId } of history.paces) {
      assert.isAbove(history.starts.filter(({ runId }) => workflows.get(runId) === workflowId).length, 2)
    }
  })
)
