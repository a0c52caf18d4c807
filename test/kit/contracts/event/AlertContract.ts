/**
 * The promises of every store of alerts: `Alerts`, on the data of the store of workspaces.
 *
 * They expect a store without alerts: give each promise a new store, or empty it before.
 */
import { Effect, Option } from "effect"
import * as Alert from "../../../../core/event/alert/Alert.ts"
import { Alerts } from "../../../../core/event/alert/Alerts.ts"
import type { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkspace, newId } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = Alerts | WorkspaceStore

const timing = { urgent: [], quiet: null, gatherSeconds: 1, pauseSeconds: 60 }

interface Place {
  readonly workspaceId: WorkspaceId
  readonly receiverId: string
}

/** Something that happened at `at`, gathered for a receiver. */
const happen = Effect.fnUntraced(function* ({ receiverId, workspaceId }: Place, cause: string, at: number) {
  const fresh = { id: yield* newId, workspaceId, receiverId, workflowName: "Invoices" }
  const occurrence = { kind: "failed" as const, cause, workflowId: "w", runId: `run ${at}`, text: "Cannot click", at }
  const alerts = yield* Alerts
  yield* alerts.gather(receiverId, cause, (latest) => Alert.gather(latest, occurrence, timing, fresh))
})

const makePlace = Effect.gen(function* () {
  const { workspaceId } = yield* makeWorkspace()
  return { workspaceId, receiverId: yield* newId } satisfies Place
})

const promise = <A, E>(title: string, test: (store: Alerts["Service"], place: Place) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `alerts ${title}`,
    Effect.gen(function* () {
      yield* test(yield* Alerts, yield* makePlace)
    })
  )

const listed = Effect.fnUntraced(function* ({ workspaceId }: Place) {
  const found = yield* (yield* Alerts).list(workspaceId, { limit: 100 })
  return found.map(({ alert }) => alert)
})

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("gather what has one cause for one receiver", (_, place) =>
    Effect.gen(function* () {
      const other = { ...place, receiverId: yield* newId }
      yield* happen(place, "a", 1_000)
      yield* happen(place, "b", 1_100)
      yield* happen(place, "a", 1_200)
      yield* happen(other, "a", 1_300)
      const found = yield* listed(place)
      const facts = found.map(({ cause, count, receiverId }) => [receiverId, cause, count])
      assert.deepStrictEqual(facts, [
        [other.receiverId, "a", 1],
        [place.receiverId, "b", 1],
        [place.receiverId, "a", 2]
      ])
    })
  ),
  promise(
    "are handed out once, longest due first, again when their time is over, and gather nothing then",
    (store, place) =>
      Effect.gen(function* () {
        yield* happen(place, "late", 3_000)
        yield* happen(place, "first", 1_000)
        const causeOf = (taken: Option.Option<{ readonly alert: Alert.Alert }>) =>
          Option.match(taken, { onNone: () => null, onSome: ({ alert }) => `${alert.cause} ${alert.status}` })
        assert.strictEqual(yield* store.nextDue, 2_000)
        assert.isNull(causeOf(yield* store.take(1_999, 9_000)))
        assert.strictEqual(causeOf(yield* store.take(5_000, 9_000)), "first sending")
        assert.strictEqual(causeOf(yield* store.take(5_000, 9_500)), "late sending")
        assert.isNull(causeOf(yield* store.take(8_999, 9_900)))
        assert.strictEqual(yield* store.nextDue, 9_000)
        yield* happen(place, "first", 5_000)
        assert.deepStrictEqual(
          (yield* listed(place)).map(({ count, status }) => [status, count]),
          [
            ["gathering", 1],
            ["sending", 1],
            ["sending", 1]
          ]
        )
        assert.strictEqual(causeOf(yield* store.take(9_000, 20_000)), "first sending")
      })
  ),
  promise("keep the result of the last hand-out alone", (store, place) =>
    Effect.gen(function* () {
      yield* happen(place, "a", 1_000)
      const first = Option.getOrThrow(yield* store.take(5_000, 6_000))
      const second = Option.getOrThrow(yield* store.take(6_000, 9_000))
      const sent = Alert.attempted(second.alert, { _tag: "Sent" }, timing, 7_000, 0)
      yield* store.settle(first, Alert.failed(first.alert, "late", 6_500))
      yield* store.settle(second, sent)
      assert.deepStrictEqual(yield* listed(place), [sent])
      assert.isNull(yield* store.nextDue)
      yield* store.tidy(7_000)
      assert.lengthOf(yield* listed(place), 1)
      yield* store.tidy(7_001)
      assert.lengthOf(yield* listed(place), 0)
    })
  ),
  promise("are listed by workspace, receiver, status and page, newest first", (store, place) =>
    Effect.gen(function* () {
      for (const cause of ["a", "b", "c"]) yield* happen(place, cause, 1_000)
      yield* happen(yield* makePlace, "other", 1_000)
      const causes = (filter: object) =>
        Effect.map(store.list(place.workspaceId, { limit: 100, ...filter }), (found) =>
          found.map(({ alert }) => alert.cause).join("")
        )
      assert.strictEqual(yield* causes({}), "cba")
      assert.strictEqual(yield* causes({ limit: 2 }), "cb")
      assert.strictEqual(yield* causes({ receiverId: place.receiverId, status: "gathering" }), "cba")
      assert.strictEqual(yield* causes({ receiverId: "no id" }), "")
      assert.strictEqual(yield* causes({ status: "sent" }), "")
      const [, second] = yield* store.list(place.workspaceId, { limit: 2 })
      assert.strictEqual(yield* causes({ before: second?.position ?? 0 }), "a")
    })
  )
]
