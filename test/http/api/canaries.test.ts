import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RunFailure from "../../../core/event/RunFailure.ts"
import * as CanaryWatch from "../../../core/run/canary/CanaryWatch.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const terms = { share: 0.5, runs: 100, max_failures: 50 }

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Owner")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
  const body = { name: "Nightly", ...graph() }
  const id = String((yield* ask("POST", "/workflows", body)).body.id)
  return { ask, body, id, path: `/workflows/${id}`, canary: `/workflows/${id}/canary` }
})

/** Ends all waiting runs: those of one version fail. Answers how many failed. */
const endAll = (failing: string) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    let failed = 0
    for (const { run } of yield* runs.claim({ worker: "w", limit: 1_000, leaseMillis: 60_000 })) {
      const fails = run.versionId === failing
      if (fails) failed++
      yield* runs.settle({ id: run.id, fence: run.lease.fence }, (locked, at) =>
        Transition.settle(
          locked,
          fails
            ? { _tag: "Failed", data: {}, errors: [{ ...RunFailure.of({ code: "X", message: "x" }), id: run.id, at }] }
            : { _tag: "Success", data: {} },
          at
        )
      )
    }
    return failed
  })

it.layer(layerInMemory)("the canary of a workflow", (it) => {
  it.effect("rolls back a version that fails, with an event, audit entries and its numbers", () =>
    Effect.gen(function* () {
      const { ask, body, canary, id, path } = yield* setUp
      assert.strictEqual((yield* ask("GET", canary)).status, 404)
      const saved = yield* ask("PUT", path, { ...body, description: "Faster", canary: terms })
      assert.strictEqual(saved.status, 200)
      assert.deepInclude((yield* ask("GET", canary)).body, {
        state: "running",
        ...terms,
        version_number: 2,
        base_version_number: 1,
        evidence: { base: { succeeded: 0, failed: 0 }, candidate: { succeeded: 0, failed: 0 } }
      })
      let failed = 0
      for (let round = 0; round < 60 && (yield* ask("GET", canary)).body.state === "running"; round++) {
        yield* ask("POST", "/run", { workflow_id: id })
        failed += yield* endAll(String(saved.body.version_id))
        yield* CanaryWatch.judge()
      }
      assert.isAtMost(failed, 10)
      const shown = (yield* ask("GET", canary)).body
      assert.deepInclude(shown, { state: "stopped", ended_by: null, restored_version_number: 3 })
      assert.deepInclude(shown.evidence as object, { candidate: { succeeded: 0, failed } })
      assert.match(String(shown.reason), /runs failed, and 0 of \d+ of the version before$/)
      const present = (yield* ask("GET", path)).body
      assert.deepInclude(present, { version_number: 3, description: null })
      assert.include(String(present.version_note), "Version 1 again")
      const { entries } = (yield* ask("GET", `/audit?action=canary&resource_id=${id}`)).body
      const [stop, start] = entries as ReadonlyArray<object>
      assert.deepInclude(stop as object, { action: "canary.stop", reason: shown.reason, user_id: null })
      assert.deepInclude(start as object, { action: "canary.start" })
      const runs = yield* RunStore
      const ids = (yield* ask("GET", `/runs?workflow_id=${id}`)).body as unknown as ReadonlyArray<{
        readonly session_id: string
      }>
      const events = yield* Effect.forEach(ids, ({ session_id }) => runs.events(RunId.make(session_id), 0))
      const told = events.flat().filter(({ event }) => event.event === "workflow.canary")
      assert.lengthOf(told, 1)
      assert.deepInclude(told[0]?.event, { state: "stopped", version: 2, base: 1, restored: 3 })
    })
  )

  it.effect("is promoted or stopped by hand, and then is not running any more", () =>
    Effect.gen(function* () {
      const { ask, body, canary, path } = yield* setUp
      yield* ask("PUT", path, { ...body, description: "Faster", canary: terms })
      const promoted = yield* ask("POST", `${canary}/promote`, { reason: "Seen enough" })
      assert.deepInclude(promoted.body, { state: "promoted", reason: "Seen enough", restored_version_number: null })
      assert.deepInclude((yield* ask("GET", path)).body, { version_number: 2, description: "Faster" })
      const again = yield* ask("POST", `${canary}/stop`, {})
      assert.strictEqual(again.status, 409)
      assert.include(String(again.body.message), "it is promoted")
      yield* ask("PUT", path, { ...body, description: "Slower", canary: terms })
      const stopped = yield* ask("POST", `${canary}/stop`, {})
      assert.deepInclude(stopped.body, { state: "stopped", restored_version_number: 4 })
      assert.deepInclude((yield* ask("GET", path)).body, { version_number: 4, description: "Faster" })
    })
  )

  it.effect("is refused out of its bounds, for a new workflow, without a change, and for other inputs", () =>
    Effect.gen(function* () {
      const { ask, body, path } = yield* setUp
      const next = { ...body, description: "Faster" }
      for (const [sent, problem] of [
        [{ ...next, canary: { ...terms, share: 0.6 } }, "canary.share"],
        [{ ...next, canary: { ...terms, runs: 0 } }, "canary.runs"],
        [{ ...next, canary: { share: 0.1, runs: 5 } }, "canary.max_failures"],
        [{ ...body, canary: terms }, "this save changes nothing"],
        [{ ...next, input_schema: { type: "object", properties: { month: {} } }, canary: terms }, "input_schema"]
      ] as const) {
        const refused = yield* ask("PUT", path, sent)
        assert.strictEqual(refused.status, 400)
        assert.include(JSON.stringify(refused.body), problem)
      }
      const created = yield* ask("POST", "/workflows", { ...body, canary: terms })
      assert.strictEqual(created.status, 400)
      assert.include(JSON.stringify(created.body), "no version before to compare with")
      assert.deepInclude((yield* ask("GET", path)).body, { version_number: 1 })
    })
  )
})
