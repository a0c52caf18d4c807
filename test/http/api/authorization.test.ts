import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import { Ability, allows, Scope } from "../../../core/workspace/Workspace.ts"
import * as FileDeliveryContract from "../../kit/contracts/run/FileDeliveryContract.ts"
import { makeSecretProvider } from "../../support/credentials.ts"
import { componentData, daily, graph } from "../../support/fixtures.ts"
import { makePatch } from "../../support/patches.ts"
import { seal } from "../../support/sealed.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { makeDead, makeWebhook } from "../../support/webhooks.ts"

const workflow = { name: "Nightly", ...graph() }
const schedule = { workflow_id: "{workflow_id}", cron: "0 7 * * *", time_zone: "Europe/Berlin" }
const component = { name: "Login", componentData: componentData() }

const clientId = "00000000-0000-4000-8000-00000000c11e"
/** The names of a credential that each workspace but a stranger's has, and of one that none has yet. */
const pair = { permissioned_user_id: "robot", domain: "https://app.example.com" }
const fresh = { ...pair, permissioned_user_id: "{unique}" }

interface Things {
  readonly component: string
  readonly workflow: string
  readonly asking: { readonly conversationId: string; readonly messageId: string }
  readonly delivery: string
  readonly destination: string
  readonly receiver: string
  readonly limit: string
  readonly fileDelivery: string
  readonly webhook: string
  readonly code: string
  readonly invitation: string
  readonly key: string
  readonly patch: string
  readonly provider: string
  readonly schedule: string
  readonly session: string
}

