/**
 * `sluice workflow`: workflows as files.
 */
import { Argument, Command, Flag } from "effect/cli"
import { handler } from "../Handler.ts"
import { describe } from "./Describe.ts"
import { run } from "./Execute.ts"
import { tryWorkflow } from "./Replay.ts"
import { service } from "./Service.ts"

const load = () => import("../../handlers/user/Workflows.ts")

const file = Argument.String("file").pipe(
  Argument.withDescription("File of the workflow, as pull writes it, or a workflow in TypeScript")
)

const list = Command.make(
  "list",
  service,
  handler(load, ({ list }) => list)
).pipe(Command.withDescription("List the workflows, last changed first"))

const pull = Command.make(
  "pull",
  {
    ...service,
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Id or name of the workflow")),
    file: Argument.String("file").pipe(
      Argument.withDescription("File to write; standard output when not given"),
      Argument.optional
    ),
    as: Flag.Literals("as", ["json", "ts"]).pipe(
      Flag.withDescription("Form of the file: json, or ts for TypeScript; that of the file's name when not set"),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace a file that differs from the workflow"),
      Flag.withDefault(false)
    )
  },
  handler(load, ({ pull }) => pull)
).pipe(Command.withDescription("Write a workflow to a file in a stable format"))

const push = Command.make(
  "push",
  {
    ...service,
    file,
    note: Flag.String("note").pipe(Flag.withDescription("Note of the new version"), Flag.optional),
    canary: Flag.String("canary").pipe(
      Flag.withDescription(
        "Give the new version a share of the runs at first: the share, after how many ended runs it gets all, and with how many failed ones it is rolled back, as in 0.1,50,5"
      ),
      Flag.optional
    )
  },
  handler(load, ({ push }) => push)
).pipe(Command.withDescription("Save a file as the next version, unless another one was saved since it was pulled"))

const diff = Command.make(
  "diff",
  { ...service, file },
  handler(load, ({ diff }) => diff)
).pipe(Command.withDescription("Compare a file with the latest version; fails if they differ"))

const validate = Command.make(
  "validate",
  { file, json: service.json },
  handler(load, ({ validate }) => validate)
).pipe(Command.withDescription("Check the workflow of a file without a service; fails if it is not valid"))

const explain = Command.make(
  "explain",
  {
    ...service,
    workflow: Argument.String("workflow").pipe(
      Argument.withDescription("Id or name of the workflow, or a workflow file, which needs no service")
    )
  },
  handler(load, ({ explain }) => explain)
).pipe(Command.withDescription("Explain the inputs, the run window and each step of a workflow"))

const importFile = Command.make(
  "import",
  {
    ...service,
    file: Argument.String("file").pipe(
      Argument.withDescription("A recording, a script or a workflow of another program; - for standard input")
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription("Workflow file to write, for push; a file that exists is not replaced"),
      Flag.optional
    ),
    save: Flag.Boolean("save").pipe(Flag.withDescription("Create the workflow"), Flag.withDefault(false))
  },
  handler(load, ({ importFile }) => importFile)
).pipe(
  Command.withDescription("Make a workflow of a file of another program, and say what becomes of each of its steps")
)

const exportProgram = Command.make(
  "export",
  {
    ...service,
    workflow: Argument.String("workflow").pipe(
      Argument.withDescription("Id or name of the workflow, or a workflow file, which needs no service")
    ),
    file: Argument.String("file").pipe(
      Argument.withDescription("File to write; standard output when not given"),
      Argument.optional
    ),
    playwright: Flag.Boolean("playwright").pipe(
      Flag.withDescription("Write a TypeScript program that needs only Playwright"),
      Flag.withDefault(false)
    ),
    force: Flag.Boolean("force").pipe(Flag.withDescription("Replace a file that exists"), Flag.withDefault(false))
  },
  handler(load, ({ exportProgram }) => exportProgram)
).pipe(
  Command.withDescription("Write a workflow as a program of Playwright, and say which of its steps that cannot do")
)

const canary = Command.make(
  "canary",
  {
    ...service,
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Id or name of the workflow")),
    end: Flag.Literals("end", ["promote", "stop"]).pipe(
      Flag.withDescription(
        "End it: promote gives its version all runs, stop saves the former content as the next version"
      ),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why it is ended, for the audit trail"), Flag.optional)
  },
  handler(load, ({ canary }) => canary)
).pipe(Command.withDescription("Show or end the canary of a workflow"))

/** A limit, or `none`. */
const limit = (name: string, what: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${what}: a whole number, or none; unchanged when not set`),
    Flag.optional
  )

const pace = Command.make(
  "pace",
  {
    ...service,
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Id or name of the workflow")),
    starts: limit("starts", "Maximum number of starts in any 60 seconds"),
    running: limit("running", "Maximum number of concurrent runs")
  },
  handler(load, ({ pace }) => pace)
).pipe(Command.withDescription("Show or set the limits on starts and concurrent runs of a workflow"))

export const workflow = Command.make("workflow").pipe(
  Command.withDescription(
    "List, pull, push, compare, check, import, export, explain, limit, describe, try and run workflows"
  ),
  Command.withSubcommands([
    list,
    pull,
    push,
    diff,
    validate,
    importFile,
    exportProgram,
    explain,
    canary,
    pace,
    describe,
    tryWorkflow,
    run
  ])
)
