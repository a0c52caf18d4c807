import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../apps/api/Api.ts"
import type { Ability } from "../../core/workspace/Workspace.ts"
import { allows } from "../../core/workspace/Workspace.ts"
import { daily, graph } from "../support/fixtures.ts"
import { layer, type Member, Service } from "../support/service.ts"

const workflow = { name: "Nightly", ...graph() }

const clientId = "00000000-0000-4000-8000-00000000c11e"

interface Row {
  readonly ability: Ability
  /** What is sent when everything is in order, and the status it gets. */
  readonly json?: unknown
  readonly query?: string
  readonly status: number
  /** The status for a key of another workspace, where that is not 404 for what it names. */
  readonly stranger?: number
}

const frame = "start_timestamp=1970-01-01T00:00:00Z&end_timestamp=1970-01-02T00:00:00Z"

/** Every endpoint that needs a key. One that is missing here fails the test below. */
const table: Readonly<Record<string, Row>> = {
  "POST /workflows": { ability: "edit", json: workflow, status: 201 },
  "GET /workflows": { ability: "read", status: 200 },
  "GET /workflows/{workflow_id}": { ability: "read", status: 200 },
  "PUT /workflows/{workflow_id}": { ability: "edit", json: workflow, status: 200 },
  "GET /workflows/{workflow_id}/versions": { ability: "read", status: 200 },
  "GET /workflows/{workflow_id}/versions/{version_number}": { ability: "read", status: 200 },
  "GET /workflows/{workflow_id}/metadata": { ability: "read", status: 200 },
  "GET /workflows/{workflow_id}/run-window": { ability: "read", status: 200 },
  "PUT /workflows/{workflow_id}/run-window": { ability: "edit", json: daily(9, 17), status: 200 },
  "DELETE /workflows/{workflow_id}/run-window": { ability: "edit", status: 200 },
  "POST /workflows/{workflow_id}/run-window/preview": { ability: "read", json: daily(9, 17), status: 200 },
  "POST /workflows/{workflow_id}/pause": { ability: "edit", json: {}, status: 200 },
  "POST /runs/unpause": {
    ability: "edit",
    json: { pause_resource: "workflow", resource_ids: ["{workflow_id}"] },
    status: 200
  },
  "POST /run": { ability: "edit", json: { workflow_id: "{workflow_id}" }, status: 201 },
  "GET /run/{session_id}": { ability: "read", status: 200 },
  "POST /run/{session_id}/interrupt": { ability: "edit", status: 200 },
  "GET /runs": { ability: "read", status: 200 },
  "GET /run/{session_id}/debug-snapshots/{node_id}": { ability: "read", status: 200 },
  "GET /run/{session_id}/network": { ability: "read", status: 200 },
  "GET /runs/workflow/{workflow_id}/errors": { ability: "read", query: `?${frame}`, status: 200 },
  "GET /reporting/errors": { ability: "read", query: `?workflow_id={workflow_id}&${frame}`, status: 200 },
  // The run of this test waits, and only a running one can be watched.
  "GET /live/sessions/{session_id}/connection": { ability: "read", status: 409 },
  "GET /run/{session_id}/events": { ability: "read", status: 200 },
  "POST /workflow-builder/agent/session": {
    ability: "edit",
    json: { name: "New", startUrl: "https://example.com" },
    status: 201
  },
  "POST /workflow-builder/agent/session/from-workflow": {
    ability: "edit",
    json: { workflowId: "{workflow_id}" },
    status: 201,
    stranger: 404
  },
  // The run has not failed, which only its own workspace is told.
  "POST /workflow-builder/agent/session/from-failed-run": {
    ability: "edit",
    json: { sessionId: "{session_id}" },
    status: 409,
    stranger: 404
  },
  "GET /workflow-builder/agent/sessions": { ability: "read", status: 200 },
  "POST /workflow-builder/agent/{conversation_id}/message": { ability: "edit", json: { text: "help" }, status: 200 },
  "GET /workflow-builder/agent/{conversation_id}/status": { ability: "read", status: 200 },
  "GET /workflow-builder/agent/{conversation_id}/messages": { ability: "read", status: 200 },
  "POST /workflow-builder/agent/{conversation_id}/respond": {
    ability: "edit",
    json: { messageId: "{question_id}", value: "me" },
    status: 200
  },
  "GET /workflow-builder/agent/{conversation_id}/workflow": { ability: "read", status: 200 },
  // Nothing hosts conversations here, so that no page is open.
  "GET /workflow-builder/agent/{conversation_id}/screenshot": { ability: "read", status: 409 },
  "GET /workflow-builder/agent/{conversation_id}/html": { ability: "read", status: 409 },
  "POST /workflow-builder/agent/{conversation_id}/save": { ability: "edit", json: {}, status: 200 },
  "POST /workflow-builder/agent/{conversation_id}/interrupt": { ability: "edit", status: 200 },
  "DELETE /workflow-builder/agent/{conversation_id}": { ability: "edit", status: 200 },
  "GET /workflow-builder/agent/{conversation_id}/stream": { ability: "read", status: 200 },
  // A client is known by the first thing that names it, so that any id is as good as another.
  "GET /run/clients/{client_id}/events": { ability: "read", status: 200, stranger: 200 },
  // The runs of this table wait to be started, and ask nothing.
  "GET /run/{session_id}/user_interaction": { ability: "read", status: 404 },
  "POST /run/{session_id}/user_interaction": { ability: "edit", json: { code: "123456" }, status: 409 },
  "POST /run/{session_id}/new_input_variables": { ability: "edit", json: { input_variables: { a: 1 } }, status: 400 }
}

