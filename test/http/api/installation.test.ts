import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { LivingProcesses } from "../../../apps/api/installation/LivingProcesses.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { layerWith, type Member, Service } from "../../support/service.ts"

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

const process = {
  part: "worker",
  version: "1.2.3",
  tzData: "2026a",
  clockSkewMillis: 1_500,
  capacity: 4,
  running: 3,
  browsers: 2,
  beganAt: 1_000,
  seenAt: 2_000
}
const living = Effect.succeed([process, { ...process, running: 4 }, { ...process, part: "api", capacity: null }])
const service = layerWith({ stores }).pipe(Layer.provide(Layer.succeed(LivingProcesses, { living })))

it.layer(service)("the installation", (it) => {
  it.effect("lists the workflows of the workspace that time zone data moved, to each key that may read", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { caller, key } = yield* member("Viewer")
      const { body, status } = yield* send({ method: "GET", path: "/installation", key })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.moved_workflows, [
        { workflow_id: workflowId, name: "Nightly", former_tz_data: "2026a", noticed_at: "1970-01-01T00:00:01.000Z" }
      ])
      assert.deepStrictEqual(body.models, { names: [] })
      const [[asking, since, limit] = [], ...others] = asked
      assert.deepStrictEqual([asking, limit, others.length], [caller.workspaceId, 100, 0])
      assert.isAtMost(Math.abs((since ?? 0) + 30 * day), 60_000)
    })
  )

  it.effect("shows its processes whole to an Owner of its first workspace, and to others their kinds", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      yield* (yield* WorkspaceStore).change(owner.caller.workspaceId, (one) => ({ ...one, founding: true }))
      const shown = ({ key }: Member) =>
        Effect.map(send({ method: "GET", path: "/installation", key }), ({ body }) => body.processes)
      const kind = { version: "1.2.3", tz_data: "2026a" }
      const whole = {
        ...kind,
        part: "worker",
        clock_skew_ms: 1_500,
        capacity: 4,
        running: 3,
        browsers: 2,
        began_at: "1970-01-01T00:00:01.000Z",
        seen_at: "1970-01-01T00:00:02.000Z"
      }
      assert.deepStrictEqual(yield* shown(owner), [
        whole,
        { ...whole, running: 4 },
        { ...whole, part: "api", capacity: null }
      ])
      for (const other of [
        yield* member("Viewer", owner),
        yield* member("Member", owner),
        yield* member("Owner", owner, ["edit"]),
        yield* member("Owner")
      ]) {
        assert.deepStrictEqual(yield* shown(other), [
          { ...kind, part: "worker" },
          { ...kind, part: "api" }
        ])
      }
    })
  )
})
