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

  it.effect("is a named limit, in its record as in the list, until that is raised, resumed or overridden", () =>
    Effect.gen(function* () {
      const { ask } = yield* asMember()
      const { body: workflow } = yield* ask("POST", "/workflows", { name: "Limited", ...graph() })
      const limit = { name: "portal.example", max_running: 1, workflow_ids: [workflow.id] }
      const { body: made, status } = yield* ask("POST", "/limits", limit)
      assert.strictEqual(status, 201)
      const submit = Effect.map(ask("POST", "/run", { workflow_id: workflow.id }), ({ body }) =>
        String(body.session_id)
      )
      // Runs of the tests before may start as well.
      const started = Effect.map(claim, (all) => all.filter(({ run }) => run.workflowId === workflow.id).length)
      const [, second] = [yield* submit, yield* submit]
      assert.strictEqual(yield* started, 1)
      const wait = { until: null, credential: null, ahead: null, limit: null, limit_name: "portal.example" }
      const { body: record } = yield* ask("GET", `/run/${second}`)
      assert.deepStrictEqual(record.waits_for, [{ ...wait, reason: "limit" }])
      const { body: listed } = yield* ask("GET", "/runs?hold=limit")
      assert.deepInclude(listed[0 as never], { session_id: second, hold: "limit" })
      const path = `/limits/${made.id}`
      assert.deepInclude((yield* ask("GET", path)).body, { ...limit, running: 1, pause: null, override: null })
      const paused = yield* ask("POST", `${path}/pause`, { reason: "Maintenance" })
      assert.deepInclude(paused.body.pause, { reason: "Maintenance" })
      const until = "2100-01-01T00:00:00.000Z"
      yield* ask("PUT", `${path}/override`, { max_running: 2, max_starts_per_minute: null, until })
      assert.strictEqual(yield* started, 0)
      assert.isNull((yield* ask("POST", `${path}/resume`, {})).body.pause)
      assert.strictEqual(yield* started, 1)
      assert.strictEqual((yield* ask("DELETE", path)).body.id, made.id)
      assert.strictEqual((yield* ask("GET", path)).status, 404)
    })
  )

  it.effect("can be no limit with wrong fields: every problem is named at its path", () =>
    Effect.gen(function* () {
      const { ask } = yield* asMember()
      const problemsOf = (body: object) =>
        Effect.map(ask("POST", "/limits", body), (answer) => {
          assert.strictEqual(answer.status, 400)
          const { errors } = answer.body as unknown as { readonly errors: ReadonlyArray<{ readonly path: string }> }
          return errors.map(({ path }) => path)
        })
      const id = "01890a5d-ac96-774b-bcce-b302099a8057"
      assert.deepStrictEqual(yield* problemsOf({ name: "a", workflow_ids: [id], credential_ids: [id] }), [
        "max_running",
        "workflow_ids[0]",
        "credential_ids[0]"
      ])
      assert.sameMembers(
        [...(yield* problemsOf({ name: " ", max_running: 0, tags: [""] }))],
        ["name", "max_running", "tags[0]"]
      )
      yield* ask("POST", "/limits", { name: "a", max_running: 1 })
      assert.strictEqual((yield* ask("POST", "/limits", { name: "a", max_running: 1 })).status, 409)
    })
  )
})
