/**
 * The tree of the commands of `sluice`.
 */
import { Command } from "effect/cli"
import { backup, importData, restore } from "./commands/Backup.ts"
import { doctor } from "./commands/Doctor.ts"
import { keys } from "./commands/Keys.ts"
import { api, inbox, migrate, scheduler, worker } from "./commands/Processes.ts"
import { prune } from "./commands/Prune.ts"
import { up } from "./commands/Up.ts"
import * as Users from "./commands/user/Users.ts"
import { verify } from "./commands/Verify.ts"
import { window } from "./commands/Window.ts"
import { workspaces } from "./commands/Workspaces.ts"
import * as Logging from "./Logging.ts"

export const sluice = Command.make("sluice").pipe(
  Command.withDescription("Runs browser-automation workflows, and starts them only within their run windows"),
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
    doctor,
    ...Users.commands
  ]),
  Command.provide(Logging.layer),
  Command.withGlobalFlags([Logging.LogLevel, Logging.LogFormat])
)
