/**
 * Edits of workflows and their run windows by several people: an edit never undoes another one that it has not seen.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { daily, graph } from "../../support/fixtures.ts"
import { layerInMemory as layerService, Service } from "../../support/service.ts"

/** Windows that are closed and open at the epoch, where the clock of these tests stands. */
const closed = daily(9, 17)
const open = daily(0, 17)

const workflow = { name: "Nightly", description: "Bills", ...graph() }

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Member")
  const ask = (method: string, path: string, json?: unknown, headers?: Readonly<Record<string, string>>) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }), ...(headers ? { headers } : {}) })
  const made = yield* ask("POST", "/workflows", { ...workflow, run_window: open })
  const path = `/workflows/${made.body.id}`
  return { ask, made, me, path, id: String(made.body.id), window: `${path}/run-window` }
})

const lifted = (id: string) => ({ pause_resource: "run_window", resource_ids: [id] })

layer(layerService)("an edit of a run window", (it) => {
  it.effect("is refused when the workflow body carries a window that another edit replaced", () =>
    Effect.gen(function* () {
      const { ask, path, window } = yield* setUp
      const read = (yield* ask("GET", path)).body
      const set = (yield* ask("PUT", window, closed)).body
      const stale = yield* ask("PUT", path, { ...read, base_version_id: read.version_id, description: "Changed" })
      assert.strictEqual(stale.status, 409)
      assert.deepInclude(stale.body, {
        code: "RUN_WINDOW_CONFLICT",
        run_window_revision: set.run_window_revision,
        set_at: "1970-01-01T00:00:00.000Z"
      })
      const kept = (yield* ask("GET", path)).body
      assert.deepInclude(kept, { description: "Bills", version_number: 1, run_window: closed })
      // With the window that is stored now, the same edit is taken.
      const taken = yield* ask("PUT", path, { ...kept, base_version_id: kept.version_id, description: "Changed" })
      assert.strictEqual(taken.status, 200)
      assert.deepInclude(taken.body, { description: "Changed", version_number: 2, run_window: closed })
    })
  )

  it.effect("may name the window that it is based on by its entity tag", () =>
    Effect.gen(function* () {
      const { ask, window } = yield* setUp
      const read = yield* ask("GET", window)
      const tag = String(read.headers.get("etag"))
      // A compressed answer has a weak tag.
      assert.match(tag.replace(/^W\//, ""), new RegExp(`^"${read.body.run_window_revision}\\.[\\w-]{27}"$`))
      assert.strictEqual((yield* ask("PUT", window, closed, { "if-match": tag })).status, 200)
      for (const method of ["PUT", "DELETE"]) {
        const stale = yield* ask(method, window, method === "PUT" ? open : undefined, { "if-match": tag })
        assert.strictEqual(stale.status, 409, method)
        const unread = yield* ask(method, window, method === "PUT" ? open : undefined, { "if-match": "three" })
        assert.strictEqual(unread.status, 400, method)
      }
      assert.deepStrictEqual((yield* ask("GET", window)).body.run_window, closed)
      assert.strictEqual((yield* ask("DELETE", window, undefined, { "if-match": "*" })).status, 200)
    })
  )

  it.effect("that a workflow body repeats unchanged ends no lift and makes no version", () =>
    Effect.gen(function* () {
      const { ask, id, path, window } = yield* setUp
      yield* ask("PUT", window, closed)
      yield* ask("POST", "/runs/unpause", lifted(id))
      const read = (yield* ask("GET", path)).body
      const saved = yield* ask("PUT", path, read)
      assert.strictEqual(saved.status, 200)
      assert.deepStrictEqual({ ...saved.body, updated_at: null }, { ...read, updated_at: null })
      assert.isNotNull(saved.body.lift)
      assert.strictEqual((yield* ask("PUT", path, { ...read, run_window: null })).body.version_number, 1)
      const versions = (yield* ask("GET", `${path}/versions`)).body as unknown as ReadonlyArray<unknown>
      assert.strictEqual(versions.length, 1)
    })
  )

  it.effect("shows the lift and the manual pause wherever the window is shown", () =>
    Effect.gen(function* () {
      const { ask, id, me, path, window } = yield* setUp
      yield* ask("PUT", window, closed)
      yield* ask("POST", "/runs/unpause", lifted(id))
      const lift = { since: "1970-01-01T00:00:00.000Z", until: "1970-01-01T09:00:00.000Z", by: me.caller.userId }
      yield* ask("POST", `${path}/pause`, { reason: "Audit", until: "1970-01-02T00:00:00Z" })
      const manual_pause = {
        since: "1970-01-01T00:00:00.000Z",
        until: "1970-01-02T00:00:00.000Z",
        by: me.caller.userId,
        reason: "Audit"
      }
      for (const shown of [window, path, `${path}/metadata`]) {
        assert.deepInclude((yield* ask("GET", shown)).body, { lift, manual_pause }, shown)
      }
      // Runs may start as far as the window is concerned.
      assert.deepStrictEqual((yield* ask("GET", window)).body.state, { open: true, nextOpenAt: null })
      yield* ask("POST", "/runs/unpause", { ...lifted(id), pause_resource: "workflow" })
      yield* ask("PUT", window, closed)
      assert.deepInclude((yield* ask("GET", window)).body, {
        lift: null,
        manual_pause: null,
        state: { open: false, nextOpenAt: "1970-01-01T09:00:00.000Z" }
      })
    })
  )
})

layer(layerService)("a version of a workflow", (it) => {
  it.effect("has the name and the description that it was saved with, and no run window", () =>
    Effect.gen(function* () {
      const { ask, made, path } = yield* setUp
      yield* ask("PUT", path, { ...made.body, name: "Weekly", description: null })
      const first = (yield* ask("GET", `${path}/versions/1`)).body
      assert.deepInclude(first, { name: "Nightly", description: "Bills", version_number: 1 })
      for (const field of ["run_window", "run_window_revision", "lift", "manual_pause"])
        assert.notProperty(first, field)
      assert.deepInclude((yield* ask("GET", `${path}/versions/2`)).body, { name: "Weekly", description: null })
    })
  )

  it.effect("is made only when something in it changes", () =>
    Effect.gen(function* () {
      const { ask, made, path } = yield* setUp
      const numbers = []
      for (const change of [
        {},
        { run_window: closed },
        { version_note: "Looked at" },
        { version_note: "Looked at" },
        { max_retries: 3 }
      ]) {
        numbers.push((yield* ask("PUT", path, { ...(yield* ask("GET", path)).body, ...change })).body.version_number)
      }
      assert.deepStrictEqual([made.body.version_number, ...numbers], [1, 1, 1, 2, 2, 3])
    })
  )
})

layer(layerService)("a dry run", (it) => {
  it.effect.each([
    [{ add_to_output: { r: 1 } }, true],
    [{ enabled: true }, true],
    [{}, true],
    [{ enabled: null }, true],
    [{ enabled: false, add_to_output: { r: 1 } }, false],
    [null, false]
  ] as const)("is one with the field %j: %s", ([dry_run, expected]) =>
    Effect.gen(function* () {
      const { ask, id } = yield* setUp
      const { body } = yield* ask("POST", "/run", { workflow_id: id, dry_run })
      const listed = (yield* ask("GET", `/runs?workflow_id=${id}`)).body as unknown as ReadonlyArray<object>
      assert.deepInclude(listed[0] as object, { session_id: body.session_id, dry_run: expected })
    })
  )
})
