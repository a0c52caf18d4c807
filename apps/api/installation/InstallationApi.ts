/** The endpoints of the installation: its processes, and its time where it is for tests. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Needs } from "../Annotations.ts"
import { edits } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

export const ProcessRecord = Schema.Struct({
  part: Schema.String.annotate({ description: "What it does: up, api, scheduler or worker" }),
  version: Schema.String,
  tz_data: Schema.NullOr(Schema.String).annotate({
    description: "The version of its time zone data. Processes with different ones may open windows at different times"
  }),
  clock_skew_ms: Schema.optionalKey(
    Schema.Finite.annotate({
      description:
        "By how much the clock of its machine is ahead of that of the database. Above 5000 in either direction, the process starts no run"
    })
  ),
  capacity: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description: "The maximum number of concurrent runs; null for a process that executes none"
    })
  ),
  running: Schema.optionalKey(Schema.Int.annotate({ description: "How many runs it executes" })),
  browsers: Schema.optionalKey(Schema.Int.annotate({ description: "How many sessions of browsers it has open" })),
  began_at: Schema.optionalKey(Schema.String),
  seen_at: Schema.optionalKey(
    Schema.String.annotate({ description: "When it last reported, which it does every 15 seconds" })
  )
}).annotate({ identifier: "Process" })

const Models = Schema.Struct({
  names: Schema.Array(Schema.String).annotate({
    description: "The names that llm_model may have; empty where no model is configured"
  }),
  setting: Schema.optionalKey(Schema.String.annotate({ description: "The settings that configure a model" }))
}).annotate({ identifier: "Models" })

export const Installation = Schema.Struct({
  processes: Schema.NullOr(Schema.Array(ProcessRecord)).annotate({
    description: "The live processes, oldest first; null if the service has no list of them, as in an embedded one"
  }),
  moved_workflows: Schema.Array(
    Schema.Struct({
      workflow_id: Schema.String,
      name: Schema.String,
      former_tz_data: Schema.String.annotate({ description: "The version of the older time zone data" }),
      noticed_at: Schema.String
    }).annotate({ identifier: "MovedWorkflow" })
  ).annotate({
    description:
      "The workflows of the workspace whose next opening or closing newer time zone data moved in the last 30 days, latest first, at most 100; without those whose run window was set since"
  }),
  models: Models.annotate({ description: "The models that steps of workflows may ask" })
}).annotate({ identifier: "Installation" })

const TestClock = Schema.Struct({
  now: Schema.String.annotate({ description: "The time of the installation" }),
  ahead_seconds: Schema.Finite.annotate({ description: "By how much that is ahead of the clock of the database" })
}).annotate({ identifier: "TestClock" })

const group = HttpApiGroup.make("installation").annotate(
  OpenApi.Description,
  "The processes that serve all workspaces of the installation"
)

export class InstallationGroup extends group.add(
  HttpApiEndpoint.get("readInstallation", "/installation", { success: Installation })
    .annotate(
      OpenApi.Summary,
      "List the live processes of the installation with their versions and time zone data, for an Owner of its first workspace also with their capacity and clocks, the workflows that new time zone data moved, and the models that steps may ask"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("readTestClock", "/test-clock", { success: TestClock, error: Errors.NotFound })
    .annotate(
      OpenApi.Summary,
      "Read the time of an installation for tests; 404 for one that runs without SLUICE_TEST_CLOCK=1"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.put("moveTestClock", "/test-clock", {
    payload: Schema.Struct({
      now: Schema.String.annotate({
        description:
          "The new time of the installation, such as 2026-03-29T01:00:00Z; not in the past, and before the year 9000"
      })
    }).annotate({ identifier: "TestClockMove" }),
    success: TestClock,
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Move the time of an installation for tests forward, for all its workspaces; 404 for one that runs without SLUICE_TEST_CLOCK=1"
    )
    .annotate(Needs, "manage")
) {}
