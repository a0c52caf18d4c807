/** The tools for agents, by the official client, against a server with its stores in memory. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Bounds from "../../../apps/mcp/Bounds.ts"
import { graph } from "../../support/fixtures.ts"
import { overHttp } from "../../support/mcpClient.ts"
import { layerWith, Service } from "../../support/service.ts"

const reading = [
  "list_workflows",
  "get_workflow",
  "describe_action",
  "list_runs",
  "get_run",
  "check_inputs",
  "list_credentials"
]
const writing = ["run_workflow", "stop_run", "retry_run", "draft_workflow", "edit_workflow", "save_draft"]

const closed = {
  time_zone: "UTC",
  regular_hours: [],
  special_hours: [
    {
      active: true,
      recurrence: "FREQ=YEARLY",
      recurrence_start: { year: 2020, month: 2, day: 29 },
      active_start_time: { hours: 0 },
      active_end_time: { hours: 0, minutes: 1 }
    }
  ]
}

/** A workflow of a member, and its id. */
const made = (more: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const { member, send, url } = yield* Service
    const owner = yield* member("Member")
    const json = { ...graph(), name: "Invoices", input_schema: { type: "object" }, ...more }
    const { body } = yield* send({ method: "POST", path: "/workflows", key: owner.key, json })
    return { owner, send, member, url, workflow_id: String(body.workflow_id) }
  })

