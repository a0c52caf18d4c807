/**
 * The JSON of the events of runs as streams, webhooks and records send it. Receivers depend on its names, and on the
 * order of its fields where they check a signature.
 */
import { Schema } from "effect"
import * as OutcomeCertainty from "./OutcomeCertainty.ts"
import type { AskedApproval, CredentialUse, EndEvent, OpenPopup, RunEvent, RunEventOf, RunFile } from "./RunEvent.ts"
import type { RunFailure } from "./RunFailure.ts"
import type { RunWarning } from "./RunWarning.ts"

/** Addresses that work without a key, made together with a message. */
export interface Links {
  /** The address of an artifact, and until when it works, in ISO 8601. */
  readonly artifact: (id: string) => { readonly url: string; readonly expires: string }
  /** The address of the page that shows a run while it is in progress. */
  readonly liveView: (runId: string) => string
}

/**
 * The payload of an event, with the addresses of its artifacts; without addresses if `links` is `null`. `left_out` names
 * the fields of which something is missing; an event that is whole has none.
 */
export const payloadOf = (event: RunEvent, links: Links | null): Schema.JsonObject => {
  // The table has a writer for each kind of event, which takes that kind.
  const write = payloads[event.event] as (event: RunEvent, links: Links | null) => Schema.JsonObject
  const payload = { session_id: event.runId, workflow_id: event.workflowId, ...write(event, links) }
  if (event.leftOut === undefined) return payload
  const names = event.leftOut.flatMap((name) => payloadNames[name] ?? [name])
  return { ...payload, left_out: names.filter((name) => name in payload) }
}

/** The names of event fields in payloads, where they differ. */
const payloadNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  analysis: ["ai_analysis"],
  by: ["released_by"],
  category: ["error_category"],
  causedBy: ["session_causing_error"],
  credentials: ["encrypted_variables", "vault_entries"],
  errorId: ["error_id"],
  file: ["file_id", "file_name", "metadata"],
  files: ["file_urls"],
  inputs: ["input_variables"],
  missingProperties: ["missing_properties"],
  next: ["next_step"],
  node: ["node_id", "node_display_name", "analysis_step_name"],
  nodeId: ["node_id"],
  pastPause: ["past_pause"],
  popup: ["popup_context", "modal_action", "modal_action_label", "host", "popup_signature"],
  remedy: ["recovery_action"],
  rootCause: ["root_cause_analysis"],
  runId: ["session_id"],
  schema: ["expected_json_schema_datamodel"],
  screenshotId: ["screenshot_id", "screenshot_url"],
  step: ["current_step"],
  subType: ["error_sub_type"],
  userId: ["user_id"],
  videoId: ["video_id"],
  warningCount: ["warning_count"],
  workflowId: ["workflow_id"]
}

const nullable = Schema.NullOr(Schema.String)

/** The last progress mark of a run: the action that it was about to do, or had done, and its node. */
export const LastMark = Schema.Struct({
  mark: OutcomeCertainty.Mark.fields.kind,
  node_id: Schema.String,
  node_display_name: Schema.String,
  timestamp: Schema.String
}).annotate({ identifier: "LastMark" })

/** The certainty about what a run has done, as the record of the run and the event of its end report it. */
export const outcomeOf = ({ certainty, mark }: NonNullable<RunEventOf<"execution.failed">["outcome"]>) => ({
  outcome_certainty: certainty,
  last_mark:
    mark === null
      ? null
      : { mark: mark.kind, node_id: mark.node.id, node_display_name: mark.node.name, timestamp: iso(mark.at) }
})

/** The turns of the loops around a step; nothing outside of loops. */
const loopFacts = (loops: RunEventOf<"execution.step">["loops"]) =>
  loops === undefined
    ? {}
    : {
        loops: loops.map(({ count, index, item, node }) => ({
          node_id: node.id,
          node_display_name: node.name,
          index,
          count,
          item
        }))
      }

