import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { Signals } from "../../core/runtime/Signals.ts"
import * as databases from "../support/databases.ts"

for (const [name, [layer]] of Object.entries({
  memory: databases.memory,
  embedded: databases.embedded,
  postgres: databases.postgres
})) {
  it.live(`signals (${name}) reach a subscriber that was there before`, () =>
    Effect.gen(function* () {
      const signals = yield* Signals
      const received = yield* signals.subscribe
      yield* signals.publish({ _tag: "ended", runId: "r" })
      const [ended] = yield* received.pipe(
        Stream.filter((signal) => signal._tag === "ended"),
        Stream.take(1),
        Stream.runCollect
      )
      assert.deepStrictEqual(ended, { _tag: "ended", runId: "r" })
    }).pipe(Effect.scoped, Effect.provide(layer as Layer.Layer<Signals, unknown>), Effect.timeout("20 seconds"))
  )
}
