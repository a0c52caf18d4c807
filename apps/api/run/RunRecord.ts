/**
 * The record of a run as the interface answers it.
 */
import { Schema } from "effect"
import * as EventJson from "../../../core/event/EventJson.ts"
import { Certainty } from "../../../core/event/OutcomeCertainty.ts"
import { fileOf, type RunEvent } from "../../../core/event/RunEvent.ts"
import type { Hold } from "../../../core/gate/Gate.ts"
import type { Summary } from "../../../core/run/artifact/ArtifactStore.ts"
import { useOf } from "../../../core/run/CredentialReferences.ts"
import type { FileDelivery } from "../../../core/run/delivery/FileDelivery.ts"
import { PlaceLimit } from "../../../core/run/hold/PlaceLimit.ts"
import { type Wait, WaitReason } from "../../../core/run/hold/Waits.ts"
import { HoldReason, type RunFilter } from "../../../core/run/list/RunFilter.ts"
import { type Run, Trigger } from "../../../core/run/Run.ts"
import type { ListedRun, Total } from "../../../core/run/RunStore.ts"
import type { Summary as Summarized, View } from "../../../core/run/Runs.ts"
import { reasonOf, type Start } from "../../../core/run/start/Start.ts"
import { outcomeOf } from "../../../core/run/Transition.ts"
import { deliveryRecord, FileDeliveryRecord } from "../file-destination/FileDeliveryJson.ts"
import { forecastJson, WorkflowForecast } from "../gate/ForecastJson.ts"
import { session } from "../http/body/Fields.ts"

/** A picture of a page during a run. */
export const Screenshot = Schema.Struct({
  screenshot_id: Schema.String,
  signed_screenshot_url: Schema.String,
  signed_screenshot_url_expires: Schema.String,
  node_id: Schema.String,
  node_display_name: Schema.String,
  timestamp: Schema.String,
  error_screenshot: Schema.Boolean,
  full_length_screenshot: Schema.Boolean,
  retry_index: Schema.Int,
  metadata: Schema.JsonObject
}).annotate({ identifier: "Screenshot" })
type Screenshot = typeof Screenshot.Type

/** A recording of the browser during one attempt. `timestamp` is its end. */
const Video = Schema.Struct({
  ...session,
  timestamp: Schema.String,
  signed_screen_recording_url: Schema.String,
  signed_screen_recording_url_expires: Schema.String
}).annotate({ identifier: "Video" })

/** A file of a run. */
const File = Schema.Struct({
  signed_file_url: Schema.String,
  signed_file_url_expires: Schema.String,
  file_name: Schema.String,
  timestamp: Schema.String,
  metadata: Schema.JsonObject
}).annotate({ identifier: "RunFile" })

const instant = Schema.NullOr(Schema.String)

/** One reason why a run may not start, as the interface answers it. */
export const HoldJson = Schema.Struct({
  kind: Schema.Literals(["run_window", "manual"]),
  since: Schema.String,
  until: instant,
  by: Schema.String,
  reason: Schema.String
}).annotate({ identifier: "Hold" })

/** The reasons that put off a start which is in sight. Published clients know no others. */
const CanStartReason = WaitReason.pick(["run_window", "manual", "retry_delay", "pace", "capacity"])
const isCanStartReason = Schema.is(CanStartReason)

/** What a waiting run waits for, as the interface answers it. */
const WaitJson = Schema.Struct({
  reason: WaitReason.annotate({
    description:
      "run_window, manual: a hold; retry_delay: it is tried again later; credential: other runs use its credential; login: another run signs in where only one may; limit: a named limit allows it no start; pace: the pace of its workflow; capacity: a free worker; deadline: it ends then, as it cannot start before"
  }),
  until: instant.annotate({
    description:
      "When that ends, with pace and capacity an estimate, with limit the next instant at which it may allow another start; null if that is not in sight"
  }),
  credential: Schema.NullOr(Schema.String).annotate({
    description: "The name of the input that refers to the credential it waits for"
  }),
  limit_name: Schema.NullOr(Schema.String).annotate({ description: "With limit, the name of the limit" }),
  ahead: Schema.NullOr(Schema.Int).annotate({
    description: "With pace and capacity, how many runs of its workflow start before it, if known"
  }),
  limit: Schema.NullOr(PlaceLimit).annotate({
    description:
      "With capacity, which limit it waits for, if known: workspace_runs, the places of workers that its workspace may have; concurrency, all their places"
  })
}).annotate({ identifier: "Wait" })

