/** The checks that one key asks for hold up neither the runs of its workspace nor its other keys. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ThreadSandbox from "../../../adapters/threads/ThreadSandbox.ts"
import * as Expressions from "../../../core/agent/variables/Expressions.ts"
import * as Sandbox from "../../../core/workflow/sandbox/Sandbox.ts"
import { hangMillis } from "../../support/limits.ts"

/** Only what never ends has a short deadline. */
const threads = ThreadSandbox.layer({
  ...ThreadSandbox.defaults,
  deadlineMillis: (name) => (name === "violation" ? 500 : hangMillis)
})

/** Works until its deadline: each level of the value is looked at twice as often as the one above it. */
const endless = Effect.gen(function* () {
  const level = {
    type: "object",
    properties: { next: { allOf: [0, 1].map(() => ({ $ref: "#/definitions/level" })) } }
  }
  const nested = (levels: number): object => (levels === 0 ? {} : { next: nested(levels - 1) })
  const schema = { ...level, definitions: { level } }
  return yield* Effect.result(Sandbox.run("one", "violation", { schema, value: nested(40) as never }))
})

const cheap = Effect.result(Sandbox.run("one", "patternCost", { pattern: "^a+$" }))

const asked = (key: string) => Effect.provideService(Sandbox.Asker, key)

/** What a key sends at once, as a Viewer who validates inputs in parallel. */
const flood = (times: number) =>
  Effect.forEach(Array.from({ length: times }), () => Effect.forkChild(asked("key of a Viewer")(endless)))

const unfinished = (all: ReadonlyArray<Fiber.Fiber<unknown>>) =>
  all.filter((one) => one.pollUnsafe() === undefined).length

it.live("a run of the same workspace does not wait for what a key asks", () =>
  Effect.gen(function* () {
    const busy = yield* flood(8)
    yield* Effect.yieldNow
    const answered = yield* cheap
    assert.strictEqual(answered._tag, "Success")
    assert.isAtLeast(unfinished(busy), 7)
    yield* Fiber.interruptAll(busy)
  }).pipe(Effect.provide(threads))
)

it.live("another key of the same workspace has its turns, and a key that asks too much is refused alone", () =>
  Effect.gen(function* () {
    const busy = yield* flood(80)
    yield* Effect.yieldNow
    const refused = yield* asked("key of a Viewer")(cheap)
    assert.strictEqual(refused._tag === "Failure" ? refused.failure.exceeded : refused._tag, "queue")
    const other = yield* asked("key of a Member")(cheap)
    assert.strictEqual(other._tag, "Success")
    assert.isAtLeast(unfinished(busy), 40)
    yield* Fiber.interruptAll(busy)
  }).pipe(Effect.provide(threads))
)

it.effect("waiting for a thread is not counted as computing", () =>
  Effect.gen(function* () {
    const late: Sandbox.Shape = {
      run: (owner, name, asked) => Effect.andThen(Effect.sleep("10 minutes"), Sandbox.inProcess.run(owner, name, asked))
    }
    const value = Effect.flatMap(Expressions.describe("1 + 1"), (one) => Expressions.valueOf(one, { roots: {} }))
    const fiber = yield* Effect.forkChild(Effect.provideService(value, Sandbox.Sandbox, late))
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* Fiber.join(fiber), 2)
  })
)
