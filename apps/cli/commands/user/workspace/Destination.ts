/** `sluice destination`: the places that the files of runs are sent to. */
import { Argument, Command, Flag } from "effect/cli"
import { DestinationType, OnConflict } from "../../../../../core/run/delivery/FileDestination.ts"
import { handler } from "../../Handler.ts"
import { service } from "../Service.ts"

const load = () => import("../../../handlers/user/workspace/Destination.ts")

const id = Argument.String("destination-id").pipe(Argument.withDescription("Id of the destination"))

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const list = Command.make(
  "list",
  service,
  handler(load, ({ list }) => list)
).pipe(Command.withDescription("List the destinations of files"))

const create = Command.make(
  "create",
  {
    ...service,
    name: Argument.String("name").pipe(Argument.withDescription("Name, by which workflows name the destination")),
    address: Argument.String("address").pipe(
      Argument.withDescription(
        "Address that paths begin at, such as https://files.example.com/in/ or sftp://files.example.com/~/in"
      )
    ),
    type: Flag.Literals("type", DestinationType.literals).pipe(
      Flag.withDescription("How it is spoken to"),
      Flag.withDefault("http" as const)
    ),
    onConflict: Flag.Literals("on-conflict", OnConflict.literals).pipe(
      Flag.withDescription("What happens where other content has the name of a file"),
      Flag.withDefault("rename" as const)
    ),
    username: text("username", "User name or access key, beside the password"),
    passwordFrom: text("password-from", "Variable that holds the password or secret key"),
    privateKeyFrom: text("private-key-from", "Variable that holds the private key of a user of an SFTP server"),
    hostKey: text("host-key", "Fingerprint of the host key of an SFTP server, such as ssh-keygen -l prints it"),
    region: text("region", "Region of the bucket of an S3-compatible store"),
    tokenFrom: text("token-from", "Variable that holds the token, in place of a user name and password")
  },
  handler(load, ({ create }) => create)
).pipe(Command.withDescription("Register a destination of files"))

const remove = Command.make(
  "delete",
  { ...service, id },
  handler(load, ({ remove }) => remove)
).pipe(Command.withDescription("Delete a destination; pending deliveries to it fail"))

const deliveries = Command.make(
  "deliveries",
  {
    ...service,
    run: text("run", "Id of a run, for its deliveries alone"),
    failed: Flag.Boolean("failed").pipe(Flag.withDescription("Only those that failed"), Flag.withDefault(false))
  },
  handler(load, ({ deliveries }) => deliveries)
).pipe(Command.withDescription("List the newest 100 deliveries of files"))

const retry = Command.make(
  "retry",
  {
    ...service,
    id: Argument.String("delivery-id").pipe(Argument.withDescription("Id of a failed delivery"))
  },
  handler(load, ({ retry }) => retry)
).pipe(Command.withDescription("Try a failed delivery of a file again"))

export const destination = Command.make("destination").pipe(
  Command.withDescription("Register places that the files of runs are sent to, and list and retry deliveries"),
  Command.withSubcommands([list, create, remove, deliveries, retry])
)
