/**
 * An example of the body of every operation that takes one. The ids are those of things that a reader has made before; a
 * test sends each example with ids that exist in the test.
 */
import type { Schema } from "effect"

const id = "01890a5d-ac96-774b-bcce-b302099a8057"
const [start, end] = ["6f1c1d8e-52a0-4a51-9a0f-1d4c7f6f2b01", "6f1c1d8e-52a0-4a51-9a0f-1d4c7f6f2b02"]

const workflow = {
  name: "Download invoices",
  description: "Signs in to the shop and downloads the invoices of a month",
  nodes: [
    { id: start, name: "Open", action: "START", parameters: { url: "https://shop.example/" } },
    { id: end, name: "Done", action: "END", parameters: {} }
  ],
  edges: { [start]: { to: end } },
  input_schema: { type: "object", properties: { month: { type: "string" } } }
}

const weekday = (day: string) => ({
  active_start_day: day,
  active_start_time: { hours: 9, minutes: 0 },
  active_end_day: day,
  active_end_time: { hours: 17, minutes: 30 }
})

const runWindow = {
  time_zone: "Europe/Berlin",
  regular_hours: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"].map(weekday),
  special_hours: [
    {
      active: false,
      label: "Christmas",
      recurrence: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25",
      recurrence_start: { year: 2026, month: 12, day: 25 }
    }
  ]
}

const run = { workflow_id: id, run_input_variables: { month: "2026-10" } }
const schedule = { workflow_id: id, name: "Every morning", cron: "0 7 * * *", time_zone: "Europe/Berlin" }
const component = {
  nodes: [
    {
      workflowNode: {
        id: start,
        name: "Sign in",
        action: "CLICK",
        parameters: { execution: "STATIC", selector: "//button" }
      },
      position: { x: 0, y: 0 }
    }
  ],
  workflowEdges: {},
  reactFlowEdges: [],
  vault_schema: {}
}
const pair = { permissioned_user_id: "invoice-robot", domain: "https://shop.example" }
const entry = { ...pair, user_alias: "Invoice robot", tfa_method: "EMAIL" }

