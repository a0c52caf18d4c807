/**
 * The form of the folder that has everything a workspace is set up with: a file for each workflow and each component, and
 * one for each list. The folder has names in place of the ids of a workspace, so that it fits any workspace.
 */
import { Schema } from "effect"
import { EventTypes } from "../../../../core/event/webhook/Subscription.ts"
import { Url, Validity } from "../../../../core/event/webhook/Webhook.ts"
import { ScheduleBody } from "../../../../core/schedule/ScheduleBody.ts"
import * as TextLength from "../../../../core/window/TextLength.ts"
import { limits } from "../../../../core/workflow/component/ComponentBody.ts"
import * as ComponentCheck from "../../../../core/workflow/component/ComponentCheck.ts"
import * as SaveBody from "../../../../core/workflow/SaveBody.ts"
import { NamedCode } from "../../../../core/workflow/transfer/Bundle.ts"
import { WorkflowPace } from "../../../api/gate/GatesApi.ts"

export const format = "sluice.workspace"
export const formatVersion = 1

/** The files that every folder has. */
export const paths = {
  manifest: "sluice.json",
  readme: "README.md",
  codes: "error-codes.json",
  credentials: "credentials.json",
  webhooks: "webhooks.json"
} as const

/** The folders with a file for each workflow and each component. Git keeps no empty folder, so each may be missing. */
export const folders = ["components", "workflows"] as const

/** What such a file is called. Its name without the ending is the reference to it. */
export const fileName = /^[a-z0-9]+(-[a-z0-9]+)*\.json$/

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const { ref, ...code } = NamedCode.fields

/** An error code. A field that is `null` is not set. */
export const ErrorCode = Schema.Struct({
  ...code,
  enriched_description: optional(code.enriched_description),
  retries: optional(code.retries),
  retry_after: optional(code.retry_after)
})

export const Webhook = Schema.Struct({
  url: Url,
  /** The reference of the workflow whose events it receives; of every workflow, where there is none. */
  workflow: optional(Schema.String),
  event_types_subscribed: EventTypes,
  validity: Validity,
  active: Schema.Boolean
})

/** The names of a credential. Its values never leave the service. */
export const Credential = Schema.Struct({ domain: Schema.String, permissioned_user_id: Schema.String })

export const Component = Schema.Struct({
  name: SaveBody.Text.check(Schema.isNonEmpty({ message: "Expected a name" }), TextLength.atMost(limits.name)),
  component_data: ComponentCheck.Sent
})

const { workflow_id, ...schedule } = ScheduleBody.fields

/** A schedule: what creates it, and whether it fires. */
export const Schedule = Schema.Struct({ ...schedule, active: Schema.Boolean })

const { base_version_id, run_window_revision, version_note, ...workflow } = SaveBody.SaveBody.fields

/** A workflow with what decides when its runs start. */
export const Workflow = Schema.Struct({
  id: optional(Schema.String.check(Schema.isUUID())),
  ...workflow,
  pace: optional(WorkflowPace),
  schedules: optional(Schema.Array(Schema.JsonObject))
})

/** Something in a folder that cannot be imported, at its path: the file, and the place in it. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** What a user reads who opens the folder. */
export const readme = `# A workspace of Sluice

\`sluice workspaces export\` wrote this folder, and \`sluice workspaces import\` brings it into a workspace. The same state
gives the same files, so that Git shows what changed.

| file | what it has |
|---|---|
| \`workflows/\` | each workflow in its latest version, with its run window, its pace and its schedules |
| \`components/\` | the components that workflows share |
| \`error-codes.json\` | the error codes that workflows name |
| \`webhooks.json\` | the addresses that receive events |
| \`credentials.json\` | which credentials there are: the names of their users and sites |

Not in this folder, because it never leaves the service:

- the values of credentials, the access to secret providers, and addresses of proxies with a password
- the secrets of webhooks: one that is imported gets a new secret
- API keys, users, and subscriptions to notices

Not in this folder either: runs and their artifacts, earlier versions, schedules that have ended, manual pauses and lifts of
workflows, drafts of the builder, the audit trail, and the settings of the workspace. \`sluice backup\` copies all of an
installation.
`
