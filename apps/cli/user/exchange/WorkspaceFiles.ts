/**
 * The files of a folder for what a workspace has. The same state gives the same bytes, and everything that workspaces
 * decide by themselves is left out: ids beside those of workflows, instants, users and numbers of versions.
 */
import type { Schema } from "effect"
import * as Json from "../../../../core/workspace/Json.ts"
import type { ComponentView } from "../../../api/component/ComponentsApi.ts"
import type { ErrorCodeRecord } from "../../../api/error-code/ErrorCodesApi.ts"
import type { WorkflowPace } from "../../../api/gate/GatesApi.ts"
import type { ScheduleRecord } from "../../../api/schedule/SchedulesApi.ts"
import type { WebhookEndpoint } from "../../../api/webhook/WebhooksApi.ts"
import type { WorkflowView } from "../../../api/workflow/WorkflowView.ts"
import * as WorkflowFile from "../WorkflowFile.ts"
import * as FolderForm from "./FolderForm.ts"
import * as NodeReferences from "./NodeReferences.ts"

/** A workflow of a workspace with what decides when its runs start. */
export interface HeldWorkflow {
  readonly view: typeof WorkflowView.Type
  readonly pace: typeof WorkflowPace.Type
  readonly schedules: ReadonlyArray<typeof ScheduleRecord.Type>
}

/** What a workspace has, as the interface answers it. */
export interface Held {
  readonly codes: ReadonlyArray<typeof ErrorCodeRecord.Type>
  readonly components: ReadonlyArray<typeof ComponentView.Type>
  readonly workflows: ReadonlyArray<HeldWorkflow>
  readonly webhooks: ReadonlyArray<typeof WebhookEndpoint.Type>
  readonly credentials: ReadonlyArray<typeof FolderForm.Credential.Type>
}

const text = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** By the code units of the texts, which no setting of a machine changes. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Members without a value are left out, so that a field that is not set is no line. */
const given = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** Windows has no files of these names. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/

/** A name as a part of a file name; that of its kind where it has no letter or digit of ASCII. */
export const slug = (name: string, kind: string): string => {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "")
  return plain === "" ? kind : reserved.test(plain) ? `${kind}-${plain}` : plain
}

interface Named {
  readonly id: string
  readonly name: string
  /** What decides between those of one file name: their content. */
  readonly content: string
}

/** A file name without its ending for each, by its id: that of its name, with a number from the second of them on. */
const references = (all: ReadonlyArray<Named>, kind: string): ReadonlyMap<string, string> => {
  const taken = new Set<string>()
  const found = new Map<string, string>()
  const inOrder = all.toSorted(
    (one, other) => compare(one.name, other.name) || compare(one.content, other.content) || compare(one.id, other.id)
  )
  for (const { id, name } of inOrder) {
    const first = slug(name, kind)
    let reference = first
    for (let number = 2; taken.has(reference); number++) reference = `${first}-${number}`
    taken.add(reference)
    found.set(id, reference)
  }
  return found
}

type Names = ReadonlyMap<string, string>

const nodesOf = (nodes: Schema.Json, components: Names, codes: Names): ReadonlyArray<Schema.Json> =>
  (Array.isArray(nodes) ? nodes : []).map((node: Schema.Json) =>
    Json.isObject(node) ? NodeReferences.named(node, components, codes) : node
  )

const none: Names = new Map()

const componentOf = ({ component_data, name }: typeof ComponentView.Type, codes: Names) => {
  // Only valid data is answered, and all of it is JSON.
  const data = component_data as unknown as { readonly nodes: ReadonlyArray<Schema.JsonObject> } & Schema.JsonObject
  const nodes = data.nodes.map((placed) => ({
    ...placed,
    workflowNode: NodeReferences.named(Json.objectOf(placed.workflowNode), none, codes)
  }))
  return { name, component_data: WorkflowFile.sorted({ ...data, nodes }) }
}

