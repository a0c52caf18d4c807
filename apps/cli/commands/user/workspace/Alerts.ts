/** `sluice alerts`: the receivers of alerts about runs that fail, wait for a person or do not start. */
import { Argument, Command, Flag } from "effect/cli"
import { AlertKind, AlertStatus } from "../../../../../core/event/alert/Alert.ts"
import { MailSecurity } from "../../../../../core/event/alert/AlertReceiver.ts"
import { handler } from "../../Handler.ts"
import { service } from "../Service.ts"

const load = () => import("../../../handlers/user/workspace/Alerts.ts")

const id = Argument.String("receiver-id").pipe(Argument.withDescription("Id of the receiver"))

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const list = Command.make(
  "list",
  {
    ...service,
    status: Flag.Literals("status", AlertStatus.literals).pipe(
      Flag.withDescription("Only those with this status"),
      Flag.optional
    )
  },
  handler(load, ({ list }) => list)
).pipe(Command.withDescription("List the newest 100 alerts"))

const receivers = Command.make(
  "receivers",
  service,
  handler(load, ({ receivers }) => receivers)
).pipe(Command.withDescription("List the receivers of alerts"))

const timing = {
  urgent: Flag.Literals("urgent", AlertKind.literals).pipe(
    Flag.withDescription("Event that it gets alerts about in its quiet hours as well; may be repeated"),
    Flag.atLeast(0)
  ),
  quiet: text("quiet", "Quiet hours of each day, such as 22:00-07:00"),
  zone: text("time-zone", "Time zone of the quiet hours, such as Europe/Berlin")
}

const name = Argument.String("name").pipe(Argument.withDescription("Name of the receiver"))

const channel = (type: "slack" | "teams", product: string) =>
  Command.make(
    `add-${type}`,
    {
      ...service,
      name,
      urlFrom: Flag.String("url-from").pipe(
        Flag.withDescription("Variable that holds the address of the incoming web hook")
      ),
      ...timing
    },
    handler(load, ({ addChannel }) => addChannel(type))
  ).pipe(Command.withDescription(`Tell a channel of ${product}`))

const addMail = Command.make(
  "add-mail",
  {
    ...service,
    name,
    host: Argument.String("host").pipe(Argument.withDescription("Host of the SMTP server")),
    port: Flag.Int("port").pipe(Flag.withDescription("Port of the SMTP server"), Flag.withDefault(587)),
    security: Flag.Literals("security", MailSecurity.literals).pipe(
      Flag.withDescription("How the connection is secured"),
      Flag.withDefault("starttls" as const)
    ),
    from: Flag.String("from").pipe(Flag.withDescription("Address of the sender")),
    to: Flag.String("to").pipe(Flag.withDescription("Address of a person; may be repeated"), Flag.atLeast(1)),
    username: text("username", "User of the SMTP server, beside the password"),
    passwordFrom: text("password-from", "Variable that holds the password"),
    ...timing
  },
  handler(load, ({ addMail }) => addMail)
).pipe(Command.withDescription("Tell people by mail"))

const test = Command.make(
  "test",
  { ...service, id },
  handler(load, ({ test }) => test)
).pipe(Command.withDescription("Send a test to a receiver at once"))

const remove = Command.make(
  "delete",
  { ...service, id },
  handler(load, ({ remove }) => remove)
).pipe(Command.withDescription("Delete a receiver; what was gathered for it is not sent"))

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Tell people of runs that fail, wait for them or do not start"),
  Command.withSubcommands([
    list,
    receivers,
    channel("slack", "Slack"),
    channel("teams", "Teams"),
    addMail,
    test,
    remove
  ])
)
