import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { ComponentStore } from "../../../core/workflow/component/ComponentStore.ts"
import { WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as Embedded from "../../support/embedded.ts"
import { layerWith, Service } from "../../support/service.ts"

const switches = { workflows: false, keys: false, all: false }

const id = "00000000-0000-4000-8000-000000000001"
const secret = "host=10.1.2.3 password=hunter2"
const away = Effect.fail(new StoreUnavailable({ reason: secret }))

/** A store whose every operation fails while `all` is switched off. */
const failing = <S extends object>(store: S): S =>
  Object.fromEntries(
    Object.entries(store).map(([name, operation]) => [
      name,
      typeof operation === "function"
        ? (...asked: ReadonlyArray<unknown>) => (switches.all ? away : operation(...asked))
        : operation
    ])
  ) as S

/** The stores, parts of which can be switched off like a database that goes away. */
const stores = Layer.unwrap(
  Effect.gen(function* () {
    const workflows = yield* WorkflowStore
    const workspaces = yield* WorkspaceStore
    const components = yield* ComponentStore
    const webhooks = yield* WebhookStore
    return Layer.mergeAll(
      Layer.succeed(
        WorkflowStore,
        WorkflowStore.of({
          ...failing(workflows),
          list: (...asked) => (switches.workflows ? away : workflows.list(...asked))
        })
      ),
      Layer.succeed(ComponentStore, failing(components)),
      Layer.succeed(WebhookStore, failing(webhooks)),
      Layer.succeed(
        WorkspaceStore,
        WorkspaceStore.of({
          ...workspaces,
          authenticate: (...asked) => (switches.keys ? away : workspaces.authenticate(...asked))
        })
      )
    )
  })
).pipe(Layer.provideMerge(Embedded.layer))

it.layer(layerWith({ stores }))("while the database cannot be reached", (it) => {
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

  it.effect.each(["/healthz", "/readyz"])("%s with a key does not look the key up", (path) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const { status } = yield* Effect.acquireUseRelease(
        Effect.sync(() => Object.assign(switches, { keys: true })),
        () => send({ method: "GET", path, key }),
        () => Effect.sync(() => Object.assign(switches, { keys: false }))
      )
      assert.strictEqual(status, 200)
    })
  )

  it.effect.each([
    ["GET", `/workflows/${id}/versions/1`],
    ["GET", `/workflow-components/${id}/versions/1`],
    ["GET", `/webhook-endpoints/${id}`],
    ["DELETE", `/webhook-endpoints/${id}`],
    ["POST", `/webhook-endpoints/${id}/test`]
  ] as const)("%s %s is answered 503, and not that it does not exist", ([method, path]) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      switches.all = true
      const { status, text } = yield* Effect.ensuring(
        send({ method, path, key }),
        Effect.sync(() => {
          switches.all = false
        })
      )
      assert.strictEqual(status, 503)
      assert.notInclude(text, "hunter2")
    })
  )
})
