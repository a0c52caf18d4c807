/**
 * `sluice workspaces`: the workspaces of an installation, in its stores or over HTTP.
 */
import { Argument, Command } from "effect/cli"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"

const load = () => import("../handlers/workspaces/Workspaces.ts")

export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Create and list workspaces"),
  Command.withSubcommands([
    Command.make(
      "create",
      { ...Settings.storage, ...service, name: Argument.String("name") },
      handler(load, ({ create }) => create)
    ).pipe(Command.withDescription("Create a workspace with a key of its Owner, and show the key once")),
    Command.make(
      "list",
      { ...Settings.storage, ...service },
      handler(load, ({ list }) => list)
    ).pipe(Command.withDescription("List the workspaces of an installation, or the one of a key"))
  ])
)
