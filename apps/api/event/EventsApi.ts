/** The endpoints that stream events. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Message } from "../../../core/event/EventMessage.ts"
import { Needs, streamLimits } from "../Annotations.ts"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

/** An event of a run with the instants of its message in ISO 8601. */
const StreamedEvent = Schema.Struct({
  event: Schema.Literal("run.event"),
  data: Message,
  timestamp: Schema.String,
  expires_at: Schema.String
}).annotate({ identifier: "StreamedEvent" })

const Ping = Schema.Struct({ ts: Schema.Finite }).annotate({ identifier: "Ping" })

const Changed = Schema.Struct({
  kinds: Schema.Array(Schema.String).annotate({
    description: "The kinds of what was changed, as GET /audit names them, such as run_window"
  })
}).annotate({ identifier: "WorkspaceChanged" })

/** A frame of a stream: events under `run.event`, and a `ping` at least every 15 seconds of silence. */
const frames = [
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    event: Schema.Literal("run.event"),
    data: Schema.fromJsonString(StreamedEvent)
  }),
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    event: Schema.Literal("ping"),
    data: Schema.fromJsonString(Ping)
  })
] as const
export const Frame = Schema.Union(frames)

/** A frame of the stream of a workspace, which tells of changes as well where they are asked for. */
const WorkspaceFrame = Schema.Union([
  ...frames,
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    event: Schema.Literal("workspace.changed"),
    data: Schema.fromJsonString(Changed)
  })
])

const group = HttpApiGroup.make("events").annotate(OpenApi.Description, "Streams of the events of runs")

export class EventsGroup extends group.add(
  HttpApiEndpoint.get("workspaceEvents", "/events", {
    headers: { "last-event-id": Schema.optionalKey(Schema.String) },
    query: {
      workflow_id: Schema.optionalKey(
        Schema.String.annotate({ description: "Only events of runs of these workflows, separated by commas" })
      ),
      event: Schema.optionalKey(
        Schema.String.annotate({
          description: "Only events of these names, such as execution.failed, separated by commas"
        })
      ),
      changes: Schema.optionalKey(
        Schema.Literals(["true", "false"]).annotate({
          description:
            "true adds frames workspace.changed, which name the kinds of what was changed, such as run_window or schedule, within a second. They are not kept for a stream that opens later"
        })
      )
    },
    success: HttpApiSchema.StreamSse({ events: WorkspaceFrame }),
    error: Errors.BadRequest
  })
    .annotate(
      OpenApi.Summary,
      "Stream the events of all runs of the workspace that follow Last-Event-ID, or that happen from now on"
    )
    .annotate(Needs, "read")
    .annotate(OpenApi.Description, streamLimits),
  HttpApiEndpoint.get("clientEvents", "/run/clients/:client_id/events", {
    params: { client_id: Schema.String },
    success: HttpApiSchema.StreamSse({ events: Frame }),
    error: Errors.BadRequest
  })
    .annotate(
      OpenApi.Summary,
      "Stream the events of the runs that a client started, beginning with the events that it missed"
    )
    .annotate(Needs, "read")
    .annotate(OpenApi.Description, streamLimits),
  HttpApiEndpoint.get("runEvents", "/run/:session_id/events", {
    params: session,
    headers: { "last-event-id": Schema.optionalKey(Schema.String) },
    success: HttpApiSchema.StreamSse({ events: Frame }),
    error: [Errors.BadRequest, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Stream the events of one run that follow Last-Event-ID")
    .annotate(Needs, "read")
    .annotate(OpenApi.Description, streamLimits)
) {}
