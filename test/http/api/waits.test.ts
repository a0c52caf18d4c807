import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { WorkerCapacity } from "../../../core/gate/WorkerCapacity.ts"
import { type ClaimedRun, RunStore } from "../../../core/run/RunStore.ts"
import { held } from "../../kit/contracts/start/CredentialRuns.ts"
import { asMember } from "../../support/credentials.ts"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory } from "../../support/service.ts"

const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit: 10, leaseMillis: 60_000 }))

const places = { name: "w", capacity: 4, workspaceRuns: 4 }
const workers = Effect.sync(() => ({ capacity: 4, running: 1, each: [places] }))
const withWorkers = layerInMemory.pipe(Layer.provide(Layer.succeed(WorkerCapacity, { current: workers })))

it.layer(withWorkers)("why a run waits", (it) => {
  it.effect("is a busy credential or the sign-in of another run, in its record as in the list, with workers free", () =>
    Effect.gen(function* () {
      const { ask } = yield* asMember()
      const domain = "https://app.example.com"
      const sharing = { allow_multiple_sessions: true }
      for (const [permissioned_user_id, more] of [
        ["one", {}],
        ["texted-1", { ...sharing, tfa_method: "SMS" }],
        ["texted-2", { ...sharing, tfa_method: "SMS" }]
      ] as const) {
        const made = yield* ask("POST", "/vault", { permissioned_user_id, domain, ...more })
        assert.strictEqual(made.status, 201)
      }
      const vault_schema = { SITE: { type: "credential", domain } }
      const { body } = yield* ask("POST", "/workflows", { name: "Signs in", ...graph(), vault_schema })
      const submit = (SITE: string) =>
        Effect.map(ask("POST", "/run", { workflow_id: body.id, run_input_variables: { SITE } }), (sent) =>
          String(sent.body.session_id)
        )
      const first = [yield* submit("one"), yield* submit("texted-1")]
      const [slot, login] = [yield* submit("one"), yield* submit("texted-2")]
      const claimed = yield* claim
      assert.sameMembers(
        claimed.map(({ run }) => String(run.id)),
        first
      )
      const { body: rows } = yield* ask("GET", `/runs?workflow_id=${body.id}&status=execution.queued`)
      const listed = new Map(
        (rows as unknown as ReadonlyArray<{ session_id: string; hold: string }>).map((row) => [
          row.session_id,
          row.hold
        ])
      )
      const said = (id: string) => Effect.map(ask("GET", `/run/${id}`), (read) => read.body)
      const wait = { until: null, credential: "SITE", ahead: null, limit: null, limit_name: null }
      for (const [id, reason] of [
        [slot, "credential"],
        [login, "login"]
      ] as const) {
        const record = yield* said(id)
        assert.deepInclude(record, { status: "execution.queued", can_start_at: null, can_start_reason: null })
        assert.deepStrictEqual(record.waits_for, [{ ...wait, reason }])
        assert.strictEqual(listed.get(id), "credential")
      }
      const signing = claimed.find(({ run }) => run.id === first[1])
      yield* (yield* RunStore).loggedIn(held(signing as ClaimedRun), "SITE")
      const ready = yield* said(login)
      const capacity = { reason: "capacity", until: null, credential: null, ahead: null, limit_name: null }
      assert.deepStrictEqual(ready.waits_for, [{ ...capacity, limit: null }])
      assert.isNull(ready.can_start_reason)
      places.workspaceRuns = 2
      const shared = yield* said(login)
      assert.deepStrictEqual(shared.waits_for, [{ ...capacity, ahead: 1, limit: "workspace_runs" }])
      assert.deepInclude(shared, { can_start_at: null, can_start_reason: "capacity" })
      assert.deepStrictEqual((yield* said(String(first[0]))).waits_for, [])
    })
  )
})
