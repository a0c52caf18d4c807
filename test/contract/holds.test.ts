import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

/** The promises of every store about runs that an edit holds. */
const suite = <E, R>(name: string, layer: Layer.Layer<GateStore | RunStore | WorkflowStore | WorkspaceStore | R, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the announcement of holds (${name})`, (it) => {
    it.effect("tells each run that an edit holds once, in pieces, and no other run", () =>
      Effect.gen(function* () {
        const gates = yield* GateStore
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const [held, free] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const waiting = Array.from({ length: 5 }, () => submission(held))
        yield* Effect.forEach([...waiting, submission(free)], runs.submit)
        const tell = runs.announceHolds(2, ({ gate, run }, now) => Transition.pausedEvents(run, gate, now))
        assert.isFalse(yield* tell)
        const actor = { at: 0, by: caller.userId }
        const decide = (change: (gate: Gate.Gate) => Gate.Gate) =>
          gates.change(caller.workspaceId, held.workflow.id, (gate) => Result.succeed(change(gate)))
        yield* decide((gate) => Gate.pause(gate, actor, { reason: "Stop", until: null }))
        const late = submission(held)
        yield* runs.submit(late)
        while (yield* tell);
        // A further hold on a gate that is closed already tells no run.
        yield* decide((gate) => Gate.pause(gate, actor, { reason: "Still", until: null }))
        while (yield* tell);
        for (const { id } of [...waiting, late]) {
          const told = yield* runs.events(id, 0)
          assert.deepStrictEqual(
            told.map(({ event }) => event.event),
            ["execution.queued", "execution.paused"]
          )
        }
        yield* decide(Gate.unpause)
        yield* decide((gate) => Gate.pause(gate, actor, { reason: "Again", until: null }))
        yield* decide(Gate.unpause)
        while (yield* tell);
        assert.lengthOf(yield* runs.events(late.id, 0), 2)
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
