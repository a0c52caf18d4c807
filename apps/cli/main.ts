/**
 * The command `sluice`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Schema } from "effect"
import { CliConfig, CliError, CliOutput, Command } from "effect/cli"
import { Build } from "../../core/runtime/Build.ts"
import { SettingNames } from "../../core/runtime/SettingNames.ts"
import * as Users from "./commands/user/Users.ts"
import * as Ending from "./Ending.ts"
import { presenter } from "./guards/WrongSettings.ts"
import * as Logging from "./Logging.ts"
import { settingNames } from "./SettingNames.ts"
import { sluice } from "./Sluice.ts"
import { exitCodes, Refused } from "./user/Ending.ts"
import { version } from "./Version.ts"
import * as ZoneSetting from "./ZoneSetting.ts"

/** Commands of users have an exit code for each class of failure; commands of the service end with 1. */
const exitCodeOf = (failure: unknown): number => {
  if (Schema.is(Refused)(failure)) return exitCodes[failure.class]
  const isWrong = CliError.isCliError(failure) && failure._tag === "ShowHelp" && Users.isOne(failure.commandPath)
  return isWrong ? exitCodes.wrong : 1
}

/** Prints an error with a message as that message alone, and any other failure with its full cause. */
const withReport = Effect.catchCause((cause: Cause.Cause<unknown>) =>
  Effect.sync(() => {
    if (Cause.hasInterruptsOnly(cause)) return
    const failure = cause.reasons.find((reason) => reason._tag === "Fail")?.error
    process.exitCode = exitCodeOf(failure)
    if (CliError.isCliError(failure)) return
    process.stderr.write(`${failure instanceof Error ? failure.message : Cause.pretty(cause)}\n`)
  })
)

// Everything that this process writes is for its own user only.
process.umask(0o077)

// If the channel to a parent process closes, the parent has ended: then shut down gracefully.
process.channel?.unref()
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

const refusal = await ZoneSetting.apply(process.env.SLUICE_TZDATA)

const command = refusal === null ? Command.run(sluice, { version }) : Effect.fail(new Error(refusal))

command.pipe(
  withReport,
  Effect.provide(CliConfig.layer({ builtIns: Logging.builtIns })),
  Effect.provideService(CliOutput.Presenter, presenter),
  Effect.provide(NodeServices.layer),
  Effect.provideService(SettingNames, settingNames),
  Effect.provideService(Build, version),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: Ending.teardown })
)
