import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Webhook, WebhookStore } from "../../core/event/webhook/Webhook.ts"
import * as HoldAnnouncement from "../../core/run/hold/HoldAnnouncement.ts"
import { WorkspaceId } from "../../core/workspace/Ids.ts"
import * as HoldContract from "../kit/contracts/start/HoldContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<HoldContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`holds (${name})`, (it) => {
    for (const { keeps, title } of HoldContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)

const webhookOf = (more: Partial<Webhook>): Webhook => ({
  id: randomUUID(),
  workflowId: null,
  url: `https://${randomUUID()}.example`,
  eventTypes: ["execution.paused"],
  sealedSecret: "",
  secretHint: "",
  validity: 300,
  active: true,
  inactiveReason: null,
  createdAt: 0,
  createdBy: "",
  updatedAt: 0,
  ...more
})

it.layer(databases.memory[0])("the announcement of holds", (it) => {
  it.effect("goes to all held runs of the workflows that an active webhook asks about, or to those of all", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookStore
      const [workspaceId, workflowId] = [WorkspaceId.make(randomUUID()), randomUUID()]
      const { announcesToAll } = yield* HoldAnnouncement.make
      const asked = (workflow: string) => announcesToAll(workspaceId, workflow)
      yield* webhooks.insert(workspaceId, webhookOf({ eventTypes: ["execution.success"] }))
      yield* webhooks.insert(workspaceId, webhookOf({ active: false }))
      yield* webhooks.insert(WorkspaceId.make(randomUUID()), webhookOf({}))
      assert.isFalse(yield* asked(workflowId))
      yield* webhooks.insert(workspaceId, webhookOf({ workflowId }))
      assert.deepStrictEqual([yield* asked(workflowId), yield* asked(randomUUID())], [true, false])
      yield* webhooks.insert(workspaceId, webhookOf({}))
      assert.isTrue(yield* asked(randomUUID()))
    })
  )
})
