/**
 * The command `sluice`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliConfig, CliOutput, Command } from "effect/cli"
import { Build } from "../../core/runtime/Build.ts"
import { SettingNames } from "../../core/runtime/SettingNames.ts"
import * as Ending from "./Ending.ts"
import * as Failure from "./Failure.ts"
import { presenter } from "./guards/WrongSettings.ts"
import * as Logging from "./Logging.ts"
import { settingNames } from "./SettingNames.ts"
import { isServing, sluice } from "./Sluice.ts"
import { refused } from "./user/Ending.ts"
import { version } from "./Version.ts"
import * as ZoneSetting from "./ZoneSetting.ts"

const args = process.argv.slice(2)

/** Sets the exit code, and says what failed on standard error: standard output is for answers. */
const withReport = Effect.catchCause((cause) =>
  Effect.sync(() => {
    const failure = Failure.of(cause, { isServing: isServing(args), json: Failure.isJson(args) })
    if (failure === null) return
    process.exitCode = failure.exitCode
    if (failure.text !== "") process.stderr.write(`${failure.text}\n`)
  })
)

// Everything that this process writes is for its own user only.
process.umask(0o077)

// If the channel to a parent process closes, the parent has ended: then shut down gracefully.
process.channel?.unref()
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

const badZones = await ZoneSetting.apply(process.env.SLUICE_TZDATA)

const refusal =
  badZones !== null
    ? new Error(badZones)
    : args.includes("--wizard") && !process.stdin.isTTY
      ? refused("wrong", "--wizard asks a person, and standard input is no terminal: name the command and its flags")
      : null

const command = refusal === null ? Command.run(sluice, { version }) : Effect.fail(refusal)

command.pipe(
  withReport,
  Effect.provide(CliConfig.layer({ builtIns: Logging.builtIns })),
  Effect.provideService(CliOutput.Presenter, presenter),
  Effect.provide(NodeServices.layer),
  Effect.provideService(SettingNames, settingNames),
  Effect.provideService(Build, version),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: Ending.teardown })
)