it.layer(layerWith({ stores: Memory.layer }))("the tools for agents", (it) => {
  for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18"] as const) {
    it.effect(`are listed and called by the revision ${revision}`, () =>
      Effect.gen(function* () {
        const { owner, url, workflow_id } = yield* made()
        const { call, client, names } = yield* overHttp(url, owner.key, { revision })
        assert.strictEqual(client.getNegotiatedProtocolVersion(), revision)
        assert.deepStrictEqual(yield* names, [...reading, ...writing])
        const { data, text } = yield* call("list_workflows", { search: "nvoic" })
        assert.strictEqual(data.workflows[0].workflow_id, workflow_id)
        assert.deepStrictEqual(JSON.parse(text), data)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("are at most 15, and take at most 3,000 tokens to list", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { client } = yield* overHttp(url, (yield* member("Owner")).key)
      const listed = yield* Effect.promise(() => client.listTools())
      assert.isAtMost(listed.tools.length, 15)
      assert.isAtMost(Bounds.tokensOf(JSON.stringify(listed)), 3_000)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "that write are hidden from Viewers, from keys to read, and in the read-only mode, and not carried out",
    () =>
      Effect.gen(function* () {
        const { member, owner, send, url, workflow_id } = yield* made()
        const viewer = yield* member("Viewer", owner)
        const reader = yield* member("Member", owner, ["read"])
        const runner = yield* member("Member", owner, ["run"])
        for (const [key, query] of [
          [viewer.key, ""],
          [reader.key, ""],
          [owner.key, "?mode=read-only"]
        ] as const) {
          const { call, names } = yield* overHttp(url, key, { query })
          assert.deepStrictEqual(yield* names, reading)
          const refused = yield* call("run_workflow", { workflow_id })
          assert.isTrue(refused.isError)
          assert.include(refused.text, "There is no tool run_workflow for this key")
        }
        const some = yield* overHttp(url, runner.key)
        assert.deepStrictEqual(yield* some.names, [...reading, "run_workflow", "stop_run", "retry_run"])
        const runs = yield* send({ method: "GET", path: "/runs", key: owner.key })
        assert.strictEqual(runs.headers.get("x-total-count"), "0")
      }).pipe(Effect.scoped)
  )

  it.effect("are not reached without a valid key, whose absence is answered before the body is read", () =>
    Effect.gen(function* () {
      const { owner, send } = yield* made()
      const json = { jsonrpc: "2.0", id: 1, method: "tools/list" }
      const headers = { accept: "application/json, text/event-stream" }
      const path = "/mcp"
      assert.strictEqual((yield* send({ method: "POST", path, json, headers })).status, 401)
      assert.strictEqual((yield* send({ method: "POST", path, json, headers, key: "sk_wrong" })).status, 401)
      assert.strictEqual((yield* send({ method: "POST", path, raw: "x".repeat(2_000_000), headers })).status, 401)
      const large = yield* send({ method: "POST", path, raw: "x".repeat(2_000_000), headers, key: owner.key })
      assert.strictEqual(large.status, 413)
      const cross = { ...headers, origin: "https://evil.example" }
      assert.strictEqual((yield* send({ method: "POST", path, json, headers: cross, key: owner.key })).status, 403)
      const mode = yield* send({ method: "POST", path: "/mcp?mode=write", json, headers, key: owner.key })
      assert.strictEqual(mode.status, 400)
      for (const method of ["GET", "DELETE"]) {
        assert.strictEqual((yield* send({ method, path, headers, key: owner.key })).status, 405, method)
      }
      const other = { ...headers, "x-workspace-id": "00000000-0000-4000-8000-000000000009" }
      const elsewhere = yield* send({
        method: "POST",
        path,
        json: { ...json, method: "tools/call", params: { name: "list_workflows", arguments: {} } },
        headers: other,
        key: owner.key
      })
      assert.include(elsewhere.text, "not found: the key belongs to another one")
    })
  )

  it.effect("draft, edit in parts, check, try and save a workflow, whose run window stays", () =>
    Effect.gen(function* () {
      const { owner, send, url, workflow_id } = yield* made({ run_window: closed })
      const { call } = yield* overHttp(url, owner.key)
      const draft = (yield* call("draft_workflow", { workflow_id })).data
      assert.deepStrictEqual([draft.version, draft.base_version], [1, 1])
      const { draft_id } = draft
      const wrong = yield* call("edit_workflow", {
        workflow_id: draft_id,
        version: 1,
        edits: [{ op: "add", after: "Nowhere", name: "Go", action: "CLICK" }]
      })
      assert.isTrue(wrong.isError)
      assert.include(wrong.text, "the steps are Open, Done")
      const edits = [
        {
          op: "add",
          after: "Open",
          name: "Search",
          action: "CLICK",
          parameters: { execution: "STATIC", selector: "#go" }
        },
        { op: "change", step: "Open", parameters: { url: "https://example.com/start" } }
      ]
      const checked = (yield* call("edit_workflow", { workflow_id: draft_id, version: 1, edits, check_only: true }))
        .data
      assert.deepStrictEqual([checked.valid, checked.problems], [true, []])
      const bad = [{ op: "add", after: "Open", name: "Search", action: "CLICK", parameters: { selector: 5 } }]
      const refused = yield* call("edit_workflow", { workflow_id: draft_id, version: 1, edits: bad })
      assert.isTrue(refused.isError)
      assert.include(JSON.stringify(refused.data.error.problems), "selector")
      const saved = (yield* call("edit_workflow", { workflow_id: draft_id, version: 1, edits })).data
      assert.strictEqual(saved.version, 2)
      assert.deepStrictEqual(
        saved.steps.map(({ name }: { name: string }) => name),
        ["Open", "Search", "Done"]
      )
      const stale = yield* call("edit_workflow", { workflow_id: draft_id, version: 1, edits })
      assert.include(stale.text, "is at version 2")

      // The draft has the run window of the workflow, so a try is held as the workflow is.
      const tried = (yield* call("run_workflow", { workflow_id: draft_id })).data
      assert.strictEqual(tried.status, "execution.paused")
      assert.strictEqual(tried.waits_for[0].reason, "run_window")
      assert.isTrue((yield* call("stop_run", { session_id: tried.session_id })).data.stopped)
      const stopped = (yield* call("get_run", { session_id: tried.session_id, wait_seconds: 5 })).data
      assert.strictEqual(stopped.status, "execution.stopped")
      const again = (yield* call("retry_run", { session_id: tried.session_id })).data
      assert.strictEqual(again.outcome, "retried")
      const listed = (yield* call("list_runs", { workflow_id: draft_id })).data
      assert.deepStrictEqual(
        listed.runs.map(({ session_id }: { session_id: string }) => session_id),
        [again.session_id, tried.session_id]
      )

      assert.include((yield* call("save_draft", { draft_id, workflow_id })).text, "expected base_version 1")
      assert.include((yield* call("save_draft", { draft_id: workflow_id })).text, "is no draft")
      const done = (yield* call("save_draft", { draft_id, workflow_id, base_version: 1, version_note: "Search first" }))
        .data
      assert.deepStrictEqual([done.version, done.draft_removed], [2, true], JSON.stringify(done))
      const read = yield* send({ method: "GET", path: `/workflows/${workflow_id}`, key: owner.key })
      assert.strictEqual(read.body.name, "Invoices")
      assert.strictEqual(read.body.version_note, "Search first")
      assert.deepStrictEqual(read.body.tags, [])
      assert.strictEqual((read.body.nodes as ReadonlyArray<unknown>).length, 3)
      assert.deepInclude(read.body.run_window as object, { time_zone: "UTC" })
      const gone = yield* send({ method: "GET", path: `/workflows/${draft_id}`, key: owner.key })
      assert.strictEqual(gone.status, 404)
    }).pipe(Effect.scoped)
  )

  it.effect("draft a workflow with its manual pause and its pace, so that a try waits as its runs do", () =>
    Effect.gen(function* () {
      const { owner, send, url, workflow_id } = yield* made()
      const { key } = owner
      const pace = { max_starts_per_minute: 3, max_running: 1 }
      const put = { method: "PUT", path: `/workflows/${workflow_id}/pace`, key, json: pace }
      assert.strictEqual((yield* send(put)).status, 200)
      const json = { reason: "The portal is away", until: "2100-01-01T00:00:00.000Z" }
      assert.strictEqual(
        (yield* send({ method: "POST", path: `/workflows/${workflow_id}/pause`, key, json })).status,
        200
      )
      const { call } = yield* overHttp(url, key)
      const { draft_id } = (yield* call("draft_workflow", { workflow_id })).data
      const { manual_pause } = (yield* call("get_workflow", { workflow_id: draft_id })).data
      assert.deepInclude(manual_pause, json)
      assert.deepStrictEqual((yield* send({ method: "GET", path: `/workflows/${draft_id}/pace`, key })).body, pace)
      const tried = (yield* call("run_workflow", { workflow_id: draft_id })).data
      assert.strictEqual(tried.waits_for[0].reason, "manual", JSON.stringify(tried))
    }).pipe(Effect.scoped)
  )

  it.effect("begin a new workflow, which stays when its draft is saved", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { call } = yield* overHttp(url, (yield* member("Member")).key)
      assert.isTrue((yield* call("draft_workflow", { name: "New" })).isError)
      const { draft_id } = (yield* call("draft_workflow", { name: "New", url: "https://example.com" })).data
      const saved = (yield* call("save_draft", { draft_id })).data
      assert.deepStrictEqual([saved.workflow_id, saved.draft_removed], [draft_id, false])
      assert.isFalse((yield* call("get_workflow", { workflow_id: draft_id })).data.is_draft)
    }).pipe(Effect.scoped)
  )

  it.effect("name credentials without their secrets, and read inputs and actions", () =>
    Effect.gen(function* () {
      const { owner, send, url, workflow_id } = yield* made({
        input_schema: { type: "object", properties: { month: { type: "string" } }, required: ["month"] }
      })
      const entry = { permissioned_user_id: "anna", domain: "https://bank.example", cookies: [] }
      const stored = yield* send({ method: "POST", path: "/vault", key: owner.key, json: entry })
      assert.strictEqual(stored.status, 201, stored.text)
      const { call } = yield* overHttp(url, owner.key)
      const { data } = yield* call("list_credentials")
      assert.deepStrictEqual(Object.keys(data.credentials[0]), [
        "permissioned_user_id",
        "domain",
        "user_alias",
        "second_factor",
        "session_until"
      ])
      assert.isFalse((yield* call("check_inputs", { workflow_id, inputs: {} })).data.valid)
      assert.isTrue((yield* call("check_inputs", { workflow_id, inputs: { month: "May" } })).data.valid)
      assert.isNotEmpty((yield* call("check_inputs", { workflow_id })).data.examples)
      const refused = yield* call("run_workflow", { workflow_id, inputs: {} })
      assert.isTrue(refused.isError)
      assert.include(refused.text, "month")
      assert.include((yield* call("describe_action")).data.actions, "CLICK")
      const click = (yield* call("describe_action", { action: "CLICK" })).data
      assert.deepStrictEqual(click.parameters.properties.selector, { type: "string" })
      assert.include((yield* call("describe_action", { action: "FLY" })).text, "the actions are START")
      assert.include((yield* call("get_run", { session: "x" })).text, "session_id")
    }).pipe(Effect.scoped)
  )

  it.effect("leave their changes in the audit, as any other request", () =>
    Effect.gen(function* () {
      const { owner, send, url, workflow_id, member } = yield* made()
      const { call } = yield* overHttp(url, owner.key)
      yield* call("edit_workflow", { workflow_id, version: 1, set: { description: "By an agent" } })
      const auditor = yield* member("Owner", owner)
      const audit = yield* send({ method: "GET", path: "/audit", key: auditor.key })
      assert.include(audit.text, owner.caller.userId)
      assert.include(audit.text, "workflow")
    }).pipe(Effect.scoped)
  )
})