interface Row {
  readonly ability: Ability
  /** A valid request, and its status. */
  readonly json?: unknown
  readonly query?: string
  readonly headers?: Record<string, string>
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
  "POST /workflows/convert": {
    ability: "edit",
    json: { content: '{"title":"a","steps":[{"type":"navigate","url":"https://shop.example/"}]}' },
    status: 200
  },
  "DELETE /workflows/{workflow_id}": { ability: "edit", status: 200 },
  "GET /workflows/{workflow_id}/export": { ability: "read", status: 200 },
  "POST /workflows/{workflow_id}/fork": { ability: "edit", json: {}, status: 201 },
  "POST /workflows/{workflow_id}/validate-input": { ability: "read", json: {}, status: 200 },
  "POST /workflows/{workflow_id}/example-payloads": { ability: "read", json: {}, status: 200 },
  "GET /workflows/{workflow_id}/warnings": { ability: "read", status: 200 },
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
  "GET /model-spending": { ability: "read", status: 200 },
  "PUT /model-spending": {
    ability: "manage",
    json: { workspace: { calls: 100, tokens: null, money: null }, workflows: [], prices: [] },
    status: 200
  },
  "GET /model-calls": { ability: "read", status: 200 },
  "GET /workflows/{workflow_id}/canary": { ability: "read", status: 404 },
  "POST /workflows/{workflow_id}/canary/promote": { ability: "edit", json: {}, status: 404 },
  "POST /workflows/{workflow_id}/canary/stop": { ability: "edit", json: {}, status: 404 },
  "GET /workflows/{workflow_id}/patches": { ability: "read", status: 200 },
  "POST /workflows/{workflow_id}/patches/{patch_id}/apply": { ability: "edit", status: 200 },
  "POST /workflows/{workflow_id}/patches/{patch_id}/dismiss": { ability: "edit", status: 200 },
  "GET /workflows/{workflow_id}/run-window": { ability: "read", status: 200 },
  "GET /workflows/{workflow_id}/run-window/history": { ability: "read", status: 200 },
  "PUT /workflows/{workflow_id}/run-window": { ability: "edit", json: daily(9, 17), status: 200 },
  "DELETE /workflows/{workflow_id}/run-window": { ability: "edit", status: 200 },
  "POST /workflows/{workflow_id}/run-window/preview": { ability: "read", json: daily(9, 17), status: 200 },
  "GET /workflows/{workflow_id}/pace": { ability: "read", status: 200 },
  "PUT /workflows/{workflow_id}/pace": {
    ability: "edit",
    json: { max_starts_per_minute: 30, max_running: null },
    status: 200
  },
  "POST /workflows/{workflow_id}/pause": { ability: "edit", json: {}, status: 200 },
  "POST /runs/unpause": {
    ability: "edit",
    json: { pause_resource: "workflow", resource_ids: ["{workflow_id}"] },
    status: 200
  },
  "POST /schedules": { ability: "edit", json: schedule, status: 201, stranger: 404 },
  "GET /schedules": { ability: "read", status: 200 },
  "POST /schedules/preview": { ability: "read", json: schedule, status: 200, stranger: 404 },
  "GET /schedules/{schedule_id}": { ability: "read", status: 200 },
  "PUT /schedules/{schedule_id}": { ability: "edit", json: schedule, status: 200 },
  "DELETE /schedules/{schedule_id}": { ability: "edit", status: 200 },
  "GET /schedules/{schedule_id}/preview": { ability: "read", status: 200 },
  "POST /schedules/{schedule_id}/pause": { ability: "edit", json: {}, status: 200 },
  "POST /schedules/{schedule_id}/resume": { ability: "edit", status: 200 },
  "POST /schedules/{schedule_id}/run-now": { ability: "edit", status: 201 },
  "POST /run": { ability: "run", json: { workflow_id: "{workflow_id}" }, status: 201 },
  "GET /run/{session_id}": { ability: "read", status: 200 },
  "POST /run/{session_id}/interrupt": { ability: "run", status: 200 },
  // For a key of another workspace, each run that it names has the outcome `not_found`.
  "POST /runs/release": { ability: "run", json: { session_ids: ["{session_id}"] }, status: 200 },
  "POST /runs/interrupt": { ability: "run", json: { session_ids: ["{session_id}"] }, status: 200 },
  "POST /runs/tags": { ability: "run", json: { session_ids: ["{session_id}"], add: ["a"] }, status: 200 },
  "POST /runs/retry": { ability: "run", json: { session_ids: ["{session_id}"] }, status: 200 },
  "POST /runs/batch": {
    ability: "run",
    json: { runs: [{ workflow_id: "{workflow_id}" }] },
    status: 200
  },
  "DELETE /run/{session_id}": { ability: "manage", status: 409 },
  "GET /runs/summary": { ability: "read", status: 200 },
  "GET /runs": { ability: "read", status: 200 },
  "GET /run/{session_id}/debug-snapshots/{node_id}": { ability: "read", status: 200 },
  "GET /run/{session_id}/bundle": { ability: "read", status: 200 },
  "GET /starts": { ability: "read", status: 200 },
  "GET /bundle-key": { ability: "read", status: 200 },
  "GET /installation": { ability: "read", status: 200 },
  // The clock of this installation cannot be moved: test/http/conformance/conformance.test.ts.
  "GET /test-clock": { ability: "read", status: 404 },
  "PUT /test-clock": { ability: "manage", json: { now: "2100-01-01T00:00:00Z" }, status: 404 },
  "POST /sign-in-links": { ability: "read", status: 201 },
  "GET /console-sessions": { ability: "read", status: 200 },
  // Each role ends a session in test/http/api/consoleSession.test.ts.
  "DELETE /console-sessions/{api_key_id}/{opened_at}": { ability: "read", status: 404 },
  "GET /run/{session_id}/network": { ability: "read", status: 200 },
  "GET /run/{session_id}/replay": { ability: "read", status: 200 },
  "GET /run/{session_id}/decisions": { ability: "read", status: 200 },
  "GET /runs/workflow/{workflow_id}/errors": { ability: "read", query: `?${frame}`, status: 200 },
  "GET /reporting/errors": { ability: "read", query: `?workflow_id={workflow_id}&${frame}`, status: 200 },
  // The run of this test waits, and only a running one can be watched.
  "GET /live/sessions/{session_id}/connection": { ability: "read", status: 409 },
  "GET /webhook-endpoints": { ability: "read", status: 200 },
  "POST /webhook-endpoints": { ability: "manage", json: { url: "https://example.com/new" }, status: 201 },
  "GET /webhook-endpoints/{webhook_id}": { ability: "read", status: 200 },
  "PATCH /webhook-endpoints/{webhook_id}": { ability: "manage", json: { active: false }, status: 200 },
  "DELETE /webhook-endpoints/{webhook_id}": { ability: "manage", status: 200 },
  "POST /webhook-endpoints/{webhook_id}/test": { ability: "manage", status: 200 },
  "GET /file-destinations": { ability: "read", status: 200 },
  "POST /file-destinations": {
    ability: "manage",
    json: { name: "{unique}", type: "http", url: "https://files.example.com/in/" },
    status: 201
  },
  "GET /file-destinations/{destination_id}": { ability: "read", status: 200 },
  "PATCH /file-destinations/{destination_id}": { ability: "manage", json: { on_conflict: "fail" }, status: 200 },
  "DELETE /file-destinations/{destination_id}": { ability: "manage", status: 200 },
  "GET /limits": { ability: "read", status: 200 },
  "POST /limits": { ability: "edit", json: { name: "{unique}", max_running: 3 }, status: 201 },
  "GET /limits/{limit_id}": { ability: "read", status: 200 },
  "PATCH /limits/{limit_id}": { ability: "edit", json: { max_running: 2 }, status: 200 },
  "DELETE /limits/{limit_id}": { ability: "edit", status: 200 },
  "POST /limits/{limit_id}/pause": { ability: "edit", json: { reason: "Maintenance" }, status: 200 },
  "POST /limits/{limit_id}/resume": { ability: "edit", status: 200 },
  "PUT /limits/{limit_id}/override": {
    ability: "edit",
    json: { max_running: 1, max_starts_per_minute: null, until: "2100-01-01T00:00:00Z" },
    status: 200
  },
  "DELETE /limits/{limit_id}/override": { ability: "edit", status: 200 },
  "GET /file-deliveries": { ability: "read", status: 200 },
  "POST /file-deliveries/{file_delivery_id}/retry": { ability: "edit", status: 200 },
  "GET /alert-receivers": { ability: "manage", status: 200 },
  "POST /alert-receivers": {
    ability: "manage",
    json: { name: "{unique}", type: "slack", url: "https://hooks.example.com/services/one" },
    status: 201
  },
  "GET /alert-receivers/{receiver_id}": { ability: "manage", status: 200 },
  "PATCH /alert-receivers/{receiver_id}": { ability: "manage", json: { urgent: ["failed"] }, status: 200 },
  "DELETE /alert-receivers/{receiver_id}": { ability: "manage", status: 200 },
  "POST /alert-receivers/{receiver_id}/test": { ability: "manage", status: 200 },
  "GET /alerts": { ability: "manage", status: 200 },
  "GET /webhook-deliveries": { ability: "read", status: 200 },
  "POST /webhook-deliveries/{delivery_id}/retry": { ability: "edit", status: 200 },
  "GET /webhooks/{session_id}": { ability: "read", status: 200 },
  "POST /webhooks/{session_id}/replay": { ability: "edit", status: 200 },
  "GET /events": { ability: "read", status: 200 },
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
  // The run has not failed, which only its own workspace may learn.
  "POST /workflow-builder/agent/session/from-failed-run": {
    ability: "edit",
    json: { sessionId: "{session_id}" },
    status: 409,
    stranger: 404
  },
  "GET /workflow-builder/agent/sessions": { ability: "read", status: 200 },
  "POST /workflow-builder/agent/{conversation_id}/message": { ability: "edit", json: { text: "help" }, status: 200 },
  "GET /workflow-builder/agent/{conversation_id}/status": { ability: "read", status: 200 },
  "GET /workflow-builder/agent/{conversation_id}/turn-state": { ability: "read", status: 200 },
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
  "GET /workflow-builder/agent/{conversation_id}/elements": { ability: "read", status: 409 },
  "POST /workflow-builder/agent/{conversation_id}/save": { ability: "edit", json: {}, status: 200 },
  "POST /workflow-builder/agent/{conversation_id}/interrupt": { ability: "edit", status: 200 },
  "DELETE /workflow-builder/agent/{conversation_id}": { ability: "edit", status: 200 },
  "GET /workflow-builder/agent/{conversation_id}/stream": { ability: "read", status: 200 },
  // The first request with a client id makes the client, so any id will do.
  "GET /run/clients/{client_id}/events": { ability: "read", status: 200, stranger: 200 },
  // The runs of this table wait to be started, and ask nothing.
  "GET /run/{session_id}/user_interaction": { ability: "read", status: 404 },
  "POST /run/{session_id}/user_interaction": { ability: "run", json: { code: "123456" }, status: 409 },
  "POST /run/{session_id}/new_input_variables": { ability: "run", json: { input_variables: { a: 1 } }, status: 400 },
  "POST /run/{session_id}/approval": {
    ability: "run",
    json: { digest: "0".repeat(64), decision: "approve" },
    status: 409
  },
  "POST /failed_item": {
    ability: "run",
    json: { reasoning: "The form was refused" },
    headers: { "x-session-id": "{session_id}" },
    status: 200,
    stranger: 404
  },
  "GET /error-codes": { ability: "read", status: 200 },
  "POST /error-codes": { ability: "edit", json: { error_code: "{unique}" }, status: 201 },
  "GET /error-codes/{error_code_id}": { ability: "read", status: 200 },
  "PATCH /error-codes/{error_code_id}": { ability: "edit", json: { description: "Refused" }, status: 200 },
  "DELETE /error-codes/{error_code_id}": { ability: "edit", status: 200 },
  "GET /me": { ability: "read", status: 200 },
  "GET /me/workspaces": { ability: "read", status: 200 },
  "GET /workspaces": { ability: "read", status: 200 },
  // Only Owners of the workspace that was made with the installation may, and these are not.
  "POST /workspaces": { ability: "manage", json: { name: "Second" }, status: 403, stranger: 403 },
  "GET /workspaces/{workspace_id}/settings": { ability: "read", status: 200 },
  "PATCH /workspaces/{workspace_id}/settings": { ability: "manage", json: { name: "Mine" }, status: 200 },
  "GET /encryption-key/rotation": { ability: "manage", status: 200 },
  // Both are asked for more than once.
  "POST /encryption-key/rotation": { ability: "manage", json: {}, status: 201 },
  "POST /encryption-key/rotation/finish": { ability: "manage", status: 409 },
  "GET /api-keys": { ability: "manage", status: 200 },
  "POST /api-keys": { ability: "manage", json: { role: "Viewer" }, status: 201 },
  "POST /api-keys/{api_key_id}/rotate": { ability: "manage", json: {}, status: 201 },
  "DELETE /api-keys/{api_key_id}": { ability: "manage", status: 200 },
  "GET /invitations": { ability: "manage", status: 200 },
  "POST /invitations": { ability: "manage", json: { role: "Viewer" }, status: 201 },
  "DELETE /invitations/{invitation_id}": { ability: "manage", status: 200 },
  "GET /audit": { ability: "manage", status: 200 },
  "GET /audit/export": { ability: "manage", status: 200 },
  "GET /notifications/run-subscriptions": { ability: "manage", status: 200 },
  "POST /notifications/run-subscriptions": {
    ability: "manage",
    json: { workflow_ids: ["{workflow_id}"], events: ["run.failed"] },
    status: 201,
    stranger: 404
  },
  "DELETE /notifications/run-subscriptions": {
    ability: "manage",
    json: { workspace_id: "{workspace_id}" },
    status: 200,
    stranger: 404
  },
  "GET /vault": { ability: "read", status: 200 },
  "POST /vault": { ability: "edit", json: fresh, status: 201 },
  "PUT /vault": { ability: "edit", json: pair, status: 200, stranger: 404 },
  "DELETE /vault": { ability: "edit", json: pair, status: 200, stranger: 404 },
  "POST /vault/check": { ability: "edit", json: pair, status: 400, stranger: 404 },
  "PATCH /vault/clear-browser-state": { ability: "edit", json: pair, status: 200, stranger: 404 },
  "GET /vault/tfa-code": { ability: "edit", query: `?${new URLSearchParams(pair)}`, status: 200, stranger: 404 },
  "GET /authentication": { ability: "read", query: `?${new URLSearchParams(pair)}`, status: 200, stranger: 404 },
  "GET /authentication/{permissioned_user_id}": { ability: "read", status: 200 },
  "POST /authentication": { ability: "edit", json: fresh, status: 201 },
  "PUT /authentication": { ability: "edit", json: pair, status: 200, stranger: 404 },
  "GET /secret-providers": { ability: "read", status: 200 },
  // Values that strangers sealed do not unseal here.
  "POST /secret-providers": {
    ability: "manage",
    query: "?test=false",
    json: {
      provider_type: "1password",
      name: "{unique}",
      config: { url: "https://connect.example.com", token: "{sealed}" }
    },
    status: 201,
    stranger: 400
  },
  "PATCH /secret-providers/{secret_provider_id}": { ability: "manage", json: { name: "{unique}" }, status: 200 },
  "DELETE /secret-providers/{secret_provider_id}": { ability: "manage", status: 200 },
  "POST /secret-providers/{secret_provider_id}/test": { ability: "manage", status: 200 },
  "GET /secret-providers/{secret_provider_id}/items": { ability: "read", status: 503 }
}