/** The reason why an attempt of a run started, as stored at the start. */
export const StartedBecause = Schema.Struct({
  reason: Schema.Literals(["no_run_window", "run_window_open", "lift", "release"]),
  at: Schema.String.annotate({ description: "The instant of the start, by the clock of the database" }),
  attempt: Schema.Int,
  run_window_revision: Schema.Int,
  run_window_sha256: instant.annotate({
    description: "The hash of the definition of that run window; null without one"
  }),
  lift: Schema.NullOr(Schema.Struct({ since: Schema.String, by: Schema.String })),
  release: Schema.NullOr(Schema.Struct({ at: Schema.String, by: Schema.String })),
  time_zone_data: Schema.String.annotate({ description: "The version of the time zone data that was used" })
}).annotate({ identifier: "StartedBecause" })
/** The decision of a user that a run starts past the run window, as the interface answers it. */
const ReleaseJson = Schema.Struct({ at: Schema.String, by: Schema.String, past_pause: Schema.Boolean }).annotate({
  identifier: "Release"
})

export const RunRecord = Schema.Struct({
  session_id: Schema.String,
  workflow_id: Schema.String,
  version_id: Schema.String,
  status: Schema.String,
  created_at: Schema.String,
  execution_start: instant,
  execution_end: instant,
  input_variables: Schema.JsonObject,
  /** The names of the inputs that refer to credentials. */
  encrypted_variables: Schema.Array(Schema.String),
  vault_entries: Schema.NullOr(Schema.Record(Schema.String, EventJson.VaultReference)),
  session_retries: Schema.Int,
  data: Schema.Json,
  output_data: Schema.Json,
  errors: Schema.Array(EventJson.ReportedError),
  workflow_errors: Schema.Array(EventJson.ReportedError),
  /** What the steps of its last attempt were unsure of although they succeeded: the first 100. */
  warnings: Schema.Array(EventJson.ReportedWarning),
  /** How many there were. */
  warning_count: Schema.Int,
  /** How many answers of a model its attempts used, and how many of their steps were done by a plain form instead. */
  model_calls: Schema.Struct({ spent: Schema.Int, saved: Schema.Int }),
  /** How certain the effects of a failed or stopped run on the site are; null for any other run. */
  outcome_certainty: Schema.NullOr(Certainty),
  /** The last mark of a failed or stopped run: its last started or finished action, and the node. */
  last_mark: Schema.NullOr(EventJson.LastMark),
  was_recovered: Schema.Boolean,
  recovered_error_ids: Schema.Array(Schema.String),
  screenshot_urls: Schema.Array(Screenshot),
  video_urls: Schema.Array(Video),
  file_urls: Schema.Array(File),
  /** What became of the files that were sent to the destination of the workflow, in the order of the files. */
  file_deliveries: Schema.Array(FileDeliveryRecord),
  /**
   * The metadata of pictures, videos and files beside their addresses: how many were left out, over the bounds of a run
   * or because their store was away, and when older ones were removed because their time was over.
   */
  artifacts: Schema.Struct({ left_out: Schema.Int, removed_at: instant }),
  /** The schedule that submitted the run, and the instant that it was scheduled for; null for every other run. */
  schedule: Schema.NullOr(Schema.Struct({ schedule_id: Schema.String, scheduled_at: Schema.String })),
  /** The holds that stand on a waiting run. */
  holds: Schema.Array(HoldJson),
  /** What submitted the run. */
  trigger: Trigger,
  tags: Schema.Array(Schema.String),
  /** Of the waiting runs of a workflow a higher priority starts first. */
  priority: Schema.Int,
  /** The instant before which the run must have started for the first time. */
  start_by: instant,
  /** The caller's own id of the run. */
  reference: Schema.NullOr(Schema.String),
  /** The run that this one repeats, the user who requested it, and the reason, if required; null for any other run. */
  retry: Schema.NullOr(
    Schema.Struct({ of: Schema.String, by: Schema.String, reason: Schema.NullOr(Schema.String) }).annotate({
      identifier: "RetryOf"
    })
  ),
  /** The runs that repeat this one, oldest first. */
  retried_as: Schema.Array(Schema.String),
  /** Who released the run past its run window, and when; null for a run that was not released. */
  release: Schema.NullOr(ReleaseJson),
  /** The earliest instant at which a waiting run can start, by the pace of its workflow an estimate, if known. */
  can_start_at: instant,
  /** The reason why it cannot start earlier; with pace and capacity, can_start_at is an estimate. */
  can_start_reason: Schema.NullOr(CanStartReason),
  /** When a waiting run ends without a start, as it cannot start before; null where it can start. */
  expires_at: instant,
  /** Everything that a waiting run waits for, in the order in which it stands in its way. */
  waits_for: Schema.Array(WaitJson),
  /** Why its latest attempt started when it did; null for a run that has not started. */
  started_because: Schema.NullOr(StartedBecause),
  /** The events so far, oldest first. */
  events: Schema.Array(Schema.Struct({ event: Schema.String, at: Schema.String, payload: Schema.JsonObject }))
}).annotate({ identifier: "RunRecord" })

