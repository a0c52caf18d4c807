import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { keep, RunSubscriptionStore } from "../../../core/event/notification/KeptSubscription.ts"
import type { Channel, NoticeKind } from "../../../core/event/notification/Notifications.ts"
import * as Notifier from "../../../core/event/notification/Notifier.ts"
import type { Outcome } from "../../../core/event/webhook/Delivery.ts"
import { Sender, type WebhookRequest } from "../../../core/event/webhook/Sender.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { eventually } from "../../support/eventually.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"

const answered = (status: number, retryAfterMillis: number | null = null): Outcome => ({
  _tag: "Answered",
  status,
  durationMillis: 1,
  retryAfterMillis
})

const encryption = Encryption.layer(Redacted.make("ab".repeat(32)))

/** Runs a test with a sender that answers in turn, what was posted, and what was logged. */
const provided = <A, E>(
  outcomes: ReadonlyArray<Outcome>,
  test: (seen: {
    readonly posts: Queue.Queue<WebhookRequest>
    readonly lines: ReadonlyArray<string>
  }) => Effect.Effect<
    A,
    E,
    RunStore | RunSubscriptionStore | Sender | Layer.Success<typeof Memory.layer | typeof encryption>
  >
) =>
  Effect.gen(function* () {
    const posts = yield* Queue.unbounded<WebhookRequest>()
    const lines: Array<string> = []
    let count = 0
    const sender = Layer.succeed(Sender, {
      refusal: () => null,
      post: (post) =>
        Effect.map(Queue.offer(posts, post), () => outcomes[Math.min(count++, outcomes.length - 1)] ?? answered(200))
    })
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    return yield* test({ posts, lines }).pipe(
      Effect.provide(
        Layer.mergeAll(
          encryption.pipe(Layer.provideMerge(Layer.fresh(Layer.merge(Memory.layer, Crypto.layer)))),
          sender,
          logger
        )
      )
    )
  })

const interrupted = (channel: Channel, events: ReadonlyArray<NoticeKind>, notifications?: object) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    const kept = yield* keep(caller.workspaceId, {
      id: randomUUID(),
      workflowId: null,
      events,
      channel,
      createdBy: caller.userId,
      createdAt: 0
    })
    assert.notInclude(JSON.stringify(kept), "secret-part")
    yield* (yield* RunSubscriptionStore).insert(caller.workspaceId, kept)
    const sent = submission(
      workflow,
      notifications === undefined ? {} : { options: { notifications: notifications as never } }
    )
    yield* runs.submit(sent)
    const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 1_000 })
    const fence = claimed?.run.lease?.fence ?? 0
    yield* runs.settle({ id: sent.id, fence }, (locked, at) =>
      Transition.finish(locked, { _tag: "Success", data: {} }, at)
    )
    return sent.id
  })

/** Tells what the next events bring, and answers whether there is more. */
const tellAll = Effect.gen(function* () {
  const { more, notices } = yield* Notifier.collect()
  yield* Effect.forEach(notices, Notifier.tell, { discard: true })
  return more
})

const url = "https://hooks.example/services/T000/secret-part"

it.effect("subscribers get the notices they subscribed to, in the form of their channel", () =>
  provided([answered(200)], ({ lines, posts }) =>
    Effect.gen(function* () {
      const id = yield* interrupted({ type: "slack_webhook", url }, ["run.started", "run.succeeded"])
      assert.isFalse(yield* tellAll)
      const texts = (yield* Queue.takeAll(posts)).map(({ body }) => JSON.parse(body).text)
      assert.lengthOf(texts, 2)
      for (const text of texts) assert.include(text, id)
      yield* interrupted({ type: "log" }, ["run.succeeded"])
      yield* tellAll
      assert.isTrue(lines.some((line) => line.includes("succeeded")))
      yield* interrupted({ type: "http", url }, ["run.succeeded"], { enabled: false })
      yield* tellAll
      assert.strictEqual(yield* Queue.size(posts), 0)
    })
  )
)

it.effect("a notice that is not taken is tried again some times, and its secret address is never logged", () =>
  provided([answered(500), answered(500), answered(204)], ({ posts }) =>
    Effect.gen(function* () {
      yield* interrupted({ type: "http", url }, ["run.succeeded"])
      yield* eventually(tellAll)
      assert.strictEqual(yield* Queue.size(posts), 3)
    })
  )
)

it.effect("a notice is given up in the end, which does not keep others", () =>
  provided([answered(500)], ({ lines, posts }) =>
    Effect.gen(function* () {
      yield* interrupted({ type: "http", url }, ["run.succeeded"])
      yield* eventually(tellAll)
      assert.strictEqual(yield* Queue.size(posts), 6)
      assert.isTrue(lines.some((line) => line.includes("hooks.example")))
      assert.isFalse(lines.some((line) => line.includes("secret-part")))
    })
  )
)

it.effect("a host that hangs for one workspace keeps no notice of another from it", () =>
  provided([], ({ posts }) =>
    Effect.gen(function* () {
      const hanging = Layer.succeed(Sender, {
        refusal: () => null,
        post: (post) =>
          Effect.andThen(
            Queue.offer(posts, post),
            post.url.endsWith("/hangs") ? Effect.never : Effect.succeed(answered(200))
          )
      })
      yield* interrupted({ type: "http", url: "https://hooks.example/hangs" }, ["run.started", "run.succeeded"])
      yield* interrupted({ type: "http", url }, ["run.succeeded"])
      yield* Effect.forkChild(Effect.provide(Notifier.run(), hanging))
      const told = yield* Effect.replicateEffect(Queue.take(posts), 3)
      assert.include(
        told.map((post) => post.url),
        url
      )
    })
  )
)

it.effect("a host that asks for time is left alone for it", () =>
  provided([answered(429, 50_000), answered(204)], ({ posts }) =>
    Effect.gen(function* () {
      yield* interrupted({ type: "http", url }, ["run.succeeded"])
      const telling = yield* Effect.forkChild(tellAll)
      yield* Queue.take(posts)
      yield* TestClock.adjust("49 seconds")
      assert.strictEqual(yield* Queue.size(posts), 0)
      yield* TestClock.adjust("10 seconds")
      yield* Queue.take(posts)
      yield* Fiber.join(telling)
    })
  )
)