/** The endpoints that need no key. Each has a test of its own. */
const keyless = ["POST /invitations/accept"]

it("the table of authorisation names every endpoint of the interface that needs a key", () => {
  const described = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
  )
  assert.deepStrictEqual(described.sort(), [...Object.keys(table), ...keyless].sort())
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

/** The rows of all tables of a dump, each as text. */
const rowsOf = (dump: string): ReadonlyArray<string> => {
  const { collections, ...tables } = JSON.parse(dump) as Readonly<Record<string, unknown>>
  const named = [...Object.entries(tables), ...(collections as ReadonlyArray<readonly [string, unknown]>)]
  return named.flatMap(([table, rows]) =>
    Array.isArray(rows) ? rows.map((row) => `${table} ${JSON.stringify(row)}`) : []
  )
}

const withoutIds = (text: string) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")

it.layer(layerInMemory)("an endpoint", (it) => {
  it.effect.each(Object.entries(table))("%s lets in the roles that it is for, and no other key", ([endpoint, row]) =>
    Effect.gen(function* () {
      const { dump, empty, member, revoke, send } = yield* Service
      yield* empty
      const owner = yield* member("Owner")
      const [method = "", described = ""] = endpoint.split(" ")
      const template = described + (row.query ?? "")
      const asked = JSON.stringify([template, row.json ?? null, row.headers ?? null])
      const create = (path: string, json: unknown) =>
        Effect.map(send({ method: "POST", path, key: owner.key, json }), ({ body }) => String(body.id))
      // The resources that an endpoint may remove are made before each request.
      const keepCredential = send({
        method: "POST",
        path: "/vault",
        key: owner.key,
        json: { ...pair, tfa_secret: seal(owner.encryptionKey, "JBSWY3DPEHPK3PXP") }
      })
      const fill = (
        text: string,
        {
          asking,
          code,
          component,
          delivery,
          destination,
          receiver,
          fileDelivery,
          invitation,
          key,
          limit,
          patch,
          provider,
          schedule: scheduleId,
          session,
          webhook,
          workflow: workflowId
        }: Things
      ) =>
        text
          .replace("{conversation_id}", asking.conversationId)
          .replace("{question_id}", asking.messageId)
          .replaceAll("{workflow_id}", workflowId)
          .replace("{component_id}", component)
          .replace("{session_id}", session)
          .replace("{version_number}", "1")
          .replace("{node_id}", workflow.nodes[0]?.id ?? "")
          .replace("{client_id}", clientId)
          .replace("{workspace_id}", owner.caller.workspaceId)
          .replace("{error_code_id}", code)
          .replace("{api_key_id}", key)
          .replace("{invitation_id}", invitation)
          .replace("{webhook_id}", webhook)
          .replace("{delivery_id}", delivery)
          .replace("{destination_id}", destination)
          .replace("{receiver_id}", receiver)
          .replace("{limit_id}", limit)
          .replace("{file_delivery_id}", fileDelivery)
          .replace("{patch_id}", patch)
          .replace("{schedule_id}", scheduleId)
          .replace("{unique}", randomUUID())
          .replace("{permissioned_user_id}", pair.permissioned_user_id)
          .replace("{secret_provider_id}", provider)
          .replace("{sealed}", seal(owner.encryptionKey, "token"))
      const filled = <A>(value: A, things: Things): A => JSON.parse(fill(JSON.stringify(value), things))
      /** The resources that each request names. With `all`, also those that it does not name and must not reveal. */
      const things = Effect.fnUntraced(function* (all: boolean) {
        const isNamed = (name: string) => all || asked.includes(name)
        yield* keepCredential
        const code = endpoint.includes("{error_code_id}")
          ? yield* create("/error-codes", { error_code: randomUUID() })
          : ""
        const key = endpoint.includes("{api_key_id}") ? yield* create("/api-keys", { role: "Viewer" }) : ""
        const invitation = endpoint.includes("{invitation_id}") ? yield* create("/invitations", { role: "Viewer" }) : ""
        const needsRun = isNamed("{session_id}") || isNamed("{delivery_id}")
        const workflowId =
          needsRun || isNamed("{workflow_id}") || isNamed("{patch_id}") || isNamed("{schedule_id}")
            ? yield* create("/workflows", workflow)
            : ""
        const started = needsRun
          ? yield* send({ method: "POST", path: "/run", key: owner.key, json: { workflow_id: workflowId } })
          : null
        const asking = endpoint.includes("{conversation_id}")
          ? yield* askingConversation(owner)
          : { conversationId: "", messageId: "" }
        const session = started === null ? "" : String(started.body.session_id)
        const webhook = endpoint.includes("{webhook_id}") ? (yield* makeWebhook(owner.caller)).id : ""
        const delivery = endpoint.includes("{delivery_id}") ? (yield* makeDead(owner.caller, session)).id : ""
        const destination = endpoint.includes("{destination_id}")
          ? yield* create("/file-destinations", {
              name: randomUUID(),
              type: "http",
              url: "https://files.example.com/in/"
            })
          : ""
        const receiver = endpoint.includes("{receiver_id}")
          ? yield* create("/alert-receivers", {
              name: randomUUID(),
              type: "slack",
              url: "https://hooks.example.com/services/one"
            })
          : ""
        const fileDelivery = endpoint.includes("{file_delivery_id}")
          ? (yield* FileDeliveryContract.makeFailed(owner.caller)).id
          : ""
        const limit = endpoint.includes("{limit_id}")
          ? yield* create("/limits", { name: randomUUID(), max_running: 3 })
          : ""
        return {
          asking,
          delivery,
          destination,
          receiver,
          limit,
          fileDelivery,
          webhook,
          code,
          invitation,
          key,
          patch: endpoint.includes("{patch_id}") ? yield* makePatch(owner.caller.workspaceId, workflowId) : "",
          provider: endpoint.includes("{secret_provider_id}")
            ? yield* makeSecretProvider(owner.caller.workspaceId)
            : "",
          workflow: workflowId,
          schedule: endpoint.includes("{schedule_id}")
            ? yield* create("/schedules", { ...schedule, workflow_id: workflowId })
            : "",
          session,
          component: isNamed("{component_id}") ? yield* create("/workflow-components", component) : ""
        }
      })
      const request = (named: Things) => ({
        method,
        path: fill(template, named),
        ...(row.json === undefined ? {} : { json: filled(row.json, named) }),
        ...(row.headers === undefined ? {} : { headers: filled(row.headers, named) })
      })
      const ask = (key: string | null) => Effect.flatMap(things(false), (named) => send({ ...request(named), key }))

      const revoked = yield* member("Owner", owner)
      yield* revoke(revoked)
      const untouched = yield* things(false)
      const before = yield* dump
      for (const key of [null, "", "nonsense", "sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", revoked.key]) {
        const { body, status } = yield* send({ ...request(untouched), key })
        assert.deepStrictEqual([status, body.statusCode, body.error], [401, 401, "Unauthorized"])
      }
      assert.strictEqual(yield* dump, before)

      const theirs = yield* things(true)
      const unknown: Things = {
        asking: { conversationId: randomUUID(), messageId: randomUUID() },
        component: randomUUID(),
        workflow: randomUUID(),
        delivery: randomUUID(),
        destination: randomUUID(),
        receiver: randomUUID(),
        limit: randomUUID(),
        fileDelivery: randomUUID(),
        webhook: randomUUID(),
        code: randomUUID(),
        invitation: randomUUID(),
        key: randomUUID(),
        patch: randomUUID(),
        provider: randomUUID(),
        schedule: randomUUID(),
        session: randomUUID()
      }
      for (const role of ["Viewer", "Member", "Owner"] as const) {
        const { caller, key } = yield* member(role)
        const before = yield* dump
        const stranger = yield* send({ ...request(theirs), key })
        // What it did, if anything, it did in its own workspace.
        const after = new Set(rowsOf(yield* dump))
        assert.deepStrictEqual(
          rowsOf(before).filter((one) => !after.has(one) && !one.includes(caller.workspaceId)),
          []
        )
        if (!allows(role, row.ability)) {
          assert.deepStrictEqual([stranger.status, stranger.body.error], [403, "Forbidden"])
        } else if (row.stranger !== undefined) {
          assert.strictEqual(stranger.status, row.stranger)
          if (row.stranger < 400) assert.notInclude(stranger.text, theirs.workflow)
        } else if (template.includes("{") || endpoint === "POST /run" || endpoint === "POST /workflows/upsert") {
          assert.deepStrictEqual([stranger.status, stranger.body.error], [404, "Not Found"])
        } else if (endpoint === "POST /runs/unpause") {
          assert.deepInclude(stranger.body, { success: false, resumedRuns: 0 })
        } else if (endpoint === "POST /runs/batch") {
          // Each submission is refused with the id that it names, as one of an id that does not exist.
          assert.deepInclude(stranger.body, { submitted: 0 })
          const other = yield* send({ ...request(unknown), key })
          assert.strictEqual(withoutIds(stranger.text), withoutIds(other.text))
        } else {
          assert.strictEqual(stranger.status, row.status)
          assert.notInclude(stranger.text, theirs.workflow)
        }
        // Nothing in the answer tells an id of another workspace from one that does not exist, unless that is made now.
        if (stranger.status >= 400 && endpoint !== "POST /workflows/upsert") {
          const other = yield* send({ ...request(unknown), key })
          assert.deepStrictEqual([stranger.status, withoutIds(stranger.text)], [other.status, withoutIds(other.text)])
        }
      }

      for (const role of ["Viewer", "Member", "Owner"] as const) {
        const { body, status } = yield* ask((yield* member(role, owner)).key)
        if (allows(role, row.ability)) assert.strictEqual(status, row.status, `${role}: ${JSON.stringify(body)}`)
        else assert.deepStrictEqual([status, body.statusCode, body.error], [403, 403, "Forbidden"])
      }

      // A key with scopes does what the least sufficient scope includes, and nothing that needs more, in any role.
      const level = Ability.literals.indexOf(row.ability)
      const [enough, less] = [Scope.literals[level], Scope.literals[level - 1]]
      if (enough !== undefined) {
        const { body, status } = yield* ask((yield* member("Owner", owner, [enough])).key)
        assert.strictEqual(status, row.status, `${enough}: ${JSON.stringify(body)}`)
      }
      if (less !== undefined) {
        const { body, status } = yield* ask((yield* member("Owner", owner, [less])).key)
        assert.deepStrictEqual([status, body.error], [403, "Forbidden"], less)
      }
    })
  )
})
