/** The table of deliveries to webhooks. */
import { Schema } from "effect"
import * as Delivery from "../../../core/event/webhook/Delivery.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Events from "./Events.ts"
import * as Runs from "./Runs.ts"
import * as Table from "./Table.ts"

/** The columns that an attempt or a person changes. */
export interface Changed extends Delivery.State {
  readonly url: string
  readonly since: number
  readonly turn: number
}

/** A delivery as it is made. */
export interface CreatedDelivery extends Changed {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly runId: string
  /** The registered webhook, or the run itself. */
  readonly target: string
  readonly sequence: number
  readonly createdAt: number
}

const column = Table.of<Changed>()

const changing = {
  url: column(Table.text, ({ url }) => url),
  since: column(Table.instant, ({ since }) => since),
  status: column(Table.textOf(Delivery.Status), ({ status }) => status),
  attempts: column(Table.integer, ({ attempts }) => attempts),
  next_attempt_at: column(Table.nullable(Table.instant), ({ nextAttemptAt }) => nextAttemptAt),
  turn: column(Table.integer, ({ turn }) => turn),
  duration_ms: column(Table.nullable(Table.integer), ({ durationMillis }) => durationMillis),
  response_status: column(Table.nullable(Table.integer), ({ responseStatus }) => responseStatus),
  errors: column(Table.json(Schema.Array(Schema.String)), ({ errors }) => errors)
}

const made = Table.of<CreatedDelivery>()

export const changes = Table.make("webhook_deliveries", changing, [])

export const table = Table.make(
  "webhook_deliveries",
  {
    id: made(Table.uuid<string>(), ({ id }) => id),
    workspace_id: made(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    run_id: made(Table.uuid<string>(), ({ runId }) => runId),
    target: made(Table.uuid<string>(), ({ target }) => target),
    sequence: made(Table.bigint, ({ sequence }) => sequence),
    created_at: made(Table.instant, ({ createdAt }) => createdAt),
    ...changing
  },
  ["id"]
)

/** A delivery with its event and the webhook settings of the submission. */
export type Row = Table.Row<typeof table.columns> &
  Events.Row &
  Runs.OptionsRow & { readonly position: bigint; readonly workflow_id: string }

export const toDelivery = (row: Row): Delivery.Delivery => {
  const stored = table.decode(row)
  const options = Runs.optionsOf(row)
  return {
    id: stored.id,
    position: Number(row.position),
    workspaceId: stored.workspace_id,
    webhookId: stored.target === stored.run_id ? null : stored.target,
    workflowId: row.workflow_id,
    url: stored.url,
    logged: Events.toLogged(row),
    runWebhook: options.webhook ?? null,
    traceparent: options.traceparent ?? null,
    createdAt: stored.created_at,
    since: stored.since,
    status: stored.status,
    attempts: stored.attempts,
    nextAttemptAt: stored.next_attempt_at,
    durationMillis: stored.duration_ms,
    responseStatus: stored.response_status,
    errors: stored.errors
  }
}
