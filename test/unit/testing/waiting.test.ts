import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { awaited, until } from "../../support/waiting.ts"

const deathOf = <A>(waiting: Effect.Effect<A>) =>
  Effect.map(Effect.exit(waiting), (exit) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "it ended"))

it.effect("a wait ends with what came, on the clock of the machine", () =>
  Effect.gen(function* () {
    let looks = 0
    assert.strictEqual(
      yield* until(
        "the third look",
        Effect.sync(() => ++looks),
        (count) => count === 3
      ),
      3
    )
    assert.strictEqual(yield* awaited("a value", Effect.succeed(1)), 1)
    assert.strictEqual(yield* Effect.flip(awaited("a failure", Effect.fail("refused"))), "refused")
  })
)

it.effect("a wait for what never comes names it, and shows what was seen last", () =>
  Effect.gen(function* () {
    let looks = 0
    const counting = until(
      "a negative count",
      Effect.sync(() => ({ looks: ++looks })),
      (seen) => seen.looks < 0,
      100
    )
    assert.match(yield* deathOf(counting), /waited 0\.1 s for a negative count; last seen: \{ looks: [1-9]\d* \}$/)
    assert.match(
      yield* deathOf(awaited("an event", Effect.never, () => "the output of a process", 10)),
      /waited 0\.01 s for an event; last seen: the output of a process$/
    )
    const hanging = until("an answer", Effect.never, () => true, 10)
    assert.match(yield* deathOf(hanging), /waited 0\.01 s for an answer; last seen: nothing$/)
  })
)
