/**
 * `sluice window show|preview|set|history|restore|tz-diff`: the run windows of a service.
 */
import { Argument, Command, Flag } from "effect/cli"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

const load = () => import("../../handlers/user/RunWindows.ts")

const workflow = Argument.String("workflow").pipe(Argument.withDescription("Id or name of the workflow"))
const file = Argument.String("file").pipe(
  Argument.withDescription("File with a run window in JSON; - for standard input")
)

export const windowCommands = [
  Command.make(
    "show",
    { ...service, workflow },
    handler(load, ({ show }) => show)
  ).pipe(
    Command.withDescription("Draw the opening hours of a workflow for the next seven days, and mark clock changes")
  ),
  Command.make(
    "preview",
    { ...service, workflow, file },
    handler(load, ({ preview }) => preview)
  ).pipe(Command.withDescription("Show how many runs a run window would hold and release, without setting it")),
  Command.make(
    "set",
    {
      ...service,
      workflow,
      file,
      revision: Flag.Int("revision").pipe(
        Flag.withDescription("The revision that the change is based on; the stored one when not set"),
        Flag.optional
      )
    },
    handler(load, ({ set }) => set)
  ).pipe(
    Command.withDescription("Show the effect of a run window, and set it unless it was changed since it was read")
  ),
  Command.make(
    "history",
    {
      ...service,
      workflow,
      limit: Flag.Int("limit").pipe(
        Flag.withDescription("Maximum number of listed windows, 1 to 1000"),
        Flag.filter(
          (limit) => limit > 0 && limit <= 1_000,
          () => "a number from 1 to 1000"
        ),
        Flag.withDefault(20)
      )
    },
    handler(load, ({ history }) => history)
  ).pipe(Command.withDescription("List the run windows that a workflow had, newest first, with who set each and when")),
  Command.make(
    "restore",
    {
      ...service,
      workflow,
      revision: Argument.Int("revision").pipe(Argument.withDescription("Revision of the window, as history lists it"))
    },
    handler(load, ({ restore }) => restore)
  ).pipe(
    Command.withDescription(
      "Show the effect of a former run window, and set it again unless the window was changed since it was read"
    )
  ),
  Command.make(
    "tz-diff",
    {
      ...service,
      file: Argument.String("file").pipe(Argument.withDescription("File of the openings")),
      save: Flag.Boolean("save").pipe(
        Flag.withDescription(
          "Write the openings of all workflows to the file, with the time zone data of this machine"
        ),
        Flag.withDefault(false)
      )
    },
    handler(
      () => import("../../handlers/user/TzDiff.ts"),
      ({ tzDiff }) => tzDiff
    )
  ).pipe(
    Command.withDescription(
      "Name the workflows that open at other times with the time zone data of this machine than with that of a file, and fail if there are any"
    )
  )
] as const
