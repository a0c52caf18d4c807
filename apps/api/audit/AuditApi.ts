/** The endpoints of the audit trail. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { kinds } from "../../../core/workspace/audit/AuditAction.ts"
import { Needs } from "../Annotations.ts"
import { described, pageOf } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

/** Filters that the handler reads, which names the parameter that is wrong. */
const filter = {
  action: described(
    "Actions such as run_window.set, or kinds such as run_window for all actions on them; several are separated by commas"
  ),
  resource_id: described("The id of what was changed, such as that of a workflow, a credential or a key"),
  user_id: described("The user who made the change"),
  key_id: described("The API key that the change was made with"),
  start_time: described("An instant in ISO 8601: the first that is listed"),
  end_time: described("An instant in ISO 8601: the end of the time range, exclusive")
}

export const AuditEntry = Schema.Struct({
  id: Schema.String,
  at: Schema.String.annotate({ description: "When the change was made, by the clock of the database" }),
  action: Schema.String.annotate({
    description: `The kind of the resource (${kinds.join(", ")}), and after a dot the verb, such as run_window.set`
  }),
  resource_id: Schema.NullOr(Schema.String),
  resource_name: Schema.NullOr(Schema.String).annotate({
    description:
      "The name that it had then; that of the workflow for its window, lift, pause and pace. null for what has no name"
  }),
  user_id: Schema.NullOr(Schema.String).annotate({
    description: "null for a change by an operator at the command line of the installation, and for a failed sign-in"
  }),
  key_id: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  before: Schema.Json.annotate({
    description: "The state before the change, without secrets; null for a new resource"
  }),
  after: Schema.Json.annotate({
    description: "The state after the change, without secrets; null for a removed resource"
  })
}).annotate({ identifier: "AuditEntry" })

const group = HttpApiGroup.make("audit").annotate(
  OpenApi.Description,
  "The audit trail: the author, time and states before and after of each change. Entries are only appended"
)

export class AuditGroup extends group.add(
  HttpApiEndpoint.get("listAudit", "/audit", {
    query: {
      ...filter,
      ...pageOf("entries", 1_000, 100)
    },
    success: Schema.Struct({
      entries: Schema.Array(AuditEntry),
      next_cursor: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "AuditEntries" }),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "List the changes in the workspace, newest first")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("exportAudit", "/audit/export", {
    query: {
      ...filter,
      format: Schema.optionalKey(Schema.Literals(["jsonl", "csv"])).annotate({
        description: "One JSON object a line (default), or CSV with a header line"
      })
    },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Stream all changes of a filter as JSON lines or CSV, newest first")
    .annotate(Needs, "manage")
) {}
