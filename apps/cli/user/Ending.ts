/**
 * How a command of a user ends: the exit code of each class of failure, and the sentences that are printed for it.
 */
import { Predicate, Schema } from "effect"
import { HttpClientError } from "effect/http"

/** The exit codes of the commands that talk to a service. Those of other clients of the interface agree with them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrong: 2,
  forbidden: 3,
  missing: 4,
  conflict: 6,
  unsuccessful: 8,
  timeout: 9,
  stale: 13,
  unavailable: 75
} as const

export type Class = keyof typeof exitCodes

/** What each exit code means, for the page of the docs. */
export const meanings: Readonly<Record<Class, string>> = {
  done: "The command succeeded",
  failed: "The result is negative, such as an invalid window or workflow or different versions; or any other failure",
  wrong: "The command, a file or a value is wrong: nothing was changed",
  forbidden: "The service does not accept the key, or the key may not do this",
  missing: "There is no such run, workflow, schedule or key",
  conflict: "The state of the service does not allow this now",
  unsuccessful: "A run that was followed ended without success",
  timeout: "The time of `--timeout` is over, and a run has not ended",
  stale: "The stored state has changed since it was read",
  unavailable: "The service cannot be reached, or is temporarily unavailable"
}

/** What to do after each kind of failure, where the message does not say more. */
export const fixes: Readonly<Record<Exclude<Class, "done">, string>> = {
  failed: "Change what the message names, then run the command again",
  wrong: "Correct the command, the file or the value that the message names; --help lists what a command takes",
  forbidden: "Use a key that may do this: run sluice login, or set SLUICE_KEY",
  missing: "Take the id or the name from a list, such as that of sluice runs ls or sluice workflow list",
  conflict: "Look at the present state, such as by sluice runs show, and change that first",
  unsuccessful: "Look at the cause by sluice runs show and sluice runs logs, and change the workflow or its input",
  timeout: "Wait again with a longer --timeout, or ask sluice runs why",
  stale: "Read the stored state again, make the change there, and send that",
  unavailable: "Check the address, and run the command again later"
}

/** Raised when a command fails. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  class: Schema.Literals(Object.keys(exitCodes) as ReadonlyArray<Class>),
  reason: Schema.String,
  /** The code of the interface, where the service answered with one. */
  code: Schema.optionalKey(Schema.String),
  /** What is wrong, each at its path, where the service answered with that. */
  problems: Schema.optionalKey(Schema.Array(Schema.Unknown))
}) {
  override get message() {
    return this.reason
  }
}

export const refused = (kind: Class, reason: string): Refused => new Refused({ class: kind, reason })

const stale: ReadonlySet<unknown> = new Set(["WORKFLOW_VERSION_CONFLICT", "RUN_WINDOW_CONFLICT"])

const classOfStatus = (status: number, code: unknown): Class => {
  if (status === 401 || status === 403) return "forbidden"
  if (status === 404) return "missing"
  if (status === 408) return "timeout"
  if (status === 412) return "stale"
  if (status === 409) return stale.has(code) ? "stale" : "conflict"
  if (status === 429 || status >= 500) return "unavailable"
  return status >= 400 ? "wrong" : "failed"
}

type Body = {
  readonly statusCode: number
  readonly message: string
  readonly code?: unknown
  readonly errors?: unknown
  readonly run_input_variables_errors?: unknown
}

const isBody = (error: unknown): error is Body =>
  typeof error === "object" && error !== null && "statusCode" in error && typeof error.statusCode === "number"

/** The class of a failure of a command. */
export const classOf = (error: unknown): Class => {
  if (Schema.is(Refused)(error)) return error.class
  // By its tag: its module is that of the whole interface, which not every command loads.
  if (Predicate.isTagged(error, "StreamLost")) return "unavailable"
  if (isBody(error)) return classOfStatus(error.statusCode, error.code)
  if (!HttpClientError.isHttpClientError(error)) return "failed"
  return error.response === undefined ? "unavailable" : classOfStatus(error.response.status, undefined)
}

/** What is printed of an error body: its message, and each problem at its place. */
const linesOf = ({ errors, message }: Body): ReadonlyArray<string> => {
  const problems = Array.isArray(errors) ? errors : []
  return problems.length < 2
    ? [message]
    : [message, ...problems.map(({ message, path }) => `  ${path === "" ? "" : `${path}: `}${message}`)]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]+/g

/** The text of a failure for a person, without characters that a terminal would obey. */
const textOf = (error: unknown, url: string): string => {
  if (isBody(error)) return linesOf(error).join("\n").replace(controls, " ")
  if (HttpClientError.isHttpClientError(error)) {
    const { response } = error
    const said = response === undefined ? "it cannot be reached" : `it answered with status ${response.status}`
    return `Cannot use the service at ${url}: ${said}`
  }
  return (error instanceof Error ? error.message : String(error)).replace(controls, " ")
}

/** The failure of a command that talks to a service, with what the service said of it. */
export const refusalOf = (error: unknown, url: string): Refused => {
  if (Schema.is(Refused)(error)) return error
  const { code, errors, run_input_variables_errors } = isBody(error) ? error : ({} as Partial<Body>)
  const problems = [errors, run_input_variables_errors].flatMap((some) => (Array.isArray(some) ? some : []))
  return new Refused({
    class: classOf(error),
    reason: textOf(error, url),
    ...(typeof code === "string" ? { code } : {}),
    ...(problems.length === 0 ? {} : { problems })
  })
}
