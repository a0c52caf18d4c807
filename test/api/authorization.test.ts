import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../apps/api/Api.ts"
import type { Ability } from "../../core/workspace/Workspace.ts"
import { allows } from "../../core/workspace/Workspace.ts"
import { daily, graph } from "../support/fixtures.ts"
import { layer, Service } from "../support/service.ts"
import { makeDead, makeWebhook } from "../support/webhooks.ts"

const workflow = { name: "Nightly", ...graph() }

const clientId = "00000000-0000-4000-8000-00000000c11e"

interface Row {
  readonly ability: Ability
  /** What is sent when everything is in order, and the status it gets. */
  readonly json?: unknown
  readonly status: number
  /** The status for a key of another workspace, where that is not 404 for what it names. */
  readonly stranger?: number
}

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
  "GET /webhook-endpoints": { ability: "read", status: 200 },
  "POST /webhook-endpoints": { ability: "manage", json: { url: "https://example.com/new" }, status: 201 },
  "GET /webhook-endpoints/{webhook_id}": { ability: "read", status: 200 },
  "PATCH /webhook-endpoints/{webhook_id}": { ability: "manage", json: { active: false }, status: 200 },
  "DELETE /webhook-endpoints/{webhook_id}": { ability: "manage", status: 200 },
  "POST /webhook-endpoints/{webhook_id}/test": { ability: "manage", status: 200 },
  "GET /webhook-deliveries": { ability: "read", status: 200 },
  "POST /webhook-deliveries/{delivery_id}/retry": { ability: "edit", status: 200 },
  "GET /webhooks/{session_id}": { ability: "read", status: 200 },
  "POST /webhooks/{session_id}/replay": { ability: "edit", status: 200 },
  "GET /run/{session_id}/events": { ability: "read", status: 200 },
  // A client is known by the first thing that names it, so that any id is as good as another.
  "GET /run/clients/{client_id}/events": { ability: "read", status: 200, stranger: 200 }
}

it("the table of authorisation names every endpoint of the interface", () => {
  const described = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
  )
  assert.deepStrictEqual(described.sort(), Object.keys(table).sort())
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
      const webhookId = (yield* makeWebhook(owner.caller)).id
      const [method = "", template = ""] = endpoint.split(" ")
      const fill = (text: string, session: string, deliveryId = "none") =>
        text
          .replaceAll("{workflow_id}", workflowId)
          .replace("{session_id}", session)
          .replace("{version_number}", "1")
          .replace("{webhook_id}", webhookId)
          .replace("{delivery_id}", deliveryId)
          .replace("{client_id}", clientId)
      const ask = (key: string | null) =>
        Effect.gen(function* () {
          const session = yield* start
          const delivery = template.includes("{delivery_id}") ? yield* makeDead(owner.caller, session) : { id: "none" }
          return yield* send({
            method,
            path: fill(template, session, delivery.id),
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
        assert.notInclude(stranger.text, workflowId)
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
