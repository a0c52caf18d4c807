/** The places of a host: a share for each workspace, turns, and resting pages that give way. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Builder } from "../../../core/builder/Builder.ts"
import type { ConversationId } from "../../../core/builder/Conversation.ts"
import type { Opening } from "../../../core/builder/ConversationStart.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const page = "https://shop.example/"

const services = Builder.layer.pipe(
  Layer.provideMerge(Workflows.layer),
  Layer.provideMerge(
    Layer.mergeAll(Memory.layer, Crypto.layer, ScriptedBrowser.layer({ [page]: [{ selector: "//h1", text: "Shop" }] }))
  )
)

const opening = (startUrl: string): Opening => ({
  _tag: "New",
  name: "Orders",
  description: null,
  startUrl,
  inputSchema: null,
  inputs: {},
  settings: {},
  login: null
})

const settle = Effect.repeat(Effect.yieldNow, { times: 200 })

/** Runs a test beside a host with two places, of which one workspace gets at most so many. */
const hosted = <A, E>(most: number, test: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
  Effect.gen(function* () {
    const host = Host.run({
      name: "h",
      capacity: 2,
      workspaceSessions: () => Effect.succeed(most),
      leaseMillis: 30_000,
      beginningOf: () => Effect.succeed(StartingState.empty)
    })
    const fiber = yield* Effect.forkChild(host)
    yield* settle
    yield* test
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(Layer.fresh(services)))

const open = Effect.fnUntraced(function* (caller: Caller, startUrl = page) {
  const { conversation } = yield* (yield* Builder).open(caller, opening(startUrl))
  yield* settle
  return conversation.id
})

const stateOf = (caller: Caller, id: ConversationId) =>
  Effect.map(
    Effect.flatMap(Builder, (builder) => builder.get(caller, id)),
    ({ conversation, status, waits }) => (waits ? "waits" : `${status}${conversation.page ? ", open" : ""}`)
  )

it.effect("one workspace gets its share, and says that the rest waits; another one is hosted at once", () =>
  hosted(
    1,
    Effect.gen(function* () {
      const [one, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const [first, second] = [yield* open(one), yield* open(one)]
      assert.deepStrictEqual([yield* stateOf(one, first), yield* stateOf(one, second)], ["completed, open", "waits"])
      assert.strictEqual(yield* stateOf(other, yield* open(other)), "completed, open")
      yield* (yield* Builder).end(one, first)
      yield* TestClock.adjust("10 seconds")
      yield* settle
      assert.strictEqual(yield* stateOf(one, second), "completed, open")
    })
  )
)

it.effect("a page that rests gives way to a conversation that waits, and opens again with its next message", () =>
  hosted(
    2,
    Effect.gen(function* () {
      const [one, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const first = yield* open(one)
      yield* TestClock.adjust("1 minute")
      const second = yield* open(one)
      const waiting = yield* open(other)
      assert.strictEqual(yield* stateOf(other, waiting), "waits")
      yield* TestClock.adjust("3 minutes")
      yield* settle
      assert.strictEqual(yield* stateOf(other, waiting), "waits")
      yield* TestClock.adjust("70 seconds")
      yield* settle
      assert.strictEqual(yield* stateOf(other, waiting), "completed, open")
      assert.deepStrictEqual(
        [yield* stateOf(one, first), yield* stateOf(one, second)],
        ["completed", "completed, open"]
      )
      yield* (yield* Builder).end(other, waiting)
      yield* settle
      yield* (yield* Builder).say(one, first, "screenshot")
      yield* TestClock.adjust("10 seconds")
      yield* settle
      assert.strictEqual(yield* stateOf(one, first), "completed, open")
    })
  )
)
