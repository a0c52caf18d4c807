/**
 * The counters and histograms of a process, in the registry of metrics. Labels have few values: no id, and no name that a
 * workspace chose.
 */
import { Effect, Metric } from "effect"

/** Seconds from 5 ms to about an hour and a half. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const runSeconds = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_200, 2_400, 4_800]

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const histogram = (name: string, description: string, boundaries: ReadonlyArray<number>) =>
  Metric.histogram(name, { description, boundaries })

const submitted = counter("sluice_runs_submitted_total", "Runs accepted by this process")

const started = counter("sluice_run_attempts_total", "Attempts of runs started by this process")

const ended = counter("sluice_runs_ended_total", "Runs ended by this process, by result and class of the last error")

const delay = histogram(
  "sluice_run_start_delay_seconds",
  "Time from the instant at which a run may start to its start",
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800]
)

const lag = histogram(
  "sluice_gate_opening_lag_seconds",
  "Time from the instant at which a gate opens to the signal that wakes the workers",
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
)

const recoveries = counter("sluice_recoveries_total", "Recoveries of steps, by kind, and whether they worked")

const signIns = counter(
  "sluice_sign_ins_total",
  "What attempts of this process found out about credentials, by result, and whether a check did"
)

const warnings = counter("sluice_run_warnings_total", "Warnings of steps of runs ended by this process, by code")

const duration = histogram(
  "sluice_run_duration_seconds",
  "Time from the first start of a run to its end, by result and class of the last error",
  runSeconds
)

const nodes = histogram(
  "sluice_node_duration_seconds",
  "Time that a node took, with its recoveries, by action",
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
)

const deliveries = counter("sluice_webhook_deliveries_total", "Attempts to deliver an event to a webhook, by outcome")

const deliveryDelay = histogram(
  "sluice_webhook_delay_seconds",
  "Time from an event to its acceptance by a webhook, with all attempts",
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200]
)

const modelCalls = counter("sluice_model_calls_total", "Questions to models that this process asked, by model")

const modelTokens = counter("sluice_model_tokens_total", "Tokens of these questions and their answers, by model")

const requests = histogram(
  "sluice_http_request_duration_seconds",
  "Time from a request to its answer, by route, method and status",
  requestSeconds
)

export const runSubmitted: Effect.Effect<void> = Metric.update(submitted, 1)

export const attemptStarted: Effect.Effect<void> = Metric.update(started, 1)

/** Records that a run started `seconds` after the instant from which it may start. */
export const startDelayed = (seconds: number): Effect.Effect<void> => Metric.update(delay, Math.max(0, seconds))

/** Records that the workers were woken `seconds` after a gate opened. */
export const gateOpened = (seconds: number): Effect.Effect<void> => Metric.update(lag, Math.max(0, seconds))

/** Records what an attempt found out about signing in with a credential. */
export const signedIn = (result: string, isCheck: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(signIns, { result, by: isCheck ? "check" : "run" }), 1)

/** Records the result of a recovery of a step. */
export const recovered = (kind: string, worked: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(recoveries, { kind, worked: String(worked) }), 1)

/** The classes of the codes of the service. Codes of workspaces are one class. */
const classes = new Set([
  "ACCOUNT",
  "AGENT",
  "API",
  "BROWSER",
  "APPROVAL",
  "CAPTCHA",
  "CONDITION",
  "CREDENTIAL",
  "DOWNLOAD",
  "EXPECT",
  "EXPIRED",
  "INTERACTION",
  "INTERRUPTED",
  "LIMIT",
  "LOGIN",
  "MODEL",
  "NAVIGATION",
  "NETWORK",
  "OPTION",
  "OUTPUT_SCHEMA_MISMATCH",
  "PROXY",
  "RUNNER_LOST",
  "SELECTOR",
  "STRICT",
  "TEMPLATE",
  "TFA",
  "TRANSFORM",
  "UPLOAD",
  "WINDOW",
  "WORKFLOW_DELETED"
])

/** The class of the code of a failure: the part before its number, `workflow` for a code that a workspace chose. */
export const classOf = (code: string | null): string => {
  if (code === null) return "none"
  const [first = ""] = code.split("-E", 1)
  return classes.has(first) ? first : "workflow"
}

/** Records the warnings of an ended run, by their codes. */
export const warned = (codes: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(codes, (code) => Metric.update(Metric.withAttributes(warnings, { code }), 1), { discard: true })

/** Records the end of a run. `seconds` is the time since its first start; `null` if it never started. */
export const runEnded = (result: string, code: string | null, seconds: number | null): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(ended, { result, error_class: classOf(code) }), 1),
    seconds === null
      ? Effect.void
      : Metric.update(Metric.withAttributes(duration, { result, error_class: classOf(code) }), seconds)
  )

/** The labelled metrics of nodes, by action. */
const ofNodes = new Map<string, Metric.Histogram<number>>()

/** Records the time of a node. `action` is one of the actions of workflows. */
export const nodeDone = (action: string, seconds: number): Effect.Effect<void> => {
  const known = ofNodes.get(action) ?? Metric.withAttributes(nodes, { action })
  ofNodes.set(action, known)
  return Metric.update(known, seconds)
}

/** Records an attempt to deliver to a webhook. */
export const delivery = (outcome: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(deliveries, { outcome }), 1)

/** Records that a webhook accepted an event `seconds` after it happened. */
export const delivered = (seconds: number): Effect.Effect<void> => Metric.update(deliveryDelay, Math.max(0, seconds))

/** Records a request to a model. `model` is a model name of the installation. */
export const modelAsked = (model: string, tokens: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(modelCalls, { model }), 1),
    Metric.update(Metric.withAttributes(modelTokens, { model }), tokens)
  )

/** The labelled metrics of requests. There is one for each route, method and status that occurred. */
const ofRequests = new Map<string, Metric.Histogram<number>>()

/** Records an answered request. `route` is a template. */
export const requestAnswered = (
  route: string,
  method: string,
  status: number,
  seconds: number
): Effect.Effect<void> => {
  const key = `${route} ${method} ${status}`
  const known = ofRequests.get(key)
  if (known !== undefined) return Metric.update(known, seconds)
  const made = Metric.withAttributes(requests, { route, method, status: String(status) })
  ofRequests.set(key, made)
  return Metric.update(made, seconds)
}
