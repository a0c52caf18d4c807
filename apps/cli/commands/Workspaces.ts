/**
 * `sluice workspaces`: the workspaces of an installation, in its stores or over HTTP.
 */
import { Argument, Command, Flag } from "effect/cli"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"

const load = () => import("../handlers/workspaces/Workspaces.ts")
const loadFolder = () => import("../handlers/user/workspace/Folder.ts")

export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Create and list workspaces, and take everything in one to another"),
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
    ).pipe(Command.withDescription("List the workspaces of an installation, or the one of a key")),
    Command.make(
      "export",
      {
        ...service,
        folder: Argument.String("folder").pipe(
          Argument.withDescription("Folder to write: a new or empty one, or one with an earlier export")
        ),
        force: Flag.Boolean("force").pipe(
          Flag.withDescription("Replace the files of an earlier export that differ"),
          Flag.withDefault(false)
        )
      },
      handler(loadFolder, ({ exportFolder }) => exportFolder)
    ).pipe(
      Command.withDescription(
        "Write everything that a workspace is set up with to a folder, without secrets and without its runs"
      )
    ),
    Command.make(
      "import",
      {
        ...service,
        folder: Argument.String("folder").pipe(Argument.withDescription("Folder that export wrote")),
        dryRun: Flag.Boolean("dry-run").pipe(
          Flag.withDescription("Report what would be made and changed, and change nothing"),
          Flag.withDefault(false)
        ),
        activate: Flag.Boolean("activate").pipe(
          Flag.withDescription(
            "Give schedules and webhooks the state that they have in the folder; new ones are paused and inactive otherwise"
          ),
          Flag.withDefault(false)
        )
      },
      handler(loadFolder, ({ importFolder }) => importFolder)
    ).pipe(Command.withDescription("Make and change what a folder has in a workspace, and delete nothing"))
  ])
)