/** A failure with every field that the interface names, `null` where nothing is known. */
export const ReportedError = Schema.Struct({
  error_id: Schema.String,
  message: Schema.String,
  created_at: Schema.String,
  full_url: nullable,
  error_code: nullable,
  action_type: nullable,
  action_display_name: nullable,
  node_id: nullable,
  llm_error_category: nullable,
  llm_error_sub_type: nullable,
  llm_error_description: nullable,
  original_error: nullable,
  /** A name for an error code, proposed where the workflow has none for the failure; null where none is. */
  suggested_error_code: nullable,
  llm_model: Schema.optionalKey(nullable),
  prompt: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RunError" })

/** A failure as the record of its run and the event of its end report it, the same in both. */
export const reported = (failure: RunFailure): typeof ReportedError.Type => ({
  error_id: failure.id,
  message: failure.message,
  created_at: iso(failure.at),
  full_url: failure.address,
  error_code: failure.code,
  action_type: failure.node?.action ?? null,
  action_display_name: failure.node?.name ?? null,
  node_id: failure.node?.id ?? null,
  llm_error_category: failure.category,
  llm_error_sub_type: failure.subType,
  llm_error_description: failure.description,
  original_error: failure.original,
  suggested_error_code: failure.suggestedErrorCode,
  ...(failure.model === null ? {} : { llm_model: failure.model.name, prompt: failure.model.prompt })
})

/** What a step that succeeded was unsure of. `value` is the text of the page that it is about, cut. */
export const ReportedWarning = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  node: Schema.Struct({ id: Schema.String, name: Schema.String, action: Schema.String }),
  value: nullable
}).annotate({ identifier: "RunWarning" })

/** A warning as the record of its run and the event of its end report it, the same in both. */
export const reportedWarning = ({ code, message, node, value }: RunWarning): typeof ReportedWarning.Type => ({
  code,
  message,
  node: { id: node.id, name: node.name, action: node.action },
  value
})

/** The credential behind an alias of the input. `permissioned_user_id` is null until one of several is chosen. */
export const VaultReference = Schema.Struct({
  permissioned_user_id: nullable,
  permissioned_user_ids: Schema.Array(Schema.String),
  domain: Schema.String
}).annotate({ identifier: "VaultReference" })

/** The aliases of a run with what they refer to; `null` when there are none. */
export const vaultEntries = (
  credentials: ReadonlyArray<CredentialUse>
): Readonly<Record<string, typeof VaultReference.Type>> | null =>
  credentials.length === 0
    ? null
    : Object.fromEntries(
        credentials.map(({ alias, chosen, domain, permissionedUserIds }) => [
          alias,
          { permissioned_user_id: chosen, permissioned_user_ids: permissionedUserIds, domain }
        ])
      )

/** A pop-up of which every option is a decision, and its options. */
export const PopupContext = Schema.Struct({
  error_description: Schema.String,
  error_sub_type: Schema.String,
  full_url: Schema.String,
  available_actions: Schema.Array(Schema.Struct({ id: Schema.String, label: Schema.String })),
  retry: Schema.Struct({ attempt: Schema.Int, max_attempts: Schema.Int })
}).annotate({ identifier: "PopupContext" })

export const popupContext = (popup: OpenPopup): typeof PopupContext.Type => ({
  error_description: popup.description,
  error_sub_type: popup.subType,
  full_url: popup.address,
  available_actions: popup.actions,
  retry: { attempt: popup.attempt, max_attempts: popup.maxAttempts }
})

/** A file with the address at which it can be fetched without a key. */
export const signedFile = ({ at, id, metadata, name }: RunFile, links: Links) => {
  const { expires, url } = links.artifact(id)
  return { signed_file_url: url, signed_file_url_expires: expires, file_name: name, timestamp: iso(at), metadata }
}

/** The metadata of a screenshot beside its address. */
export const screenshotFacts = (event: RunEventOf<"screenshot.uploaded">) => ({
  screenshot_id: event.screenshotId,
  node_id: event.node.id,
  node_display_name: event.node.name,
  timestamp: iso(event.at),
  error_screenshot: event.ofError,
  full_length_screenshot: event.fullPage,
  retry_index: event.retries,
  metadata: event.metadata
})

/** The address at which a screenshot can be fetched without a key. */
export const screenshotLink = ({ screenshotId }: RunEventOf<"screenshot.uploaded">, links: Links) => {
  const { expires, url } = links.artifact(screenshotId)
  return { signed_screenshot_url: url, signed_screenshot_url_expires: expires }
}

const question = (event: RunEventOf<"interaction.waiting" | "interaction.finished">): Schema.JsonObject => ({
  current_step: event.step,
  missing_properties: event.missingProperties,
  expected_json_schema_datamodel: event.schema,
  message: event.message,
  ...(event.approval === undefined ? {} : { approval: approvalOf(event.approval) })
})

const approvalOf = ({ by, change, decision, digest }: AskedApproval): Schema.JsonObject => ({
  by,
  digest,
  change,
  ...(decision === undefined ? {} : { approved: decision.approved, reason: decision.reason, user_id: decision.userId })
})

