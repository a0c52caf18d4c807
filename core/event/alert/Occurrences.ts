/** Which events of runs people are told of, and what is told together. */
import type { Schema } from "effect"
import type { Entry } from "../EventLog.ts"
import type { RunEvent } from "../RunEvent.ts"
import type { AlertKind, Occurrence } from "./Alert.ts"
import type { AlertReceiver } from "./AlertReceiver.ts"

/** The codes of runs that ended before they started, and not by a person's wish. */
const notStarted: ReadonlySet<string | null> = new Set(["EXPIRED-E0001", "EXPIRED-E0002", "INTERRUPTED-E0002"])

const longestCause = 300

/** What an event is to people; `null` where it is nothing. A run that was submitted without notifications is silent. */
export const of = ({ at, event, notifications }: Pick<Entry, "at" | "event" | "notifications">): Occurrence | null => {
  const told = isSilent(notifications) ? null : toldOf(event)
  if (told === null) return null
  const { kind, text, what } = told
  const cause = [kind, event.workflowId, ...what].join(" ").slice(0, longestCause)
  return { kind, cause, workflowId: event.workflowId, runId: event.runId, text, at }
}

interface Told {
  readonly kind: AlertKind
  readonly text: string
  /** What of it is the same for the same cause. */
  readonly what: ReadonlyArray<string>
}

const toldOf = (event: RunEvent): Told | null => {
  switch (event.event) {
    case "execution.failed":
    case "execution.stopped": {
      const [error] = event.errors
      const isLate = notStarted.has(error?.code ?? null)
      if (event.event === "execution.stopped" && !isLate) return null
      const what = [error?.code ?? "", error?.node?.id ?? ""]
      return { kind: isLate ? "not_started" : "failed", text: error?.message ?? "It failed without a message", what }
    }
    case "interaction.waiting":
    case "execution.input_required":
      return { kind: "person_needed", text: event.message, what: [event.step] }
    default:
      return null
  }
}

const isSilent = (notifications: Schema.Json | null): boolean =>
  typeof notifications === "object" &&
  notifications !== null &&
  "enabled" in notifications &&
  notifications.enabled === false

/** Whether a receiver is told of something. It is not told of what happened before it was made. */
export const concerns = (
  { createdAt, kinds, workflowIds }: Pick<AlertReceiver, "createdAt" | "kinds" | "workflowIds">,
  { at, kind, workflowId }: Occurrence
): boolean => createdAt <= at && kinds.includes(kind) && (workflowIds === null || workflowIds.includes(workflowId))
