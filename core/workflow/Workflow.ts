/**
 * Workflows: automations in numbered versions that never change.
 */
import { Schema } from "effect"
import { inOneSentence } from "../window/Problems.ts"
import { UserId, VersionId, WorkflowId, WorkspaceId } from "../workspace/Ids.ts"
import { Tags } from "../workspace/request/Tags.ts"

/** The identity of a workflow. Instants are epoch milliseconds. */
export const Workflow = Schema.Struct({
  id: WorkflowId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite,
  createdBy: UserId
})
export type Workflow = typeof Workflow.Type

export const flag = Schema.Boolean
export const texts = Schema.Array(Schema.String).check(Schema.isMaxLength(1_000))

const ProxySetting = Schema.Literals(["random", "static", "country", "custom", "off"])

/** The longest time before an opening at which credentials are checked. */
export const longestCheckMinutes = 720

/** The values of each optional setting of a workflow, by its name in the interface. */
export const settings = {
  use_native_actions: flag,
  video_record_session: flag,
  enable_popup_handling: flag,
  enable_action_timing_recovery: flag,
  enable_xpath_recovery: flag,
  enable_error_code_generation: flag,
  enable_service_unavailable_recovery: flag,
  enable_incorrect_form_input_recovery: flag,
  enable_password_update_recovery: flag,
  enable_tfa_setup_recovery: flag,
  enable_node_description_enrichment: flag,
  enable_network_listener: flag,
  /** A run keeps what its pages received, so that it can be replayed. */
  record: flag,
  /** Steps of a model are done by the plain forms that earlier runs found. */
  enable_compile: flag,
  allow_requeue: flag,
  deny_requeue_past_dry_run_marker: flag,
  manual_captcha_solve: flag,
  skip_udp_proxying: flag,
  /** A step fails by its first warning. */
  strict: flag,
  /** How many minutes before the run window opens the credentials of held runs are checked. */
  sign_in_check_minutes: Schema.Int.check(Schema.isBetween({ minimum: 15, maximum: longestCheckMinutes })),
  extract_network_urls: texts,
  encrypted_keys: texts,
  popup_xpaths: texts,
  allowed_sites: texts,
  proxy_setting: ProxySetting,
  proxy_value: Schema.String,
  folder_path: Schema.String,
  /** The name of the destination that the files of a run are sent to, and their path there. */
  file_destination: Schema.String,
  file_path: Schema.String,
  tags: Tags
} as const

/** The settings of a workflow, without those that were left out. */
export const Settings = Schema.Struct(
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, Schema.optionalKey(setting)])) as {
    readonly [N in keyof typeof settings]: Schema.optionalKey<(typeof settings)[N]>
  }
)
export type Settings = typeof Settings.Type

/**
 * The content that a run executes. The names are those of the interface.
 *
 * Only content that was checked is stored, and it never changes. `SavedGraph` reads its nodes and edges.
 */
export const Content = Schema.Struct({
  nodes: Schema.Json,
  edges: Schema.Json,
  input_schema: Schema.JsonObject,
  output_schema: Schema.JsonObject,
  vault_schema: Schema.JsonObject,
  /** How many times a run is retried after a failure that the workflow did not cause. */
  max_retries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  settings: Settings
})
export type Content = typeof Content.Type

/** One version of a workflow. `versionNumber` counts from 1. */
export const WorkflowVersion = Schema.Struct({
  versionId: VersionId,
  workflowId: WorkflowId,
  versionNumber: Schema.Int,
  createdAt: Schema.Finite,
  createdBy: UserId,
  versionNote: Schema.NullOr(Schema.String),
  /** The name and the description that the workflow had in this version. */
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  content: Content
})
export type WorkflowVersion = typeof WorkflowVersion.Type

/** Raised by creating a workflow whose id, or whose name and folder, another one has. */
export class WorkflowExists extends Schema.TaggedError<WorkflowExists>()("WorkflowExists", {
  workflowId: WorkflowId
}) {
  override get message() {
    return `Cannot create workflow "${this.workflowId}": it exists already`
  }
}

/** Raised by an upsert by name when several workflows of the folder have that name. */
export class NameShared extends Schema.TaggedError<NameShared>()("NameShared", {
  name: Schema.String,
  workflowIds: Schema.Array(WorkflowId)
}) {
  override get message() {
    const first = this.workflowIds.slice(0, 10).join(", ")
    const more = this.workflowIds.length - 10
    return `Cannot upsert by the name "${this.name}": ${this.workflowIds.length} workflows of this folder have it (${first}${
      more > 0 ? `, and ${more} more` : ""
    }). Name the one that is meant by its id`
  }
}

/** A problem of a request body, at a path such as `nodes[3].parameters.selector`. */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type

/** Raised for a workflow that cannot be saved. */
export class InvalidWorkflow extends Schema.TaggedError<InvalidWorkflow>()("InvalidWorkflow", {
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}
