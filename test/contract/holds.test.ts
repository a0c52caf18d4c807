import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { type Webhook, WebhookStore } from "../../core/event/webhook/Webhook.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import * as HoldAnnouncement from "../../core/run/hold/HoldAnnouncement.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

type Needed = GateStore | RunStore | WebhookStore | WorkflowStore | WorkspaceStore

const watched = { options: { clientId: randomUUID() } }

/** Announces all that is to be announced, in pieces of two runs. */
const announceAll = Effect.gen(function* () {
  const runs = yield* RunStore
  const announcement = yield* HoldAnnouncement.make
  while (yield* runs.announceHolds(2, announcement));
})

const kindsOf = Effect.fnUntraced(function* (id: RunId) {
  return (yield* (yield* RunStore).events(id, 0)).map(({ event }) => event.event)
})

const edit = Effect.fnUntraced(function* (
  caller: Caller,
  { workflow }: StoredWorkflow,
  change: (gate: Gate.Gate) => Gate.Gate
) {
  yield* (yield* GateStore).change(caller.workspaceId, workflow.id, (gate) => Result.succeed(change(gate)))
})

const pause = (caller: Caller, held: StoredWorkflow, reason: string) =>
  edit(caller, held, (gate) => Gate.pause(gate, { at: 0, by: caller.userId }, { reason, until: null }))

const submitAll = Effect.fnUntraced(function* (
  held: StoredWorkflow,
  options: ReadonlyArray<Partial<Transition.Submission>>
) {
  const all = options.map((one) => submission(held, one))
  yield* Effect.forEach(all, (yield* RunStore).submit)
  return all.map(({ id }) => id)
})

const webhookOf = (workflowId: string | null, eventTypes: Webhook["eventTypes"]): Webhook => ({
  id: randomUUID(),
  workflowId,
  url: "https://a.example",
  eventTypes,
  sealedSecret: "",
  secretHint: "",
  validity: 300,
  active: true,
  inactiveReason: null,
  createdAt: 0,
  createdBy: "",
  updatedAt: 0
})

/** The promises of every store about runs that an edit holds. */
const suite = <E, R>(name: string, layer: Layer.Layer<Needed | R, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the announcement of holds (${name})`, (it) => {
    it.effect("tells each watched run that an edit holds once, in pieces, and no other run", () =>
      Effect.gen(function* () {
        const caller = yield* makeWorkspace()
        const [held, free] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const waiting = yield* submitAll(held, Array(5).fill(watched))
        const [other] = yield* submitAll(free, [watched])
        yield* announceAll
        yield* pause(caller, held, "Stop")
        const [late] = yield* submitAll(held, [watched])
        if (late === undefined || other === undefined) throw new Error("Nothing was submitted")
        yield* announceAll
        // A further hold on a gate that is closed already tells no run.
        yield* pause(caller, held, "Still")
        yield* announceAll
        for (const id of [...waiting, late]) {
          const kinds = (yield* kindsOf(id)).filter((kind) => kind !== "workflow.paused")
          assert.deepStrictEqual(kinds, ["execution.queued", "execution.paused"])
        }
        assert.deepStrictEqual(yield* kindsOf(other), ["execution.queued"])
        yield* edit(caller, held, Gate.unpause)
        yield* pause(caller, held, "Again")
        yield* edit(caller, held, Gate.unpause)
        yield* announceAll
        assert.lengthOf(yield* kindsOf(late), 2)
      })
    )

    it.effect("tells the workflow how many runs are held, and a run that is not watched nothing until it is", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const held = yield* makeWorkflow(caller)
        const [first, last] = yield* submitAll(held, [{}, {}])
        if (first === undefined || last === undefined) throw new Error("Nothing was submitted")
        yield* pause(caller, held, "Stop")
        yield* announceAll
        assert.deepStrictEqual(yield* kindsOf(first), ["execution.queued"])
        const events = yield* runs.events(last, 0)
        assert.deepInclude(events.at(-1)?.event, {
          event: "workflow.paused",
          message: "Stop",
          heldRuns: 2,
          atLeast: false
        })
        const watch = runs.watch(caller.workspaceId, first, ({ gate, run }, now) =>
          Transition.pausedEvents(run, gate, now)
        )
        assert.isTrue(yield* watch)
        assert.isFalse(yield* watch)
        assert.deepStrictEqual(yield* kindsOf(first), ["execution.queued", "execution.paused"])
        yield* edit(caller, held, Gate.unpause)
        yield* pause(caller, held, "Again")
        yield* announceAll
        assert.lengthOf(yield* kindsOf(first), 3)
        assert.lengthOf(
          (yield* kindsOf(last)).filter((kind) => kind === "execution.paused"),
          0
        )
      })
    )

    it.effect("tells all held runs where a webhook asks for that, and announces to other workflows in between", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const [many, few] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const webhooks = yield* WebhookStore
        yield* webhooks.insert(caller.workspaceId, webhookOf(many.workflow.id, ["execution.paused"]))
        const all = yield* submitAll(many, Array(7).fill({}))
        const [other] = yield* submitAll(few, [{}])
        if (other === undefined) throw new Error("Nothing was submitted")
        yield* pause(caller, many, "Stop")
        yield* pause(caller, few, "Stop")
        const announcement = yield* HoldAnnouncement.make
        for (let round = 0; round < 2; round++) yield* runs.announceHolds(2, announcement)
        assert.deepStrictEqual(yield* kindsOf(other), ["execution.queued", "workflow.paused"])
        yield* announceAll
        const told = yield* Effect.forEach(all, kindsOf)
        assert.isTrue(told.every((kinds) => kinds.includes("execution.paused")))
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
