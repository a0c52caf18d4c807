import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Owner")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
  const id = String((yield* ask("POST", "/workflows", { name: "Nightly", ...graph() })).body.id)
  const found = (query: string) =>
    Effect.map(ask("GET", `/runs?${query}`), ({ body }) =>
      (body as unknown as ReadonlyArray<{ readonly session_id: string }>).map((run) => run.session_id)
    )
  return { ask, found, workflow_id: id }
})

it.layer(layerInMemory)("the reference of a run", (it) => {
  it.effect("is in its record and its row, and finds it whatever its age", () =>
    Effect.gen(function* () {
      const { ask, found, workflow_id } = yield* setUp
      const reference = "order 7, part 2"
      const started = yield* ask("POST", "/run", { workflow_id, reference })
      const id = String(started.body.session_id)
      yield* ask("POST", "/run", { workflow_id })
      assert.strictEqual((yield* ask("GET", `/run/${id}`)).body.reference, reference)
      yield* ask("POST", `/run/${id}/interrupt`)
      yield* TestClock.adjust("3 days")
      const query = `reference=${encodeURIComponent(reference)}`
      assert.deepStrictEqual(yield* found(query), [id])
      assert.deepStrictEqual(yield* found(`${query}&start_time=1970-01-02T00:00:00Z`), [])
      assert.deepStrictEqual(yield* found("reference=order%207"), [])
      const retried = yield* ask("POST", "/runs/retry", { filter: { reference } })
      assert.deepStrictEqual(retried.body.counts, { retried: 1 })
      assert.lengthOf(yield* found(query), 2)
    })
  )

  it.effect("is that of one run where it is to be unique; a second one is told which has it", () =>
    Effect.gen(function* () {
      const { ask, workflow_id } = yield* setUp
      const sent = { workflow_id, reference: "order 7", reference_unique: true }
      const { session_id } = (yield* ask("POST", "/run", sent)).body
      const again = yield* ask("POST", "/run", sent)
      assert.strictEqual(again.status, 409)
      assert.deepInclude(again.body, { code: "REFERENCE_TAKEN", session_id })
      const batch = yield* ask("POST", "/runs/batch", { runs: [sent, { ...sent, reference: "order 8" }] })
      const results = batch.body.results as ReadonlyArray<{ readonly status: number; readonly error: unknown }>
      assert.deepStrictEqual(
        results.map(({ status }) => status),
        [409, 201]
      )
      assert.deepInclude(results[0]?.error, { code: "REFERENCE_TAKEN", session_id })
      assert.strictEqual((yield* ask("POST", "/run", { ...sent, reference_unique: false })).status, 201)
    })
  )

  it.effect("is refused where it is empty, too long or missing although it is to be unique", () =>
    Effect.gen(function* () {
      const { ask, workflow_id } = yield* setUp
      for (const wrong of [
        { reference: "" },
        { reference: "é".repeat(201) },
        { reference: "a\nb" },
        { reference_unique: true }
      ]) {
        const refused = yield* ask("POST", "/run", { workflow_id, ...wrong })
        assert.strictEqual(refused.status, 400)
        const [problem] = refused.body.errors as ReadonlyArray<{ readonly path: string }>
        assert.strictEqual(problem?.path, "reference")
      }
      assert.strictEqual((yield* ask("POST", "/run", { workflow_id, reference: "é".repeat(200) })).status, 201)
    })
  )
})
