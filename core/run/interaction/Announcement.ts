/**
 * The events of a question. None of them contains an answer.
 */
import type { RunEvent } from "../../event/RunEvent.ts"
import { type Asked, missingProperties } from "./Interaction.ts"

/** The events of a run that waits for a person. */
export const asked = (interaction: Asked): RunEvent => {
  const { expiresAt, message, node, subject } = interaction
  if (subject._tag === "interaction") {
    return { event: "interaction.waiting", payload: waiting(interaction), expires_at: expiresAt }
  }
  return {
    event: "execution.input_required",
    payload: {
      ...session(interaction),
      current_step: node.name,
      message,
      input_variables: subject.inputs,
      screenshot_id: subject.screenshotId,
      reason: subject.reason,
      ...(subject.popup === undefined ? {} : { popup_context: subject.popup })
    },
    expires_at: expiresAt
  }
}

/** The events of an answered question. The use of corrected inputs has its own events. */
export const answered = (interaction: Asked): ReadonlyArray<RunEvent> =>
  interaction.subject._tag === "interaction"
    ? [{ event: "interaction.finished", payload: { ...waiting(interaction), missing_properties: [] } }]
    : []

/** The events of a question that got no answer in time, or that the run gave up. */
export const unanswered = (interaction: Asked, reason: "timeout" | "interrupted"): ReadonlyArray<RunEvent> => {
  const { askedAt, expiresAt, node, subject } = interaction
  if (subject._tag !== "interaction") return []
  const message =
    reason === "timeout"
      ? `No answer was given within ${(expiresAt - askedAt) / 1_000} s`
      : "The run no longer waits for an answer"
  return [
    { event: "interaction.failed", payload: { ...session(interaction), current_step: node.name, message, reason } }
  ]
}

const session = ({ runId, workflowId }: Asked) => ({ session_id: runId, workflow_id: workflowId })

const waiting = (interaction: Asked) => ({
  ...session(interaction),
  current_step: interaction.node.name,
  missing_properties: missingProperties(interaction.schema),
  expected_json_schema_datamodel: interaction.schema,
  message: interaction.message
})
