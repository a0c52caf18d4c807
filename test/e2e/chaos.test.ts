import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { chaos, type Kind } from "../chaos/Chaos.ts"
import { ownServerWithDisk } from "../chaos/DatabaseFaults.ts"
import { missed } from "../chaos/Planted.ts"
import { judge } from "../kit/simulation/Promises.ts"
import { hangMillis } from "../support/limits.ts"
import { isAll, scale } from "../support/scale.ts"

it.live("processes, connections and a network that fail at any time lose, double and hold up nothing", () =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const { faults, history } = yield* chaos({
      seed: 2,
      seconds: 12 * scale,
      stillMillis: hangMillis,
      say: (line) => void said.push(line)
    })
    assert.deepStrictEqual(judge(history), [], said.join("\n"))
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

const faultsOfDatabases: ReadonlyArray<ReadonlyArray<Kind>> = [
  ["read-only", "session limit", "old snapshot", "restart", "full disk"],
  ["failover"]
]

for (const kinds of faultsOfDatabases) {
  it.live.runIf(isAll)(`a run that is lost or doubled is found behind: ${kinds.join(", ")}`, () =>
    Effect.gen(function* () {
      const { disk, server } = yield* ownServerWithDisk
      const possible = kinds.filter((kind) => kind !== "full disk" || disk !== null)
      const { history, planted } = yield* chaos({
        seed: 3,
        seconds: 1,
        stillMillis: 10_000,
        say: () => {},
        server,
        disk: kinds.includes("full disk") ? disk : null,
        kinds: possible,
        plant: true
      })
      assert.sameMembers([...new Set(planted.map(({ fault }) => fault))], [...possible])
      assert.deepStrictEqual(missed(planted, judge(history)), [])
    }).pipe(Effect.scoped)
  )
}
