/**
 * `sluice webhook`: events of a service on this machine.
 */
import { Command, Flag } from "effect/cli"
import { receiving } from "../../../Settings.ts"
import { handler } from "../../Handler.ts"
import { service } from "../Service.ts"

const listen = Command.make(
  "listen",
  {
    ...service,
    ...receiving,
    port: Flag.Int("port").pipe(
      Flag.withDescription("Port of the receiver on 127.0.0.1; a free one when not set"),
      Flag.filter(
        (port) => port >= 0 && port <= 65_535,
        () => "a port number from 0 to 65535"
      ),
      Flag.withDefault(0)
    ),
    register: Flag.Boolean("register").pipe(
      Flag.withDescription(
        "Register the receiver with the service while the command runs; the service must be on this machine and may reach private networks"
      ),
      Flag.withDefault(false)
    ),
    stream: Flag.Boolean("stream").pipe(
      Flag.withDescription(
        "Follow the event stream instead, which also works if the service cannot reach this machine"
      ),
      Flag.withDefault(false)
    ),
    event: Flag.String("event").pipe(
      Flag.withDescription("Print events of this name only, such as execution.failed; may be repeated"),
      Flag.atLeast(0)
    ),
    count: Flag.Int("count").pipe(
      Flag.withDescription("End after this number of events; no limit when not set"),
      Flag.filter(
        (count) => count > 0,
        () => "a number from 1 on"
      ),
      Flag.optional
    )
  },
  handler(
    () => import("../../../handlers/user/workspace/Webhook.ts"),
    ({ listen }) => listen
  )
).pipe(Command.withDescription("Receive webhooks on this machine, verify their signatures, and print their events"))

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Receive and verify webhooks on this machine"),
  Command.withSubcommands([listen])
)
