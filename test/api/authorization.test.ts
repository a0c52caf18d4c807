import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../apps/api/Api.ts"
import type { Ability } from "../../core/workspace/Workspace.ts"
import { allows } from "../../core/workspace/Workspace.ts"
import { componentData, daily, graph } from "../support/fixtures.ts"
import { layer, Service } from "../support/service.ts"

const workflow = { name: "Nightly", ...graph() }

const clientId = "00000000-0000-4000-8000-00000000c11e"

const component = { name: "Login", componentData: componentData() }

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
  "GET /workflows/folders": { ability: "read", status: 200 },
  "POST /workflows/upsert": { ability: "edit", json: { ...workflow, id: "{workflow_id}" }, status: 200 },
  "POST /workflows/import": {
    ability: "edit",
    json: { ...workflow, format: "sluice.workflow", format_version: 1 },
    status: 201
  },
  "DELETE /workflows/{workflow_id}": { ability: "edit", status: 200 },
  "GET /workflows/{workflow_id}/export": { ability: "read", status: 200 },
  "POST /workflows/{workflow_id}/fork": { ability: "edit", json: {}, status: 201 },
  "POST /workflows/{workflow_id}/validate-input": { ability: "read", json: {}, status: 200 },
  "POST /workflows/{workflow_id}/example-payloads": { ability: "read", json: {}, status: 200 },
  "GET /workflow-components": { ability: "read", status: 200 },
  "POST /workflow-components": { ability: "edit", json: component, status: 201 },
  "GET /workflow-components/{component_id}": { ability: "read", status: 200 },
  "PUT /workflow-components/{component_id}": { ability: "edit", json: component, status: 200 },
  "PATCH /workflow-components/{component_id}": { ability: "edit", json: { name: "Sign in" }, status: 200 },
  "DELETE /workflow-components/{component_id}": { ability: "edit", status: 204 },
  "GET /workflow-components/{component_id}/versions": { ability: "read", status: 200 },
  "GET /workflow-components/{component_id}/versions/{version_number}": { ability: "read", status: 200 },
  "GET /workflow-components/{component_id}/usage": { ability: "read", status: 200 },
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

it.layer(layer, { timeout: "30 seconds" })("an endpoint", (it) => {
  it.effect.each(Object.entries(table))("%s lets in whom it should, and nobody else", ([endpoint, row]) =>
    Effect.gen(function* () {
      const { dump, member, revoke, send } = yield* Service
      const owner = yield* member("Owner")
      const create = (path: string, json: unknown) => send({ method: "POST", path, key: owner.key, json })
      /** Things to ask about, new ones each time: some requests leave nothing to ask about again. */
      const prepare = Effect.gen(function* () {
        const workflowId = String((yield* create("/workflows", workflow)).body.id)
        const session = String((yield* create("/run", { workflow_id: workflowId })).body.session_id)
        const componentId = String((yield* create("/workflow-components", component)).body.id)
        const fill = (text: string) =>
          text
            .replaceAll("{workflow_id}", workflowId)
            .replace("{component_id}", componentId)
            .replace("{session_id}", session)
            .replace("{version_number}", "1")
            .replace("{node_id}", workflow.nodes[0]?.id ?? "")
            .replace("{client_id}", clientId)
        return { workflowId, fill }
      })
      const [method = "", described = ""] = endpoint.split(" ")
      const template = described + (row.query ?? "")
      const ask = (key: string | null, { fill }: { readonly fill: (text: string) => string }) =>
        send({
          method,
          path: fill(template),
          key,
          ...(row.json === undefined ? {} : { json: JSON.parse(fill(JSON.stringify(row.json))) })
        })

      const revoked = yield* member("Owner", owner)
      yield* revoke(revoked)
      for (const key of [null, "", "nonsense", "sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", revoked.key]) {
        const things = yield* prepare
        const before = yield* dump
        const { body, status } = yield* ask(key, things)
        assert.deepStrictEqual([status, body.statusCode, body.error], [401, 401, "Unauthorized"])
        assert.strictEqual(yield* dump, before)
      }

      const things = yield* prepare
      const { workflowId } = things
      const stranger = yield* ask((yield* member("Owner")).key, things)
      if (row.stranger !== undefined) {
        assert.strictEqual(stranger.status, row.stranger)
        assert.notInclude(stranger.text, workflowId)
      } else if (template.includes("{") || endpoint === "POST /run" || endpoint === "POST /workflows/upsert") {
        assert.deepStrictEqual([stranger.status, stranger.body.error], [404, "Not Found"])
      } else if (endpoint === "POST /runs/unpause") {
        assert.deepInclude(stranger.body, { success: false, resumedRuns: 0 })
      } else {
        assert.strictEqual(stranger.status, row.status)
        assert.notInclude(stranger.text, workflowId)
      }

      for (const role of ["Viewer", "Member", "Owner"] as const) {
        const { body, status } = yield* ask((yield* member(role, owner)).key, yield* prepare)
        if (allows(role, row.ability)) assert.strictEqual(status, row.status, `${role}: ${JSON.stringify(body)}`)
        else assert.deepStrictEqual([status, body.statusCode, body.error], [403, 403, "Forbidden"])
      }
    })
  )
})
