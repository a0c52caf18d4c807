import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { kindsOf, openRaw } from "../../support/clients.ts"
import { graph } from "../../support/fixtures.ts"
import { seal } from "../../support/sealed.ts"
import * as TestService from "../../support/service.ts"
import { openGate, layer as worker } from "../../support/worker.ts"

const { Service } = TestService

const services = worker.pipe(Layer.provideMerge(TestService.layerInMemory))

const ended = (session: string) => (body: string) =>
  kindsOf(body, session).some((kind) => /success|failed|stopped/.test(kind))

it.layer(services, { excludeTestServices: true })("what known clients do on the wire", (it) => {
  /** A member of a new workspace, and requests as the command line sends them: a JSON type, with or without a body. */
  const commandLine = Effect.gen(function* () {
    const { member, send } = yield* Service
    const { encryptionKey, key } = yield* member("Owner")
    const ask = (method: string, path: string, json?: unknown) =>
      send({ method, path, key, json, headers: { "content-type": "application/json" } })
    const made = yield* ask("POST", "/workflows", { name: "From a file", ...graph() })
    return { ask, encryptionKey, key, workflowId: String(made.body.id) }
  })

  it.effect("the command line edits a workflow with what it was given, stripped or as it came", () =>
    Effect.gen(function* () {
      const { ask, workflowId } = yield* commandLine
      const listed = yield* ask("GET", "/workflows")
      assert.isArray(listed.body)
      const { body: whole } = yield* ask("GET", `/workflows/${workflowId}`)
      const stripped = Object.fromEntries(
        Object.entries(whole).filter(
          ([name]) =>
            !/^(id|version_id|version_number|created_at|created_by|updated_at|workspace_id|workflow_id)$/.test(name)
        )
      )
      const saved = yield* ask("PUT", `/workflows/${workflowId}`, { ...stripped, version_note: "By file" })
      assert.deepInclude(saved.body, { id: workflowId, version_number: 2, version_note: "By file" })
      assert.notStrictEqual(saved.body.version_id, whole.version_id)
      const echoed = { ...saved.body, base_version_id: saved.body.version_id, version_note: "By hand" }
      assert.strictEqual((yield* ask("PUT", `/workflows/${workflowId}`, echoed)).status, 200)
      const stale = yield* ask("PUT", `/workflows/${workflowId}`, echoed)
      assert.deepInclude(stale.body, { statusCode: 409, code: "WORKFLOW_VERSION_CONFLICT", latestVersionNumber: 3 })
    })
  )

  it.effect("the command line starts a run, opens its stream afterwards, and reads the record at the end", () =>
    Effect.gen(function* () {
      const { url } = yield* Service
      const { ask, key, workflowId } = yield* commandLine
      const client = randomUUID()
      const started = yield* ask("POST", "/run", {
        workflow_id: workflowId,
        run_input_variables: { steps: ["One"] },
        client_id: client
      })
      const session = String(started.body.session_id)
      const stream = openRaw(url, `/run/clients/${client}/events`, key)
      const body = yield* Effect.promise(() => stream.until(ended(session)))
      stream.close()
      assert.strictEqual(kindsOf(body).at(-1), "execution.success")
      assert.strictEqual((yield* ask("GET", `/run/${session}`)).body.status, "execution.success")
      const runs = yield* ask("GET", `/runs?workflow_id=${workflowId}&status=execution.success&limit=100`)
      assert.lengthOf(runs.body as unknown as ReadonlyArray<unknown>, 1)
      const since = new Date(Date.now() - 3_600_000).toISOString()
      const report = yield* ask(
        "GET",
        `/runs/workflow/${workflowId}/errors?start_timestamp=${since}&end_timestamp=${new Date().toISOString()}&limit=1000`
      )
      assert.deepInclude(report.body, { workflow_id: workflowId, total_errors: 0 })
    })
  )

  it.effect("the command line interrupts a run, and gets JSON for it", () =>
    Effect.gen(function* () {
      const { ask, workflowId } = yield* commandLine
      const gate = randomUUID()
      const started = yield* ask("POST", "/run", {
        workflow_id: workflowId,
        run_input_variables: { gate },
        debug: true
      })
      const session = String(started.body.session_id)
      const stopped = yield* ask("POST", `/run/${session}/interrupt`)
      assert.deepStrictEqual(stopped.body, { success: true, message: "Run interrupt triggered" })
      const snapshots = yield* ask("GET", `/run/${session}/debug-snapshots/${graph().nodes[0]?.id}`)
      assert.deepInclude(snapshots.body, { session_id: session, page_snapshot_url: null, screenshots: [] })
      yield* openGate(gate)
    })
  )

  it.effect("the command line keeps a credential, changes a part of it, and clears its session", () =>
    Effect.gen(function* () {
      const { ask, encryptionKey } = yield* commandLine
      const pair = { permissioned_user_id: "robot", domain: "https://shop.example" }
      const password = seal(encryptionKey, "new")
      const created = yield* ask("POST", "/vault", {
        ...pair,
        user_name: seal(encryptionKey, "robot"),
        password: seal(encryptionKey, "old"),
        proxy: { enable: true, target_ip: "192.0.2.7" }
      })
      assert.strictEqual(created.status, 201)
      const changed = yield* ask("PUT", "/vault", { ...pair, password })
      assert.deepInclude(changed.body, { ...pair, password, user_name: created.body.user_name })
      assert.deepStrictEqual((yield* ask("PATCH", "/vault/clear-browser-state", pair)).body, { success: true })
      const one = `/vault?permissioned_user_id=robot&domain=${encodeURIComponent(pair.domain)}`
      assert.strictEqual((yield* ask("GET", one)).body.id, created.body.id)
      assert.lengthOf((yield* ask("GET", "/vault")).body as unknown as ReadonlyArray<unknown>, 1)
    })
  )

  it.effect("the Python client asks for its stream and starts its run at once, with nulls for what it leaves out", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Service
      const { key, workflowId } = yield* commandLine
      for (let round = 0; round < 10; round++) {
        const client = randomUUID()
        const stream = openRaw(url, `/run/clients/${client}/events`, key, { "accept-encoding": "gzip, deflate" })
        const started = yield* send({
          method: "POST",
          path: "/run",
          key,
          json: {
            workflow_id: workflowId,
            run_input_variables: { steps: ["Ein Schritt für ✓"] },
            client_id: client,
            dry_run: { enabled: false, add_to_output: null },
            webhook: null,
            additional_context: null
          }
        })
        const session = String(started.body.session_id)
        yield* Effect.promise(() => stream.until(ended(session)))
        // It decodes every chunk separately, so each must be whole.
        const pieces = stream.chunks().map((piece) => kindsOf(piece, session))
        assert.strictEqual(pieces.flat().at(-1), "execution.success")
        stream.close()
      }
    })
  )
})