const end = (event: EndEvent, links: Links | null): Schema.JsonObject => ({
  status: event.event,
  data: event.data,
  input_variables: event.inputs,
  encrypted_variables: event.credentials.map(({ alias }) => alias),
  errors: event.errors.map((failure): Schema.JsonObject => ({ ...reported(failure) })),
  file_urls: links === null ? [] : event.files.map((file) => signedFile(file, links)),
  // An object of text and lists of text, which its type does not say.
  vault_entries: vaultEntries(event.credentials) as Schema.JsonObject | null,
  ...(event.warnings === undefined
    ? {}
    : { warnings: event.warnings.map(reportedWarning), warning_count: event.warningCount ?? event.warnings.length }),
  ...("causedBy" in event && event.causedBy !== undefined ? { session_causing_error: event.causedBy } : {}),
  ...("outcome" in event && event.outcome !== undefined ? outcomeOf(event.outcome) : {})
})

/** The payload of each kind beside the ids of the run and its workflow. */
const payloads: {
  readonly [Kind in RunEvent["event"]]: (event: RunEventOf<Kind>, links: Links | null) => Schema.JsonObject
} = {
  "execution.queued": () => ({}),
  "execution.paused": ({ message, nextOpenAt, reason }) => ({
    pause_reason: reason,
    message,
    next_open_at: nextOpenAt === null ? null : iso(nextOpenAt)
  }),
  "execution.released": ({ by, pastPause }) => ({ released_by: by, past_pause: pastPause }),
  "workflow.paused": ({ atLeast, heldRuns, message, nextOpenAt, reason }) => ({
    pause_reason: reason,
    message,
    next_open_at: nextOpenAt === null ? null : iso(nextOpenAt),
    held_runs: heldRuns,
    held_runs_at_least: atLeast
  }),
  "workflow.canary": ({ base, reason, restored, state, version }) => ({
    state,
    reason,
    version_number: version,
    base_version_number: base,
    restored_version_number: restored
  }),
  "execution.start": ({ runId }, links) => (links === null ? {} : { live_view_url: links.liveView(runId) }),
  "execution.step": ({ loops, next, step }) => ({ current_step: step, next_step: next, ...loopFacts(loops) }),
  "execution.step_skipped": ({ loops, nodeId, step }) => ({
    current_step: step,
    node_id: nodeId,
    ...loopFacts(loops)
  }),
  "execution.requeued": ({ delayMillis, maxRetries, notBefore, retries }) => ({
    retry_attempt: retries,
    max_retries: maxRetries,
    next_execution_time: iso(notBefore),
    delay_ms: delayMillis
  }),
  "screenshot.uploaded": (event, links) => ({
    ...screenshotFacts(event),
    ...(links === null ? {} : screenshotLink(event, links))
  }),
  "video.uploaded": ({ at, videoId }, links) => {
    if (links === null) return { video_id: videoId, timestamp: iso(at) }
    const { expires, url } = links.artifact(videoId)
    return {
      timestamp: iso(at),
      signed_screen_recording_url: url,
      signed_screen_recording_url_expires: expires
    }
  },
  "control.taken": ({ at, userId }) => ({ user_id: userId, timestamp: iso(at) }),
  "control.returned": ({ at, reason, userId }) => ({ user_id: userId, timestamp: iso(at), reason }),
  "file.uploaded": ({ file: { at, id, metadata, name } }, links) => {
    const facts = { file_id: id, file_name: name, timestamp: iso(at), metadata }
    if (links === null) return facts
    const { expires, url } = links.artifact(id)
    return { ...facts, signed_file_url: url, signed_file_url_expires: expires }
  },
  "interaction.waiting": question,
  "interaction.finished": question,
  "interaction.failed": ({ message, reason, step }) => ({ current_step: step, message, reason }),
  "execution.input_required": ({ inputs, message, popup, reason, screenshotId, step }, links) => ({
    current_step: step,
    message,
    input_variables: inputs,
    reason,
    ...(popup === undefined ? {} : { popup_context: popupContext(popup) }),
    screenshot_url: screenshotId === null || links === null ? null : links.artifact(screenshotId).url
  }),
  "agent.error_analysis": ({
    analysis,
    category,
    errorId,
    node,
    outcome,
    popup,
    recovery,
    remedy,
    rootCause,
    subType
  }) => ({
    error_id: errorId,
    analysis_step_name: node.name,
    node_id: node.id,
    ai_analysis: analysis,
    root_cause_analysis: rootCause,
    error_category: category,
    error_sub_type: subType,
    recovery,
    recovery_action: remedy,
    outcome,
    ...(popup === undefined
      ? {}
      : {
          phase: popup.phase,
          ...(popup.action === null ? {} : { modal_action: popup.action }),
          ...(popup.label === null ? {} : { modal_action_label: popup.label }),
          ...(popup.responseMillis === null ? {} : { response_time_ms: popup.responseMillis }),
          ...(popup.host === null ? {} : { host: popup.host }),
          popup_signature: popup.signature
        })
  }),
  "execution.success": end,
  "execution.failed": end,
  "execution.stopped": end
}

const iso = (at: number): string => new Date(at).toISOString()