export const RunListItem = Schema.Struct({
  session_id: Schema.String,
  status: Schema.String,
  created_at: Schema.String,
  workflow_id: Schema.String,
  workflow_name: Schema.String,
  workspace_id: Schema.String,
  execution_start: instant,
  execution_end: instant,
  /** From the start of the first attempt to the end of the run, or to now while it is executed. */
  duration_ms: Schema.NullOr(Schema.Int),
  /** The first reason why a waiting run has not started; null for any other run, and during the delay of a retry. */
  hold: Schema.NullOr(HoldReason),
  /** Every such reason. */
  holds: Schema.Array(HoldReason),
  /** The last failure of its attempts. */
  error: Schema.NullOr(Schema.Struct({ error_code: Schema.NullOr(Schema.String), message: Schema.String })),
  /** How many warnings the steps of its last attempt gave. */
  warning_count: Schema.Int,
  trigger: Trigger,
  tags: Schema.Array(Schema.String),
  /** Of the waiting runs of a workflow a higher priority starts first. */
  priority: Schema.Int,
  /** The instant before which the run must have started for the first time. */
  start_by: instant,
  /** The caller's own id of the run. */
  reference: Schema.NullOr(Schema.String),
  dry_run: Schema.Boolean
}).annotate({ identifier: "RunListItem" })

const Count = Schema.Struct({ count: Schema.Int, exact: Schema.Boolean })
const named = { count: Schema.Int }

export const RunSummary = Schema.Struct({
  timeframe: Schema.Struct({ start: instant, end: Schema.String }),
  total: Count,
  statuses: Schema.Record(Schema.String, Count),
  /** Why waiting runs have not started. A run with two such reasons counts for both. */
  holds: Schema.Record(Schema.String, Count),
  counted_runs: Schema.Int,
  complete: Schema.Boolean,
  workflows: Schema.Array(Schema.Struct({ workflow_id: Schema.String, workflow_name: Schema.String, ...named })),
  error_codes: Schema.Array(Schema.Struct({ error_code: Schema.String, ...named })),
  tags: Schema.Array(Schema.Struct({ tag: Schema.String, ...named })),
  /** When the waiting runs of workflows with a pace start, and of those that `workflow_id` names. */
  forecasts: Schema.Array(WorkflowForecast)
}).annotate({ identifier: "RunSummary" })

