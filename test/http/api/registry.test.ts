import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"

const as = (member: Member) =>
  Effect.map(Service, ({ send }) => ({
    get: (path: string) => send({ method: "GET", path, key: member.key }),
    post: (path: string, json: unknown) => send({ method: "POST", path, key: member.key, json }),
    put: (path: string, json: unknown) => send({ method: "PUT", path, key: member.key, json }),
    patch: (path: string, json: unknown) => send({ method: "PATCH", path, key: member.key, json }),
    remove: (path: string, json?: unknown) =>
      send({ method: "DELETE", path, key: member.key, ...(json === undefined ? {} : { json }) })
  }))

const list = (body: unknown) => body as ReadonlyArray<Readonly<Record<string, unknown>>>

/** A workflow that fails with an error code, or with a text. */
const failing = (message: unknown) => {
  const [start, end] = graph().nodes
  const click = {
    id: "00000000-0000-4000-8000-000000000003",
    name: "Press",
    action: "CLICK",
    parameters: { selector: "//button", selector_error_message: message }
  }
  return {
    name: "Failing",
    nodes: [start, end, click],
    edges: { [String(start?.id)]: { to: click.id }, [click.id]: { to: end?.id } }
  }
}

it.layer(layerInMemory)("the HTTP interface", (it) => {
  describe("error codes", () => {
    it.effect("are found by their names, whatever their case and blanks, and made when there are none", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const me = yield* as(yield* member("Member"))
        const made = yield* me.post("/error-codes", { error_code: " Login refused ", description: "The site said no" })
        assert.strictEqual(made.status, 201)
        assert.deepInclude(made.body, {
          error_code: "Login refused",
          description: "The site said no",
          error_action: "alert",
          retries: null,
          created: true
        })
        const found = yield* me.post("/error-codes", { error_code: "LOGIN REFUSED", error_action: "pause" })
        assert.strictEqual(found.status, 200)
        assert.deepStrictEqual(found.body, { ...made.body, created: false })
        const { created: _created, ...record } = made.body
        assert.deepStrictEqual((yield* me.get(`/error-codes/${made.body.id}`)).body, record)
        assert.deepStrictEqual(list((yield* me.get("/error-codes")).body), [record])
      })
    )

    it.effect("are changed field by field, and never to the name of another", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const me = yield* as(yield* member("Member"))
        const one = yield* me.post("/error-codes", { error_code: "One", retries: 2 })
        yield* me.post("/error-codes", { error_code: "Two" })
        const path = `/error-codes/${one.body.id}`
        const changed = yield* me.patch(path, { error_action: "retry", retry_after: 1.5, retries: null })
        assert.deepInclude(changed.body, { error_code: "One", error_action: "retry", retries: 2, retry_after: 1.5 })
        const clash = yield* me.patch(path, { error_code: " tWO" })
        assert.deepStrictEqual([clash.status, clash.body.error], [409, "Conflict"])
        assert.strictEqual((yield* me.patch(path, { error_code: "ONE" })).body.error_code, "ONE")
        const refused = yield* me.patch(path, { error_code: " ", error_action: "shout", retries: -1 })
        assert.strictEqual(refused.status, 400)
        assert.deepStrictEqual(
          list(refused.body.errors).map(({ path }) => path),
          ["error_code", "error_action", "retries"]
        )
        assert.deepInclude((yield* me.remove(path)).body, { id: one.body.id })
        assert.strictEqual((yield* me.get(path)).status, 404)
      })
    )

    it.effect("are checked where nodes name them; a text is kept as it is", () =>
      Effect.gen(function* () {
        const { dump, member } = yield* Service
        const me = yield* as(yield* member("Member"))
        const stranger = yield* as(yield* member("Member"))
        const code = yield* me.post("/error-codes", { error_code: "Button gone" })
        const unnamed = yield* me.post("/error-codes", { error_code: "Unused" })
        const foreign = yield* stranger.post("/error-codes", { error_code: "Foreign" })
        for (const id of [randomUUID(), foreign.body.id]) {
          const before = yield* dump
          const refused = yield* me.post("/workflows", failing(id))
          assert.strictEqual(refused.status, 400)
          assert.deepStrictEqual(
            list(refused.body.errors).map(({ path }) => path),
            ["nodes[2].parameters.selector_error_message"]
          )
          assert.strictEqual(yield* dump, before)
        }
        const made = yield* me.post("/workflows", failing(String(code.body.id).toUpperCase()))
        assert.strictEqual(made.status, 201)
        const named = yield* me.get(`/error-codes?workflow_id=${made.body.id}`)
        assert.deepStrictEqual(
          list(named.body).map(({ id }) => id),
          [code.body.id]
        )
        const saved = yield* me.put(`/workflows/${made.body.id}`, failing("The button is gone"))
        assert.strictEqual(saved.status, 200)
        assert.deepStrictEqual(list((yield* me.get(`/error-codes?workflow_id=${made.body.id}`)).body), [])
        assert.strictEqual((yield* stranger.get(`/error-codes?workflow_id=${made.body.id}`)).status, 404)
        assert.isString(unnamed.body.id)
      })
    )
  })

  describe("workspaces", () => {
    it.effect("are listed with their members, who have no order", () =>
      Effect.gen(function* () {
        const { member, revoke } = yield* Service
        const owner = yield* member("Owner")
        const viewer = yield* member("Viewer", owner)
        yield* revoke(yield* member("Member", owner))
        const me = yield* as(viewer)
        const { workspaceId } = owner.caller
        assert.deepStrictEqual((yield* me.get("/me")).body, {
          user_id: viewer.caller.userId,
          role: "Viewer",
          workspace_id: workspaceId
        })
        const [mine] = list((yield* me.get("/me/workspaces")).body)
        assert.deepInclude(mine, { id: workspaceId, name: "Test", role: "Viewer" })
        const [full] = list((yield* me.get(`/workspaces?organization_id=${workspaceId}&load_members=true`)).body)
        const { members, ...rest } = full as Record<"members", ReadonlyArray<unknown>>
        assert.deepStrictEqual(rest, mine)
        assert.sameDeepMembers(
          [...members],
          [
            { user_id: owner.caller.userId, role: "Owner" },
            { user_id: viewer.caller.userId, role: "Viewer" }
          ]
        )
        assert.deepStrictEqual(list((yield* me.get(`/workspaces?organization_id=${randomUUID()}`)).body), [])
      })
    )

    it.effect("keep each kind for the days that are set, null as the installation says, and at most so long", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const owner = yield* member("Owner")
        const me = yield* as(owner)
        const path = `/workspaces/${owner.caller.workspaceId}/settings`
        const none = {
          runs: null,
          events: null,
          deliveries: null,
          errors: null,
          decisions: null,
          artifacts: null,
          starts: null
        }
        const { body: initial } = yield* me.get(path)
        assert.deepStrictEqual(initial.retention_days, none)
        assert.deepStrictEqual(initial.retention_days_in_force, { ...none, artifacts: 30, decisions: 30 })
        yield* me.patch(path, { retention_days: { events: 7, runs: 20 } })
        const { body } = yield* me.patch(path, { retention_days: { artifacts: 10, runs: 90, errors: null } })
        assert.deepStrictEqual(body.retention_days, { ...none, events: 7, runs: 90, artifacts: 10 })
        assert.deepStrictEqual(body.retention_days_in_force, {
          runs: 90,
          events: 7,
          deliveries: 7,
          errors: 90,
          decisions: 30,
          artifacts: 10,
          starts: 7
        })
        const refused = yield* me.patch(path, {
          name: "Other",
          retention_days: { artifacts: 31, decisions: 30, runs: 999 }
        })
        assert.strictEqual(refused.status, 400)
        assert.deepStrictEqual(refused.body.errors, [
          {
            path: "retention_days.artifacts",
            message: "Expected at most 30, which is what this installation keeps, got 31"
          }
        ])
        for (const wrong of [{ events: 0 }, { events: 1.5 }, { runs: 36_501 }, 7]) {
          assert.strictEqual((yield* me.patch(path, { retention_days: wrong })).status, 400, JSON.stringify(wrong))
        }
        assert.deepStrictEqual((yield* me.get(path)).body, body)
        const reset = yield* me.patch(path, { retention_days: none })
        assert.deepStrictEqual(reset.body, initial)
      })
    )

    it.effect("are set field by field, and null sets no limit on waiting", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const owner = yield* member("Owner")
        const me = yield* as(owner)
        const path = `/workspaces/${owner.caller.workspaceId}/settings`
        const initial = (yield* me.get(path)).body
        assert.deepInclude(initial, { name: "Test", waiting_ttl_seconds: null, input_required_timeout_seconds: 15 })
        assert.strictEqual(initial.signed_url_ttl_seconds, 604_800)
        for (const [asked, kept] of [
          [60, 60],
          [1, 5],
          [9_999, 300],
          [15, 15]
        ]) {
          const { body } = yield* me.patch(path, { input_required_timeout_seconds: asked })
          assert.deepStrictEqual(body, { ...initial, input_required_timeout_seconds: kept })
        }
        const set = yield* me.patch(path, { waiting_ttl_seconds: 90 })
        assert.deepStrictEqual(set.body, { ...initial, waiting_ttl_seconds: 90 })
        assert.deepStrictEqual((yield* me.patch(path, { name: "Mine" })).body, { ...set.body, name: "Mine" })
        const brief = yield* me.patch(path, { signed_url_ttl_seconds: 3_600, input_required_timeout_seconds: null })
        assert.deepStrictEqual(brief.body, { ...set.body, name: "Mine", signed_url_ttl_seconds: 3_600 })
        assert.deepStrictEqual((yield* me.patch(path, { signed_url_ttl_seconds: null })).body, brief.body)
        assert.deepStrictEqual((yield* me.patch(path, initial)).body, initial)
        for (const wrong of [
          { waiting_ttl_seconds: 0 },
          { waiting_ttl_seconds: 1.5 },
          { name: "" },
          { signed_url_ttl_seconds: 3_599, name: "Other" },
          { signed_url_ttl_seconds: 604_801 },
          { signed_url_ttl_seconds: 4_000.5 },
          { signed_url_ttl_seconds: "3600" }
        ]) {
          assert.strictEqual((yield* me.patch(path, wrong)).status, 400)
        }
        const twice = yield* me.patch(path, { signed_url_ttl_seconds: 60, waiting_ttl_seconds: 0, name: "Other" })
        assert.sameMembers(
          (twice.body.errors as ReadonlyArray<{ readonly path: string }>).map((problem) => problem.path),
          ["signed_url_ttl_seconds", "waiting_ttl_seconds"]
        )
        assert.deepStrictEqual((yield* me.get(path)).body, initial)
      })
    )

    it.effect("accept a bearer as well as cc-key, and no key of another one", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { caller, key } = yield* member("Viewer")
        const me = (headers: Record<string, string>) => send({ method: "GET", path: "/me", headers })
        const bearer = { authorization: `Bearer ${key}` }
        assert.strictEqual((yield* me(bearer)).body.user_id, caller.userId)
        assert.strictEqual((yield* me({ ...bearer, "x-workspace-id": caller.workspaceId.toUpperCase() })).status, 200)
        assert.strictEqual((yield* me({ ...bearer, "x-workspace-id": "" })).status, 200)
        for (const named of [randomUUID(), "nonsense"]) {
          const { body, status } = yield* me({ "cc-key": key, "x-workspace-id": named })
          assert.deepStrictEqual([status, body.error], [404, "Not Found"])
        }
        for (const headers of [
          { authorization: `Basic ${key}` },
          { authorization: "Bearer sk_nobody" },
          { authorization: `Bearer ${key}`, "cc-key": "sk_nobody" },
          { authorization: `Bearer ${key}`, "cc-key": "" }
        ]) {
          assert.strictEqual((yield* me(headers)).status, 401)
        }
      })
    )
  })

  describe("API keys", () => {
    it.effect("are shown once, work at once, and end at once", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const owner = yield* member("Owner")
        const me = yield* as(owner)
        const made = yield* me.post("/api-keys", { role: "Member", name: "Nightly job" })
        assert.strictEqual(made.status, 201)
        const { key, ...record } = made.body
        assert.match(String(key), /^sk_[\w-]{43}$/)
        const asked = send({ method: "GET", path: "/me", key: String(key) })
        assert.deepInclude((yield* asked).body, { role: "Member", user_id: record.user_id })
        const all = yield* me.get("/api-keys")
        assert.deepStrictEqual(
          list(all.body).find(({ id }) => id === record.id),
          record
        )
        assert.notInclude(all.text, String(key))
        const revoked = yield* me.remove(`/api-keys/${record.id}`)
        assert.deepInclude(revoked.body, { id: record.id, name: "Nightly job" })
        assert.isString(revoked.body.revoked_at)
        assert.strictEqual((yield* asked).status, 401)
        assert.strictEqual((yield* me.remove(`/api-keys/${record.id}`)).status, 404)
      })
    )

    it.effect("never leave a workspace without an Owner", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const owner = yield* member("Owner")
        const me = yield* as(owner)
        yield* member("Member", owner)
        const refused = yield* me.remove(`/api-keys/${owner.keyId}`)
        assert.strictEqual(refused.status, 409)
        assert.include(String(refused.body.message), "last one with the role Owner")
        yield* me.post("/api-keys", { role: "Owner" })
        assert.strictEqual((yield* me.remove(`/api-keys/${owner.keyId}`)).status, 200)
        assert.strictEqual((yield* me.get("/me")).status, 401)
      })
    )
  })

  describe("subscriptions to runs", () => {
    it.effect("are one for each workflow and channel, and gather their events", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const owner = yield* member("Owner")
        const me = yield* as(owner)
        const colleague = yield* as(yield* member("Owner", owner))
        const path = "/notifications/run-subscriptions"
        const workflow = String((yield* me.post("/workflows", { name: "Told", ...graph() })).body.id)
        const channel = { type: "slack_webhook", url: "https://hooks.slack.example/services/T0/B0/secret" }
        const made = yield* me.post(path, { workflow_ids: [workflow, workflow], events: ["run.failed"], channel })
        assert.strictEqual(made.status, 201)
        assert.notInclude(made.text, "secret")
        const [first, ...others] = list(made.body)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(first, {
          workflow_id: workflow,
          events: ["run.failed"],
          channel: { type: "slack_webhook", host: "hooks.slack.example" }
        })
        const again = yield* me.post(path, { workflow_ids: [workflow], events: ["run.started", "run.failed"], channel })
        assert.deepStrictEqual(list(again.body), [{ ...first, events: ["run.failed", "run.started"] }])
        const whole = yield* colleague.post(path, {
          workspace_id: owner.caller.workspaceId,
          workflow_ids: null,
          events: ["run.succeeded"]
        })
        assert.deepInclude(list(whole.body)[0], { workflow_id: null, channel: { type: "log" } })
        assert.lengthOf(list((yield* me.get(path)).body), 1)
        assert.lengthOf(list((yield* me.get(`${path}?all=true`)).body), 2)

        const narrowed = yield* me.remove(path, { workflow_ids: [workflow], events: ["run.failed"] })
        assert.deepStrictEqual(narrowed.body, { success: true, changed: 1 })
        assert.deepStrictEqual(list((yield* me.get(path)).body), [{ ...first, events: ["run.started"] }])
        yield* me.remove(path, { workflow_ids: [workflow] })
        yield* me.remove(path, { workspace_id: owner.caller.workspaceId })
        assert.deepStrictEqual(list((yield* me.get(`${path}?all=true`)).body), [])
      })
    )

    it.effect("are refused without exactly one of workspace and workflows, and for what does not exist", () =>
      Effect.gen(function* () {
        const { dump, member } = yield* Service
        const owner = yield* member("Owner")
        const me = yield* as(owner)
        const path = "/notifications/run-subscriptions"
        const { workspaceId } = owner.caller
        const workflow = String((yield* me.post("/workflows", { name: "Told", ...graph() })).body.id)
        const events = ["run.failed"]
        const before = yield* dump
        const cases: ReadonlyArray<readonly [number, unknown]> = [
          [400, { events }],
          [400, { workspace_id: workspaceId, workflow_ids: [workflow], events }],
          [400, { workflow_ids: [], events }],
          [400, { workspace_id: workspaceId, events: [] }],
          [400, { workspace_id: workspaceId, events: ["run.paused"] }],
          [400, { workspace_id: workspaceId, events, channel: { type: "http" } }],
          [400, { workspace_id: workspaceId, events, channel: { type: "http", url: "ftp://example.com" } }],
          [400, { workspace_id: workspaceId, events, channel: { type: "http", url: "https://a:b@example.com" } }],
          [404, { workspace_id: randomUUID(), events }],
          [404, { workflow_ids: [workflow, randomUUID()], events }]
        ]
        for (const [status, json] of cases) {
          assert.strictEqual((yield* me.post(path, json)).status, status, JSON.stringify(json))
        }
        assert.strictEqual((yield* me.remove(path, { workflow_ids: [randomUUID()] })).status, 404)
        assert.strictEqual(yield* dump, before)
      })
    )
  })

  describe("the interrupt of the oldest clients", () => {
    it.effect("stops a run with the code, the reason and the address that it brings", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const owner = yield* member("Member")
        const me = yield* as(owner)
        const workflow = yield* me.post("/workflows", { name: "Old", ...graph() })
        const { session_id } = (yield* me.post("/run", { workflow_id: workflow.body.id })).body
        const json = {
          reasoning: "The cart is empty",
          full_url: "https://shop.example/cart",
          error_code: "CHECKOUT-E0005"
        }
        const stop = (headers: Record<string, string>) =>
          send({ method: "POST", path: "/failed_item", key: owner.key, json, headers })
        assert.strictEqual((yield* stop({})).status, 400)
        assert.strictEqual((yield* stop({ "x-session-id": randomUUID() })).status, 404)
        assert.strictEqual((yield* stop({ "x-session-id": String(session_id) })).status, 200)
        const { body } = yield* me.get(`/run/${session_id}`)
        assert.strictEqual(body.status, "execution.stopped")
        assert.deepInclude(list(body.errors)[0], {
          error_code: "CHECKOUT-E0005",
          message: "The cart is empty",
          full_url: "https://shop.example/cart"
        })
        assert.strictEqual((yield* stop({ "x-session-id": String(session_id) })).status, 409)
      })
    )
  })
})
