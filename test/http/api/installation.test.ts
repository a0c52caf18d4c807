import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import { layerWith, Service } from "../../support/service.ts"

const workflowId = WorkflowId.make("00000000-0000-4000-8000-0000000000d1")
const day = 86_400_000

const asked: Array<readonly [workspaceId: string, since: number, limit: number]> = []

/** Stores that newer time zone data moved one workflow in. */
const stores = Layer.effect(
  GateStore,
  Effect.map(GateStore, (inner) =>
    GateStore.of({
      ...inner,
      moved: (...args) => {
        asked.push(args)
        return Effect.succeed([{ workflowId, name: "Nightly", at: 1_000, from: "2026a" }])
      }
    })
  )
).pipe(Layer.provideMerge(Memory.layer))

it.layer(layerWith({ stores }))("the installation", (it) => {
  it.effect("lists the workflows of the workspace that time zone data moved, to each key that may read", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { caller, key } = yield* member("Viewer")
      const { body, status } = yield* send({ method: "GET", path: "/installation", key })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.moved_workflows, [
        { workflow_id: workflowId, name: "Nightly", former_tz_data: "2026a", noticed_at: "1970-01-01T00:00:01.000Z" }
      ])
      const [[asking, since, limit] = [], ...others] = asked
      assert.deepStrictEqual([asking, limit, others.length], [caller.workspaceId, 100, 0])
      assert.isAtMost(Math.abs((since ?? 0) + 30 * day), 60_000)
    })
  )
})