it("the table of authorisation names every endpoint of the interface", () => {
  const described = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
  )
  assert.deepStrictEqual(described.sort(), Object.keys(table).sort())
})

/** A conversation that asks for an input, which takes messages although nothing hosts it. */
const askingConversation = ({ key }: Member) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const input_schema = { type: "object", properties: { user: { type: "string" } }, required: ["user"] }
    const made = yield* send({ method: "POST", path: "/workflows", key, json: { ...workflow, input_schema } })
    const path = "/workflow-builder/agent"
    const json = { workflowId: made.body.id }
    const opened = yield* send({ method: "POST", path: `${path}/session/from-workflow`, key, json })
    const conversationId = String(opened.body.conversationId)
    const { body } = yield* send({ method: "GET", path: `${path}/${conversationId}/messages`, key })
    const [question] = body.messages as ReadonlyArray<{ readonly id: string }>
    return { conversationId, messageId: question?.id ?? "" }
  })

it.layer(layer, { timeout: "30 seconds" })("an endpoint", (it) => {
  it.effect.each(Object.entries(table))("%s lets in whom it should, and nobody else", ([endpoint, row]) =>
    Effect.gen(function* () {
      const { dump, member, revoke, send } = yield* Service
      const owner = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: workflow })
      const workflowId = String(made.body.id)
      const start = Effect.map(
        send({ method: "POST", path: "/run", key: owner.key, json: { workflow_id: workflowId } }),
        ({ body }) => String(body.session_id)
      )
      const [method = "", described = ""] = endpoint.split(" ")
      const template = described + (row.query ?? "")
      let asking: { readonly conversationId: string; readonly messageId: string } | null = null
      const fill = (text: string, session: string) =>
        text
          .replace("{conversation_id}", asking?.conversationId ?? clientId)
          .replace("{question_id}", asking?.messageId ?? clientId)
          .replaceAll("{workflow_id}", workflowId)
          .replace("{session_id}", session)
          .replace("{version_number}", "1")
          .replace("{node_id}", workflow.nodes[0]?.id ?? "")
          .replace("{client_id}", clientId)
      const ask = (key: string | null) =>
        Effect.gen(function* () {
          const session = yield* start
          if (template.includes("{conversation_id}")) asking = yield* askingConversation(owner)
          return yield* send({
            method,
            path: fill(template, session),
            key,
            ...(row.json === undefined ? {} : { json: JSON.parse(fill(JSON.stringify(row.json), session)) })
          })
        })

      const revoked = yield* member("Owner", owner)
      yield* revoke(revoked)
      for (const key of [null, "", "nonsense", "sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", revoked.key]) {
        const session = yield* start
        const before = yield* dump
        const { body, status } = yield* send({
          method,
          path: fill(template, session),
          key,
          ...(row.json === undefined ? {} : { json: row.json })
        })
        assert.deepStrictEqual([status, body.statusCode, body.error], [401, 401, "Unauthorized"])
        assert.strictEqual(yield* dump, before)
      }

      const stranger = yield* ask((yield* member("Owner")).key)
      if (row.stranger !== undefined) {
        assert.strictEqual(stranger.status, row.stranger)
        if (row.stranger < 400) assert.notInclude(stranger.text, workflowId)
      } else if (template.includes("{") || endpoint === "POST /run") {
        assert.deepStrictEqual([stranger.status, stranger.body.error], [404, "Not Found"])
      } else if (endpoint === "POST /runs/unpause") {
        assert.deepInclude(stranger.body, { success: false, resumedRuns: 0 })
      } else {
        assert.strictEqual(stranger.status, row.status)
        assert.notInclude(stranger.text, workflowId)
      }

      for (const role of ["Viewer", "Member", "Owner"] as const) {
        const { body, status } = yield* ask((yield* member(role, owner)).key)
        if (allows(role, row.ability)) assert.strictEqual(status, row.status, `${role}: ${JSON.stringify(body)}`)
        else assert.deepStrictEqual([status, body.statusCode, body.error], [403, 403, "Forbidden"])
      }
    })
  )
})
