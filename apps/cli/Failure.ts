/** The failure of a command: its exit code, and how it is said, as text or, with `--json`, as one JSON value. */
import { Cause, Schema } from "effect"
import { CliError } from "effect/cli"
import * as WrongSettings from "./guards/WrongSettings.ts"
import { type Class, classOf, exitCodes, fixes, Refused } from "./user/Ending.ts"

export interface Failure {
  readonly exitCode: number
  /** What is written to standard error; empty where the help was printed instead. */
  readonly text: string
}

/** Whether the arguments of a command line ask for JSON. */
export const isJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return (end === -1 ? args : args.slice(0, end)).some((one) => one === "--json" || one === "--json=true")
}

const kindOf = (failure: unknown): Exclude<Class, "done"> => {
  if (CliError.isCliError(failure)) return "wrong"
  const kind = classOf(failure)
  return kind === "done" ? "failed" : kind
}

/**
 * The failure of a cause; `null` for an interruption, which is none. An error with a message is said by that alone, and
 * any other by its full cause. Commands that serve end with 1, whatever failed.
 */
export const of = (
  cause: Cause.Cause<unknown>,
  { isServing, json }: { readonly isServing: boolean; readonly json: boolean }
): Failure | null => {
  if (Cause.hasInterruptsOnly(cause)) return null
  const failure = cause.reasons.find((reason) => reason._tag === "Fail")?.error
  const kind = kindOf(failure)
  const exitCode = isServing ? exitCodes.failed : exitCodes[kind]
  if (CliError.isCliError(failure)) {
    // A command without its subcommand has no errors: its help was printed.
    if (failure._tag !== "ShowHelp" || failure.errors.length === 0) return { exitCode, text: "" }
    const [message, fix] = [WrongSettings.sentencesOf(failure), WrongSettings.helpOf(failure)]
    return { exitCode, text: json ? written({ code: kind, message, fix }) : `${message}\n${fix}` }
  }
  const message = failure instanceof Error ? failure.message : Cause.pretty(cause)
  if (!json) return { exitCode, text: message }
  const { code = kind, problems } = Schema.is(Refused)(failure) ? failure : {}
  return {
    exitCode,
    text: written({ code, message, fix: fixes[kind], ...(problems === undefined ? {} : { problems }) })
  }
}

const written = (
  error: Readonly<Record<"code" | "message" | "fix", string>> & { readonly problems?: unknown }
): string => JSON.stringify({ error })
