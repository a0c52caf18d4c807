/**
 * What `sluice workspaces export` and `sluice workspaces import` do: everything a workspace is set up with goes into a
 * folder, and from a folder into a workspace.
 */
import { Clock, Effect, type Schema } from "effect"
import type { Client, WorkflowToSave } from "../../../../api/Client.ts"
import type { ComponentDataToSave } from "../../../../api/workflow/WorkflowBody.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { refused } from "../../../user/Ending.ts"
import * as FolderFiles from "../../../user/exchange/FolderFiles.ts"
import * as FolderReading from "../../../user/exchange/FolderReading.ts"
import * as ImportPlan from "../../../user/exchange/ImportPlan.ts"
import * as NodeReferences from "../../../user/exchange/NodeReferences.ts"
import * as WorkspaceFiles from "../../../user/exchange/WorkspaceFiles.ts"
import { answer, type OutputSettings, progress } from "../../../user/Output.ts"
import * as ImportView from "../../../user/view/ImportView.ts"
import { heldBy, patient } from "./HeldWorkspace.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly folder: string
}

export const exportFolder = (settings: Settings & { readonly force: boolean }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const held = yield* heldBy(client)
      const files = WorkspaceFiles.of(held, yield* Clock.currentTimeMillis)
      const { removed, written } = yield* FolderFiles.write(settings.folder, files, settings.force)
      yield* answer(settings, { folder: settings.folder, files: [...files.keys()], written, removed }, () =>
        ImportView.exported(settings.folder, held, { written: written.length, removed: removed.length })
      )
    })
  )

/** The ids that the wanted things have in the workspace, by their names in the folder. */
interface Ids {
  readonly codes: Map<string, string>
  readonly components: Map<string, string>
  readonly workflows: Map<string, string>
}

/** The service checked the type of these before, or checks it now, and says every problem at its path. */
const sent = <A>(value: unknown): A => value as A

const settleCodes = Effect.fnUntraced(function* (client: Client, plan: ImportPlan.Plan, { codes }: Ids) {
  for (const { action, held, wanted } of plan.codes) {
    const { id } =
      held === null
        ? yield* patient(client.errorCodes.findOrCreateErrorCode({ payload: wanted }))
        : action === "keep"
          ? held
          : yield* patient(client.errorCodes.changeErrorCode({ params: { error_code_id: held.id }, payload: wanted }))
    codes.set(NodeReferences.codeKey(wanted.error_code), id)
  }
})

const settleComponents = Effect.fnUntraced(function* (client: Client, plan: ImportPlan.Plan, ids: Ids) {
  const components = client["workflow components"]
  for (const { action, held, wanted } of plan.components) {
    const { resolved } = FolderReading.resolvedData(wanted.data, ids.components, ids.codes)
    const componentData = sent<typeof ComponentDataToSave.Encoded>(resolved)
    if (held === null) {
      const made = yield* patient(components.createComponent({ payload: { name: wanted.name, componentData } }))
      ids.components.set(wanted.reference, made.id)
      continue
    }
    if (action === "change") {
      // The folder has the workflows as they are with it. Others stay as they are.
      const payload = { componentData, propagate: false }
      yield* patient(components.saveComponent({ params: { component_id: held.id }, payload }))
    }
    ids.components.set(wanted.reference, held.id)
  }
})

const settleWorkflow = Effect.fnUntraced(function* (
  client: Client,
  { action, held, wanted }: ImportPlan.PlannedWorkflow,
  ids: Ids
) {
  if (held !== null && action === "keep") return held.view.id
  const { resolved } = FolderReading.resolvedFields(wanted.fields, ids.components, ids.codes)
  const fields = ImportPlan.withProxy(resolved, held)
  if (held !== null) {
    const { id, run_window_revision, version_id } = held.view
    const window: Schema.Json = fields.run_window ?? null
    const payload = { ...fields, run_window: window, base_version_id: version_id, run_window_revision }
    yield* patient(client.workflows.save({ params: { workflow_id: id }, payload: sent<WorkflowToSave>(payload) }))
    return id
  }
  const create = patient(client.workflows.create({ payload: sent<WorkflowToSave>(fields) }))
  if (wanted.id === null) return (yield* create).id
  // Another workspace of the installation may have the id, and that of a deleted workflow is not given again.
  const made = yield* patient(
    client.workflows.upsert({ payload: sent<WorkflowToSave & { readonly id: string }>({ ...fields, id: wanted.id }) })
  ).pipe(Effect.catchTags({ NotFound: () => create, Conflict: () => create }))
  return made.id
})

