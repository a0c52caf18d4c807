/**
 * The promises of every store of deliveries to webhooks: `Deliveries`, on the data of the stores of runs and events.
 *
 * They wait on the clock of the runtime for what is put off, less than a second each. They expect stores without
 * deliveries that wait.
 */
import { Clock, Deferred, Effect, Fiber } from "effect"
import { type Entry, EventLog } from "../../../../core/event/EventLog.ts"
import { Deliveries, type NewDelivery } from "../../../../core/event/webhook/Deliveries.ts"
import * as Delivery from "../../../../core/event/webhook/Delivery.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The events of a run, as the log reads them. */
export const entriesOf = Effect.fn(function* (runId: string) {
  const log = yield* EventLog
  const found: Array<Entry> = []
  for (let position = "0", more = true; more; ) {
    const read = yield* log.read(position, 1_000)
    found.push(...read.entries.filter((entry) => entry.runId === runId))
    position = read.position
    more = read.more
  }
  return found
})

/** Appends a delivery of the first event of a run, and answers its id. */
export const makePending = Effect.fn(function* (runId: string) {
  const [entry] = yield* entriesOf(runId)
  if (entry === undefined) throw new Error(`Run ${runId} has no event`)
  const id = beside(runId)
  yield* (yield* Deliveries).append([{ id, entry, webhookId: beside(runId), url: "http://127.0.0.1:9/hook" }])
  return { id }
})

/** A delivery of the first event of a run that was given up. Every other delivery that waits is given up with it. */
export const makeDead = Effect.fn(function* ({ workspaceId }: Pick<Caller, "workspaceId">, runId: string) {
  const deliveries = yield* Deliveries
  const { id } = yield* makePending(runId)
  for (let seen = false; !seen; ) {
    yield* deliveries.next((one) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        seen ||= one.id === id
        return Delivery.dead(one, one.id === id ? "The receiver does not answer" : "Not asked for", now)
      })
    )
  }
  return yield* deliveries.get(workspaceId, id)
})

/** The ports that the promises are about. */
export type Stores = Deliveries | EventLog | RunStore | WorkflowStore | WorkspaceStore

const taken: Delivery.Outcome = { _tag: "Answered", status: 200, durationMillis: 3, retryAfterMillis: null }
const failed: Delivery.Outcome = { ...taken, status: 500 }

/** A run with two events, and their deliveries to one target. */
const line = Effect.fn(function* () {
  const runs = yield* RunStore
  const caller = yield* makeWorkspace()
  const sent = submission(yield* makeWorkflow(caller), { options: { webhook: { url: "https://example.com/own" } } })
  yield* runs.submit(sent)
  yield* runs.change(sent.workspaceId, sent.id, Transition.interrupt)
  const entries = yield* entriesOf(sent.id)
  const webhookId = beside(caller.workspaceId)
  const made = entries.map(
    (entry): NewDelivery => ({ id: beside(caller.workspaceId), entry, webhookId, url: "https://example.com/" })
  )
  return { caller, sent, made, ids: made.map(({ id }) => id) }
})

