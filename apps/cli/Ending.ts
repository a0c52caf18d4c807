/**
 * The end of a process that serves until it is asked to end.
 */
import { Cause, Effect, Exit, type Runtime } from "effect"

let isInterrupted = false
process.once("SIGINT", () => {
  isInterrupted = true
})

/** Whether a person at the terminal asked the process to end, by Ctrl-C. */
export const isByHand = (): boolean => isInterrupted

/** Marks a command that serves until it is asked to end: that is no failure. */
export const service = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(command, () =>
    Effect.sync(() => {
      process.exitCode = 0
    })
  )

/** The exit code of the process: 0 for a service that was asked to end, 130 for a command that was interrupted. */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit)) return onExit(0)
  if (Cause.hasInterruptsOnly(exit.cause)) return onExit(Number(process.exitCode ?? 130))
  onExit(1)
}
