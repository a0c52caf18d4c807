/**
 * The events of a question. No event contains an answer, but that to a request for an approval.
 */
import type { RunEvent } from "../../event/RunEvent.ts"
import { type Answer, type AskedQuestion, missingProperties, type Subject } from "./Interaction.ts"

/** The events of a run that waits for a person. */
export const asked = (interaction: AskedQuestion): RunEvent => {
  const { expiresAt, message, node, subject } = interaction
  if (subject._tag !== "input_required") {
    return { event: "interaction.waiting", ...questionOf(interaction), expiresAt }
  }
  return {
    event: "execution.input_required",
    ...ids(interaction),
    step: node.name,
    message,
    inputs: subject.inputs,
    screenshotId: subject.screenshotId,
    reason: subject.reason,
    ...(subject.popup === undefined ? {} : { popup: subject.popup }),
    expiresAt
  }
}

/** The events of an answered question. The use of corrected inputs has its own events. */
export const answered = (interaction: AskedQuestion, answer: Answer): ReadonlyArray<RunEvent> =>
  interaction.subject._tag === "input_required"
    ? []
    : [{ event: "interaction.finished", ...questionOf(interaction, answer), missingProperties: [] }]

/** The events of a question that got no answer in time, or that the run gave up. */
export const unanswered = (interaction: AskedQuestion, reason: "timeout" | "interrupted"): ReadonlyArray<RunEvent> => {
  const { askedAt, expiresAt, node, subject } = interaction
  if (subject._tag === "input_required") return []
  const message =
    reason === "timeout"
      ? `No answer was given within ${(expiresAt - askedAt) / 1_000} s`
      : "The run no longer waits for an answer"
  return [{ event: "interaction.failed", ...ids(interaction), step: node.name, message, reason }]
}

const ids = ({ runId, workflowId }: AskedQuestion) => ({ runId, workflowId })

const questionOf = (interaction: AskedQuestion, answer?: Answer) => ({
  ...ids(interaction),
  step: interaction.node.name,
  missingProperties: missingProperties(interaction.schema),
  schema: interaction.schema,
  message: interaction.message,
  ...(interaction.subject._tag === "approval" ? { approval: approvalOf(interaction.subject, answer) } : {})
})

const approvalOf = ({ by, change, digest }: Extract<Subject, { readonly _tag: "approval" }>, answer?: Answer) => {
  if (answer?._tag !== "decision") return { by, digest, change }
  const { approved, reason, userId } = answer
  return { by, digest, change, decision: { approved, reason, userId } }
}
