import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { layerOn, Service } from "../support/service.ts"

const switches = { workflows: false, keys: false }

const secret = "host=10.1.2.3 password=hunter2"
const away = Effect.fail(new StoreUnavailable({ reason: secret }))

/** The stores in memory, parts of which can be switched off like a database that goes away. */
const stores = Layer.unwrap(
  Effect.gen(function* () {
    const workflows = yield* WorkflowStore
    const workspaces = yield* WorkspaceStore
    return Layer.mergeAll(
      Layer.succeed(
        WorkflowStore,
        WorkflowStore.of({ ...workflows, list: (...asked) => (switches.workflows ? away : workflows.list(...asked)) })
      ),
      Layer.succeed(
        WorkspaceStore,
        WorkspaceStore.of({
          ...workspaces,
          authenticate: (...asked) => (switches.keys ? away : workspaces.authenticate(...asked))
        })
      )
    )
  })
).pipe(Layer.provideMerge(Memory.layer))

it.layer(layerOn(stores))("while the database cannot be reached", (it) => {
  it.effect.each([{ part: "workflows" as const }, { part: "keys" as const }])(
    "a request that needs the $part is answered 503 with Retry-After, and learns no reason",
    ({ part }) =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Owner")
        const ask = send({ method: "GET", path: "/workflows", key })
        assert.strictEqual((yield* ask).status, 200)
        const off = (isOff: boolean) => Effect.sync(() => Object.assign(switches, { [part]: isOff }))
        const refused = yield* Effect.acquireUseRelease(
          off(true),
          () => ask,
          () => off(false)
        )
        assert.strictEqual(refused.status, 503)
        assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
        assert.deepStrictEqual(Object.keys(refused.body).sort(), ["error", "message", "statusCode"])
        assert.strictEqual(refused.body.error, "Service Unavailable")
        assert.notInclude(refused.text, "hunter2")
        assert.strictEqual((yield* ask).status, 200)
      })
  )
})
