/** `sluice audit`: the audit trail of a workspace. */
import { Argument, Command, Flag } from "effect/cli"
import { handler } from "../../Handler.ts"
import { service } from "../Service.ts"

const load = () => import("../../../handlers/user/workspace/Audit.ts")

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const filter = {
  action: Flag.String("action").pipe(
    Flag.withDescription(
      "Action such as run_window.set, or kind such as run_window for all actions on it; may be repeated"
    ),
    Flag.atLeast(0)
  ),
  resource_id: text("resource_id", "Id of what was changed"),
  user_id: text("user_id", "User who made the change"),
  key_id: text("key_id", "API key that the change was made with"),
  start_time: text("start_time", "Start of the time range, inclusive"),
  end_time: text("end_time", "End of the time range, exclusive")
}

const ls = Command.make(
  "ls",
  {
    ...service,
    ...filter,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Maximum number of listed entries, 1 to 1000"),
      Flag.filter(
        (limit) => limit > 0 && limit <= 1_000,
        () => "a number from 1 to 1000"
      ),
      Flag.withDefault(50)
    ),
    cursor: text("cursor", "next_cursor of the page before this one")
  },
  handler(load, ({ ls }) => ls)
).pipe(Command.withDescription("List changes, newest first"))

const exportAll = Command.make(
  "export",
  {
    ...service,
    ...filter,
    format: Flag.Literals("format", ["jsonl", "csv"]).pipe(
      Flag.withDescription("One JSON object a line, or CSV"),
      Flag.withDefault("jsonl" as const)
    ),
    file: Argument.String("file").pipe(
      Argument.withDescription("File to write; standard output when not given"),
      Argument.optional
    )
  },
  handler(load, ({ exportAll }) => exportAll)
).pipe(Command.withDescription("Write all changes of a filter to a file or to standard output"))

export const audit = Command.make("audit").pipe(
  Command.withDescription("List and export the changes in a workspace"),
  Command.withSubcommands([ls, exportAll])
)
