/** The names and tones of the states of runs. */

export type Tone = "good" | "bad" | "busy" | "held" | "idle"

const words: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  "execution.queued": { word: "Queued", tone: "idle" },
  "execution.requeued": { word: "Waits to retry", tone: "idle" },
  "execution.paused": { word: "Held", tone: "held" },
  "execution.start": { word: "Running", tone: "busy" },
  "execution.success": { word: "Succeeded", tone: "good" },
  "execution.failed": { word: "Failed", tone: "bad" },
  "execution.stopped": { word: "Stopped", tone: "idle" }
}

/** The states of runs, in the order of the filters. */
export const statuses = [
  "execution.paused",
  "execution.queued",
  "execution.requeued",
  "execution.start",
  "execution.success",
  "execution.failed",
  "execution.stopped"
] as const

export const statusOf = (status: string): { readonly word: string; readonly tone: Tone } =>
  words[status] ?? { word: status, tone: "idle" }
