/**
 * The command `sluice`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command } from "effect/cli"
import { SettingNames } from "../../core/runtime/SettingNames.ts"
import { backup, importData, restore } from "./commands/Backup.ts"
import { doctor } from "./commands/Doctor.ts"
import { keys } from "./commands/Keys.ts"
import { api, inbox, migrate, scheduler, worker } from "./commands/Processes.ts"
import { prune } from "./commands/Prune.ts"
import { up } from "./commands/Up.ts"
import { verify } from "./commands/Verify.ts"
import { window } from "./commands/Window.ts"
import { workspaces } from "./commands/Workspaces.ts"
import * as Ending from "./Ending.ts"
import { presenter } from "./guards/WrongSettings.ts"
import * as Logging from "./Logging.ts"
import { settingNames } from "./SettingNames.ts"
import { version } from "./Version.ts"

const sluice = Command.make("sluice").pipe(
  Command.withDescription("Runs browser-automation workflows, and starts them only at the hours when they may run"),
  Command.withSubcommands([
    up,
    api,
    inbox,
    scheduler,
    worker,
    migrate,
    keys,
    workspaces,
    prune,
    backup,
    restore,
    importData,
    window,
    verify,
    doctor
  ]),
  Command.provide(Logging.layer),
  Command.withGlobalFlags([Logging.LogLevel, Logging.LogFormat])
)

/** Prints an error with a message as that message alone, and any other failure with its full cause. */
const withReport = Effect.catchCause((cause: Cause.Cause<unknown>) =>
  Effect.sync(() => {
    if (Cause.hasInterruptsOnly(cause)) return
    const failure = cause.reasons.find((reason) => reason._tag === "Fail")?.error
    process.exitCode = 1
    if (CliError.isCliError(failure)) return
    process.stderr.write(`${failure instanceof Error ? failure.message : Cause.pretty(cause)}\n`)
  })
)

// Everything that this process writes is for its own user only.
process.umask(0o077)

// A parent process that opened a channel to this one has ended when the channel closes: then shut down in order.
process.channel?.unref()
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

Command.run(sluice, { version }).pipe(
  withReport,
  Effect.provide(CliConfig.layer({ builtIns: Logging.builtIns })),
  Effect.provideService(CliOutput.Presenter, presenter),
  Effect.provide(NodeServices.layer),
  Effect.provideService(SettingNames, settingNames),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: Ending.teardown })
)
