import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import * as TestClock from "../../adapters/postgres/server/TestClock.ts"
import { TestTime } from "../../core/testing/TestTime.ts"
import * as Embedded from "../support/embedded.ts"
import { daily, graph } from "../support/fixtures.ts"
import { layerWith, Service } from "../support/service.ts"

const day = 86_400_000

const stores = TestClock.layer.pipe(Layer.provideMerge(Embedded.layer))

it.layer(layerWith({ stores }), { timeout: "60 seconds", excludeTestServices: true })(
  "the clock of an installation for tests",
  (it) => {
    it.effect("is moved forward by an Owner, opens windows at once, and never goes back", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Owner")
        const ask = (method: string, path: string, json?: unknown) => send({ method, path, key, json })
        const hour = new Date().getUTCHours()
        const made = yield* ask("POST", "/workflows", { name: "Nightly", ...graph() })
        const window = `/workflows/${made.body.id}/run-window`
        const closed = yield* ask("PUT", window, daily((hour + 4) % 23, ((hour + 4) % 23) + 1))
        const { nextOpenAt } = closed.body.state as { readonly nextOpenAt: string }
        const opening = Date.parse(nextOpenAt)
        const moved = yield* ask("PUT", "/test-clock", { now: new Date(opening + 60_000).toISOString() })
        assert.strictEqual(moved.status, 200)
        assert.isAtLeast(Date.parse(String(moved.body.now)), opening + 60_000)
        assert.deepInclude((yield* ask("GET", window)).body.state, { open: true })
        const back = yield* ask("PUT", "/test-clock", { now: nextOpenAt })
        assert.strictEqual(back.status, 400)
        assert.include(String(back.body.message), nextOpenAt)
        const late = yield* ask("PUT", "/test-clock", { now: "9999-12-31T23:59:59Z" })
        assert.strictEqual(late.status, 400)
        assert.include(String(late.body.message), 'before the year 9000, got "9999-12-31T23:59:59Z"')
        const trail = yield* ask("GET", "/audit?action=test_clock")
        const [entry, ...others] = trail.body.entries as ReadonlyArray<Readonly<Record<string, unknown>>>
        assert.lengthOf(others, 0)
        assert.deepInclude(entry, { action: "test_clock.move", after: moved.body })
        assert.isAtLeast(Date.parse(String((yield* ask("GET", "/test-clock")).body.now)), opening + 60_000)
        const { key: viewer } = yield* member("Viewer")
        const json = { now: new Date(opening + day).toISOString() }
        assert.strictEqual((yield* send({ method: "PUT", path: "/test-clock", key: viewer, json })).status, 403)
      })
    )
  }
)

it.layer(Embedded.layer, { timeout: "60 seconds", excludeTestServices: true })("processes with a test clock", (it) => {
  it.effect("have the same time, also those that start later", () =>
    Effect.gen(function* () {
      const started = Effect.map(Layer.build(Layer.fresh(TestClock.layer)), (context) => ({
        clock: Context.get(context, Clock.Clock),
        time: Context.get(context, TestTime)
      }))
      const one = yield* started
      const other = yield* started
      const at = one.clock.currentTimeMillisUnsafe() + 400 * day
      yield* one.time?.moveTo(at) ?? Effect.die("no clock")
      assert.isAtLeast(other.clock.currentTimeMillisUnsafe(), at)
      assert.isAtLeast((yield* started).clock.currentTimeMillisUnsafe(), at)
    }).pipe(Effect.scoped)
  )
})