export const summaryJson = (
  { forecasts, holds, newest, statuses, total }: Summarized,
  { from, to }: RunFilter,
  now: number
): typeof RunSummary.Type => ({
  timeframe: { start: isoOrNull(from ?? null), end: iso(to ?? now) },
  total: countJson(total),
  statuses: Object.fromEntries(statuses.map(([status, count]) => [status, countJson(count)])),
  holds: Object.fromEntries(holds.map(([hold, count]) => [hold, countJson(count)])),
  counted_runs: newest.runs,
  complete: newest.isComplete,
  workflows: newest.workflows.map(({ count, id, name }) => ({ workflow_id: id, workflow_name: name, count })),
  error_codes: newest.errorCodes.map(({ count, value }) => ({ error_code: value, count })),
  tags: newest.tags.map(({ count, value }) => ({ tag: value, count })),
  forecasts: forecasts.map(({ workflowId, ...forecast }) => ({ workflow_id: workflowId, ...forecastJson(forecast) }))
})

const countJson = ({ count, isExact }: Total): typeof Count.Type => ({ count, exact: isExact })

export const startedBecause = (start: Start): typeof StartedBecause.Type => ({
  reason: reasonOf(start),
  at: iso(start.at),
  attempt: start.attempt,
  run_window_revision: start.windowRevision,
  run_window_sha256: start.windowHash,
  lift: start.lift === null ? null : { since: iso(start.lift.since), by: start.lift.by },
  release: start.release === null ? null : { at: iso(start.release.at), by: start.release.by },
  time_zone_data: start.zoneData
})

const scheduleOf = ({ options: { schedule } }: Pick<Run, "options">) =>
  schedule === undefined ? null : { schedule_id: schedule.id, scheduled_at: iso(schedule.at) }

/** `start` is that of the latest attempt. */
export const record = (
  view: View,
  links: EventJson.Links,
  kept: Summary,
  start: Start | undefined,
  fileDeliveries: ReadonlyArray<FileDelivery>
): typeof RunRecord.Type => {
  const { run } = view
  const errors = run.errors.map(EventJson.reported)
  const recovered = recoveredErrors(view.events)
  const outcome = outcomeOf(run)
  return {
    session_id: run.id,
    workflow_id: run.workflowId,
    version_id: run.versionId,
    status: view.status,
    ...times(run),
    input_variables: run.input,
    encrypted_variables: run.credentials.map(({ alias }) => alias),
    vault_entries: EventJson.vaultEntries(run.credentials.map(useOf)),
    session_retries: run.retries,
    data: run.data,
    output_data: run.data,
    errors,
    workflow_errors: errors,
    warnings: run.warnings.map(EventJson.reportedWarning),
    warning_count: run.warningCount,
    model_calls: run.modelCalls,
    ...(outcome === null ? { outcome_certainty: null, last_mark: null } : EventJson.outcomeOf(outcome)),
    was_recovered: recovered.length > 0,
    recovered_error_ids: recovered,
    screenshot_urls: screenshots(view.events, links, kept),
    video_urls: kept.videos.map(({ at, id }) => video(run.id, id, at, links)),
    file_urls: view.events.flatMap(({ at, event }) =>
      isRemoved(at, kept) ? [] : fileOf(event).map((file) => EventJson.signedFile(file, links))
    ),
    file_deliveries: fileDeliveries.map(deliveryRecord),
    artifacts: { left_out: kept.leftOut, removed_at: isoOrNull(kept.removedAt) },
    schedule: scheduleOf(run),
    holds: view.holds.map(holdJson),
    trigger: run.trigger,
    tags: run.tags,
    priority: run.priority,
    start_by: isoOrNull(run.startBy),
    reference: run.options.reference ?? null,
    retry: run.retry,
    retried_as: view.retriedAs,
    release:
      run.release === null
        ? null
        : { at: iso(run.release.at), by: run.release.by, past_pause: run.release.pause !== null },
    can_start_at: isoOrNull(view.earliestStart),
    can_start_reason: isCanStartReason(view.startsLater) ? view.startsLater : null,
    expires_at: isoOrNull(view.expiresAt),
    waits_for: view.waits.map(waitJson),
    started_because: start === undefined ? null : startedBecause(start),
    events: view.events.map(({ at, event }) => ({
      event: event.event,
      at: iso(at),
      payload: EventJson.payloadOf(event, isRemoved(at, kept) ? null : links)
    }))
  }
}

