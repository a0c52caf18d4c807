/** The audit trail as Owners read it: what every kind of change leaves in it, and what never is in it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { componentData, daily, graph } from "../../support/fixtures.ts"
import { makePatch } from "../../support/patches.ts"
import { seal } from "../../support/sealed.ts"
import { type Answer, layerInMemory as layerService, Service } from "../../support/service.ts"

interface Entry {
  readonly id: string
  readonly action: string
  readonly resource_id: string
  readonly resource_name: string | null
  readonly user_id: string
  readonly key_id: string
  readonly reason: string | null
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

const entriesOf = ({ body }: Answer) => body.entries as ReadonlyArray<Entry>

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Owner")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
  return { ask, me }
})

const secrets = ["hunter2-password", "JBSWY3DPEHPK3PXP", "path-token", "whsec-very-secret-value", "store-token"]

layer(layerService)("the audit trail", (it) => {
  it.effect("has one entry of each change, by whom it was made, from what to what, and no secret", () =>
    Effect.gen(function* () {
      const { ask, me } = yield* setUp
      const made = (answer: Answer) => String(answer.body.id)
      const id = made(yield* ask("POST", "/workflows", { name: "Nightly", ...graph(), run_window: daily(9, 17) }))
      yield* ask("PUT", `/workflows/${id}`, { name: "Nightly", ...graph(), description: "Bills", version_note: "Why" })
      // Nothing changes, so nothing is recorded.
      yield* ask("PUT", `/workflows/${id}`, { name: "Nightly", ...graph(), description: "Bills" })
      yield* ask("PUT", `/workflows/${id}/run-window`, daily(10, 12))
      yield* ask("POST", "/runs/unpause", { pause_resource: "run_window", resource_ids: [id] })
      yield* ask("POST", "/runs/unpause", { pause_resource: "run_window", resource_ids: [id] })
      yield* ask("POST", `/workflows/${id}/pause`, { reason: "Portal is down" })
      yield* ask("POST", "/runs/unpause", { pause_resource: "workflow", resource_ids: [id] })
      yield* ask("POST", "/runs/unpause", { pause_resource: "workflow", resource_ids: [id] })
      yield* ask("DELETE", `/workflows/${id}/run-window`)
      yield* ask("DELETE", `/workflows/${id}`)
      const pair = { permissioned_user_id: "robot", domain: "https://app.example.com" }
      const sealed = (text: string) => seal(me.encryptionKey, text)
      yield* ask("POST", "/vault", {
        ...pair,
        tfa_secret: sealed("JBSWY3DPEHPK3PXP"),
        password: sealed("hunter2-password")
      })
      yield* ask("PUT", "/vault", { ...pair, password: sealed("hunter2-password-2"), user_alias: "Robot" })
      yield* ask("PATCH", "/vault/clear-browser-state", pair)
      yield* ask("DELETE", "/vault", pair)
      const key = made(yield* ask("POST", "/api-keys", { role: "Viewer", name: "Reader" }))
      yield* ask("DELETE", `/api-keys/${key}`)
      const settings = `/workspaces/${me.caller.workspaceId}/settings`
      yield* ask("PATCH", settings, { name: "Mine", phone_number: "+15551234567" })
      yield* ask("PATCH", settings, { name: "Mine" })
      const code = made(yield* ask("POST", "/error-codes", { error_code: "REFUSED" }))
      yield* ask("PATCH", `/error-codes/${code}`, { action: "pause" })
      yield* ask("DELETE", `/error-codes/${code}`)
      const webhook = made(
        yield* ask("POST", "/webhook-endpoints", {
          url: "https://example.com/path-token",
          secret: "whsec-very-secret-value"
        })
      )
      yield* ask("PATCH", `/webhook-endpoints/${webhook}`, { active: false })
      yield* ask("DELETE", `/webhook-endpoints/${webhook}`)
      const config = { url: "https://connect.example.com", token: sealed("store-token") }
      const provider = made(
        yield* ask("POST", "/secret-providers?test=false", { provider_type: "1password", name: "Store", config })
      )
      yield* ask("PATCH", `/secret-providers/${provider}`, { name: "Other store" })
      yield* ask("DELETE", `/secret-providers/${provider}`)
      yield* ask("POST", "/encryption-key/rotation", {})

      const answer = yield* ask("GET", "/audit?limit=1000")
      const entries = entriesOf(answer).toReversed()
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        [
          "workflow.create",
          "run_window.set",
          "workflow.save",
          "run_window.set",
          "lift.start",
          "pause.start",
          "pause.end",
          "run_window.remove",
          "workflow.delete",
          "credential.create",
          "credential.change",
          "credential.clear_session",
          "credential.delete",
          "key.create",
          "key.revoke",
          "settings.change",
          "settings.change",
          "error_code.create",
          "error_code.change",
          "error_code.delete",
          "webhook.create",
          "webhook.change",
          "webhook.delete",
          "secret_provider.create",
          "secret_provider.change",
          "secret_provider.delete",
          "encryption_key.rotate"
        ]
      )
      assert.deepStrictEqual(
        [...new Set(entries.map(({ key_id, user_id }) => `${user_id} ${key_id}`))],
        [`${me.caller.userId} ${me.keyId}`]
      )
      const [, first, save, second, lift, pause] = entries
      assert.deepStrictEqual(save?.reason, "Why")
      assert.deepInclude(save?.before, { version_number: 1, description: null })
      assert.deepInclude(save?.after, { version_number: 2, description: "Bills" })
      assert.deepStrictEqual(first?.before, null)
      assert.deepStrictEqual(second?.before, first?.after)
      assert.deepInclude(second?.after, { run_window_revision: 2, run_window: daily(10, 12) })
      const about = [...entries.values()].filter(({ action }) => /^(run_window|lift|pause|pace)\./.test(action))
      assert.deepStrictEqual([...new Set(about.map(({ resource_name }) => resource_name))], ["Nightly"])
      assert.deepInclude(lift?.after, { by: me.caller.userId, run_window_revision: 2 })
      assert.deepStrictEqual(pause?.reason, "Portal is down")
      const change = entries.find(({ action }) => action === "credential.change")
      assert.deepInclude(change?.before, { user_alias: null, secrets_set: ["password", "tfa_secret"] })
      assert.deepInclude(change?.after, { user_alias: "Robot", secrets_changed: ["password"] })
      for (const secret of secrets) {
        assert.notInclude(answer.text, secret)
        assert.notInclude(answer.text, sealed(secret).slice(-32))
      }
      assert.notMatch(answer.text, /[0-9a-f]{64}/, "a hash or a sealed value")
    })
  )

  it.effect("has entries of components, patches, subscriptions, runs by hand of schedules, and deleted runs", () =>
    Effect.gen(function* () {
      const { ask, me } = yield* setUp
      const made = (answer: Answer) => String(answer.body.id)
      const id = made(yield* ask("POST", "/workflows", { name: "Nightly", ...graph() }))
      const component = `/workflow-components/${made(
        yield* ask("POST", "/workflow-components", { name: "Press", componentData: componentData() })
      )}`
      yield* ask("PUT", component, { componentData: componentData("//a") })
      yield* ask("PATCH", component, { name: "Click" })
      yield* ask("DELETE", component)
      const patch = yield* makePatch(me.caller.workspaceId, id)
      yield* ask("POST", `/workflows/${id}/patches/${patch}/dismiss`)
      const about = { workflow_ids: [id], channel: { type: "slack_webhook", url: "https://example.com/path-token" } }
      const subscriptions = "/notifications/run-subscriptions"
      yield* ask("POST", subscriptions, { ...about, events: ["run.failed"] })
      yield* ask("POST", subscriptions, { ...about, events: ["run.started"] })
      yield* ask("DELETE", subscriptions, { workflow_ids: [id], events: ["run.failed"] })
      yield* ask("DELETE", subscriptions, { workflow_ids: [id] })
      const terms = { workflow_id: id, cron: "0 9 * * *", time_zone: "UTC" }
      const schedule = made(yield* ask("POST", "/schedules", terms))
      const { body } = yield* ask("POST", `/schedules/${schedule}/run-now`)
      yield* ask("POST", `/run/${body.session_id}/interrupt`)
      yield* ask("DELETE", `/run/${body.session_id}`)
      yield* ask("DELETE", `/run/${body.session_id}`)

      const answer = yield* ask("GET", "/audit?action=component,patch,subscription,schedule,run")
      const entries = entriesOf(answer).toReversed()
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        [
          "component.create",
          "component.save",
          "component.rename",
          "component.delete",
          "patch.dismiss",
          "subscription.create",
          "subscription.change",
          "subscription.change",
          "subscription.delete",
          "schedule.create",
          "schedule.run_now",
          "run.delete"
        ]
      )
      assert.deepInclude(entries[2], { resource_name: "Click" })
      assert.deepInclude(entries[10]?.after, { session_id: body.session_id })
      assert.deepInclude(entries[11], { resource_id: String(body.session_id), after: null })
      assert.notInclude(answer.text, "path-token")
    })
  )

  it.effect("is read page by page and by filter, and exported whole as JSON lines and as CSV", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      for (const name of ["=cmd()", 'with "quotes", and a comma', "plain"]) {
        yield* ask("POST", "/workflow-components", { name, componentData: componentData() })
        yield* ask("POST", "/api-keys", { role: "Viewer", name })
      }
      const all = entriesOf(yield* ask("GET", "/audit"))
      const keys = entriesOf(yield* ask("GET", "/audit?action=key"))
      assert.lengthOf(keys, 3)
      const pages: Array<Entry> = []
      let cursor = ""
      do {
        const page = yield* ask("GET", `/audit?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
        pages.push(...entriesOf(page))
        cursor = String(page.body.next_cursor ?? "")
      } while (cursor !== "")
      assert.deepStrictEqual(pages, all)
      const lines = yield* ask("GET", "/audit/export")
      assert.deepStrictEqual(
        lines.text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
        [...all]
      )
      const csv = yield* ask("GET", "/audit/export?format=csv&action=key.create")
      assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/)
      const [header, ...rows] = csv.text.trimEnd().split("\r\n")
      assert.strictEqual(header, "id,at,action,resource_id,resource_name,user_id,key_id,reason,before,after")
      assert.lengthOf(rows, 3)
      assert.include(rows[2], ",'=cmd(),")
      assert.include(rows[1], ',"with ""quotes"", and a comma",')
    })
  )

  it.effect("names each wrong parameter", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const wrong = yield* ask("GET", "/audit?action=no%20action&user_id=1&key_id=2&start_time=today&end_time=later")
      assert.strictEqual(wrong.status, 400)
      for (const name of ["action", "user_id", "key_id", "start_time", "end_time"])
        assert.include(wrong.body.message as string, `${name}: Expected`)
      const kinds =
        "a kind (run_window, lift, pause, pace, workflow, component, patch, canary, schedule, run, subscription, limit, file_destination, alert_receiver, webhook, error_code, credential, secret_provider, encryption_key, key, invitation, live_view, evidence, sign_in_link, console_session, sign_in, model_spending, settings, workspace, test_clock)"
      for (const path of ["/audit", "/audit/export"]) {
        const unknown = yield* ask("GET", `${path}?action=run_window,weather,run.eat,constructor`)
        assert.strictEqual(unknown.status, 400)
        assert.deepStrictEqual(unknown.body.errors, [
          { path: "action", message: `Expected ${kinds} or an action such as run_window.set, got "weather"` },
          {
            path: "action",
            message:
              'Expected one of run, run.release, run.interrupt, run.retry, run.tag, run.approve, run.refuse, run.delete, got "run.eat"'
          },
          { path: "action", message: `Expected ${kinds} or an action such as run_window.set, got "constructor"` }
        ])
      }
      assert.strictEqual((yield* ask("GET", "/audit?limit=0")).status, 400)
      assert.strictEqual((yield* ask("GET", "/audit/export?format=xml")).status, 400)
    })
  )
})
