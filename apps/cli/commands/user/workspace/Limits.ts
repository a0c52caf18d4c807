/** `sluice limits`: named limits that workflows, credentials and tags share. */
import { Argument, Command, Flag } from "effect/cli"
import { handler } from "../../Handler.ts"
import { service } from "../Service.ts"

const load = () => import("../../../handlers/user/workspace/Limits.ts")

const id = Argument.String("limit-id").pipe(Argument.withDescription("Id of the limit"))

const names = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; may be repeated`), Flag.atLeast(0))

const numbers = {
  running: Flag.Int("running").pipe(Flag.withDescription("Most runs at once"), Flag.optional),
  starts: Flag.Int("starts").pipe(Flag.withDescription("Most starts in a minute"), Flag.optional)
}

const drawn = {
  workflow: names("workflow", "Id of a workflow that draws on it"),
  credential: names("credential", "Id of a credential that draws on it"),
  tag: names("tag", "Tag of runs that draw on it")
}

const list = Command.make(
  "list",
  service,
  handler(load, ({ list }) => list)
).pipe(Command.withDescription("List the limits with their use"))

const create = Command.make(
  "create",
  {
    ...service,
    name: Argument.String("name").pipe(Argument.withDescription("Name of the limit")),
    ...numbers,
    ...drawn
  },
  handler(load, ({ create }) => create)
).pipe(Command.withDescription("Make a limit"))

const change = Command.make(
  "change",
  { ...service, id, ...numbers, ...drawn },
  handler(load, ({ change }) => change)
).pipe(Command.withDescription("Change the given fields of a limit"))

const remove = Command.make(
  "delete",
  { ...service, id },
  handler(load, ({ remove }) => remove)
).pipe(Command.withDescription("Delete a limit"))

const pause = Command.make(
  "pause",
  { ...service, id, reason: Flag.String("reason").pipe(Flag.withDescription("Why"), Flag.optional) },
  handler(load, ({ pause }) => pause)
).pipe(Command.withDescription("Pause a limit: no run that draws on it starts until it is resumed"))

const resume = Command.make(
  "resume",
  { ...service, id },
  handler(load, ({ resume }) => resume)
).pipe(Command.withDescription("Resume a paused limit"))

const override = Command.make(
  "override",
  {
    ...service,
    id,
    ...numbers,
    until: Flag.String("until").pipe(
      Flag.withDescription("End, such as 2027-01-31T08:00:00Z; without it, the override ends now"),
      Flag.optional
    )
  },
  handler(load, ({ override }) => override)
).pipe(Command.withDescription("Put other numbers in the place of those of a limit until an instant"))

export const limits = Command.make("limits").pipe(
  Command.withDescription("Limit the runs that workflows, credentials and tags share something by"),
  Command.withSubcommands([list, create, change, remove, pause, resume, override])
)