/** By the ids of the operations. */
export const examples: Readonly<Record<string, Schema.Json>> = {
  "workflows.create": { ...workflow, run_window: runWindow },
  "workflows.upsert": { ...workflow, version_note: "Waits for the list of invoices" },
  "workflows.import": { ...workflow, format: "sluice.workflow", format_version: 1 },
  "workflows.convert": {
    file_name: "invoices.json",
    content:
      '{"title": "Invoices", "steps": [{"type": "navigate", "url": "https://shop.example/"}, {"type": "click", "selectors": [["aria/Invoices"], ["#invoices"]]}]}'
  },
  "workflows.save": { ...workflow, version_note: "Waits for the list of invoices" },
  "workflows.fork": { name: "Download invoices, copy" },
  "workflows.validateInput": { run_input_variables: { month: "2026-10" } },
  setRunWindow: runWindow,
  "runWindows.previewRunWindow": runWindow,
  "runWindows.setPace": { max_starts_per_minute: 30, max_running: 10 },
  "runWindows.pause": { reason: "The shop is being rebuilt", until: "2126-11-01T06:00:00Z" },
  "runWindows.unpause": { pause_resource: "run_window", resource_ids: [id] },
  "runs.start": { ...run, priority: 5, start_by: "2126-11-01T06:00:00Z" },
  "runs.failedItem": { reasoning: "The invoice has no number", full_url: "https://shop.example/invoices/7" },
  "canaries.promoteCanary": { reason: "Seen enough" },
  "canaries.stopCanary": { reason: "It reads another total" },
  "modelSpending.setModelSpending": {
    workspace: { calls: 5_000, tokens: null, money: 20 },
    workflows: [{ workflow_id: id, calls: 200, tokens: null, money: null }],
    prices: [{ model: "small-model", input: 0.15, output: 0.6 }]
  },
  "runVerbs.release": { session_ids: [id] },
  "runVerbs.interruptAll": { session_ids: [id], reason: "The input was wrong" },
  "runVerbs.retry": { session_ids: [id] },
  "runVerbs.tag": { session_ids: [id], add: ["october"] },
  "runVerbs.batch": { runs: [run, { ...run, run_input_variables: { month: "2026-11" } }] },
  "schedules.createSchedule": schedule,
  "schedules.previewSchedule": schedule,
  "schedules.replaceSchedule": schedule,
  "schedules.pauseSchedule": { reason: "Holidays" },
  "workflowComponents.createComponent": { name: "Sign in", componentData: component },
  "workflowComponents.saveComponent": { componentData: component, versionNote: "Takes the new button" },
  "workflowComponents.renameComponent": { name: "Sign in to the shop" },
  "errorCodes.findOrCreateErrorCode": { error_code: "INVOICE_MISSING", description: "The month has no invoice" },
  "errorCodes.changeErrorCode": { error_action: "alert" },
  "workspaces.createWorkspace": { name: "Accounting" },
  "workspaces.changeSettings": { waiting_ttl_seconds: 86_400 },
  "workspaces.makeApiKey": { role: "Member", name: "Nightly jobs" },
  "invitations.createInvitation": { role: "Member", name: "Ada" },
  "invitations.acceptInvitation": {
    token: `inv_${"0".repeat(32)}_${"0".repeat(32)}_${"A".repeat(43)}`
  },
  "workspaces.rotateApiKey": { grace_seconds: 3_600 },
  "notifications.subscribeToRuns": { workflow_ids: [id], events: ["run.failed"], channel: { type: "log" } },
  "notifications.unsubscribeFromRuns": { workflow_ids: [id], events: ["run.failed"] },
  "webhooks.createEndpoint": {
    url: "https://example.com/hooks/sluice",
    event_types_subscribed: ["execution.success", "execution.failed"]
  },
  "webhooks.changeEndpoint": { active: false },
  "fileDestinations.createDestination": {
    name: "Accounting",
    type: "http",
    url: "https://files.example.com/invoices/",
    access: { token: "token-of-the-file-server" }
  },
  "fileDestinations.changeDestination": { on_conflict: "fail" },
  "alerts.createAlertReceiver": {
    name: "Operations",
    type: "slack",
    url: "https://hooks.slack.com/services/T00000000/B00000000/token",
    urgent: ["person_needed"],
    quiet_hours: { time_zone: "Europe/Berlin", from: "22:00", to: "07:00" }
  },
  "alerts.changeAlertReceiver": { events: ["failed"], quiet_hours: null },
  "limits.createLimit": { name: "portal.example", max_running: 3, max_starts_per_minute: 20, tags: ["portal"] },
  "limits.changeLimit": { max_running: 2 },
  "limits.pauseLimit": { reason: "The portal is being maintained" },
  "limits.overrideLimit": { max_running: 1, max_starts_per_minute: null, until: "2126-11-01T06:00:00Z" },
  "interactions.answer": { code: "123456" },
  "interactions.correct": { input_variables: { month: "2026-11" } },
  "interactions.decide": { digest: "0".repeat(64), decision: "refuse", reason: "The amount is wrong" },
  "vault.createEntry": entry,
  "vault.updateEntry": entry,
  "vault.removeEntry": pair,
  "vault.clearBrowserState": pair,
  "vault.checkEntry": pair,
  "authentication.createAuthentication": entry,
  "authentication.updateAuthentication": entry,
  "secretProviders.createSecretProvider": { provider_type: "1password", name: "Company vault" },
  "secretProviders.changeSecretProvider": { name: "Company vault", cache_ttl_seconds: 300 },
  "encryptionKey.beginRotation": {},
  "installation.moveTestClock": { now: "2030-03-29T01:00:00Z" },
  "workflowBuilder.openSession": { name: "Download invoices", startUrl: "https://shop.example/" },
  "workflowBuilder.openSessionFromWorkflow": { workflowId: id },
  "workflowBuilder.openSessionFromFailedRun": { sessionId: id },
  "workflowBuilder.say": { text: "Open the list of invoices" },
  "workflowBuilder.respond": { messageId: id, value: "invoice-robot" },
  "workflowBuilder.save": { versionNote: "First version" }
}
