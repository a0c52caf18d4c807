import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Queue, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import type { RunEvent } from "../../../core/event/RunEvent.ts"
import * as Interaction from "../../../core/run/interaction/Interaction.ts"
import * as InteractionRequest from "../../../core/run/interaction/InteractionRequest.ts"
import { InteractionStore } from "../../../core/run/interaction/InteractionStore.ts"
import { Interactions } from "../../../core/run/interaction/Interactions.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as Periodic from "../../../core/runtime/Periodic.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import * as InputContract from "../../../core/workflow/contract/InputContract.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { code, questionOf } from "../../support/questions.ts"

const services = Interactions.layer.pipe(
  Layer.provideMerge(Encryption.layer(Redacted.make("ab".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer))
)

/** A claimed run that has just asked for a code, with a minute to answer. */
const waiting = Effect.gen(function* () {
  const runs = yield* RunStore
  const caller = yield* makeWorkspace()
  yield* runs.submit(submission(yield* makeWorkflow(caller)))
  const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 600_000 })
  if (claimed === undefined) throw new Error("Nothing was claimed")
  const { id, lease, workflowId, workspaceId } = claimed.run
  const told = yield* Queue.unbounded<RunEvent>()
  const asker = { workspaceId, workflowId, runId: id, fence: lease?.fence ?? 0 }
  const ask = InteractionRequest.ask(asker, questionOf(code), 60_000, (event) => Queue.offer(told, event))
  const asking = yield* Effect.forkChild(ask)
  const first = yield* Queue.take(told)
  const stored = Effect.map(
    Effect.flatMap(InteractionStore, (store) => store.get(workspaceId, id)),
    Option.getOrThrow
  )
  return { asking, caller, first, id, lease, stored, told, ask }
})

const provided = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
  test.pipe(Effect.provide(Layer.fresh(services)))

it.effect("a run continues with the answer at once, and nothing of it is kept", () =>
  provided(
    Effect.gen(function* () {
      const { asking, caller, first, id, stored, told } = yield* waiting
      assert.strictEqual(first.event, "interaction.waiting")
      const interactions = yield* Interactions
      assert.strictEqual((yield* interactions.open(caller, id)).expiresAt, 60_000)
      yield* interactions.answer(caller, id, { code: "123456" })
      assert.deepStrictEqual(yield* Fiber.join(asking), { _tag: "data", data: { code: "123456" } })
      assert.deepInclude(yield* Queue.take(told), { event: "interaction.finished" })
      assert.notInclude(JSON.stringify(yield* stored), "123456")
      const again = yield* Effect.flip(interactions.answer(caller, id, { code: "123456" }))
      assert.deepInclude(again, { _tag: "NotWaiting", reason: "ANSWERED_ALREADY" })
    })
  )
)

it.effect("a wrong answer is refused, and a right one may follow until the time is over", () =>
  provided(
    Effect.gen(function* () {
      const { asking, caller, id } = yield* waiting
      const { answer } = yield* Interactions
      assert.instanceOf(yield* Effect.flip(answer(caller, id, { code: "1" })), Interaction.InvalidAnswer)
      yield* TestClock.adjust(59_999)
      yield* answer(caller, id, { code: "123456" })
      assert.deepStrictEqual(yield* Fiber.join(asking), { _tag: "data", data: { code: "123456" } })
    })
  )
)

it.effect("an answer that is late: the run continues at that instant, and a late answer is refused", () =>
  provided(
    Effect.gen(function* () {
      const { asking, caller, id, stored, told } = yield* waiting
      yield* TestClock.adjust(60_000)
      assert.isNull(yield* Fiber.join(asking))
      assert.deepInclude(yield* Queue.take(told), { event: "interaction.failed" })
      assert.strictEqual((yield* stored).closedAt, 60_000)
      const late = yield* Effect.flip((yield* Interactions).answer(caller, id, { code: "123456" }))
      assert.deepInclude(late, { _tag: "NotWaiting", reason: "WAIT_EXPIRED" })
    })
  )
)

it.effect("an answer whose signal was lost is found by the slow look", () =>
  provided(
    Effect.gen(function* () {
      const { asking, id } = yield* waiting
      const store = yield* InteractionStore
      const { run } = yield* (yield* RunStore).get(
        (yield* store.change(id, Result.succeed)).pipe(Option.getOrThrow).before.workspaceId,
        id
      )
      const sealed = yield* (yield* Sealing).seal(
        run.workspaceId,
        Redacted.make({ _tag: "data", data: { code: "123456" } })
      )
      yield* store.change(id, (before, now) =>
        Result.map(Interaction.answer(before, run, { code: "123456" }, now, InputContract.problems), (after) => ({
          ...after,
          answer: sealed
        }))
      )
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* Fiber.join(asking), { _tag: "data", data: { code: "123456" } })
    })
  )
)

it.effect("an interrupted run closes its question at once, and refuses later answers", () =>
  provided(
    Effect.gen(function* () {
      const { asking, caller, id, stored, told } = yield* waiting
      yield* Fiber.interrupt(asking)
      assert.deepInclude(yield* Queue.take(told), { event: "interaction.failed" })
      assert.isNotNull((yield* stored).closedAt)
      const { answer, open } = yield* Interactions
      assert.deepInclude(yield* Effect.flip(answer(caller, id, { code: "123456" })), { reason: "NOTHING_ASKED" })
      yield* (yield* RunStore).change(caller.workspaceId, id, Transition.interrupt)
      assert.deepInclude(yield* Effect.flip(open(caller, id)), { reason: "RUN_ENDED" })
    })
  )
)

it.effect("the answer to an earlier attempt is not the answer to a later one", () =>
  provided(
    Effect.gen(function* () {
      const { ask, asking, caller, id, lease, told } = yield* waiting
      const { answer } = yield* Interactions
      yield* (yield* RunStore).settle({ id, fence: lease?.fence ?? 0 }, Transition.abandon)
      assert.deepInclude(yield* Effect.flip(answer(caller, id, { code: "123456" })), { reason: "NOTHING_ASKED" })
      const later = yield* Effect.forkChild(ask)
      yield* Queue.take(told)
      yield* Fiber.interrupt(asking)
      const question = Option.getOrThrow(yield* (yield* InteractionStore).get(caller.workspaceId, id))
      assert.isNull(question.closedAt)
      yield* Fiber.interrupt(later)
    })
  )
)

it.effect("an answer that no run takes is forgotten within two minutes of the end of its question", () =>
  provided(
    Effect.gen(function* () {
      const { caller, id, stored } = yield* waiting
      // The worker is gone without a word: another question stands in place of the one it waits for.
      const store = yield* InteractionStore
      yield* store.put({ ...(yield* stored), id: "another" })
      yield* (yield* Interactions).answer(caller, id, { code: "123456" })
      const sweeper = yield* Effect.forkChild(Periodic.run(InteractionRequest.forgetting))
      yield* TestClock.adjust(60_000)
      assert.isNotNull((yield* stored).answer)
      assert.notInclude(JSON.stringify(yield* stored), "123456")
      yield* TestClock.adjust(120_000)
      assert.isNull((yield* stored).answer)
      yield* Fiber.interrupt(sweeper)
    })
  )
)