/** The errors that a run recovered from, oldest first. */
const recoveredErrors = (events: View["events"]): ReadonlyArray<string> =>
  events.flatMap(({ event }) => (event.event === "agent.error_analysis" && isRecovery(event) ? [event.errorId] : []))

/** A pop-up that the workflow declares is not an error. */
const isRecovery = ({ outcome, recovery }: { readonly outcome: string; readonly recovery: string }): boolean =>
  outcome === "success" && recovery !== "popup_xpaths"

export const listItem = (run: ListedRun, now: number): typeof RunListItem.Type => ({
  session_id: run.id,
  status: run.status,
  workflow_id: run.workflowId,
  workflow_name: run.workflowName,
  workspace_id: run.workspaceId,
  ...times(run),
  duration_ms: durationOf(run, now),
  hold: run.holds[0] ?? null,
  holds: run.holds,
  error: run.error === null ? null : { error_code: run.error.code, message: run.error.message },
  warning_count: run.warningCount,
  trigger: run.trigger,
  tags: run.tags,
  priority: run.priority,
  start_by: isoOrNull(run.startBy),
  reference: run.options.reference ?? null,
  dry_run: run.options.dryRun?.enabled === true
})

/** From the start of a run to its end, or to `now` while it is executed. */
const durationOf = ({ endedAt, startedAt, status }: ListedRun, now: number): number | null => {
  if (startedAt === null) return null
  if (endedAt !== null) return endedAt - startedAt
  return status === "execution.start" ? Math.max(0, now - startedAt) : null
}

export const holdJson = (hold: Hold): typeof HoldJson.Type => ({
  ...hold,
  since: iso(hold.since),
  until: isoOrNull(hold.until)
})

const waitJson = ({ name, until, ...wait }: Wait): typeof WaitJson.Type => ({
  ...wait,
  until: isoOrNull(until),
  limit_name: name
})

export const iso = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

const times = (run: Pick<Run, "createdAt" | "startedAt" | "endedAt">) => ({
  created_at: iso(run.createdAt),
  execution_start: isoOrNull(run.startedAt),
  execution_end: isoOrNull(run.endedAt)
})

/** Whether an artifact reported at an instant has been removed since. */
const isRemoved = (at: number, { removedAt }: Pick<Summary, "removedAt">): boolean =>
  removedAt !== null && at <= removedAt

/** The screenshots that a run reported and that still exist, oldest first. */
export const screenshots = (
  events: View["events"],
  links: EventJson.Links,
  kept: Pick<Summary, "removedAt">
): ReadonlyArray<Screenshot> => events.flatMap(({ at, event }) => (isRemoved(at, kept) ? [] : screenshot(event, links)))

const video = (runId: string, id: string, at: number, { artifact }: EventJson.Links): typeof Video.Type => {
  const { expires, url } = artifact(id)
  return {
    session_id: runId,
    timestamp: iso(at),
    signed_screen_recording_url: url,
    signed_screen_recording_url_expires: expires
  }
}

const screenshot = (event: RunEvent, links: EventJson.Links): ReadonlyArray<Screenshot> =>
  event.event === "screenshot.uploaded"
    ? [{ ...EventJson.screenshotFacts(event), ...EventJson.screenshotLink(event, links) }]
    : []
