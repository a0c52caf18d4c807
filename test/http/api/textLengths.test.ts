/**
 * Limits of texts: characters are Unicode code points, in answers and in the description.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { componentData, daily, graph } from "../../support/fixtures.ts"
import { layerInMemory as layerService, Service } from "../../support/service.ts"
import document from "./openapi.json" with { type: "json" }

const workflow = { name: "Nightly", ...graph() }

const label = (text: string) => ({
  ...daily(9, 17),
  special_hours: [{ active: false, label: text, start_date: { year: 2030, month: 1, day: 1 } }]
})

layer(layerService)("a text of characters outside of the basic plane", (it) => {
  it.effect.each([
    ["POST", "/workflows", 256, (name: string) => ({ ...workflow, name })],
    ["POST", "/workflows", 4_096, (description: string) => ({ ...workflow, description })],
    ["POST", "/workflows", 2_048, (version_note: string) => ({ ...workflow, version_note })],
    ["POST", "/workflows", 256, (folder_path: string) => ({ ...workflow, folder_path })],
    ["POST", "/workflows", 256, (text: string) => ({ ...workflow, run_window: label(text) })],
    ["POST", "/workflows/ID/fork", 256, (name: string) => ({ name })],
    ["PUT", "/workflows/ID/run-window", 256, label],
    ["POST", "/workflows/ID/pause", 1_024, (reason: string) => ({ reason })],
    ["POST", "/workflow-components", 100, (name: string) => ({ name, componentData: componentData() })],
    [
      "POST",
      "/workflow-components",
      500,
      (versionNote: string) => ({ name: "A", versionNote, componentData: componentData() })
    ],
    ["POST", "/error-codes", 256, (error_code: string) => ({ error_code })],
    ["POST", "/error-codes", 4_096, (description: string) => ({ error_code: "A", description })],
    ["POST", "/schedules", 256, (name: string) => ({ workflow_id: "ID", cron: "@daily", time_zone: "UTC", name })],
    ["POST", "/runs/interrupt", 1_024, (reason: string) => ({ session_ids: [crypto.randomUUID()], reason })],
    [
      "POST",
      "/vault",
      256,
      (user_alias: string) => ({ permissioned_user_id: user_alias.slice(0, 8), domain: "a.example", user_alias })
    ],
    ["POST", "/api-keys", 256, (name: string) => ({ role: "Viewer", name })]
  ] as const)("is measured in code points: %s %s takes %i", ([method, path, most, bodyOf]) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key, json: workflow })
      const ask = (length: number) =>
        send({
          method,
          path: path.replace("ID", String(made.body.id)),
          key,
          json: JSON.parse(JSON.stringify(bodyOf("😀".repeat(length))).replace('"ID"', `"${made.body.id}"`))
        })
      const refused = yield* ask(most + 1)
      assert.strictEqual(refused.status, 400)
      assert.include(JSON.stringify(refused.body), String(most))
      const taken = yield* ask(most)
      assert.isBelow(taken.status, 300, taken.text)
    })
  )

  it.effect("says in a refusal by code how many code points were sent", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const json = { ...workflow, name: "😀".repeat(257) }
      const { body } = yield* send({ method: "POST", path: "/workflows", key, json })
      assert.deepInclude(body, { code: "WORKFLOW_NAME_TOO_LONG", limit_chars: 256, actual_chars: 257 })
    })
  )

  it.effect("gets a copy whose name ends between code points", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const made = yield* send({
        method: "POST",
        path: "/workflows",
        key,
        json: { ...workflow, name: "😀".repeat(256) }
      })
      const copy = yield* send({ method: "POST", path: `/workflows/${made.body.id}/fork`, key, json: {} })
      assert.deepInclude(copy.body, { name: `${"😀".repeat(249)} (copy)` })
    })
  )

  it.effect("has its limit in the description", () =>
    Effect.sync(() => {
      const { ComponentToCreate, WorkflowToSave } = document.components.schemas as unknown as Record<
        string,
        { readonly properties: Record<string, object> }
      >
      assert.include(JSON.stringify(WorkflowToSave?.properties.name), '"maxLength":256')
      assert.include(JSON.stringify(WorkflowToSave?.properties.description), '"maxLength":4096')
      assert.include(JSON.stringify(WorkflowToSave?.properties.version_note), '"maxLength":2048')
      assert.include(JSON.stringify(ComponentToCreate?.properties.name), '"maxLength":100')
    })
  )
})
