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

  it.effect("by a workflow body that was read before another edit is refused however it names what was read", () =>
    Effect.gen(function* () {
      const { ask, path, window } = yield* setUp
      const read = yield* ask("GET", path)
      const tag = { "if-match": String(read.headers.get("etag")) }
      const { run_window_revision, version_id, ...body } = read.body
      const set = (yield* ask("PUT", window, closed)).body
      const upserted = { ...body, base_version_id: version_id }
      for (const [method, at, sent, headers, status] of [
        ["PUT", path, body, tag, 412],
        ["PUT", path, { ...body, run_window: closed }, tag, 412],
        ["PUT", path, { ...body, run_window: null, base_version_id: version_id }, {}, 409],
        ["PUT", path, upserted, {}, 409],
        ["POST", "/workflows/upsert", upserted, {}, 409],
        ["POST", "/workflows/upsert", body, tag, 412],
        ["DELETE", path, undefined, tag, 412]
      ] as const) {
        const stale = yield* ask(method, at, sent, headers)
        assert.strictEqual(stale.status, status, `${method} ${at} ${JSON.stringify(headers)}`)
        if (status === 409) assert.deepInclude(stale.body, { code: "RUN_WINDOW_CONFLICT", run_window_revision: 2 })
      }
      const kept = yield* ask("GET", path)
      assert.deepInclude(kept.body, { version_number: 1, run_window: closed, run_window_revision: 2 })
      assert.strictEqual(set.run_window_revision, 2)

      // What was read last is replaced, by its whole tag, by the number alone, or by one of several.
      const [number = ""] = /\d+-\d+/.exec(String(kept.headers.get("etag"))) ?? []
      const first = yield* ask("PUT", path, body, { "if-match": String(kept.headers.get("etag")) })
      assert.deepStrictEqual(
        [first.status, first.headers.get("etag")?.replace("W/", ""), number],
        [200, '"1-3"', "1-2"]
      )
      const second = yield* ask("PUT", path, { ...body, run_window: closed }, { "if-match": '"1-2", "1-3"' })
      assert.deepStrictEqual([second.status, second.body.run_window], [200, closed])
      const named = { ...upserted, run_window_revision: second.body.run_window_revision }
      assert.strictEqual((yield* ask("PUT", path, named)).status, 200)
      assert.strictEqual((yield* ask("PUT", path, body, { "if-match": "*" })).status, 200)
      const left = String((yield* ask("GET", path)).headers.get("etag"))
      assert.strictEqual((yield* ask("DELETE", path, undefined, { "if-match": left })).status, 200)
    })
  )

  it.effect("may be the first one of a workflow that is named by its version alone", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const made = (yield* ask("POST", "/workflows", { ...workflow, name: "Without hours" })).body
      const set = { ...workflow, base_version_id: made.version_id, run_window: closed }
      assert.strictEqual((yield* ask("PUT", `/workflows/${made.id}`, set)).status, 200)
      assert.strictEqual((yield* ask("PUT", `/workflows/${made.id}`, { ...set, run_window: open })).status, 409)
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
