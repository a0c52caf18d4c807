import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Attempt from "../../../core/run/Attempt.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { graphOf } from "../../support/browser.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"

const warning = {
  code: "FIGURE-W0001",
  message: 'Read no number from "5 of 12": it has 2 figures',
  node: { id: "n", name: "Read the total", action: "EXTRACT_DATAMODEL" },
  value: "5 of 12"
}

/** Each run succeeds, with as many warnings as its input says. */
const executor = Layer.succeed(
  Executor,
  Executor.of({
    execute: ({ run }) => {
      const count = Number(run.input.count ?? 0)
      const kept = Array.from({ length: Math.min(count, 100) }, () => warning)
      return Effect.succeed({ _tag: "Success", data: {}, warnings: { kept, count } })
    }
  })
)

const work = Effect.gen(function* () {
  const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
  yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one), { discard: true })
}).pipe(Effect.provide(executor))

const asking = ({ key }: Member) =>
  Effect.map(Service, ({ send }) => ({
    get: (path: string) => send({ method: "GET", path, key }),
    post: (path: string, json: object) => send({ method: "POST", path, key, json })
  }))

it.layer(layerInMemory)("warnings of runs", (it) => {
  it.effect("are in the record, the list and the event of the end, and select runs", () =>
    Effect.gen(function* () {
      const { get, post } = yield* asking(yield* (yield* Service).member("Member"))
      const made = yield* post("/workflows", { name: "Read", ...graphOf("https://shop.example/", []) })
      const start = (count: number) =>
        Effect.map(post("/run", { workflow_id: made.body.id, run_input_variables: { count } }), ({ body }) =>
          String(body.session_id)
        )
      const [some, none] = [yield* start(120), yield* start(0)]
      yield* work
      const record = (yield* get(`/run/${some}`)).body
      assert.deepStrictEqual([record.status, record.warning_count], ["execution.success", 120])
      assert.deepStrictEqual(record.warnings, Array(100).fill(warning))
      const events = record.events as ReadonlyArray<{ readonly event: string; readonly payload: object }>
      assert.deepInclude(events.at(-1)?.payload, { warning_count: 120, warnings: Array(100).fill(warning) })
      assert.deepInclude((yield* get(`/run/${none}`)).body, { warning_count: 0, warnings: [] })

      const listed = Effect.fnUntraced(function* (query: string) {
        const { body } = yield* get(`/runs${query}`)
        const rows = body as unknown as ReadonlyArray<{ readonly session_id: string; readonly warning_count: number }>
        return new Map(rows.map(({ session_id, warning_count }) => [session_id, warning_count]))
      })
      assert.deepStrictEqual(Object.fromEntries(yield* listed("")), { [some]: 120, [none]: 0 })
      assert.deepStrictEqual([...(yield* listed("?has_warnings=true")).keys()], [some])
      assert.deepStrictEqual([...(yield* listed("?has_warnings=false")).keys()], [none])
      const wrong = yield* get("/runs?has_warnings=yes")
      assert.strictEqual(wrong.status, 400)
      assert.include(JSON.stringify(wrong.body), "true or false")
    })
  )
})