/** Whether a schedule may still fire, now or after its pause. */
export const isLasting = ({ ends_at, state }: typeof ScheduleRecord.Type, now: number): boolean =>
  state !== "ended" && (ends_at === null || Date.parse(ends_at) > now)

/** The fields of a schedule, without those that are the service's. */
export const scheduleOf = (record: typeof ScheduleRecord.Type): Readonly<Record<string, unknown>> => {
  const names = Object.keys(FolderForm.Schedule.fields).filter((name) => name !== "active")
  const all: Readonly<Record<string, unknown>> = { ...record }
  return given(Object.fromEntries(names.map((name) => [name, WorkflowFile.sorted(all[name])])))
}

const workflowOf = ({ pace, schedules, view }: HeldWorkflow, components: Names, codes: Names, now: number) => {
  const { proxy_setting, proxy_value } = view
  const listed = schedules
    .filter((one) => isLasting(one, now))
    .map((one) => ({ ...scheduleOf(one), active: one.paused === null }))
    .toSorted((one, other) => compare(text(one), text(other)))
  const isLimited = pace.max_running !== null || pace.max_starts_per_minute !== null
  return given({
    ...WorkflowFile.members({
      ...view,
      nodes: nodesOf(view.nodes as unknown as Schema.Json, components, codes),
      // It may have a password, sealed with a key of this workspace.
      proxy_value: proxy_setting === "custom" ? null : proxy_value
    }),
    run_window: WorkflowFile.sorted(view.run_window),
    pace: isLimited ? WorkflowFile.sorted(pace) : null,
    schedules: listed.length === 0 ? null : listed
  })
}

const withoutId = ({ id: _, ...fields }: Readonly<Record<string, unknown>>): string => text(fields)

/** The text of each file by its path, at the instant `now`: a schedule that has ended then is left out. */
export const of = (held: Held, now: number): ReadonlyMap<string, string> => {
  const codes = new Map(held.codes.map(({ error_code, id }) => [id.toLowerCase(), error_code]))
  const components = held.components.map((view) => ({ id: view.id.toLowerCase(), content: componentOf(view, codes) }))
  const componentNames = references(
    components.map(({ content, id }) => ({ id, name: content.name, content: text(content) })),
    "component"
  )
  const workflows = held.workflows.map((one) => ({
    id: one.view.id,
    name: one.view.name,
    content: workflowOf(one, componentNames, codes, now)
  }))
  const workflowNames = references(
    workflows.map(({ content, id, name }) => ({ id, name, content: `${content.folder_path}\n${withoutId(content)}` })),
    "workflow"
  )
  const webhooks = held.webhooks
    // One of a deleted workflow receives nothing any more; without its workflow, it would receive everything.
    .filter(({ workflow_id }) => workflow_id === null || workflowNames.has(workflow_id))
    .map(({ active, event_types_subscribed, url, validity, workflow_id }) =>
      given({
        url,
        workflow: workflow_id === null ? null : workflowNames.get(workflow_id),
        event_types_subscribed,
        validity,
        active
      })
    )
    .toSorted((one, other) => compare(text(one), text(other)))
  const credentials = held.credentials
    .map(({ domain, permissioned_user_id }) => ({ domain, permissioned_user_id }))
    .toSorted((one, other) => compare(text(one), text(other)))
  const named = held.codes
    .map(({ created_at: _created, id: _id, updated_at: _updated, ...fields }) => given(fields))
    .toSorted((one, other) => compare(text(one), text(other)))
  return new Map([
    [FolderForm.paths.manifest, text({ format: FolderForm.format, format_version: FolderForm.formatVersion })],
    [FolderForm.paths.readme, FolderForm.readme],
    [FolderForm.paths.codes, text(named)],
    [FolderForm.paths.credentials, text(credentials)],
    [FolderForm.paths.webhooks, text(webhooks)],
    ...components.map(({ content, id }) => [`components/${componentNames.get(id)}.json`, text(content)] as const),
    ...workflows.map(({ content, id }) => [`workflows/${workflowNames.get(id)}.json`, text(content)] as const)
  ])
}