const settleSchedule = Effect.fnUntraced(function* (
  client: Client,
  { action, held, state, wanted }: ImportPlan.PlannedSchedule,
  workflow_id: string
) {
  const payload = sent<Parameters<typeof client.schedules.createSchedule>[0]["payload"]>({
    ...wanted.body,
    workflow_id
  })
  const schedule =
    held === null
      ? yield* patient(client.schedules.createSchedule({ payload }))
      : action === "keep"
        ? held
        : yield* patient(client.schedules.replaceSchedule({ params: { schedule_id: held.id }, payload }))
  const params = { schedule_id: schedule.id }
  if (state === "pause") yield* patient(client.schedules.pauseSchedule({ params, payload: {} }))
  if (state === "resume") yield* patient(client.schedules.resumeSchedule({ params }))
  // A schedule that is made is not left firing by an interruption.
}, Effect.uninterruptible)

const settleWebhooks = Effect.fnUntraced(function* (client: Client, plan: ImportPlan.Plan, { workflows }: Ids) {
  for (const { action, active, held, wanted } of plan.webhooks) {
    const { event_types_subscribed, url, validity } = wanted
    const settings = { event_types_subscribed, validity, active }
    if (held === null) {
      const of = wanted.workflow == null ? {} : { workflow_id: workflows.get(wanted.workflow) ?? null }
      yield* patient(client.webhooks.createEndpoint({ payload: { url, ...of, ...settings } }))
    } else if (action === "change") {
      yield* patient(client.webhooks.changeEndpoint({ params: { webhook_id: held.id }, payload: settings }))
    }
  }
})

const carriedOut = Effect.fnUntraced(function* (client: Client, plan: ImportPlan.Plan, settings: Settings) {
  const ids: Ids = { codes: new Map(), components: new Map(), workflows: new Map() }
  yield* settleCodes(client, plan, ids)
  yield* settleComponents(client, plan, ids)
  for (const [index, planned] of plan.workflows.entries()) {
    const { pace, schedules, wanted } = planned
    yield* progress(settings, `${index + 1} of ${plan.workflows.length}: ${wanted.reference}`)
    const id = yield* settleWorkflow(client, planned, ids)
    ids.workflows.set(wanted.reference, id)
    if (pace !== "keep") {
      yield* patient(client.runWindows.setPace({ params: { workflow_id: id }, payload: wanted.pace }))
    }
    for (const schedule of schedules) yield* settleSchedule(client, schedule, id)
  }
  yield* settleWebhooks(client, plan, ids)
})

interface ImportSettings extends Settings {
  readonly activate: boolean
  readonly dryRun: boolean
}

const refuse = (folder: string, problems: ReadonlyArray<{ readonly path: string; readonly message: string }>) =>
  refused(
    "wrong",
    [`Nothing was imported from ${folder}:`, ...problems.map(({ message, path }) => `  ${path}: ${message}`)].join("\n")
  )

export const importFolder = (settings: ImportSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { activate, dryRun, folder } = settings
      const now = yield* Clock.currentTimeMillis
      const files = yield* FolderFiles.read(folder)
      const { problems, wanted } = yield* FolderReading.read(files.texts, now)
      const found = [...files.problems, ...problems]
      if (found.length > 0) return yield* refuse(folder, found)
      const { role } = yield* client.workspaces.me()
      const plan = ImportPlan.of(wanted, yield* heldBy(client), { now, activate, manages: role === "Owner" })
      if (plan.problems.length > 0) return yield* refuse(folder, plan.problems)
      if (!dryRun) yield* carriedOut(client, plan, settings)
      yield* answer(settings, ImportView.json(plan, settings), () => ImportView.text(plan, settings))
    })
  )
