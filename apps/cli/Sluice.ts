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

/** The commands that serve until a signal, and have no answer. */
export const serving = [up, api, inbox, scheduler, worker] as const

/** All other commands, in the order of the help. */
export const answering = [
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
] as const

/** Whether the arguments of a command line are those of a command that serves. */
export const isServing = (args: ReadonlyArray<string>): boolean => {
  const named = [...serving, ...answering].map(({ name }): string => name)
  const chosen = args.find((one) => named.includes(one))
  return serving.some(({ name }) => name === chosen)
}

export const sluice = Command.make("sluice").pipe(
  Command.withDescription("Runs browser-automation workflows, and starts them only within their run windows"),
  Command.withSubcommands([...serving, ...answering]),
  Command.provide(Logging.layer),
  Command.withGlobalFlags([Logging.LogLevel, Logging.LogFormat])
)
