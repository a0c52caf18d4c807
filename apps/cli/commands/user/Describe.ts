/**
 * `sluice workflow describe`: has a model make a workflow of a sentence.
 */
import { Argument, Command, Flag } from "effect/cli"
import { usual } from "../../../../core/builder/proposal/TaskBudget.ts"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

const bound = (name: "calls" | "tokens" | "seconds", what: string) =>
  Flag.Int(name).pipe(Flag.withDescription(what), Flag.withDefault(usual[name]))

export const describe = Command.make(
  "describe",
  {
    ...service,
    task: Argument.String("task").pipe(
      Argument.withDescription('What to do, such as "open the invoices, and for each open one download the PDF"')
    ),
    start: Flag.String("start").pipe(Flag.withDescription("Address to begin at, such as https://portal.example/")),
    name: Flag.String("name").pipe(Flag.withDescription("Name of the workflow")),
    credential: Flag.String("credential").pipe(
      Flag.withDescription("User id of an entry of the vault for that site, to sign in with"),
      Flag.optional
    ),
    calls: bound("calls", "The most questions to the model"),
    tokens: bound("tokens", "The most tokens of questions and answers"),
    seconds: bound("seconds", "The most seconds of the model and of the acts"),
    save: Flag.Boolean("save").pipe(
      Flag.withDescription("Save the workflow once a run in a new session did all of it"),
      Flag.withDefault(false)
    )
  },
  handler(
    () => import("../../handlers/user/Describe.ts"),
    ({ describe }) => describe
  )
).pipe(
  Command.withDescription(
    "Have a model make a workflow, step by step in a browser of the service. It asks at a terminal before what cannot be undone; without one, that is not done"
  )
)
