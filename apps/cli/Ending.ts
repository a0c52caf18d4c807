/** The end of a process that serves until a signal. */
import { Cause, Effect, Exit, type Runtime, Schedule } from "effect"
import * as StoreUnavailable from "../../core/runtime/StoreUnavailable.ts"
import * as Logging from "./Logging.ts"
import * as Telemetry from "./Telemetry.ts"
import { version } from "./Version.ts"

let isInterrupted = false
process.once("SIGINT", () => {
  isInterrupted = true
})

/** Whether the process was ended by Ctrl-C. */
export const isByHand = (): boolean => isInterrupted

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "done"
  return Cause.hasInterruptsOnly(exit.cause) ? "asked to end" : "failed"
}

/** Starts again where the database was reached, and lost before the process served. A first wait for it has a limit of its own. */
const again = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  command.pipe(
    Effect.tapError((error) =>
      StoreUnavailable.is(error) ? Effect.logWarning(`Starts again. ${error.message}`) : Effect.void
    ),
    Effect.retry({ while: StoreUnavailable.is, schedule: Schedule.spaced("1 second") })
  )

/**
 * Marks a command that serves until a signal, which is not a failure. Its start and end are logged, and all its log
 * lines contain the part of the service.
 */
export const service =
  (part: string) =>
  <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.logInfo("Process starts").pipe(
      Effect.annotateLogs({ version, node: process.version, pid: process.pid }),
      Effect.andThen(Effect.provide(again(command), Telemetry.layer(part))),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          process.exitCode = 0
        })
      ),
      Effect.onExit((exit) =>
        Effect.annotateLogs(Effect.logInfo("Process ends"), {
          outcome: outcomeOf(exit),
          pid: process.pid,
          uptime_s: Math.round(process.uptime())
        })
      ),
      Effect.annotateLogs({ part })
    )

/**
 * The exit code of the process: 0 for a service ended by a signal, 130 for an interrupted command. A reported failure
 * has already set the code. The process exits explicitly, because open handles would keep it alive.
 */
const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return Number(process.exitCode ?? 0)
  return Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 130) : 1
}

/** Ends the process with its exit code after its log is written. */
export const teardown: Runtime.Teardown = (exit, onExit) => void Logging.flush().then(() => onExit(codeOf(exit)))