/** Takes one delivery, settles it with the outcome, and returns its id. */
const attempt = Effect.fn(function* (outcome: Delivery.Outcome) {
  const deliveries = yield* Deliveries
  let id = ""
  yield* deliveries.next((one) => {
    id = one.id
    return Effect.map(Clock.currentTimeMillis, (now) => Delivery.attempted(one, outcome, now, 0))
  })
  return id
})

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`deliveries ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are handed out in the order of their events, with what they are made of", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { caller, ids, made, sent } = yield* line()
      const due = yield* deliveries.due(1_000)
      yield* deliveries.append(made)
      // The second one waits for the first attempt of the one before it.
      assert.strictEqual(yield* deliveries.due(1_000), due + 1)
      const before = yield* deliveries.ofRun(caller.workspaceId, sent.id)
      assert.deepStrictEqual(
        before.map(({ id, nextAttemptAt, status }) => [id, status, nextAttemptAt !== null]),
        [
          [ids[0], "pending", true],
          [ids[1], "pending", false]
        ]
      )
      assert.deepInclude(before[0], {
        workspaceId: caller.workspaceId,
        workflowId: sent.workflowId,
        webhookId: made[0]?.webhookId ?? "none",
        url: "https://example.com/",
        runWebhook: { url: "https://example.com/own" },
        attempts: 0
      })
      assert.strictEqual(before[0]?.logged.event.event, "execution.queued")
      assert.deepStrictEqual([yield* attempt(taken), yield* attempt(taken)], ids)
      const after = yield* deliveries.ofRun(caller.workspaceId, sent.id)
      assert.deepStrictEqual(
        after.map(({ attempts, durationMillis, responseStatus, status }) => [
          status,
          attempts,
          responseStatus,
          durationMillis
        ]),
        [
          ["delivered", 1, 200, 3],
          ["delivered", 1, 200, 3]
        ]
      )
    })
  ),
  promise("wait for the event before them only until it has failed once, and what failed comes again", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { caller, ids, made } = yield* line()
      yield* deliveries.append(made)
      const soon = (before: Delivery.Delivery) =>
        Effect.map(Clock.currentTimeMillis, (now) => ({
          ...Delivery.attempted(before, failed, now, 0),
          nextAttemptAt: now + 300
        }))
      let first = ""
      yield* deliveries.next((one) => {
        first = one.id
        return soon(one)
      })
      const order = [first, yield* attempt(taken), yield* attempt(taken)]
      assert.deepStrictEqual(order, [ids[0], ids[1], ids[0]])
      const again = yield* deliveries.get(caller.workspaceId, ids[0] ?? "")
      assert.deepStrictEqual([again.status, again.attempts, again.errors.length], ["delivered", 2, 1])
    })
  ),
  promise("that are put off keep their turn and let nothing past them", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { ids, made } = yield* line()
      yield* deliveries.append(made)
      yield* deliveries.next((one) =>
        Effect.map(Clock.currentTimeMillis, (now) => Delivery.putOff(one, now + 200, now))
      )
      assert.deepStrictEqual([yield* attempt(taken), yield* attempt(taken)], ids)
    })
  ),
  promise("that are appended while the one before is in flight are not forgotten", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { ids, made } = yield* line()
      const [one, two] = made
      if (one === undefined || two === undefined) throw new Error("The run has two events")
      yield* deliveries.append([one])
      const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const inProgress = yield* Effect.forkChild(
        deliveries.next((before) =>
          Effect.gen(function* () {
            yield* Deferred.succeed(began, undefined)
            yield* Deferred.await(go)
            return Delivery.attempted(before, taken, yield* Clock.currentTimeMillis, 0)
          })
        )
      )
      yield* Deferred.await(began)
      yield* deliveries.append([two])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(inProgress)
      assert.strictEqual(yield* attempt(taken), ids[1])
    })
  ),
  promise("that were interrupted are handed out again", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { caller, ids, made } = yield* line()
      yield* deliveries.append(made.slice(0, 1))
      const began = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        deliveries.next(() => Effect.andThen(Deferred.succeed(began, undefined), Effect.never))
      )
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* attempt(taken), ids[0])
      assert.strictEqual((yield* deliveries.get(caller.workspaceId, ids[0] ?? "")).attempts, 1)
    })
  ),
  promise("are retried at the request of a user when they are dead, and only then", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { caller, ids, made } = yield* line()
      const [id = ""] = ids
      const { workspaceId } = caller
      yield* deliveries.append(made.slice(0, 1))
      assert.tagged(yield* Effect.flip(deliveries.retry(workspaceId, id)), "DeliveryNotDead", {
        deliveryId: id,
        status: "pending"
      })
      assert.strictEqual(yield* attempt({ _tag: "Refused", reason: "It must not be" }), id)
      assert.strictEqual((yield* deliveries.get(workspaceId, id)).status, "dead")
      const stranger = (yield* makeWorkspace()).workspaceId
      for (const [workspace, unknown] of [
        [stranger, id],
        [workspaceId, beside(caller.workspaceId)],
        [workspaceId, "no id"]
      ] as const) {
        assert.tagged(yield* Effect.flip(deliveries.retry(workspace, unknown)), "DeliveryNotFound", {
          deliveryId: unknown
        })
        assert.tagged(yield* Effect.flip(deliveries.get(workspace, unknown)), "DeliveryNotFound", {
          deliveryId: unknown
        })
      }
      const retried = yield* deliveries.retry(workspaceId, id)
      assert.deepStrictEqual([retried.status, retried.attempts, retried.errors.length], ["pending", 0, 1])
      assert.strictEqual(yield* attempt(taken), id)
    })
  ),
  promise("that arrived by other means are delivered, and what was to follow them does", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { caller, ids, made } = yield* line()
      yield* deliveries.append(made)
      const arrived = { responseStatus: 204, durationMillis: 7 }
      yield* deliveries.delivered((yield* makeWorkspace()).workspaceId, ids[0] ?? "", arrived)
      assert.strictEqual((yield* deliveries.get(caller.workspaceId, ids[0] ?? "")).status, "pending")
      yield* deliveries.delivered(caller.workspaceId, ids[0] ?? "", arrived)
      assert.deepInclude(yield* deliveries.get(caller.workspaceId, ids[0] ?? ""), {
        status: "delivered",
        attempts: 1,
        ...arrived
      })
      assert.strictEqual(yield* attempt(taken), ids[1])
    })
  ),
  promise("are listed newest first in pages, by status, by run and by webhook, to their own workspace only", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { caller, ids, made, sent } = yield* line()
      const [first, second] = ids
      const listed = (filter: Parameters<(typeof deliveries)["list"]>[1]) =>
        Effect.map(deliveries.list(caller.workspaceId, filter), (all) => all.map(({ id }) => id))
      yield* deliveries.append(made)
      yield* attempt(taken)
      assert.deepStrictEqual(yield* listed({ limit: 10 }), [second, first])
      assert.deepStrictEqual(yield* listed({ limit: 10, status: "delivered" }), [first])
      assert.deepStrictEqual(yield* listed({ limit: 10, runId: sent.id }), [second, first])
      assert.deepStrictEqual(yield* listed({ limit: 10, runId: "no id" }), [])
      assert.deepStrictEqual(yield* listed({ limit: 10, webhookId: made[0]?.webhookId ?? "" }), [second, first])
      assert.deepStrictEqual(yield* listed({ limit: 10, webhookId: sent.id }), [])
      assert.deepStrictEqual(yield* listed({ limit: 10, webhookId: "no id" }), [])
      const [page] = yield* deliveries.list(caller.workspaceId, { limit: 1 })
      assert.deepStrictEqual(yield* listed({ limit: 10, before: page?.position ?? 0 }), [first])
      assert.deepStrictEqual(yield* deliveries.list((yield* makeWorkspace()).workspaceId, { limit: 10 }), [])
      assert.deepStrictEqual(yield* deliveries.ofRun((yield* makeWorkspace()).workspaceId, sent.id), [])
      yield* attempt(taken)
      yield* deliveries.tidy
      assert.deepStrictEqual(yield* listed({ limit: 10 }), [second, first])
    })
  )
]
